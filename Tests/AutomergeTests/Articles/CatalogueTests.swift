import Foundation
import Testing

/// The documentation catalogue of the library: its examples are those that are run, and it is built.
@Suite struct CatalogueTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let catalogue = root.appending(path: "Sources/Automerge/Automerge.docc")

  static let articles =
    (try? FileManager.default.contentsOfDirectory(atPath: catalogue.path))?
    .filter { $0.hasSuffix(".md") && $0 != "Automerge.md" }.sorted() ?? []

  @Test func `there are articles`() { #expect(Self.articles.count >= 6) }

  @Test(arguments: articles)
  func `every example of an article is one that a test runs`(article: String) throws {
    let text = try String(
      contentsOf: Self.catalogue.appending(path: article), encoding: .utf8)
    let tests = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "ArticleTests.swift"), encoding: .utf8)
    let blocks = text.matches(of: /(?s)```swift\n(.*?)```/)
    #expect(!blocks.isEmpty)
    for line in blocks.flatMap({ $0.1.split(separator: "\n") }) {
      let parts = line.split(separator: "  // ", maxSplits: 1)
      let code = parts[0].trimmingCharacters(in: .whitespaces)
      #expect(tests.contains(code), "\(article): \(line)")
      // What a comment says it gives is what the test expects.
      guard parts.count == 2, parts[1] != "true" else { continue }
      let expected = "\(code) == \(parts[1]))"
      #expect(tests.contains(expected), "\(article): \(expected)")
    }
  }

  @Test func `docc builds the catalogue without a warning`() throws {
    let output = FileManager.default.temporaryDirectory.appending(
      path: "automerge-migrate-tests-\(UUID().uuidString)")
    // What it made is the system's to clean if that fails.
    defer { try? FileManager.default.removeItem(at: output) }
    let process = Process()
    process.executableURL = Self.root.appending(path: "bin/document")
    process.arguments = ["--output", output.path]
    var environment = ProcessInfo.processInfo.environment
    environment["AUTOMERGE_MIGRATE_MODULES"] = modules.path
    process.environment = environment
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(said)")
    #expect(!said.contains("warning:"), "\(said)")
    let page = output.appending(path: "data/documentation/automerge/firstdocument.json")
    #expect(FileManager.default.fileExists(atPath: page.path))
  }

  /// Where the build that is tested left what it knows of modules.
  private var modules: URL {
    #if os(Linux)
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "Modules")
    #else
      Bundle.main.bundleURL.deletingLastPathComponent().appending(path: "Modules")
    #endif
  }
}

import Foundation
import Testing

/// Pages as their readers meet them, in an editor and by name.
@Suite struct PageTests {
  private static let width = 120

  /// All pages, by their paths from the top of the package.
  private static let pages: [String: String] = {
    let paths = FileManager.default.enumerator(
      atPath: PackageTree.root.appending(path: "Sources/Documentation").path)
    let below = (paths?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }
    var pages: [String: String] = [:]
    for path in ["README.md"] + below.map({ "Sources/Documentation/" + $0 }) {
      pages[path] = try? String(contentsOf: PackageTree.root.appending(path: path), encoding: .utf8)
    }
    return pages
  }()

  @Test func `lines of prose fit`() {
    #expect(Self.pages.count > 60)
    expectNone(
      Self.pages.flatMap { path, text in
        Self.prose(of: text).filter { Self.isTooLong($0.line) }
          .map { "\(path):\($0.number): over \(Self.width) characters" }
      })
  }

  @Test func `no two pages have names that differ by a letter`() {
    for (directory, paths) in Dictionary(
      grouping: Self.pages.keys, by: { ($0 as NSString).deletingLastPathComponent })
    {
      let names = paths.map { ($0 as NSString).lastPathComponent }.sorted()
      for (index, name) in names.enumerated() {
        for other in names[..<index] {
          let difference = name.difference(from: other)
          #expect(
            max(difference.insertions.count, difference.removals.count) > 1,
            "\(directory): \(name), \(other)")
        }
      }
    }
  }

  @Test func `what is looked at is prose`() {
    let long = String(repeating: "word ", count: 30)
    #expect(Self.isTooLong(long))
    #expect(!Self.isTooLong("`" + long + "`"))
    let text = "a\n```\n\(long)\n```\n| \(long)\n\n    \(long)\n- \(long)"
    #expect(Self.prose(of: text).map(\.number) == [1, 8])
  }

  /// The lines of a page without tables and what is shown as it is.
  private static func prose(of text: String) -> [(number: Int, line: String)] {
    var prose: [(Int, String)] = []
    var isFenced = false
    var followsBlank = true
    for (index, part) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = String(part)
      let content = line.drop { $0 == " " }
      defer { followsBlank = content.isEmpty || (followsBlank && line.hasPrefix("    ")) }
      if content.hasPrefix("```") { isFenced.toggle() }
      guard !isFenced, !content.isEmpty, !content.hasPrefix("|"), !content.hasPrefix("```") else {
        continue
      }
      if followsBlank, line.hasPrefix("    ") { continue }
      prose.append((index + 1, line))
    }
    return prose
  }

  /// Whether a line could be shorter: code and links are never broken.
  private static func isTooLong(_ line: String) -> Bool {
    guard line.count > width else { return false }
    var isCode = false
    for (place, character) in line.enumerated() {
      if character == "`" { isCode.toggle() }
      if character == " ", !isCode, place > 8, place <= width { return true }
    }
    return false
  }
}

import Automerge
import Diagnostics
import Foundation
import MigrationCore
import Runs
import Testing

/// What `inspect-crdt` shows of the reference's documents and of damaged ones.
@Suite struct InspectionTests {
  static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "fixtures/automerge")

  private static func path(_ name: String) -> String {
    corpus.appending(path: name).path(percentEncoded: false)
  }

  /// Every case with a document in `doc.automerge` that must load.
  static let cases: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: path(""))) ?? [])
    .filter { name in
      !["bundle-chunk", "unknown-column"].contains(name)
        && FileManager.default.fileExists(atPath: path("\(name)/doc.automerge"))
    }.sorted()

  static let fuzz = (1...15).map { "fuzz-" + ($0 < 10 ? "0" : "") + String($0) }

  private static func document(_ name: String) -> String {
    name + (name.hasPrefix("fuzz-") ? "/merged.automerge" : "/doc.automerge")
  }

  private func inspect(
    _ view: InspectionView, _ name: String, at heads: [String] = []
  ) throws(MigrationError) -> String {
    try inspect(view, .file(path: Self.path(name)), at: heads)
  }

  private func inspect(
    _ view: InspectionView, _ source: InspectionOptions.Source, at heads: [String] = []
  ) throws(MigrationError) -> String {
    let written = Written()
    var options = InspectionOptions(
      source: source, view: view, sink: ByteSink(name: "test") { written.bytes += $0 })
    options.heads = heads
    try InspectionWorkflow(options).perform()
    return String(decoding: written.bytes, as: UTF8.self)
  }

  /// Shows a document that comes as a stream.
  private func inspect(_ view: InspectionView, data: Data) throws -> String {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "inspection-\(UUID().uuidString).automerge")
    try data.write(to: file)
    // A file left behind does not change the outcome.
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    return try inspect(
      view, .stream(ByteSource(name: "a stream", descriptor: handle.fileDescriptor)))
  }

  private final class Written {
    var bytes: [UInt8] = []
  }

  /// A JSON text as Foundation's objects, which compare by value.
  ///
  /// Names that differ only in composition are one name to Foundation, so they are escaped first.
  private func value(_ json: some StringProtocol) throws -> NSObject {
    let ascii = json.unicodeScalars.map { scalar -> String in
      scalar.isASCII ? String(scalar) : "<\(String(scalar.value, radix: 16))>"
    }.joined()
    let value = try JSONSerialization.jsonObject(
      with: Data(ascii.utf8), options: [.fragmentsAllowed])
    return try #require(value as? NSObject)
  }

  private func fixture(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: Self.corpus.appending(path: name)), as: UTF8.self)
  }

  private func lines(_ name: String) throws -> [String] {
    try fixture(name).split(separator: "\n").map(String.init)
  }

  @Test func `the corpus has its cases`() {
    #expect(Self.cases.count > 28)
  }

  @Test(arguments: cases) func `the typed view is the expected state`(name: String) throws {
    let shown = try inspect(.typed, "\(name)/doc.automerge")
    #expect(try value(shown) == value(fixture("\(name)/expected.json")))
    #expect(shown.utf8.last == UInt8(ascii: "\n"))
  }

  @Test(arguments: fuzz) func `the typed view is the expected state of merges`(
    name: String
  ) throws {
    let shown = try inspect(.typed, "\(name)/merged.automerge")
    #expect(try value(shown) == value(fixture("\(name)/expected.json")))
  }

  @Test(arguments: fuzz, 1...3) func `the typed view reaches into the past`(
    name: String, point: Int
  ) throws {
    let heads = try lines("\(name)/at-\(point).heads")
    let shown = try inspect(.typed, "\(name)/merged.automerge", at: heads)
    #expect(try value(shown) == value(fixture("\(name)/at-\(point).json")))
    #expect(
      try inspect(.heads, "\(name)/merged.automerge", at: heads)
        == heads.sorted().map { $0 + "\n" }.joined())
  }

  @Test func `members are in the order of their bytes`() throws {
    let shown = try inspect(.typed, "map-keys/doc.automerge")
    // The reference prints them in this order too; sorting by another rule would move some.
    let expected = try fixture("map-keys/expected.json")
    let names = expected.split(separator: "\n").compactMap { line -> String? in
      line.hasPrefix("  \"") ? String(line.dropFirst(2).prefix { $0 != ":" }) : nil
    }
    var rest = shown[...]
    for name in names {
      let place = rest.range(of: name + ":", options: .literal)
      #expect(place != nil, "\(name)")
      if let place { rest = rest[place.upperBound...] }
    }
  }

  @Test(arguments: cases + fuzz) func `every conflict is listed as the reference lists it`(
    name: String
  ) throws {
    let shown = try inspect(.conflicts, Self.document(name))
    let path = Self.path("\(name)/conflicts.json")
    guard FileManager.default.fileExists(atPath: path) else {
      #expect(shown == "[]\n")
      return
    }
    #expect(try value(shown) == value(fixture("\(name)/conflicts.json")))
  }

  @Test(arguments: cases + fuzz) func `heads and changes are the listed ones`(
    name: String
  ) throws {
    let document = Self.document(name)
    let heads = try lines("\(name)/heads.txt").sorted()
    #expect(try inspect(.heads, document) == heads.map { $0 + "\n" }.joined())

    let shown = try inspect(.changes, document).split(separator: "\n")
      .map { try value($0) }
    let listed = try lines("\(name)/changes.jsonl")
      // No message and an empty one are the same bytes.
      .map { try value($0.replacing("\"message\":\"\"", with: "\"message\":null")) }
    #expect(Set(shown) == Set(listed))
    #expect(shown.count == listed.count)
    let inPast = try inspect(.changes, document, at: heads).split(separator: "\n")
    #expect(inPast.count == shown.count)
  }

  @Test func `the plain view has no types`() throws {
    let shown = try inspect(.plain, "scalars/doc.automerge")
    #expect(!shown.contains("$"))
    #expect(shown.contains("\"bytes\":\"AAEC/v8=\""))
    #expect(shown.contains("\"timestamp\":\"2026-01-01T00:00:00.123Z\""))
    #expect(shown.contains("\"f64_nan\":null"))
    #expect(shown.contains("\"uint_max\":18446744073709551615"))
    #expect(shown.contains("\"counter_negative\":-9"))
  }

  @Test func `the tree is for people`() throws {
    let shown = try inspect(.tree, "conflict-objects/doc.automerge")
    let expected = [
      "cfg: map of 2  (wins over 1 more)", "  shared: \"b\"", "  y: 2",
      "mixed: text \"text\"  (wins over 1 more)", "title: \"t\"", "",
    ]
    let lines = shown.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.dropFirst() == expected[...])
    let summary = "conflict-objects/doc.automerge: 4 changes by 2 actors, 15 operations, 1 head"
    #expect(lines[0].hasSuffix(summary))
  }

  @Test func `no control character of a document reaches the terminal`() throws {
    for name in ["scalars", "map-keys", "text-unicode"] {
      let shown = try inspect(.tree, "\(name)/doc.automerge")
      let controls = shown.unicodeScalars.filter {
        $0 != "\n" && $0.properties.generalCategory == .control
      }
      #expect(controls.isEmpty)
    }
  }

  @Test func `a sound document passes the check`() throws {
    let shown = try inspect(.check, "orphan-change/doc.automerge")
    #expect(
      shown.hasSuffix(
        "1 change by 1 actor, 1 operation, 1 head, 1 change waiting for 1 missing change\n"))
  }

  @Test(arguments: InspectionView.allCases)
  func `maps nested without end are shown`(view: InspectionView) throws {
    let depth = 20_000
    var draft = ChangeDraft()
    draft.begin(sequence: 1, startCounter: 1, dependencies: [])
    var last = ChangeDraft.LocalID.root
    for _ in 0..<depth { last = draft.makeObject(.map, in: last, key: Array("m".utf8).span) }
    draft.finish(author: ActorId(bytes: [1]))
    let shown = try inspect(view, data: Data(draft.chunk))
    if view == .typed || view == .plain {
      #expect(shown.utf8.count { $0 == UInt8(ascii: "{") } == depth + 1)
    }
    #expect(shown.utf8.count < 300 * depth)
  }

  @Test func `an empty file is what an interrupted copy left, and no document`() {
    let error = #expect(throws: MigrationError.self) { _ = try inspect(.check, data: Data()) }
    #expect(error?.diagnostic.kind == .damagedInput)
    #expect(error?.diagnostic.offset == 0)
  }

  @Test(arguments: InspectionView.allCases)
  func `a damaged document is told with the offset of the defect`(view: InspectionView) throws {
    var bytes = [UInt8](
      try Data(contentsOf: Self.corpus.appending(path: "minuta-month/01.automerge")))
    bytes[bytes.count - 40] ^= 1
    let error = #expect(throws: MigrationError.self) { try inspect(view, data: Data(bytes)) }
    #expect(error?.diagnostic.kind == .damagedInput)
    #expect(error?.diagnostic.subject == "a stream")
    #expect(error?.diagnostic.offset != nil)
  }

  @Test func `a hash that is none or unknown is refused`() throws {
    for (text, kind) in [
      ("12", .usage), (String(repeating: "0", count: 64), .conflictsWithData),
    ] as [(String, Diagnostic.Kind)] {
      let error = #expect(throws: MigrationError.self) {
        try inspect(.typed, "scalars/doc.automerge", at: [text])
      }
      #expect(error?.diagnostic.kind == kind)
    }
  }

  @Test func `a file that is not there is missing input`() {
    let error = #expect(throws: MigrationError.self) { try inspect(.tree, "scalars/none") }
    #expect(error?.diagnostic.kind == .missingInput)
  }
}

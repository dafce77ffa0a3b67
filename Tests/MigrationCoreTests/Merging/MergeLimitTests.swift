import Automerge
import Diagnostics
import EngineMeasurements
import Folders
import Testing

@testable import MigrationCore

/// How much of a storm of copies one run looks at.
@Suite struct MergeLimitTests {
  private static let base = "records/2024/01.automerge"

  /// A month, two copies that stay and one that could be merged.
  private func folder() throws -> TestFolder {
    let folder = try DocumentMergeTests.folder()
    let start = try folder.document(Self.base)
    for number in [2, 3] {
      let other = try AppDocument.make(actor: UInt8(number)) {
        $0.make(try DocumentMergeTests.identity(50 + number), "comment", "elsewhere")
      }
      try folder.write(other.encoded(), to: "records/2024/01 \(number).automerge")
    }
    let edited = try AppDocument.editing(start, actor: 7) {
      try $0.set("comment", of: DocumentMergeTests.identity(1), to: "edited")
    }
    try folder.write(edited.encoded(), to: "records/2024/01 4.automerge")
    return folder
  }

  private func advice(_ report: MergeReport) -> String? {
    report.findings.first { $0.message.contains("were looked at") }?.next
  }

  @Test func `copies that stay do not keep those behind them from being looked at`() throws {
    let folder = try folder()
    let report = try folder.merging { $0.copiesPerBase = 2 }
    #expect(report.count(.unrelated) == 2)
    #expect(report.count(.merged) == 1)
    #expect(advice(report) == nil)
    // All of them stay now, and all were looked at.
    let settled = try folder.merging { $0.copiesPerBase = 1 }
    #expect(settled.count(.unrelated) == 2)
    #expect(advice(settled) == nil)
  }

  @Test func `to run again is advised where that gets further`() throws {
    let storm = try DocumentMergeTests.folder()
    for number in 2...4 {
      try storm.write(try storm.bytes(Self.base), to: "records/2024/01 \(number).automerge")
    }
    #expect(
      advice(try storm.merging { $0.copiesPerBase = 2 })
        == "run merge-conflicts again, or raise --limit")
  }

  @Test func `copies beyond the limit are left alone`() throws {
    let folder = try folder()
    let identity = try DocumentMergeTests.identity(60)
    let one = try AppDocument.make(actor: 9) { $0.make(identity, "comment", "x") }
    let hidden = try AppDocument.make(actor: 3) { $0.make(identity, "note", "y") }
    let last = "records/2024/01 5.automerge"
    try folder.write(one.merging(hidden).encoded(), to: last)
    let before = try folder.bytes(last)
    try folder.write(try folder.bytes(Self.base), to: "records/2024/01 2.automerge")
    try folder.merging {
      $0.copiesPerBase = 2
      $0.unifies = true
    }
    #expect(try folder.bytes(last) == before)
  }

  @Test func `copies of tags take time in proportion to their number`() throws {
    func tags(_ numbers: Range<Int>, _ name: String) -> String {
      "{\"tags\":[\(numbers.map { Legacy.tag($0, name: name) }.joined(separator: ","))]}"
    }
    let folder = try TestFolder()
    try folder.write(tags(0..<15_000, "here"), to: "tags.json")
    try folder.write(tags(5_000..<20_000, "there"), to: "tags 2.json")
    // A minute were not enough if each tag looked for another among all of them. The one worker is
    // this thread.
    var merging: MergeReport?
    let seconds = try ThreadTime.seconds { merging = try folder.merging() }
    #expect(seconds < 60)
    let report = try #require(merging)
    #expect(report.count(.merged) == 1)
    #expect(report.bases[0].differences.count == 10_000)
    let merged = try JSONEquality.object(folder.bytes("tags.json"))
    #expect((merged["tags"] as? [Any])?.count == 20_000)
  }
}

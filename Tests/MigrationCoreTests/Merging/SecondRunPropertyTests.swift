import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore

/// Random files under random names of copies, in conflict folders and out of them, copies of copies
/// among them.
@Suite struct SecondRunPropertyTests {
  private static let seeds: ClosedRange<UInt64> =
    ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil ? 1...2000 : 1...60

  /// What services append to a stem, and what they append to a whole name.
  private static let marks = [
    " 2", " 3", " (1)", ".Conflict", " [conflicted]", "_conf(2)", "-LAPTOP",
    " (Anna's conflicted copy 2026-01-06)", ".sync-conflict-20260106-120000-ABCDEFG",
    " (Case Conflict)", "_conflict-20260106-120000", " (SFConflict anna 2026-01-06-12-00-00)",
  ]
  private static let wholeMarks = [".conflict1", "..path2"]

  @Test(arguments: seeds)
  func `a second run publishes nothing and moves nothing`(seed: UInt64) throws {
    var random = TestRandom(seed: seed)
    let folder = try TestFolder()
    let names = try fill(folder, &random)
    let unifies = random.number(below: 4) == 0
    let first = try folder.merging { $0.unifies = unifies }
    let before = try folder.files(includingState: true)
    let second = try folder.merging { $0.unifies = unifies }
    let after = try folder.files(includingState: true)
    #expect(
      Set(after.keys) == Set(before.keys),
      "seed \(seed): \(names.sorted()); first \(first.outcomes), then \(second.outcomes)")
    #expect(after == before, "seed \(seed): \(names.sorted())")
    #expect(second.bases.allSatisfy { !$0.isWritten }, "seed \(seed)")
    #expect(second.outcomes.values.allSatisfy { !$0.leavesItsName }, "seed \(seed)")
    // And nothing is lost: every change is in a document, every file in the folder or set aside.
    #expect(!first.findings.contains { $0.code == .changedWhileRead }, "seed \(seed)")
  }

  private func fill(
    _ folder: TestFolder, _ random: inout TestRandom
  ) throws -> Set<String> {
    let documents = try documents(&random)
    var names: Set<String> = []
    for _ in 0..<(2 + random.number(below: 7)) {
      let (name, kind) = name(&random)
      if !names.insert(name).inserted { continue }
      let bytes: [UInt8]
      switch kind {
      case 0: bytes = documents[random.number(below: documents.count)]
      case 1:
        let number = 1 + random.number(below: 2)
        let comment = random.number(below: 3)
        bytes = Array(Legacy.record(number, "\"comment\":\"\(comment)\"").utf8)
      default: bytes = [UInt8(random.number(below: 2))]
      }
      try folder.write(bytes, to: name)
    }
    return names
  }

  /// Two histories of a month and one of a record that shares a second with it.
  private func documents(_ random: inout TestRandom) throws -> [[UInt8]] {
    let (one, two) = (try DocumentMergeTests.identity(1), try DocumentMergeTests.identity(2))
    let start = try AppDocument.make(actor: 1) { $0.make(one, "comment", "start") }
    let other = try AppDocument.make(actor: 2) { $0.make(two, "comment", "other record") }
    let separate = try AppDocument.make(actor: 3) { $0.make(one, "note", "made separately") }
    var documents = [start, other, separate]
    for actor in UInt8(4)...8 {
      let origin = documents[random.number(below: documents.count)]
      documents.append(
        try AppDocument.editing(origin, actor: actor) { editor in
          let holdsOne = DocumentRoot(editor.state).entities.contains { $0.identity == one }
          try editor.set("comment", of: holdsOne ? one : two, to: "by \(actor)")
        })
    }
    return documents.map { $0.encoded() }
  }

  /// A path, and what is to be in it: a document, a record or an image.
  private func name(_ random: inout TestRandom) -> (path: String, kind: Int) {
    func copied(_ stem: String, _ random: inout TestRandom) -> String {
      var stem = stem
      for _ in 0..<random.number(below: 3) {
        stem += Self.marks[random.number(below: Self.marks.count)]
      }
      return stem
    }
    let records = random.number(below: 3) == 0 ? "records 2" : "records"
    let year = random.number(below: 4) == 0 ? "2024 2" : "2024"
    let month = random.number(below: 4) == 0 ? "01 2" : "01"
    var path: String
    var kind = 0
    switch random.number(below: 5) {
    case 0: path = copied("tags", &random) + ".automerge"
    case 1: path = "\(records)/\(year)/" + copied("01", &random) + ".automerge"
    case 2:
      path = "\(records)/\(year)/\(month)/" + copied("2024-01-15_093000", &random) + ".automerge"
    case 3:
      path = "\(records)/\(year)/\(month)/" + copied("2024-01-15_093000", &random) + ".json"
      kind = 1
    default:
      path = "\(records)/\(year)/\(month)/" + copied("a", &random) + ".jpg"
      kind = 2
    }
    if random.number(below: 8) == 0 {
      path += Self.wholeMarks[random.number(below: Self.wholeMarks.count)]
    }
    return (path, kind)
  }

  @Test func `a copied name inside a conflict folder is reduced, too`() throws {
    let folder = try TestFolder()
    let start = try AppDocument.make(actor: 1) {
      $0.make(try DocumentMergeTests.identity(1), "comment", "start")
    }
    let edited = try AppDocument.editing(start, actor: 2) {
      try $0.set("comment", of: DocumentMergeTests.identity(1), to: "edited")
    }
    for name in ["05", "05/2023-05-01_080000"] {
      try folder.write(start.encoded(), to: "records 2/2023/\(name).automerge")
      try folder.write(edited.encoded(), to: "records 2/2023/\(name) 2.automerge")
    }
    try folder.merging()
    #expect(
      try Set(folder.files().keys)
        == ["records/2023/05.automerge", "records/2023/05/2023-05-01_080000.automerge"])
    for name in ["05", "05/2023-05-01_080000"] {
      let merged = try folder.document("records/2023/\(name).automerge")
      #expect(merged.text("comment", of: try DocumentMergeTests.identity(1)) == "edited")
    }
    try folder.expectSettled()
  }
}

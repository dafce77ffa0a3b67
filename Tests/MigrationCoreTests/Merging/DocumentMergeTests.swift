import Automerge
import Diagnostics
import Folders
import SafeFiles
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

@Suite struct DocumentMergeTests {
  static let base = "records/2024/01.automerge"

  static func identity(_ number: Int) throws -> Identity {
    try #require(Identity(Legacy.id(number)))
  }

  /// A migrated month of three records.
  static func folder() throws -> TestFolder {
    let folder = try TestFolder()
    for number in 1...3 {
      try folder.write(
        Legacy.record(number, "\"comment\":\"comment \(number)\""),
        to: "records/2024/01/2024-01-15_09300\(number).json")
    }
    try folder.importing()
    return folder
  }

  /// Writes what another device made of a document under another name.
  private func edit(
    _ folder: TestFolder, as path: String, actor: UInt8, _ number: Int, to text: String
  ) throws {
    let edited = try AppDocument.editing(folder.document(Self.base), actor: actor) {
      try $0.set("comment", of: Self.identity(number), to: text)
    }
    try folder.write(edited.encoded(), to: path)
  }

  @Test(arguments: [
    "records/2024/01 2.automerge", "records/2024/01 (1).automerge",
    "records/2024/01 (Anna's conflicted copy 2026-01-06).automerge",
    "records/2024/01.sync-conflict-20260106-120000-ABCDEFG.automerge",
    "records/2024/01-MACBOOK.automerge", "records/2024/01.automerge.conflict1",
    "records/2024/01.automerge (SFConflict anna 2026-01-06-12-00-00)",
    "records 2/2024/01.automerge", "records 2/2024 3/01 2.automerge",
  ])
  func `an edit in a copy comes into the base, and the copy goes to quarantine`(
    name: String
  ) throws {
    let folder = try Self.folder()
    try edit(folder, as: name, actor: 7, 1, to: "on the other device")
    try folder.edit(Self.base, actor: 8) {
      try $0.set("comment", of: Self.identity(2), to: "here")
    }
    let copy = try folder.bytes(name)
    let report = try folder.merging()
    #expect(report.outcomes == [name: .merged])
    #expect(!report.endsWithDifferences)
    #expect(!folder.exists(name))
    #expect(try folder.quarantined() == [name: copy])
    let merged = try folder.document(Self.base)
    #expect(merged.text("comment", of: try Self.identity(1)) == "on the other device")
    #expect(merged.text("comment", of: try Self.identity(2)) == "here")
    #expect(merged.text("comment", of: try Self.identity(3)) == "comment 3")
    try folder.expectSettled()
  }

  @Test func `a plan says the same and writes nothing`() throws {
    let folder = try Self.folder()
    try edit(folder, as: "records/2024/01 2.automerge", actor: 7, 1, to: "x")
    let before = try folder.files(includingState: true)
    let plan = try folder.merging(isDryRun: true)
    #expect(try folder.files(includingState: true) == before)
    let report = try folder.merging()
    #expect(plan.bases == report.bases)
  }

  @Test func `a copy that holds nothing new is redundant and the base keeps its bytes`() throws {
    let folder = try Self.folder()
    let bytes = try folder.bytes(Self.base)
    try folder.write(bytes, to: "records/2024/01 2.automerge")
    try folder.edit(Self.base, actor: 8) {
      try $0.set("comment", of: Self.identity(2), to: "here")
    }
    let newer = try folder.bytes(Self.base)
    let report = try folder.merging()
    #expect(report.outcomes == ["records/2024/01 2.automerge": .redundant])
    #expect(try folder.bytes(Self.base) == newer)
    #expect(!folder.exists("records/2024/01 2.automerge"))
  }

  @Test func `several copies come together, in whatever order`() throws {
    var heads: Set<[ChangeHash]> = []
    for order in [["2", "3", "4"], ["4", "2", "3"], ["3", "4", "2"]] {
      let folder = try Self.folder()
      for (index, number) in order.enumerated() {
        try edit(
          folder, as: "records/2024/01 \(number).automerge", actor: UInt8(index + 1), index + 1,
          to: "edit \(index)")
      }
      let report = try folder.merging()
      #expect(report.count(.merged) == 3)
      let merged = try folder.document(Self.base)
      heads.insert(merged.heads)
      for index in 0..<3 {
        #expect(merged.text("comment", of: try Self.identity(index + 1)) == "edit \(index)")
      }
    }
    #expect(heads.count == 1)
  }

  @Test func `a deletion in one side stays a deletion`() throws {
    let folder = try Self.folder()
    let copy = "records/2024/01 2.automerge"
    let edited = try AppDocument.editing(folder.document(Self.base), actor: 7) {
      try $0.delete(Self.identity(1))
    }
    try folder.write(edited.encoded(), to: copy)
    let report = try folder.merging()
    #expect(report.outcomes == [copy: .merged])
    #expect(DocumentRoot(try folder.document(Self.base)).entities.map(\.valueCount) == [0, 1, 1])
  }

  @Test func `changes that wait for others are not lost`() throws {
    let folder = try Self.folder()
    let copy = "records/2024/01 2.automerge"
    let start = try folder.document(Self.base)
    let first = try AppDocument.editing(start, actor: 7) {
      try $0.set("comment", of: Self.identity(1), to: "first")
    }
    let second = try AppDocument.editing(first, actor: 7) {
      try $0.set("comment", of: Self.identity(1), to: "second")
    }
    // The copy lacks the first change, so the second one waits in it.
    let last = second.chunk(ofChange: second.changeCount - 1)
    try folder.write(start.encoded() + last, to: copy)
    #expect(try folder.document(copy).queuedCount == 1)
    #expect(try folder.merging().outcomes == [copy: .merged])
    #expect(try folder.document(Self.base).queuedCount == 1)
    try folder.expectSettled()
    try folder.write(first.encoded(), to: copy)
    try folder.merging()
    #expect(
      try folder.document(Self.base).text("comment", of: try Self.identity(1)) == "second")
  }

  @Test func `damaged documents are reported and kept`() throws {
    let folder = try Self.folder()
    let copy = "records/2024/01 2.automerge"
    var bytes = try folder.bytes(Self.base)
    bytes[bytes.count / 2] ^= 0x40
    try folder.write(bytes, to: copy)
    try folder.write([], to: "records/2024/01 3.automerge")
    let before = try folder.files()
    var report = try folder.merging()
    #expect(report.outcomes == [copy: .damaged, "records/2024/01 3.automerge": .damaged])
    #expect(report.endsWithDifferences)
    #expect(try folder.files() == before)
    // The other way round the copy is sound.
    try folder.write(try folder.bytes(Self.base), to: copy)
    try folder.write(bytes, to: Self.base)
    report = try folder.merging()
    #expect(report.outcomes[copy] == .kept)
    #expect(try folder.bytes(Self.base) == bytes)
  }

  @Test func `documents without a common history are kept, and the finding names what they share`()
    throws
  {
    let folder = try Self.folder()
    let copy = "records/2024/01 2.automerge"
    let other = try AppDocument.make(actor: 9) {
      $0.make(try Self.identity(1), "comment", "made elsewhere")
      $0.make(try Self.identity(9), "comment", "only there")
    }
    try folder.write(other.encoded(), to: copy)
    let before = try folder.files(includingState: true)
    let report = try folder.merging()
    #expect(report.outcomes == [copy: .unrelated])
    let finding = try #require(report.findings.first { $0.code == .unrelatedCopy })
    #expect(finding.message.contains(Legacy.id(1)))
    #expect(finding.next?.contains("--unify") == true)
    #expect(
      try folder.files().mapValues(\.count)
        == before.filter { !$0.key.hasPrefix(".") }
        .mapValues(\.count))
  }

  @Test func `two records that share a second stay two records`() throws {
    let folder = try TestFolder()
    let name = "records/2024/01/2024-01-15_093000"
    try folder.write(Legacy.record(1), to: "\(name).json")
    try folder.write(Legacy.record(2), to: "\(name) (1).json")
    try folder.importing { $0.layout = .perRecord }
    let before = try folder.files()
    let report = try folder.merging()
    #expect(
      report.outcomes == ["\(name) (1).automerge": .twoRecords, "\(name) (1).json": .twoRecords])
    #expect(!report.endsWithDifferences)
    #expect(try folder.files() == before)
  }

  @Test func `a copy of a record's own document is merged`() throws {
    let folder = try TestFolder()
    let name = "records/2024/01/2024-01-15_093000"
    try folder.write(Legacy.record(1), to: "\(name).json")
    try folder.importing { $0.layout = .perRecord }
    let edited = try AppDocument.editing(folder.document("\(name).automerge"), actor: 7) {
      try $0.set("comment", of: Self.identity(1), to: "edited")
    }
    try folder.write(edited.encoded(), to: "\(name) 2.automerge")
    #expect(try folder.merging().outcomes == ["\(name) 2.automerge": .merged])
    #expect(
      try folder.document("\(name).automerge").text("comment", of: try Self.identity(1))
        == "edited")
  }

  @Test func `a copy without a base gets its name, and further copies are merged into it`() throws {
    let folder = try Self.folder()
    let one = "records/2024/01.Conflict.automerge"
    let two = "records/2024/01.Conflict.Conflict.automerge"
    try edit(folder, as: one, actor: 7, 1, to: "one")
    try edit(folder, as: two, actor: 8, 2, to: "two")
    try folder.remove(Self.base)
    let plan = try folder.merging(isDryRun: true)
    let report = try folder.merging()
    #expect(report.outcomes == [one: .adopted, two: .merged])
    #expect(plan.outcomes == report.outcomes)
    let merged = try folder.document(Self.base)
    #expect(merged.text("comment", of: try Self.identity(1)) == "one")
    #expect(merged.text("comment", of: try Self.identity(2)) == "two")
    try folder.expectSettled()
  }

  @Test func `a number alone is no reason to take a record's name that nothing has`() throws {
    let folder = try Self.folder()
    let name = "records/2024/01/2024-01-15_093000 2.automerge"
    try edit(folder, as: name, actor: 7, 1, to: "one")
    try folder.remove(Self.base)
    let before = try folder.files()
    let report = try folder.merging()
    #expect(report.bases.isEmpty)
    #expect(try folder.files() == before)
  }

  @Test func `a number is enough where nobody but the app gives such a name`() throws {
    let folder = try Self.folder()
    let copy = "records/2024/01 2.automerge"
    try edit(folder, as: copy, actor: 7, 1, to: "one")
    try folder.remove(Self.base)
    #expect(try folder.merging().outcomes == [copy: .adopted])
    #expect(try folder.document(Self.base).text("comment", of: try Self.identity(1)) == "one")
  }

  @Test func `copies that are different documents do not take the name of a base`() throws {
    let folder = try Self.folder()
    try edit(folder, as: "records/2024/01.Conflict.automerge", actor: 7, 1, to: "one")
    let other = try AppDocument.make(actor: 9) { $0.make(try Self.identity(9), "comment", "x") }
    try folder.write(other.encoded(), to: "records/2024/01 (Case Conflict).automerge")
    try folder.remove(Self.base)
    let before = try folder.files()
    let report = try folder.merging()
    #expect(Set(report.outcomes.values) == [.kept])
    #expect(report.findings.contains { $0.code == .unrelatedCopy })
    #expect(try folder.files() == before)
  }

  @Test func `what is not downloaded stops its item and nothing else`() throws {
    let folder = try Self.folder()
    try edit(folder, as: "records/2024/01 2.automerge", actor: 7, 1, to: "one")
    try folder.write([1], to: "records/2024/.01 3.automerge.icloud")
    try folder.write(Legacy.tags(Legacy.tag(1)), to: "tags.json")
    try folder.importing()
    try folder.write(folder.bytes("tags.automerge"), to: "tags 2.automerge")
    try folder.remove("tags.automerge")
    try folder.write([1], to: ".tags.automerge.icloud")
    let report = try folder.merging()
    #expect(
      report.outcomes == [
        "records/2024/01 2.automerge": .merged, "records/2024/.01 3.automerge.icloud": .waiting,
        "tags 2.automerge": .waiting,
      ])
    #expect(report.findings.filter { $0.code == .placeholder }.count == 2)
    #expect(report.findings.allSatisfy { $0.code != .placeholder || $0.next != nil })
    #expect(folder.exists("tags 2.automerge"))
  }

  @Test func `a storm of copies is worked off in several runs`() throws {
    let folder = try Self.folder()
    for number in 2...12 {
      try edit(
        folder, as: "records/2024/01 \(number).automerge", actor: UInt8(number), 1,
        to: "edit \(number)")
    }
    let report = try folder.merging { $0.copiesPerBase = 5 }
    #expect(report.count(.merged) == 5)
    #expect(report.findings.contains { $0.next?.contains("--limit") == true })
    try folder.merging { $0.copiesPerBase = 5 }
    let last = try folder.merging { $0.copiesPerBase = 5 }
    #expect(last.count(.merged) == 1)
    let merged = try folder.document(Self.base)
    for number in 2...12 {
      let actor = ActorId(bytes: [UInt8](repeating: UInt8(number), count: 16))
      #expect(merged.row(ofChangeBy: actor, sequence: 1) != nil)
    }
  }

  @Test func `concurrent values are in the report`() throws {
    let folder = try Self.folder()
    try edit(folder, as: "records/2024/01 2.automerge", actor: 7, 1, to: "seven")
    try edit(folder, as: "records/2024/01 3.automerge", actor: 8, 1, to: "eight")
    let report = try folder.merging()
    let difference = try #require(report.bases.first?.differences.first)
    #expect(difference.entity.identity == Legacy.id(1))
    #expect(difference.field == "comment")
    #expect(Set([difference.kept, difference.other]) == [.string("seven"), .string("eight")])
  }

  @Test func `a folder without copies is not even locked`() throws {
    let folder = try Self.folder()
    try folder.remove(".minuta.writelock.nosync")
    let report = try folder.merging()
    #expect(report.bases.isEmpty)
    #expect(!folder.exists(".minuta.writelock.nosync"))
  }

  @Test func `nobody is waited for where there is nothing to merge, and no run is noted`() throws {
    let folder = try Self.folder()
    let history = try folder.text(".automerge-migrate.nosync/history.jsonl")
    let place = try Directory.open(path: folder.path)
    let name = FolderNames.writeLock
    let held = try FolderLock.acquire(in: place, name: name, timeoutSeconds: 1, creating: true)
    var context = folder.context(workers: 1)
    context.lockTimeoutSeconds = 0
    let workflow = MergeWorkflow(MergeOptions(folder: folder.path), context: context)
    #expect(try workflow.perform().bases.isEmpty)
    try edit(folder, as: "records/2024/01 2.automerge", actor: 7, 1, to: "seven")
    #expect {
      _ = try workflow.perform()
    } throws: { error in
      (error as? MigrationError)?.diagnostic.kind == .busy
    }
    withExtendedLifetime(held) {}
    try folder.remove("records/2024/01 2.automerge")
    #expect(try folder.merging().bases.isEmpty)
    #expect(try folder.text(".automerge-migrate.nosync/history.jsonl") == history)
  }
}

import Automerge
import Diagnostics
import Folders
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct ImportWorkflowTests {
  static let first = Identity(high: 0x0000_0001_0000_4000, low: 0x8000_0000_0000_0001)
  static let second = Identity(high: 0x0000_0002_0000_4000, low: 0x8000_0000_0000_0002)

  @Test func `an imported folder verifies`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.tags(Legacy.tag(1), Legacy.tag(2, name: "Café")), to: "tags.json")
    try folder.write(
      Legacy.record(3, "\"comment\":\"\",\"images\":[\"a.jpg\"],\"x\":[1,2.5,{\"b\":null}]"),
      to: "records/2024/01/2024-01-15_093000.json")
    try folder.write([1], to: "records/2024/01/a.jpg")
    try folder.write(
      Legacy.record(4, "\"endTime\":null,\"tagId\":\"none\""),
      to: "records/2024/02/2024-02-01_000000.json")

    let report = try folder.importing()
    #expect(report.tags.imported == 2)
    #expect(report.records.imported == 2)
    #expect(
      report.documents.map(\.path) == [
        "records/2024/01.automerge", "records/2024/02.automerge", "tags.automerge",
      ])
    #expect(!report.endsWithDifferences)

    let verified = try folder.verifying()
    #expect(verified.findings.filter { $0.severity > .info } == [])
    #expect(verified.isSound)
    #expect(verified.counts.map(\.proven) == [2, 1, 1])
    #expect(verified.counts.map(\.equal) == [2, 1, 1])
    #expect(verified.imagesFound == 1)
  }

  @Test func `a second import changes no byte`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.tags(Legacy.tag(1)), to: "tags.json")
    try folder.write(Legacy.record(3), to: "records/2024/01/a.json")
    try folder.importing()
    let before = try folder.files(includingState: true)
    let report = try folder.importing()
    #expect(try folder.files(includingState: true) == before)
    #expect(report.records.known == 1)
    #expect(report.tags.known == 1)
    #expect(report.documents.allSatisfy { $0.outcome == .unchanged })
  }

  @Test func `an empty folder is left as it is`() throws {
    let folder = try TestFolder()
    let report = try folder.importing()
    #expect(try folder.files(includingState: true).isEmpty)
    #expect(report.documents.isEmpty)
    #expect(!report.endsWithDifferences)
  }

  @Test func `a dry run writes nothing, not even a lock`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(3), to: "records/2024/01/a.json")
    let before = try folder.files(includingState: true)
    let plan = try folder.importing(isDryRun: true)
    #expect(try folder.files(includingState: true) == before)
    #expect(plan.documents.map(\.outcome) == [.created])
    let report = try folder.importing()
    #expect(report.documents == plan.documents)
  }

  @Test func `records without tags are imported and make no tags document`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(3), to: "records/2024/01/a.json")
    try folder.importing()
    #expect(try folder.documents().keys.sorted() == ["records/2024/01.automerge"])
  }

  @Test func `a record that was deleted in a document does not come back`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    try folder.edit("records/2024/01.automerge", actor: 9) { try $0.delete(Self.first) }
    let before = try folder.documents()
    let report = try folder.importing()
    #expect(try folder.documents() == before)
    #expect(report.records.deleted == 1)
    #expect(report.findings.contains { $0.code == .deleted })
    let verified = try folder.verifying()
    #expect(verified.findings.contains { $0.code == .deletedSince })
    #expect(verified.isSound)
  }

  @Test func `a record that was edited in a document keeps the edit`() throws {
    let folder = try TestFolder()
    try folder.write(
      Legacy.record(1, "\"comment\":\"old\""), to: "records/2024/01/a.json")
    try folder.importing()
    try folder.edit("records/2024/01.automerge", actor: 9) {
      try $0.set("comment", of: Self.first, to: "new")
    }
    try folder.importing()
    #expect(
      try folder.document("records/2024/01.automerge").text("comment", of: Self.first) == "new")
    let verified = try folder.verifying()
    #expect(verified.findings.map(\.code) == [.editedSince])
    #expect(verified.isSound)
  }

  @Test func `a new record joins the document of its month`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    let report = try folder.importing()
    #expect(report.documents.map(\.outcome) == [.extended])
    #expect(report.records.known == 1)
    #expect(report.records.imported == 1)
    #expect(try folder.document("records/2024/01.automerge").heads.count == 1)
    #expect(try folder.verifying().isSound)
  }

  @Test func `the worker count shows in no byte`() throws {
    let folders = try (0..<2).map { _ in try TestFolder() }
    for (index, folder) in folders.enumerated() {
      for number in 0..<40 {
        try folder.write(
          Legacy.record(number, "\"comment\":\"\(number)\""),
          to: "records/2024/\(number % 12 + 1)/\(number).json")
      }
      try folder.importing(workers: index + 1)
    }
    #expect(try folders[0].documents() == folders[1].documents())
  }

  @Test func `the names of files show in no byte`() throws {
    let one = try TestFolder()
    let other = try TestFolder()
    for number in 0..<20 {
      try one.write(Legacy.record(number), to: "records/2024/01/\(number).json")
      try other.write(Legacy.record(number), to: "records/2024/1/\(99 - number).json")
    }
    try one.importing()
    try other.importing()
    #expect(try one.documents() == other.documents())
  }
}

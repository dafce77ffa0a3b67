import Automerge
import Diagnostics
import Folders
import SafeFiles
import Testing

@testable import FolderDocuments
@testable import MigrationCore

/// Copies that are equal, byte for byte: one of them is loaded.
@Suite struct EqualCopiesTests {
  private static let base = DocumentMergeTests.base

  /// A month with thirty copies like it and three that are like one another.
  private func folder() throws -> TestFolder {
    let folder = try DocumentMergeTests.folder()
    let bytes = try folder.bytes(Self.base)
    for number in 2...31 { try folder.write(bytes, to: "records/2024/01 \(number).automerge") }
    let edited = try AppDocument.editing(DocumentState(loading: bytes), actor: 7) {
      try $0.set("comment", of: DocumentMergeTests.identity(1), to: "edited")
    }
    for number in 40...42 {
      try folder.write(edited.encoded(), to: "records/2024/01 \(number).automerge")
    }
    return folder
  }

  @Test func `of equal copies one is loaded`() throws {
    let folder = try folder()
    let directory = try Directory.open(path: folder.path)
    var unlisted: [Finding] = []
    let inventory = try FolderInventory.scan(directory, noting: &unlisted)
    #expect(unlisted.isEmpty)
    var loader = DocumentLoader(directory, inventory)
    let files = GroupDocuments.files(of: inventory).groups.values.flatMap { $0 }
    let documents = GroupDocuments(files, with: &loader)
    #expect(documents.documents.count == 2)
    #expect(documents.equals.count == 32)
    #expect(documents.places(of: try DocumentMergeTests.identity(1)).count == 2)
  }

  @Test func `every copy goes to quarantine, and what only some held is in the base`() throws {
    let folder = try folder()
    let report = try folder.merging()
    #expect(report.count(.merged) == 1)
    #expect(report.count(.redundant) == 32)
    #expect(try folder.quarantined().count == 33)
    #expect(try Set(folder.documents().keys) == [Self.base])
    let merged = try folder.document(Self.base)
    #expect(merged.text("comment", of: try DocumentMergeTests.identity(1)) == "edited")
    try folder.expectSettled()
  }

  @Test func `what is told about a copy that stays is told about those equal to it`() throws {
    let folder = try DocumentMergeTests.folder()
    let other = try AppDocument.make(actor: 3) {
      $0.make(try DocumentMergeTests.identity(78), "comment", "x")
    }
    for number in 2...4 {
      try folder.write(other.encoded(), to: "records/2024/01 \(number).automerge")
    }
    let report = try folder.merging()
    #expect(report.count(.unrelated) == 3)
    #expect(report.findings.count { $0.code == .unrelatedCopy } == 3)
  }

  @Test func `equal legacy copies of which the base lacks a field are merged once`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    for number in 2...4 {
      try folder.write(
        Legacy.record(1, "\"comment\":\"x\""), to: "records/2024/01/a \(number).json")
    }
    let report = try folder.merging()
    #expect(report.count(.merged) == 1)
    #expect(report.count(.redundant) == 2)
    #expect(try folder.quarantined().count == 3)
  }
}

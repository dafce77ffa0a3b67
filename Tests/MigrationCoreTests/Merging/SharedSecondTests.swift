import Automerge
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// Two records that began in one second have documents whose names look like those of copies.
@Suite struct SharedSecondTests {
  private static let second = Identity(Array(Legacy.id(2).utf8).span)

  /// Two records of one second, in a document each.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/2024-01-15_093000.json")
    try folder.write(Legacy.record(2), to: "records/2024/01/2024-01-15_093000 2.json")
    try folder.importing { $0.layout = .perRecord }
    return folder
  }

  private func merging(_ folder: TestFolder) throws -> MergeReport {
    try MergeWorkflow(MergeOptions(folder: folder.path), context: TestFolder.context()).perform()
  }

  @Test func `the document of the second one proves it, so that its file can go`() throws {
    let folder = try folder()
    #expect(try merging(folder).bases.flatMap(\.copies).allSatisfy { $0.outcome == .twoRecords })
    let backup = try folder.packing().archives[0].path
    let report = try folder.cleaning(backup: backup)
    #expect(report.files.count { $0.outcome == .moved } == 2)
    #expect(!report.endsWithDifferences)
  }

  @Test func `a copy of the second one is merged into the second one`() throws {
    let folder = try folder()
    let second = "records/2024/01/2024-01-15_093000 2.automerge"
    let copy = "records/2024/01/2024-01-15_093000 3.automerge"
    var editor = DocumentEditor(try folder.document(second), actor: 7)
    try editor.set("comment", of: #require(Self.second), to: "written elsewhere")
    try folder.write(editor.finish().encoded(), to: copy)
    let report = try merging(folder)
    #expect(!folder.exists(copy))
    #expect(
      try folder.document(second).text("comment", of: #require(Self.second)) == "written elsewhere")
    let outcomes = report.bases.flatMap(\.copies).map { ($0.path, $0.outcome) }
      .filter { $0.0.hasSuffix(".automerge") }
    #expect(outcomes.count == 2)
    #expect(outcomes.contains { $0 == (second, .twoRecords) })
    #expect(outcomes.contains { $0 == (copy, .merged) })
    let again = try merging(folder)
    #expect(again.bases.flatMap(\.copies).allSatisfy { $0.outcome == .twoRecords })
  }
}

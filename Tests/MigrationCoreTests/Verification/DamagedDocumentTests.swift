import Automerge
import Diagnostics
import Foundation
import SampleFolders
import Testing

@testable import MigrationCore
@testable import Runs

/// Who verifies a folder learns which documents are damaged, where, and what to do.
@Suite struct DamagedDocumentTests {
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.makeSample {
      $0.recordCount = 12
      $0.monthCount = 3
    }
    try folder.importing()
    return folder
  }

  private func documentFindings(_ folder: TestFolder) throws -> [Finding] {
    try folder.verifying().findings.filter {
      $0.code == .damagedDocument || $0.code == .incompleteDocument
    }
  }

  @Test func `every damaged document is named with the place and the next step`() throws {
    let folder = try folder()
    #expect(try documentFindings(folder).isEmpty)
    let paths = try folder.documents().keys.sorted()
    #expect(paths.count > 3)
    var cut = try folder.bytes(paths[0])
    cut.removeLast(7)
    try folder.write(cut, to: paths[0])
    var flipped = try folder.bytes(paths[1])
    flipped[flipped.count / 2] ^= 4
    try folder.write(flipped, to: paths[1])
    try folder.write([], to: paths[2])
    try folder.write(try folder.bytes(paths[3]) + [1, 2, 3], to: paths[3])
    let findings = try documentFindings(folder)
    #expect(findings.map(\.path) == Array(paths[..<4]))
    for finding in findings {
      #expect(finding.code == .damagedDocument && finding.severity == .error)
      #expect(finding.offset != nil)
      #expect(!finding.message.isEmpty)
      let next = try #require(finding.next)
      #expect(next.contains("restore-backup --only") && next.contains("repair-crdt"))
    }
    #expect(findings[3].offset == (try folder.bytes(paths[3])).count - 3)
    #expect(try folder.verifying().endsWithDifferences)
  }

  @Test func `changes without those they build on are an incomplete document`() throws {
    let folder = try folder()
    let path = try #require(folder.documents().keys.sorted().first)
    let document = try folder.document(path)
    let chunks = (1..<document.changeCount).flatMap { document.chunk(ofChange: $0) }
    try folder.write(chunks, to: path)
    let findings = try documentFindings(folder)
    #expect(findings.map(\.path) == [path])
    #expect(findings.map(\.code) == [.incompleteDocument])
    #expect(findings.first?.next?.contains("merge-conflicts") == true)
    // Behind a document they wait, and are told all the same.
    try folder.write(DocumentState().encoded() + chunks, to: path)
    #expect(try documentFindings(folder).map(\.code) == [.incompleteDocument])
  }

  @Test func `a damaged document where none is expected is named, too`() throws {
    let folder = try folder()
    try folder.write("no document", to: "records/copy of everything.automerge")
    #expect(
      try documentFindings(folder).map(\.path) == ["records/copy of everything.automerge"])
  }

  @Test func `the status of the folder names them`() throws {
    let folder = try folder()
    let path = try #require(folder.documents().keys.sorted().first)
    try folder.write([], to: path)
    let options = VerificationOptions(folder: folder.path)
    let report = try StatusWorkflow(options, context: TestFolder.context()).perform()
    #expect(report.endsWithDifferences)
    #expect(report.damagedDocuments == [path])
    #expect(report.errors.map(\.code).contains(.damagedDocument))
  }
}

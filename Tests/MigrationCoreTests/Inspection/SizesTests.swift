import Automerge
import Diagnostics
import Foundation
import SampleFolders
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// What `inspect-crdt --sizes` measures.
@Suite struct SizesTests {
  private func sizes(_ folder: TestFolder, workers: Int = 2) throws -> SizesReport {
    try SizesWorkflow(folder: folder.path, context: TestFolder.context(workers: workers)).perform()
  }

  @Test func `figures are those of the documents`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 30 }
    try folder.importing()
    let report = try sizes(folder)
    let documents = try folder.documents()
    #expect(report.documents.map(\.path) == documents.keys.sorted())
    for document in report.documents {
      let state = try folder.document(document.path)
      #expect(document.size.byteCount == documents[document.path]?.count)
      #expect(document.size.changeCount == state.changeCount)
      #expect(document.size.operationCount == state.operationCount)
      #expect(document.size.entityCount == DocumentRoot(state).entities.count)
      #expect(document.size.valueCount >= 4 * document.size.entityCount)
      #expect(document.size.valueByteCount > 0)
      #expect(document.size.valueByteCount < document.size.byteCount)
    }
    #expect(report.total.byteCount == documents.values.reduce(0) { $0 + $1.count })
    #expect(!report.endsWithDifferences)
    var single = try sizes(folder, workers: 1)
    single.seconds = report.seconds
    #expect(single.documents == report.documents)
  }

  @Test func `edits cost history and leave the values`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1, "\"comment\":\"one\""), to: "records/2024/01/a.json")
    try folder.importing()
    let before = try #require(sizes(folder).documents.first).size
    let path = "records/2024/01.automerge"
    let identity = try #require(DocumentRoot(folder.document(path)).entities.first).identity
    for number in 0..<20 {
      try folder.edit(path, actor: 9) {
        try $0.set("comment", of: identity, to: number % 2 == 0 ? "two" : "six")
      }
    }
    let after = try #require(sizes(folder).documents.first).size
    #expect(after.changeCount == before.changeCount + 20)
    #expect(after.byteCount > before.byteCount)
    #expect(after.valueCount == before.valueCount)
    #expect(after.valueByteCount == before.valueByteCount)
    #expect((after.ratio ?? 0) > (before.ratio ?? 0))
  }

  @Test func `a document that does not load is told and the others are measured`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 10 }
    try folder.importing()
    try folder.write("damaged", to: "records/2023/01.automerge")
    let report = try sizes(folder)
    #expect(report.documents.count == (try folder.documents().count) - 1)
    #expect(report.findings.map(\.code) == [.damagedDocument])
    #expect(report.endsWithDifferences)
  }

  @Test func `a folder without documents has nothing to measure`() throws {
    let report = try sizes(TestFolder())
    #expect(report.documents.isEmpty && report.total == SizesReport.Size())
    #expect(report.total.ratio == nil)
  }
}

import Automerge
import Folders
import SampleFolders
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

@Suite struct ImportHistoryTests {
  private let document = "records/2024/01.automerge"

  /// The labels of everything in a document that operations name, nil for what others wrote.
  private func labels(of state: DocumentState) -> Set<ImportLabel?> {
    var history = ImportHistory(of: state)
    var labels: Set<ImportLabel?> = []
    var objects: [OpID] = [.root]
    while let object = objects.popLast() {
      state.forEachGroup(in: object) { _, group in
        state.forEachOperation(in: group) { id, _, successors in
          for id in [id] + successors { labels.insert(history.change(of: id)?.label) }
          if state.kind(of: id) != nil { objects.append(id) }
        }
      }
    }
    return labels
  }

  @Test func `what an import wrote is recognised, what a user wrote is not`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 20 }
    try folder.importing()
    for name in try folder.documents().keys where name.hasPrefix("records") {
      let labels = try labels(of: folder.document(name))
      #expect(labels.isSubset(of: [.skeleton, .content, .images]), "\(name)")
      #expect(labels.contains(.content))
    }
    let name = try #require(try folder.documents().keys.filter { $0.hasPrefix("records") }.min())
    let identity = try #require(DocumentRoot(folder.document(name)).entities.first?.identity)
    try folder.edit(name, actor: 1) { try $0.set("comment", of: identity, to: "x") }
    #expect(try labels(of: folder.document(name)).contains(nil))
  }

  @Test func `a plain import is recognised`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing { $0.history = .plain }
    #expect(try labels(of: folder.document(document)) == [.plain])
  }

  @Test func `a change under the name of an import with another body is not one`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    let state = try folder.document(document)
    let author = try #require(state.actorIDs.first)
    var forged = DocumentEditor(DocumentState(), actor: author)
    forged.make(ImportWorkflowTests.first, "comment", "forged")
    #expect(try labels(of: forged.finish()) == [nil])
  }
}

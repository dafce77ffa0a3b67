import Automerge
import Backups
import FolderDocuments
import Folders
import Runs
import SafeFiles

// Which steps were done to what documents hold: the JSON that is made of them holds the same, and says nothing
// of them.
extension RollbackWorkflow {
  /// Returns the steps that were done to what becomes JSON, or undone: as its documents say, and of those of which these
  /// say nothing, as was noted over the JSON files that they may have been made of.
  func notedSteps(
    in next: Directory, _ inventory: FolderInventory
  ) throws(MigrationError) -> [NotedStep] {
    var (done, undone): ([SchemaRecord.Step], [SchemaRecord.Step]) = ([], [])
    var loader = DocumentLoader(next, inventory)
    for file in Self.documents(of: inventory) {
      let document: DocumentState
      // What does not load was told by the steps before this one, which end then.
      do throws(DocumentDefect) { (document, _) = try loader.load(file) } catch { throw unseen }
      let history = StepHistory(of: document)
      for id in history.ids {
        let standing = history.standing(of: id, in: document)
        for entry in standing.done {
          let step = SchemaRecord.Step(id: entry.note.id, checksum: entry.note.checksum)
          if !done.contains(step) { done.append(step) }
        }
        guard standing.done.isEmpty, standing.isUndone,
          let last = history.entries.last(where: { $0.note.id == id && $0.label == .step })
        else { continue }
        undone.removeAll { $0.id == id }
        undone.append(SchemaRecord.Step(id: id, checksum: last.note.checksum))
      }
    }
    undone.removeAll { step in done.contains { $0.id == step.id } }
    let said = Set((done + undone).map(\.id))
    return try FileStepLog(next).noted { !said.contains($0) } + done.map { NotedStep($0) }
      + undone.map { NotedStep($0, isUndone: true) }
  }

  /// Notes which steps were done to the JSON that takes the place of documents, or undone.
  func note(_ steps: [NotedStep], in next: Directory) throws(MigrationError) {
    guard !steps.isEmpty else { return }
    let lines = try FileStepLog(next).lines(noting: steps)
    try MigrationError.wrapping { () throws(FileError) in
      try next.createDirectory(FolderNames.state).publish(
        SchemaLog.bytes(of: lines), as: FolderNames.schemaLog)
    }
  }
}

import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles
import SchemaMigrations

// What is told of files where a step is undone, or was.
extension FileStepWorkflow {
  /// Tells how it stands with totals after a run of which was not known what it would make of them.
  func retell(_ report: inout SchemaReport, _ writing: WritingRun) throws(MigrationError) {
    if report.totals.isEmpty { return }
    let folder = try folder.again(for: writing, context)
    let workflow = FileStepWorkflow(options.looking, in: folder, context: context)
    report.tell(of: try workflow.look(at: folder).report.totals)
  }

  /// Looks for what undoing a step would give back, or take away, and is in other files now.
  func displaced(
    _ changes: FileStepStorage.Changes, _ undoable: UndoableStep, _ look: Look
  ) throws(MigrationError) -> DisplacedEntities {
    try DisplacedEntities(
      of: changes.gone + changes.goneMade, in: undoable.records, look.storage, look.inventory)
  }

  /// Tells of files that are given back under other names, and of those that are gone: what was in them is
  /// gone with them, or is in others.
  func told(
    _ changes: FileStepStorage.Changes, _ displaced: DisplacedEntities, _ undoable: UndoableStep,
    _ look: Look
  ) throws(MigrationError) -> [Finding] {
    let id = undoable.step.id
    let moved = look.storage.findings(of: changes.restored, by: id)
    let gone = try gone(
      among: changes.gone.filter { !displaced.formers.contains($0) }, undoable, look)
    let elsewhere = displaced.findings(
      of: id, "it is not given back", again: "run --undo \(id) again")
    return moved + elsewhere + gone
  }

  private func gone(
    among paths: [RelativePath], _ undoable: UndoableStep, _ look: Look
  ) throws(MigrationError) -> [Finding] {
    try paths.map { path throws(MigrationError) -> Finding in
      let former = try former(path, undoable, look)
      return Finding(
        .editedSince, .warning, path: path.description,
        message: "was deleted since the step, and stays so",
        next: "what it was before the step is in "
          + (former?.description ?? "the backup that was made then")
          + "; where it is to be there, copy that to its place")
    }
  }

  static func edited(_ path: RelativePath) -> Finding {
    Finding(
      .editedSince, .warning, path: path.description,
      message: "was edited or deleted since the step, and stays as it is",
      next: "what it was before the step is in the backup that was made then")
  }

  static func stray(_ path: RelativePath, of record: FileStepRecord) -> Finding {
    Finding(
      .editedSince, .warning, path: path.description,
      message: "\(record.id): is as after the step, which was undone",
      next: record.place(of: path).map { "what it was before the step is in \($0)" })
  }

  /// Where a file lies as it was before the runs of a step that are undone; nil if it is not there.
  private func former(
    _ path: RelativePath, _ undoable: UndoableStep, _ look: Look
  ) throws(MigrationError) -> RelativePath? {
    for record in undoable.records where record.entries.contains(where: { $0.path == path }) {
      if let place = record.place(of: path), try look.storage.hash(of: place) != nil {
        return place
      }
    }
    return nil
  }
}

import Backups
import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

// What is noted in a folder of steps over the JSON files that are imported into it.
extension ImportWorkflow {
  /// Returns the steps that were done over the JSON files of the source, as it says.
  ///
  /// Throws if a file is as before a step that was done to others: in documents nobody could tell them apart.
  func stepsDone(to places: ImportPlaces) throws(MigrationError) -> [NotedStep] {
    guard let source = places.source else { return [] }
    let steps: [NotedStep]
    do throws(MigrationError) {
      steps = try FileStepLog(source).noted { _ in true }.filter { !$0.isUndone }
    } catch {
      // Nothing of a record that is damaged goes anywhere else.
      guard places.isInPlace, error.diagnostic.kind == .damagedInput else { throw error }
      return []
    }
    if steps.isEmpty { return [] }
    let files = try FileStepLog(source).filesBefore(steps.map(\.step))
    guard let first = files.first else { return steps }
    let others = Set(files.map(\.path)).count - 1
    throw .underlying(
      Diagnostic(
        .conflictsWithData, subject: "\(places.sourcePath)/\(first.path)",
        problem: "is as before \(first.step), which was done to other files"
          + (others > 0
            ? ", and so \(others == 1 ? "is" : "are") \(others.counted("other file"))" : "")
          + ": of its documents nothing would say so",
        remedy: "run migrate-schema with the plan on \(places.sourcePath), then import it"))
  }

  /// Notes in the target which steps were done to the JSON files of another folder: of its documents nothing
  /// else says so. Files of its own would be taken for files to which they were done, so none is noted beside
  /// such. A dry run notes nothing. Returns what is told of steps that a run would do to the documents again.
  func note(
    _ all: [NotedStep], of places: ImportPlaces, in target: Directory,
    _ inventory: FolderInventory?
  ) throws(MigrationError) -> [Finding] {
    guard let source = places.source, !all.isEmpty else { return [] }
    if places.isInPlace {
      // Where there were documents it was told when these were made.
      guard inventory?.documents.isEmpty ?? true else { return [] }
      return all.map { noted in
        Self.finding(
          of: noted.step.id, .warning, at: places.targetPath,
          "was done to the JSON files, and the documents made of them do not say so: to another device "
            + "that gets these it would be done again")
      }
    }
    let log = FileStepLog(target)
    let records = try log.records()
    let known = records.filter { $0.stage == .done }.map(\.record.step)
    let steps = all.filter { !known.contains($0.step) }
    guard inventory?.hasLegacyFiles != true else {
      return steps.map { noted in
        Self.finding(
          of: noted.step.id, .warning, at: places.targetPath,
          "was done to the files that were imported, and is not noted here, where there are JSON files "
            + "that it was not done to: to the documents made of the former it would be done again")
      }
    }
    guard !steps.isEmpty, !isDryRun else { return [] }
    var sources: [String: Set<String>] = [:]
    for noted in steps {
      sources[noted.step.id] = try FileStepLog(source).sources(
        of: MigrationID(rawValue: noted.step.id))
    }
    let lines = try log.lines() + log.lines(noting: steps, besides: records, seeing: sources)
    try MigrationError.wrapping { () throws(FileError) in
      try target.createDirectory(FolderNames.state).publish(
        SchemaLog.bytes(of: lines), as: FolderNames.schemaLog)
    }
    return []
  }

  private static func finding(
    of step: String, _ severity: Severity, at path: String, _ problem: String
  ) -> Finding {
    Finding(
      .stepNotNoted, severity, path: path, message: "\(step): \(problem)",
      next:
        "once all that is to get the step has it, take it as done here: migrate-schema PLAN \(path) "
        + "--baseline \(step)")
  }
}

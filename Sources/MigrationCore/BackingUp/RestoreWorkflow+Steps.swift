import Backups
import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles
import SchemaMigrations

// The record of steps over JSON files, which is about the content and comes with it.
extension RestoreWorkflow {
  /// Has the record of steps say of the content that is about to come what its backup says, where the folder's
  /// does not say that, and the files do not show it either.
  func addRecord(
    of manifest: BackupManifest, in folder: Directory, to staged: StagedRestore
  ) throws(MigrationError) {
    let steps = manifest.summary.steps
    let log = FileStepLog(folder)
    let (records, former) = try known(to: log)
    var lines: [SchemaLine] = []
    let done = steps.filter { !$0.isUndone }.map(\.step)
    let effects = try records.map(\.record).effects { path in manifest.entry(at: path)?.hash }
    // One that the files which come are before, or after, is so, and nobody has undone it.
    let shown = effects.after.union(effects.before.subtracting(effects.edited))
    let made = Set(records.lazy.flatMap(\.record.entries).filter(\.isNew).map(\.path))
    for (number, (record, stage)) in records.enumerated()
    where stage == .done && !done.contains(record.step) && !shown.contains(number) {
      var record = record
      // What steps have made is not there before them: where it would be in files that are, who reads their
      // entities looks for it.
      record.isRestored =
        !record.hasNoEffect
        && !steps.contains { $0.isUndone && $0.step.id == record.step.id }
        && (!record.made.isEmpty
          || record.entries.allSatisfy {
            made.contains($0.path) && manifest.entry(at: $0.path) == nil
          })
      if let line = record.line(.undone) { lines.append(line) }
    }
    let known = records.enumerated().filter { number, run in
      run.stage == .done || run.record.isRestored && effects.after.contains(number)
    }.map(\.element.record.step)
    let unknown = steps.filter { noted in
      noted.isUndone
        ? !records.contains { $0.record.id.rawValue == noted.step.id }
        : !known.contains(noted.step)
    }
    if !unknown.isEmpty {
      lines += try log.lines(noting: unknown, besides: records, leaving: files(of: manifest))
    }
    guard !lines.isEmpty else { return }
    let all = former + lines
    let content: Directory
    do throws(BackupError) { content = try staged.content() } catch { throw MigrationError(error) }
    try MigrationError.wrapping { () throws(FileError) in
      try content.createDirectory(FolderNames.state).publish(
        SchemaLog.bytes(of: all), as: FolderNames.schemaLog)
    }
  }

  /// Tells of steps that were done to some JSON files of a backup and are not noted in the folder that gets
  /// these: a run would do them again.
  func stepsNotNoted(
    of chosen: ChosenEntries, in folder: Directory
  ) throws(MigrationError) -> [Finding] {
    let steps = chosen.manifest.summary.steps.filter { !$0.isUndone }.map(\.step)
    let paths = chosen.entries.filter { isOfEntities($0) }.map(\.path)
    guard let first = paths.first, !steps.isEmpty else { return [] }
    let done = try FileStepLog(folder).done { _ in true }
    let others = paths.count > 1 ? ", and so was \((paths.count - 1).counted("other file"))" : ""
    return steps.filter { !done.contains($0) }.map { step in
      Finding(
        .stepNotNoted, .warning, path: first.description,
        message:
          "\(step.id): was done to this file of the backup\(others), and is not noted in the folder: "
          + "a run would do it again",
        next:
          "once all files are as after it, take it as done: migrate-schema PLAN \(options.folder) "
          + "--baseline \(step.id)")
    }
  }

  /// What is noted of steps in a folder; nothing where that is damaged, which goes out with the old content.
  private func known(
    to log: FileStepLog
  ) throws(MigrationError) -> (
    records: [(record: FileStepRecord, stage: StepRecord.Stage)], lines: [SchemaLine]
  ) {
    do throws(MigrationError) { return (try log.records(), try log.lines()) } catch {
      guard error.diagnostic.kind == .damagedInput else { throw error }
      return ([], [])
    }
  }
}

extension RestoreWorkflow {
  /// Whether an entry is a JSON file of the app. A restore may not have been told the profile.
  private func isOfEntities(_ entry: BackupEntry) -> Bool {
    entry.kind == .file
      && (context.kinds.content(ofPath: entry.path.bytes)?.isDocument == false
        || entry.path.bytes.suffix(5).elementsEqual(".json".utf8))
  }

  /// The JSON files of a backup as they come.
  private func files(of manifest: BackupManifest) -> [FileStepRecord.Entry] {
    (0..<manifest.count).compactMap { position in
      let entry = manifest[position]
      guard isOfEntities(entry), let hash = entry.hash else { return nil }
      return FileStepRecord.Entry(path: entry.path, isNew: false, after: hash)
    }
  }
}

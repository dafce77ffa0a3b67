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
    for (number, (record, stage)) in records.enumerated()
    where stage == .done && !done.contains(record.step) && !shown.contains(number) {
      if let line = record.line(.undone) { lines.append(line) }
    }
    let known = records.filter { $0.stage == .done }.map(\.record.step)
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
  /// The JSON files of a backup as they come. A restore may not have been told the profile.
  private func files(of manifest: BackupManifest) -> [FileStepRecord.Entry] {
    (0..<manifest.count).compactMap { position in
      let entry = manifest[position]
      guard entry.kind == .file, let hash = entry.hash else { return nil }
      let isOfEntities = context.kinds.content(ofPath: entry.path.bytes)?.isDocument == false
      guard isOfEntities || entry.path.bytes.suffix(5).elementsEqual(".json".utf8) else {
        return nil
      }
      return FileStepRecord.Entry(path: entry.path, isNew: false, after: hash)
    }
  }
}

import Backups
import Folders
import Runs
import SafeFiles
import SchemaMigrations

// What is noted in a folder of steps over the JSON files that are imported into another.
extension ImportWorkflow {
  /// Notes in the target which steps were done to the JSON files of another folder: of its documents nothing
  /// else says so. Files of its own would be taken for files to which they were done, so none is noted beside
  /// such.
  func noteSteps(
    of places: ImportPlaces, in target: Directory, _ inventory: FolderInventory?
  ) throws(MigrationError) {
    guard let source = places.source, !places.isInPlace, inventory?.hasLegacyFiles != true else {
      return
    }
    let log = FileStepLog(target)
    let records = try log.records()
    let known = records.filter { $0.stage == .done }.map(\.record.step)
    let steps = try FileStepLog(source).noted { _ in true }.filter {
      !$0.isUndone && !known.contains($0.step)
    }
    guard !steps.isEmpty else { return }
    let lines = try log.lines() + log.lines(noting: steps, besides: records)
    try MigrationError.wrapping { () throws(FileError) in
      try target.createDirectory(FolderNames.state).publish(
        SchemaLog.bytes(of: lines), as: FolderNames.schemaLog)
    }
  }
}

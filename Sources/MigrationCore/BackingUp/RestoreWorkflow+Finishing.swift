import Backups
import SafeFiles

// Finishing a restore that was interrupted. What it brings was unpacked and verified before anything
// of the folder moved, so its backup is not needed any more.
extension RestoreWorkflow {
  /// Returns whether a restore of the folder was interrupted; writes nothing.
  package func planFinishing() throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    var report = RestoreReport()
    report.outcome = .finished
    report.isDryRun = true
    let folder = try FolderAccess.open(options.folder, context: context)
    do throws(BackupError) {
      report.finishedEarlierRestore = try RestorePlace.unfinishedRun(in: folder) != nil
    } catch {
      throw MigrationError(error)
    }
    report.seconds = clock.seconds
    return report
  }

  /// Finishes a restore that was interrupted; without one it does nothing.
  package func finish() throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    var report = RestoreReport()
    report.outcome = .finished
    let folder = try FolderAccess.open(options.folder, context: context)
    if let outcome = try finishEarlierRestore(of: folder) {
      report.finishedEarlierRestore = true
      report.setAside = outcome.setAside?.description ?? ""
      return try commit(nil, into: folder, relyingOn: nil, clock, report)
    }
    report.seconds = clock.seconds
    return report
  }
}

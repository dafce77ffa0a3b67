import Backups
import Runs

extension BackupContext {
  /// The context of a run, as the backup layer takes it.
  init(_ context: RunContext, phase: RunProgress.Phase) {
    self.init(workerCount: context.workerCount, isInterrupted: context.isInterrupted)
    if let report = context.reportProgress {
      reportProgress = { completed, total in
        report(RunProgress(phase, completed: completed, total: total))
      }
    }
  }
}

extension MigrationError {
  /// Wraps an error of the backup layer.
  init(_ error: BackupError) {
    if case .interrupted = error {
      self = .interrupted
    } else {
      self = .underlying(error.diagnostic)
    }
  }
}

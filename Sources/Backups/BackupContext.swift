/// How a backup or restore is run: how many threads, who may stop it, who is told how far it is.
package struct BackupContext: Sendable {
  /// How many threads read, hash and write.
  package var workerCount: Int
  /// Whether the caller wants to stop; asked between files.
  package var isInterrupted: @Sendable () -> Bool
  /// Told the number of entries done and their total, from any thread.
  package var reportProgress: (@Sendable (_ completed: Int, _ total: Int) -> Void)?

  /// Creates a context.
  package init(
    workerCount: Int = 2, isInterrupted: @escaping @Sendable () -> Bool = { false },
    reportProgress: (@Sendable (_ completed: Int, _ total: Int) -> Void)? = nil
  ) {
    self.workerCount = max(1, workerCount)
    self.isInterrupted = isInterrupted
    self.reportProgress = reportProgress
  }
}

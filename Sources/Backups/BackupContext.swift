import Folders
package import SafeFiles
import Synchronization

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

/// What belongs in a backup: everything but the app's lock and our own state.
package enum BackupScope {
  /// Returns whether an entry directly in the folder is left out.
  package static func isExcluded(_ name: FileName) -> Bool {
    name == FolderNames.writeLock || name == FolderNames.state
  }
}

/// Results of jobs that run in parallel, in the order of the jobs.
final class Collected<Value: Sendable>: Sendable {
  private let content: Mutex<[Value?]>

  init(count: Int) { content = Mutex(Array(repeating: nil, count: count)) }

  /// The results that were set.
  var values: [Value] { content.withLock { $0.compactMap { $0 } } }

  func set(_ job: Int, _ value: Value) { content.withLock { $0[job] = value } }
}

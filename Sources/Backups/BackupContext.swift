package import Folders
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

/// What belongs in the backup of a folder: everything but the app's lock and our own state.
///
/// A restore leaves the same two in their places: whoever holds the lock goes on holding it.
package struct BackupScope: Hashable, Sendable {
  /// The name of the profile that said so; nil for the built-in one, which no command has to be told.
  package let profile: String?
  /// The app's lock, at the top of the folder; nil if the app has none.
  package let lock: FileName?

  /// That of a folder of which no profile is told.
  package static let minuta = BackupScope(profile: nil, lock: FolderNames.writeLock)

  /// That of a store: nothing lies beside it that is not its own, and its app has no lock.
  package static let store = BackupScope(profile: "generic", lock: nil)

  /// That of a folder of some kinds.
  package init(_ kinds: EntityKinds) {
    self.init(profile: kinds.toldName, lock: kinds.lock)
  }

  init(profile: String?, lock: FileName?) {
    self.profile = profile
    self.lock = lock
  }

  /// Returns whether an entry directly in the folder is left out.
  package func isExcluded(_ name: FileName) -> Bool { name == lock || name == FolderNames.state }
}

/// Results of jobs that run in parallel, in the order of the jobs.
final class Collected<Value: Sendable>: Sendable {
  private let content: Mutex<[Value?]>

  init(count: Int) { content = Mutex(Array(repeating: nil, count: count)) }

  /// The results that were set.
  var values: [Value] { content.withLock { $0.compactMap { $0 } } }

  func set(_ job: Int, _ value: Value) { content.withLock { $0[job] = value } }
}

package import Diagnostics
package import Folders
package import SafeFiles

/// What surrounds one run of a workflow: who runs it, on how many cores, and how to talk to it.
package struct RunContext: Sendable {
  /// The command's name, for the history.
  package var command: String
  /// The command's arguments as they were given, for the history.
  package var arguments: [String]
  /// The tool's version, for the history and for manifests.
  package var version: String
  /// How many workers share the months of a folder; at least 1.
  package var workerCount: Int
  /// How long to wait for another writer's lock before the run is `busy`.
  package var lockTimeoutSeconds: Int
  /// How long that is unless something else is asked for.
  package static let standardLockTimeoutSeconds = 10
  /// Whether the first item that ends in a finding of severity error ends the run: items at work are
  /// finished, no further one is begun.
  package var failsFast: Bool
  /// What kinds of entity the folder has.
  package var kinds = EntityKinds.minuta { didSet { appLock = kinds.lock } }
  /// The app's own lock, at the top of the folder; nil if the app has none. A backup knows that of its
  /// folder, whatever kinds the run was told.
  package var appLock: FileName? = EntityKinds.minuta.lock
  /// Called now and then, from any worker, with how far the run is.
  package var reportProgress: (@Sendable (RunProgress) -> Void)?
  /// Called, from any thread, with what the run tells while it is at work.
  package var notify: @Sendable (RunNotice) -> Void = { _ in }
  /// Whether the run tells what it decides, and why.
  package var explainsDecisions = false
  /// Asked between items; once it answers true the run ends with `MigrationError.interrupted`.
  package var isInterrupted: @Sendable () -> Bool
  /// A directory for what only this run needs.
  package var temporaryDirectory = "/tmp"
  /// Called, from any thread, with what is still in that directory though it should be gone.
  package var noteLeftBehind: @Sendable (Finding) -> Void = { _ in }
  /// The preferences of the app of a store, in which more of its entities are; nil if they are not to be
  /// read.
  package var preferences: String?
  /// The system calls everything the run opens is used through.
  package var operations: any FileOperations = SystemFileOperations()

  /// Creates a context; without hooks nothing is told and nothing interrupts.
  package init(
    command: String, arguments: [String] = [], version: String = "0", workerCount: Int = 2,
    lockTimeoutSeconds: Int = standardLockTimeoutSeconds, failsFast: Bool = false,
    reportProgress: (@Sendable (RunProgress) -> Void)? = nil,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) {
    self.command = command
    self.arguments = arguments
    self.version = version
    self.workerCount = max(1, workerCount)
    self.lockTimeoutSeconds = lockTimeoutSeconds
    self.failsFast = failsFast
    self.reportProgress = reportProgress
    self.isInterrupted = isInterrupted
  }
}

extension RunContext {
  /// The same for work that waits for the disk to synchronize files: more than one for each processor are
  /// at it.
  package var waitingForDisk: RunContext {
    var context = self
    context.workerCount *= 2
    return context
  }

  /// Whether an item that ended with these findings ends the run.
  package func endsBatch(after findings: some Sequence<Finding>) -> Bool {
    failsFast && findings.contains { $0.severity == .error }
  }
}

extension Finding {
  /// Tells that a run ended at its first error.
  ///
  /// - Parameter items: what was not looked at, such as `3 of 12 groups were`.
  package static func stopped(leaving items: String = "the rest was") -> Finding {
    Finding(
      .notLookedAt, .warning,
      message: "ended at the first error, as --fail-fast asks; \(items) "
        + "not looked at",
      next: "settle the error, then run again, or run without --fail-fast")
  }
}

extension Int {
  /// What is left of some items, with its verb: `3 of 12 groups were`, `1 of 1 group was`.
  package func counted(of count: Int, _ item: String) -> String {
    "\(grouped) of \(count.counted(item)) \(self == 1 ? "was" : "were")"
  }
}

/// How long a run takes, and when it began.
package struct RunClock {

  package init() {
  }
  /// When the run began, for the history.
  package let begin = WallClock.now()
  private let start = ContinuousClock.now

  /// Seconds since the run began.
  package var seconds: Double {
    let elapsed = ContinuousClock.now - start
    let (seconds, attoseconds) = elapsed.components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}

extension NextCommand {
  /// Returns what tells a command what dates count that are numbers.
  package static func options(numericDates: NumericDates?) -> [String] {
    numericDates.map { ["--numeric-dates", $0.rawValue] } ?? []
  }

  /// Returns what tells a command where backups are.
  package static func options(backupDirectory: String?) -> [String] {
    backupDirectory.map { ["--backup-dir", $0] } ?? []
  }
}

/// Where documents are put.
package enum LayoutChoice: String, CaseIterable, Hashable, Sendable {
  /// The layout of the documents already there, else monthly.
  case auto
  /// One document for each month.
  case monthly
  /// One document for each record.
  case perRecord = "per-record"
}

/// What kind of history an import writes.
package enum HistoryChoice: String, CaseIterable, Hashable, Sendable {
  /// Small changes for each entity that are the same on every device.
  case convergent
  /// One change for each document.
  case plain
}

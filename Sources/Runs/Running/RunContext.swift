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
  /// Whether the first item that ends in a finding of severity error ends the run: items at work are
  /// finished, no further one is begun.
  package var failsFast: Bool
  /// Called now and then, from any worker, with how far the run is.
  package var reportProgress: (@Sendable (RunProgress) -> Void)?
  /// Asked between items; once it answers true the run ends with `MigrationError.interrupted`.
  package var isInterrupted: @Sendable () -> Bool
  /// The system calls everything the run opens is used through.
  package var operations: any FileOperations = SystemFileOperations()

  /// Creates a context; without hooks nothing is told and nothing interrupts.
  package init(
    command: String, arguments: [String] = [], version: String = "0", workerCount: Int = 2,
    lockTimeoutSeconds: Int = 10, failsFast: Bool = false,
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

import Diagnostics
package import Runs
import SafeFiles

/// Merges the conflict copies of a folder whenever something in it changed and it came to rest.
///
/// What changed is not asked: each run looks at the whole folder, so nothing that arrives while one
/// is at work is missed.
package struct MergeWatch {
  /// How long a folder must be quiet before a run begins: sync services write in bursts.
  private static let quietMilliseconds = 1000
  /// How long a run waits for quiet at most.
  private static let patienceSeconds = 30
  /// When a run that found the folder busy is tried again, unless something changes before.
  private static let pauseMilliseconds = 5000

  private let options: MergeOptions
  private let context: RunContext

  /// Creates a watch; nothing is read yet.
  package init(_ options: MergeOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Merges again and again until the caller interrupts, nobody looks any more, or something is wrong
  /// with the folder.
  ///
  /// An interruption is how a watch ends, and no error unless it stops a run.
  ///
  /// - Parameters:
  ///   - show: called with the report of the first run and of each later one that has something new
  ///     to tell; returns whether to go on.
  ///   - tell: called when somebody else is at work and the run will be tried again.
  package func run(
    showing show: (MergeReport) -> Bool, telling tell: (MigrationError) -> Void
  ) throws(MigrationError) {
    let folder = try FolderAccess.open(options.folder, context: context)
    let isInterrupted = context.isInterrupted
    let watcher = try MigrationError.wrapping { () throws(FileError) in
      try FolderWatcher(folder, isInterrupted: isInterrupted)
    }
    var last: MergeReport?
    while true {
      var pause: Int?
      do throws(MigrationError) {
        let report = try MergeWorkflow(options, context: context).perform()
        if report.isNews(after: last), !show(report) { return }
        last = report
      } catch {
        guard error != .interrupted, error.diagnostic.kind == .busy else { throw error }
        tell(error)
        pause = Self.pauseMilliseconds
      }
      if isInterrupted() { return }
      try MigrationError.wrapping { () throws(FileError) in
        if try watcher.waitForChange(timeoutMilliseconds: pause) { try settle(watcher) }
      }
      if isInterrupted() { return }
    }
  }

  /// Waits until nothing has changed for a while, or for as long as can be asked.
  private func settle(_ watcher: FolderWatcher) throws(FileError) {
    let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
    while ContinuousClock.now < deadline,
      try watcher.waitForChange(timeoutMilliseconds: Self.quietMilliseconds)
    {}
  }
}

extension MergeReport {
  /// Whether a run has something to tell that the one before did not.
  fileprivate func isNews(after last: MergeReport?) -> Bool {
    guard let last else { return true }
    if bases.isEmpty, findings.isEmpty { return false }
    return bases != last.bases || findings != last.findings
  }
}

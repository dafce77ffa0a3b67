import Diagnostics
import Runs
import SafeFiles

/// Syncs again and again: at once, then whenever one of the folders changed and came to rest.
struct SyncWatch {
  private let options: SyncOptions
  private let context: RunContext
  /// How long to wait before a connection is made again; nil as long as none has failed.
  private var pauseSeconds: Int?
  private var hasEnded = false
  private var last: SyncReport?

  /// How long both folders must be quiet before a round begins: apps and sync services write in bursts.
  private static let quietMilliseconds = 1000
  /// How long a round waits for quiet at most.
  private static let patienceSeconds = 30
  private static let shortestPauseSeconds = 2
  private static let longestPauseSeconds = 60

  init(_ options: SyncOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Waits as long as it takes before the next connection; returns whether there is to be one.
  func goesOn() -> Bool {
    if hasEnded { return false }
    if let pauseSeconds { pause(seconds: Double(pauseSeconds)) }
    return !context.isInterrupted()
  }

  private func pause(seconds: Double) {
    var patience = Patience(seconds: seconds)
    while !context.isInterrupted(), patience.wait() {}
  }

  /// Whether what failed may go well the next time: a connection that ended, or somebody at work.
  mutating func mayTryAgain(after error: MigrationError) -> Bool {
    guard error != .interrupted, !context.isInterrupted(), last != nil,
      [.inputOutput, .busy].contains(error.diagnostic.kind)
    else { return false }
    pauseSeconds =
      pauseSeconds.map { min(Self.longestPauseSeconds, 2 * $0) } ?? Self.shortestPauseSeconds
    return true
  }

  /// Does rounds on one connection until the caller interrupts or nobody looks any more.
  mutating func run(
    _ meeting: inout SyncMeeting,
    by round: (inout SyncMeeting) throws(MigrationError) -> SyncReport,
    showing show: (SyncReport) -> Bool
  ) throws(MigrationError) {
    let isInterrupted = context.isInterrupted
    let watcher = try MigrationError.wrapping { () throws(FileError) in
      try FolderWatcher(meeting.folder, isInterrupted: isInterrupted)
    }
    while true {
      let report = try round(&meeting)
      pauseSeconds = nil
      if report.isNews(after: last), !show(report) {
        hasEnded = true
        return
      }
      last = report
      try waitForChange(watcher, meeting.connection)
      if isInterrupted() {
        hasEnded = true
        return
      }
      try meeting.connection.hand(over: .again)
    }
  }

  /// Waits until something changed on one side, and then until nothing has for a while.
  private func waitForChange(
    _ watcher: FolderWatcher, _ connection: Connection
  ) throws(MigrationError) {
    var deadline: ContinuousClock.Instant?
    while !context.isInterrupted() {
      let isChanged = try changed(watcher, connection)
      if let deadline, !isChanged || ContinuousClock.now > deadline { return }
      if isChanged, deadline == nil { deadline = .now + .seconds(Self.patienceSeconds) }
    }
  }

  /// Looks for so long as folders have to be quiet.
  private func changed(
    _ watcher: FolderWatcher, _ connection: Connection
  ) throws(MigrationError) -> Bool {
    let isChangedHere = try MigrationError.wrapping { () throws(FileError) in
      try watcher.waitForChange(timeoutMilliseconds: Self.quietMilliseconds)
    }
    if isChangedHere { pause(seconds: Double(Self.quietMilliseconds) / 1000) }
    try connection.hand(over: .probe)
    let news = try connection.receive(.news)
    return isChangedHere || news.payload == [1]
  }
}

extension SyncReport {
  /// Whether a round has something to tell that the one before did not.
  fileprivate func isNews(after last: SyncReport?) -> Bool {
    guard let last else { return true }
    return !documents.isEmpty || findings != last.findings
      || files.contains { $0.outcome != .differs } || last.files.count != files.count
  }
}

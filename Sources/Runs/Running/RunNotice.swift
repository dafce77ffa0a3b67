import Diagnostics
package import SafeFiles

/// What a run tells while it is at work, and does not belong into its report.
package struct RunNotice: Sendable {
  /// What it is about.
  package enum Kind: String, Sendable {
    /// The run waits for somebody else.
    case waiting
    /// The run has decided something, which is told to who asked for it.
    case decision
  }

  /// What it is about.
  package let kind: Kind
  /// The path it is about, in display form; empty if it is about none.
  package let subject: String
  /// What is told, in lower case without a trailing stop.
  package let message: String
}

extension RunContext {
  /// Tells that the run waits for a lock.
  package func tell(of wait: LockWait) {
    tellWaiting(
      on: wait.path, "locked by \(wait.holder?.description ?? "another program")",
      secondsLeft: wait.secondsLeft)
  }

  /// Tells that the run waits for something that somebody else does.
  package func tellWaiting(on subject: String, _ problem: String, secondsLeft: Double) {
    let seconds = Int64(max(0, min(secondsLeft, 1e9)).rounded(.up))
    notify(
      RunNotice(
        kind: .waiting, subject: subject,
        message: "\(problem); waiting for it, \(seconds.counted("second")) at most"))
  }

  /// Tells that the run waits for a restore, if it has done so long enough for people to wonder.
  package func tellOfRestore(at place: String, _ patience: inout Patience) {
    guard patience.isTimeToTell() else { return }
    tellWaiting(
      on: place, "another restore is at work here", secondsLeft: patience.secondsLeft)
  }

  /// Tells what the run has decided, and why, if somebody asked for that.
  ///
  /// - Parameter subject: the path that it is about, in display form.
  package func explain(_ subject: String = "", message: @autoclosure () -> String) {
    guard explainsDecisions else { return }
    notify(RunNotice(kind: .decision, subject: subject, message: message()))
  }
}

import Diagnostics
import MigrationCore
package import Runs
import Synchronization

/// Shows how far a run is on standard error: one line that is rewritten on a terminal, a line now
/// and then elsewhere. Workers may call it at the same time.
package final class ProgressMeter: Sendable {
  private struct State {
    var phase: RunProgress.Phase?
    var phaseStart = ContinuousClock.now
    var lastShown: ContinuousClock.Instant?
    var isLineOpen = false
  }

  private static let descriptor: Int32 = 2
  private let state = Mutex(State())
  private let rewrites: Bool
  private let interval: Duration

  /// Creates a meter that has shown nothing yet.
  package init() {
    rewrites = SystemCalls.isTerminal(Self.descriptor)
    interval = rewrites ? .milliseconds(100) : .seconds(5)
  }

  /// Takes a reading; cheap enough to be called for every item.
  package func update(_ progress: RunProgress) {
    state.withLock { state in
      let now = ContinuousClock.now
      if progress.phase != state.phase {
        state.phase = progress.phase
        state.phaseStart = now
        state.lastShown = rewrites ? nil : now
      }
      if let lastShown = state.lastShown, now - lastShown < interval { return }
      state.lastShown = now
      let line = Self.line(progress, elapsed: now - state.phaseStart)
      guard rewrites else { return send(line + "\n") }
      state.isLineOpen = true
      let width = (SystemCalls.terminalWidth(Self.descriptor) ?? 80) - 1
      send("\r" + line.prefix(width) + "\u{1B}[K")
    }
  }

  /// Removes the line, so that the report starts on a clean one.
  package func clear() {
    state.withLock { state in
      guard state.isLineOpen else { return }
      state.isLineOpen = false
      send("\r\u{1B}[K")
    }
  }

  /// Returns `converting  42,100 of 100,000  84,000/s  0.69 s left`.
  static func line(_ progress: RunProgress, elapsed: Duration) -> String {
    var line = "\(progress.phase.rawValue)  \(progress.completed.grouped)"
    if progress.total > 0 { line += " of \(progress.total.grouped)" }
    let milliseconds = Int(elapsed.milliseconds)
    guard milliseconds > 0, progress.completed > 0 else { return line }
    line += "  \((progress.completed * 1000 / milliseconds).grouped)/s"
    if progress.total > progress.completed {
      let items = progress.total - progress.completed
      line += "  \(Duration.milliseconds(items * milliseconds / progress.completed).text) left"
    }
    return line
  }

  /// One write a line, unbuffered. Progress is talk: if it cannot be shown, the work goes on.
  private func send(_ text: String) {
    _ = SystemCalls.write(Array(text.utf8), from: 0, to: Self.descriptor)
  }
}

/// Remembers how far a run is, for the message of one that is interrupted. Workers may call it at
/// the same time.
final class LatestProgress: Sendable {
  private let latest = Mutex<RunProgress?>(nil)

  /// Takes a reading; cheap enough to be called for every item.
  func update(_ progress: RunProgress) {
    latest.withLock { latest in
      // Workers report in any order; the furthest of a phase counts.
      guard latest?.phase == progress.phase, let before = latest?.completed,
        before > progress.completed
      else {
        latest = progress
        return
      }
    }
  }

  /// What was done, as ` while moving, 12 of 40 moved`; empty if nothing was told yet. Only what
  /// stays done is counted.
  var text: String {
    guard let progress = latest.withLock({ $0 }) else { return "" }
    let text = " while \(progress.phase.rawValue)"
    switch progress.phase.whenStopped {
    case .unsaid: return text
    case .nothing: return text + ", before anything was published"
    case .counted(let word):
      let all = progress.total > 0 ? " of \(progress.total.grouped)" : ""
      return text + ", \(progress.completed.grouped)\(all) \(word)"
    }
  }
}

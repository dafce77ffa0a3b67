import Diagnostics
import MigrationCore
import Runs
import Synchronization

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

import Diagnostics
import Synchronization

/// What a run could not remove of its own, until somebody is told.
final class LeftBehind: Sendable {
  private let findings = Mutex<[Finding]>([])

  /// Notes what is still there, and why.
  func note(_ finding: Finding) { findings.withLock { $0.append(finding) } }

  /// Returns what nobody was told yet.
  func take() -> [Finding] {
    findings.withLock { findings in
      defer { findings = [] }
      return findings
    }
  }
}

/// How much a finding matters, least first.
package enum Severity: String, CaseIterable, Comparable, Hashable, Sendable {
  /// Worth knowing; changes no exit status.
  case info
  /// Something the user should look at; changes no exit status.
  case warning
  /// Something is wrong or was left out; the run ends with status 1.
  case error

  private var rank: Int {
    switch self {
    case .info: 0
    case .warning: 1
    case .error: 2
    }
  }

  package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
}

package import Diagnostics
import MigrationCore
package import Runs

/// How a command ends: the one place where a kind of failure becomes a number.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  /// Everything was done and nothing differs.
  case done = 0
  /// Everything was done, but something differs or a finding of severity error remains.
  case differs = 1
  /// The command was called wrongly.
  case usage = 64
  /// Input is damaged.
  case damagedInput = 65
  /// Input is missing.
  case missingInput = 66
  /// This build or platform cannot do it.
  case featureAbsent = 69
  /// The program has a mistake.
  case internalError = 70
  /// A system call failed.
  case systemCallFailed = 71
  /// Output cannot be created, or exists with other bytes.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Somebody else is at work.
  case busy = 75
  /// A permission is missing.
  case permissionDenied = 77
  /// The options conflict with the data.
  case conflictsWithData = 78

  /// Creates the status for a kind of failure.
  package init(_ kind: Diagnostic.Kind) {
    self =
      switch kind {
      case .usage: .usage
      case .damagedInput: .damagedInput
      case .missingInput: .missingInput
      case .featureAbsent: .featureAbsent
      case .internalError: .internalError
      case .systemCallFailed: .systemCallFailed
      case .cannotCreate: .cannotCreate
      case .inputOutput: .inputOutput
      case .busy: .busy
      case .permissionDenied: .permissionDenied
      case .conflictsWithData: .conflictsWithData
      }
  }

  /// Creates the status of a run that came to its end with this report; one that could not read a
  /// file because it kept changing is to be run again.
  package init(_ report: some RunReport) {
    let isMoving = report.findings.contains {
      $0.code == .changedWhileRead && $0.severity == .error
    }
    self = isMoving ? .busy : report.endsWithDifferences ? .differs : .done
  }

  /// Creates the status for any error a command can meet.
  package init(_ error: any Error) {
    if let error = error as? any DiagnosableError {
      self.init(error.diagnostic.kind)
    } else {
      self = .internalError
    }
  }

  /// What the number means, as the help texts say it.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .differs: "done, but something differs or errors were found"
    case .usage: "wrong usage"
    case .damagedInput: "input is damaged"
    case .missingInput: "input is missing"
    case .featureAbsent: "not available in this build"
    case .internalError: "internal error"
    case .systemCallFailed: "a system call failed"
    case .cannotCreate: "output cannot be created, or exists with other bytes"
    case .inputOutput: "reading or writing failed, or the disk is full"
    case .busy: "busy, try again: locked, changing, or a restore is unfinished"
    case .permissionDenied: "permission denied"
    case .conflictsWithData: "the options conflict with the data"
    }
  }
}

/// Ordered by gravity, so that a batch can end with the gravest status of its items.
extension ExitStatus: Comparable {
  private var gravity: Int {
    switch self {
    case .done: 0
    case .differs: 1
    case .busy: 2
    case .missingInput: 3
    case .damagedInput: 4
    case .conflictsWithData: 5
    case .usage: 6
    case .featureAbsent: 7
    case .permissionDenied: 8
    case .cannotCreate: 9
    case .inputOutput: 10
    case .systemCallFailed: 11
    case .internalError: 12
    }
  }

  package static func < (left: ExitStatus, right: ExitStatus) -> Bool {
    left.gravity < right.gravity
  }
}

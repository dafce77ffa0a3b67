package import Diagnostics

/// Why there is no table.
package enum MeasurementError: DiagnosableError {
  /// A row that does not exist, and those that do.
  case unknownRow(String, known: [String])
  /// A program that could not be run, with the `errno`.
  case notRun(String, Int32)
  /// A program that ended with this wait status.
  case failed(String, Int32)
  /// Work that was done wrongly.
  case wrongResult(String)

  package var diagnostic: Diagnostic {
    switch self {
    case .unknownRow(let name, let known):
      Diagnostic(
        .usage, subject: name, problem: "is no row",
        remedy: "choose from " + known.joined(separator: ", "))
    case .notRun(let program, let code):
      Diagnostic(.missingInput, subject: program, problem: "could not be run (error \(code))")
    case .failed(let program, let status):
      Diagnostic(.internalError, subject: program, problem: "ended with wait status \(status)")
    case .wrongResult(let what):
      Diagnostic(.internalError, subject: "", problem: what)
    }
  }
}

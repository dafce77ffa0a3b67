package import Diagnostics
package import SafeFiles

/// Why a file is no profile.
package enum ProfileError: DiagnosableError, Hashable {
  /// The file is no JSON.
  case json(file: String, line: Int, column: Int, JSONDefect)
  /// The file is JSON, and something in it is wrong.
  case profile(file: String, line: Int, column: Int, ProfileDefect.Fact)
  /// The file system failed.
  case file(FileError)

  package var diagnostic: Diagnostic {
    switch self {
    case .json(let file, let line, let column, let defect):
      Diagnostic(
        .damagedInput, subject: file,
        problem: "line \(line), column \(column): \(defect.problem)",
        remedy: "write the profile as strict JSON")
    case .profile(let file, let line, let column, let fact):
      Diagnostic(
        .damagedInput, subject: file, problem: "line \(line), column \(column): \(fact.problem)",
        remedy: fact.remedy)
    case .file(let error): error.diagnostic
    }
  }
}

package import Diagnostics

/// Why a standard stream could not be written.
package enum StreamError: Error, Hashable {
  /// The reader of a pipe went away.
  case readerClosed(stream: String)
  /// The disk or the quota is full.
  case noSpace(stream: String)
  /// The system refused the write with this `errno`.
  case writeFailed(stream: String, code: Int32)
}

extension StreamError: DiagnosableError {
  /// Says which stream, what happened and what helps; always of kind input/output.
  package var diagnostic: Diagnostic {
    switch self {
    case .readerClosed(let stream):
      Diagnostic(
        .inputOutput, subject: stream, problem: "nobody reads it any more",
        remedy: "let the next command of the pipe read to the end")
    case .noSpace(let stream):
      Diagnostic(
        .inputOutput, subject: stream, problem: "no space left",
        remedy: "free some space, or write elsewhere, and run the command again")
    case .writeFailed(let stream, let code):
      Diagnostic(
        .inputOutput, subject: stream, problem: "cannot be written",
        cause: SystemCalls.message(for: code))
    }
  }
}

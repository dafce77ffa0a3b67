package import Diagnostics
package import SafeFiles

/// Why a folder's data or an interchange stream cannot be used at all.
///
/// What is wrong with single entities is no error but a finding, and the others go on.
package enum FolderError: DiagnosableError, Hashable {
  /// A stream is damaged at a byte of one of its lines, counted from 1.
  case damagedStream(stream: String, line: Int, offset: Int, StreamDefect)
  /// The file system failed.
  case file(FileError)

  package var diagnostic: Diagnostic {
    switch self {
    case .damagedStream(let stream, let line, let offset, let defect):
      Diagnostic(
        .damagedInput, subject: stream, offset: offset,
        problem: "line \(line): \(defect.problem)", remedy: Self.remedy(for: defect))
    case .file(let error):
      error.diagnostic
    }
  }

  private static func remedy(for defect: StreamDefect) -> String? {
    switch defect {
    case .noHeader, .noEnd:
      "let filters keep the first and the last line; see why the writer stopped"
    case .unsupportedVersion: "write the stream again with this version of export-json"
    default: nil
    }
  }
}

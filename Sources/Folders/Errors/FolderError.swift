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

/// What is wrong with an interchange stream, so that nothing of it may be used.
package enum StreamDefect: Hashable, Sendable {
  /// There is no first line that says what this is.
  case noHeader
  /// The stream has a version this program does not read.
  case unsupportedVersion(String)
  /// The stream is about another kind of app.
  case unsupportedProfile(String)
  /// The stream stops before its last line, as when the writer at the left of a pipe died.
  case noEnd
  /// Something follows the last line.
  case contentAfterEnd
  /// A line is longer than the limit allows.
  case lineTooLong(limit: Int)
  /// A line is no JSON.
  case json(JSONDefect.Fact, problem: String)
  /// A line is no object, or one of its members is missing or has another type.
  case wrongMember(String)
  /// A kind of entity that a Minuta stream does not have.
  case unknownKind(String)
  /// A place that is neither `tags` nor `records/YYYY/MM/NAME`, or not one for this kind.
  case wrongPlace(String)
  /// A pointer in `types` that leads nowhere, or a type with another name than this version knows.
  case wrongType(String)

  /// The defect as a sentence fragment without a trailing stop.
  package var problem: String {
    switch self {
    case .noHeader: "the first line does not say that this is an automerge-migrate stream"
    case .unsupportedVersion(let version): "stream version \(version), expected 1"
    case .unsupportedProfile(let profile): "profile \"\(profile)\", expected minuta"
    case .noEnd: "the stream is cut off, its last line is missing"
    case .contentAfterEnd: "something follows the last line"
    case .lineTooLong(let limit): "the line is longer than \(limit.counted("byte"))"
    case .json(_, let problem): problem
    case .wrongMember(let name): "\"\(name)\" is missing or not what it should be"
    case .unknownKind(let kind): "kind \"\(kind)\", expected tag, record or other"
    case .wrongPlace(let place):
      "place \"\(place)\", expected tags or records/YYYY/MM/NAME as the kind requires"
    case .wrongType(let type): "\(type) in \"types\" does not fit the fields"
    }
  }
}

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
  /// What makes a stream failed.
  case source(Diagnostic)

  package var diagnostic: Diagnostic {
    switch self {
    case .damagedStream(let stream, let line, let offset, let defect):
      Diagnostic(
        defect.isOfAnotherProfile ? .conflictsWithData : .damagedInput, subject: stream,
        offset: offset,
        problem: "line \(line): \(defect.problem)", remedy: Self.remedy(for: defect))
    case .file(let error):
      error.diagnostic
    case .source(let diagnostic):
      diagnostic
    }
  }

  private static func remedy(for defect: StreamDefect) -> String? {
    switch defect {
    case .noHeader, .noEnd:
      "let filters keep the first and the last line; see why the writer stopped"
    case .unsupportedVersion: "write the stream again with this version of export-json"
    case .unsupportedProfile("minuta", _, _): "run the command again without --profile"
    case .unsupportedProfile(let profile, _, isBuiltIn: true):
      "run the command again with --profile \(profile)"
    case .unsupportedProfile(let profile, _, _):
      "run the command again with --profile FILE, the profile file of \"\(profile)\""
    case .undeclared, .otherType:
      "run the command again with --profile FILE, the version of the profile that the stream was "
        + "written with or a newer one"
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
  /// The stream is about another kind of app, whose profile may be built in.
  case unsupportedProfile(String, expected: String = "minuta", isBuiltIn: Bool = false)
  /// The first line declares a kind, or a property of one, that the profile does not.
  case undeclared(property: String?, kind: String)
  /// The first line declares another type than the profile.
  case otherType(String, property: String, kind: String, expected: String)
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
  /// A kind of entity that a stream of the profile does not have.
  case unknownKind(String, expected: [String] = ["tag", "record"])
  /// A place that is none, or not one for this kind.
  case wrongPlace(
    String, expected: String = "tags or records/YYYY/MM/NAME as the kind requires")
  /// An identity that is not the one that the place says.
  case wrongIdentity(String, expected: String)
  /// A pointer in `types` that leads nowhere, or a type with another name than this version knows.
  case wrongType(String)

  /// Whether the stream may be sound, and is not one of the profile that it is read with.
  package var isOfAnotherProfile: Bool {
    switch self {
    case .unsupportedProfile, .undeclared, .otherType: true
    default: false
    }
  }

  /// The defect as a sentence fragment without a trailing stop.
  package var problem: String {
    switch self {
    case .noHeader: "the first line does not say that this is an automerge-migrate stream"
    case .unsupportedVersion(let version): "stream version \(version), expected 1"
    case .unsupportedProfile(let profile, let expected, _):
      "profile \"\(profile)\", expected \(expected)"
    case .undeclared(let property?, let kind):
      "the stream has \"\(property)\" of kind \(kind), which the profile does not declare"
    case .undeclared(nil, let kind):
      "the stream has the kind \"\(kind)\", which the profile does not declare"
    case .otherType(let type, let property, let kind, let expected):
      "\"\(property)\" of kind \(kind) is \(type) in the stream, and \(expected) in the profile"
    case .noEnd: "the stream is cut off, its last line is missing"
    case .contentAfterEnd: "something follows the last line"
    case .lineTooLong(let limit): "the line is longer than \(limit.counted("byte"))"
    case .json(_, let problem): problem
    case .wrongMember(let name): "\"\(name)\" is missing or not what it should be"
    case .unknownKind(let kind, let expected):
      "kind \"\(kind)\", expected \(expected.joined(separator: ", ")) or other"
    case .wrongPlace(let place, let expected): "place \"\(place)\", expected \(expected)"
    case .wrongIdentity(let identity, let expected):
      "id \"\(identity)\", expected \"\(expected)\" as the place says"
    case .wrongType(let type): "\(type) in \"types\" does not fit the fields"
    }
  }
}

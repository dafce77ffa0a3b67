package import Diagnostics
package import SafeFiles

/// What can be wrong with a file of one sort that a person writes, beside its being no JSON.
package protocol FormFact: Hashable, Sendable {
  /// What such a file is called.
  static var noun: StaticString { get }
  /// The fact about a form.
  static func form(_ fact: FormDefect.Fact) -> Self
  /// That, if it is one.
  var formFact: FormDefect.Fact? { get }
  /// The fact as a sentence fragment without a trailing stop.
  var problem: String { get }
  /// What to do about it.
  var remedy: String { get }
}

/// Why a file is none of its sort.
package enum FormFileError<Fact: FormFact>: DiagnosableError, Hashable {
  /// The file is no JSON.
  case json(file: String, line: Int, column: Int, JSONDefect)
  /// The file is JSON, and something in it is wrong.
  case wrong(file: String, line: Int, column: Int, Fact)
  /// The file system failed.
  case file(FileError)

  package var diagnostic: Diagnostic {
    switch self {
    case .json(let file, let line, let column, let defect):
      Diagnostic(
        .damagedInput, subject: file,
        problem: "line \(line), column \(column): \(defect.problem)",
        remedy: "write the \(Fact.noun) as strict JSON")
    case .wrong(let file, let line, let column, let fact):
      Diagnostic(
        .damagedInput, subject: file, problem: "line \(line), column \(column): \(fact.problem)",
        remedy: fact.remedy)
    case .file(let error): error.diagnostic
    }
  }

  private static func tooLarge(_ file: String, limit: Int) -> Self {
    .json(file: file, line: 1, column: 1, JSONDefect(.tooLarge(limit: limit), at: 0))
  }

  /// Reads the bytes of a file.
  package static func bytes(of path: String, limit: Int) throws(Self) -> [UInt8] {
    do throws(FileError) {
      let (directory, name) = try Directory.openParent(ofPath: path)
      return try directory.contents(of: name, limit: limit)
    } catch {
      if case .tooLarge = error { throw tooLarge(path, limit: limit) }
      throw .file(error)
    }
  }

  /// Parses the bytes of a file; its name is for messages.
  package static func parse(
    _ bytes: [UInt8], of file: String, limit: Int, depthLimit: Int, into reader: inout FormReader
  ) throws(Self) {
    guard bytes.count <= limit else { throw tooLarge(file, limit: limit) }
    do throws(JSONDefect) {
      try reader.parse(bytes, depthLimit: depthLimit)
    } catch {
      let (line, column) = FormReader.position(of: error.offset, in: bytes)
      throw .json(file: file, line: line, column: column, error)
    }
  }

  /// What is wrong at a place of a file, by line and column.
  package init(_ fact: Fact, at place: [FormStep], in reader: FormReader, of file: String) {
    var isName = false
    if case .unknownMember = fact.formFact { isName = true }
    let (line, column) = reader.position(of: place, isName: isName)
    self = .wrong(file: file, line: line, column: column, fact)
  }
}

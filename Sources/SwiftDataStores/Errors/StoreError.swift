package import Diagnostics
package import SafeFiles

/// Why a store cannot be found, copied, opened or read. Paths are in display form.
package enum StoreError: DiagnosableError, Hashable {
  /// The file system refused something.
  case file(FileError)
  /// The file does not begin as SQLite databases do: it is encrypted, or something else.
  case notADatabase(path: String)
  /// The file has no bytes at all.
  case empty(path: String)
  /// The file is shorter than its header says.
  case truncated(path: String, size: Int64, expected: Int64)
  /// A field of the database's header has a value that none has.
  case damagedHeader(path: String, field: String, value: Int, offset: Int)
  /// SQLite found damage; its own words say which.
  case corrupt(path: String, problem: String)
  /// A database without the tables that make one a store.
  case notAStore(path: String, missing: String)
  /// An unfinished transaction over several databases: to undo it would reach for other files.
  case transactionOverSeveral(path: String)
  /// The files kept changing while they were copied.
  case changing(path: String)
  /// There is no place for a private copy.
  case noWorkingDirectory(path: String, problem: String)
  /// There is no store at the place.
  case noStore(path: String)
  /// SQLite could not do what was asked for a reason that is not the file's bytes.
  case sqlite(path: String, code: Int32, problem: String)

  package var diagnostic: Diagnostic {
    switch self {
    case .file(let error): error.diagnostic
    case .notADatabase(let path):
      Diagnostic(
        .damagedInput, subject: path, offset: 0,
        problem: "does not begin as SQLite databases do: encrypted, damaged, or no store at all",
        remedy: "bring it back from a backup; what is encrypted only its app can read")
    case .empty(let path):
      Diagnostic(
        .damagedInput, subject: path, problem: "is empty, and a store never is",
        remedy: "bring it back from a backup")
    case .truncated(let path, let bytes, let expected):
      Diagnostic(
        .damagedInput, subject: path,
        problem: "has \(bytes.counted("byte")), and its header says \(expected.grouped)",
        remedy: "fetch the file again, or bring it back from a backup")
    case .damagedHeader(let path, let field, let value, let offset):
      Diagnostic(
        .damagedInput, subject: path, offset: offset,
        problem: "the \(field) in its header is \(value.grouped), which none is",
        remedy: "bring it back from a backup")
    case .corrupt(let path, let problem):
      Diagnostic(
        .damagedInput, subject: path, problem: "is damaged: \(problem)",
        remedy: "keep all its files, and bring it back from a backup")
    case .notAStore(let path, let table):
      Diagnostic(
        .damagedInput, subject: path,
        problem: "is an SQLite database without the table \(table): no store of SwiftData",
        remedy: "give the file that the app keeps its data in")
    case .transactionOverSeveral(let path):
      Diagnostic(
        .damagedInput, subject: path,
        problem: "belongs to an unfinished transaction over several databases",
        remedy: "open the app once, which finishes it, then run again")
    case .changing(let path):
      Diagnostic(
        .busy, subject: path, problem: "kept changing while it was copied",
        remedy: "close the app, or try later")
    case .noWorkingDirectory(let path, let problem):
      Diagnostic(
        .cannotCreate, subject: path, problem: "no store can be copied there to be read",
        remedy: "let TMPDIR name a directory that can be written to", cause: problem)
    case .noStore(let path):
      Diagnostic(
        .missingInput, subject: path, problem: "there is no store here",
        remedy: "give the file, or the directory that holds it")
    case .sqlite(let path, let code, let problem):
      Diagnostic(
        code == Self.noMemory ? .systemCallFailed : .inputOutput, subject: path,
        problem: "SQLite cannot go on", cause: problem)
    }
  }

  /// What SQLite calls the want of memory.
  private static let noMemory: Int32 = 7
}

extension StoreError {
  /// Returns what `body` returns; an error of the file system becomes one of a store.
  static func wrapping<Result>(
    _ body: () throws(FileError) -> Result
  ) throws(StoreError) -> Result {
    do throws(FileError) { return try body() } catch { throw .file(error) }
  }
}

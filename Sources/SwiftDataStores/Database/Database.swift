import CSQLite
import Diagnostics
import SafeFiles

/// A connection to an SQLite database of ours: a private copy, never a user's file.
///
/// Views, triggers and functions of the database are not run, and nothing in it can be longer than
/// `longestValue`. Used by one thread at a time.
@safe final class Database {
  /// How a database is opened.
  enum Access {
    /// For writing, which folds the log in.
    case folding
    /// For reading what is in the file alone, whatever lies beside it.
    case fileAlone
  }

  /// How many bytes a value, or a row, may have.
  static let longestValue: Int32 = 256 << 20

  private let connection: OpaquePointer
  /// The absolute path of its file.
  let place: [UInt8]
  /// The path of what it is a copy of, for messages.
  let path: String

  /// Opens the database at an absolute path.
  init(at place: [UInt8], _ access: Access, path: String) throws(StoreError) {
    (self.place, self.path) = (place, path)
    let query = access == .folding ? "" : "?immutable=1"
    let name = Array("file:".utf8) + Self.escaped(place) + Array(query.utf8) + [0]
    let flags =
      SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
      | (access == .folding ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
    var connection: OpaquePointer?
    // SAFETY: the name ends with a zero and outlives the call; the connection is closed by deinit, or
    // below where there is no object.
    let code = unsafe name.withUnsafeBufferPointer { name in
      unsafe name.withMemoryRebound(to: CChar.self) { name in
        unsafe sqlite3_open_v2(name.baseAddress, &connection, flags, nil)
      }
    }
    // SAFETY: as above.
    guard let connection = unsafe connection else {
      throw .sqlite(path: path, code: SQLITE_NOMEM, problem: "out of memory")
    }
    guard code == SQLITE_OK else {
      let error = unsafe Self.error(code, connection, path, copy: place)
      // SAFETY: as above.
      unsafe sqlite3_close_v2(connection)
      throw error
    }
    unsafe self.connection = connection
    try restrict()
  }

  deinit {
    // SAFETY: opened by init; statements that are left keep it until they go.
    unsafe sqlite3_close_v2(connection)
  }

  /// Takes from the database what could run code or use memory without bound.
  private func restrict() throws(StoreError) {
    let options: [(Int32, Int32)] = [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
      // Else a column that is not there would be a text with its name.
      (SQLITE_DBCONFIG_DQS_DML, 0),
    ]
    for (option, value) in options {
      // SAFETY: the connection is open.
      let code = unsafe sqliteSetOption(connection, option, value)
      guard code == SQLITE_OK else { throw unsafe Self.error(code, connection, path, copy: place) }
    }
    let limits: [(Int32, Int32)] = [
      (SQLITE_LIMIT_LENGTH, Self.longestValue), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
      (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_TRIGGER_DEPTH, 0), (SQLITE_LIMIT_EXPR_DEPTH, 100),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]
    // SAFETY: the connection is open.
    for (limit, value) in limits { _ = unsafe sqlite3_limit(connection, limit, value) }
    // Two megabytes of pages; what sorts goes to no file.
    try execute("PRAGMA cache_size=-2048")
    try execute("PRAGMA temp_store=MEMORY")
    try execute("PRAGMA cell_size_check=ON")
    // Conditions are the database's own code.
    try execute("PRAGMA ignore_check_constraints=ON")
  }

  /// Runs a statement to its end; what it returns is dropped.
  func execute(_ sql: String) throws(StoreError) {
    let statement = try prepare(sql)
    while try statement.step() {}
  }

  /// Returns the first cell of the first row, null without a row.
  func cell(_ sql: String) throws(StoreError) -> StoreCell {
    let statement = try prepare(sql)
    return try statement.step() ? statement.cell(at: 0) : .null
  }

  /// Compiles one statement.
  func prepare(_ sql: String) throws(StoreError) -> Statement {
    var statement: OpaquePointer?
    // SAFETY: the text is copied by the call; the statement is finalized by the object made of it.
    let code = unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    // SAFETY: as above.
    guard code == SQLITE_OK, let statement = unsafe statement else {
      throw unsafe Self.error(code, connection, path, copy: place)
    }
    return unsafe Statement(statement, of: self)
  }

  /// The error of the last call on this connection.
  func error(_ code: Int32) -> StoreError {
    // SAFETY: the connection is open.
    unsafe Self.error(code, connection, path, copy: place)
  }

  /// How many frames of the log SQLite takes; what they hold is in the file afterwards.
  func foldLog() throws(StoreError) -> Int {
    var (frames, folded): (Int32, Int32) = (0, 0)
    // SAFETY: the connection is open; the call fills both numbers.
    let code = unsafe sqlite3_wal_checkpoint_v2(
      connection, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &folded)
    guard code == SQLITE_OK else { throw error(code) }
    guard frames == folded else {
      throw .sqlite(path: path, code: SQLITE_BUSY, problem: "the copy of the log was not folded in")
    }
    return Int(max(0, frames))
  }

  /// Writes what the database holds to a new file at an absolute path, without anything that was
  /// deleted.
  func copyContent(to place: [UInt8]) throws(StoreError) {
    // The new file counts as one more database.
    // SAFETY: the connection is open.
    _ = unsafe sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 1)
    try execute(
      "VACUUM INTO 'file:\(String(decoding: Self.escaped(place), as: UTF8.self))'")
  }

  /// Returns a name as SQL has it, whatever is in it.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  private static func error(
    _ code: Int32, _ connection: OpaquePointer, _ path: String, copy: [UInt8]
  ) -> StoreError {
    let copy = DisplayText.escaping(copy)
    // SAFETY: the connection is open.
    let cause = FileError(number: unsafe sqlite3_system_errno(connection), .write, copy)
    let full = FileError.diskFull(path: copy, action: .write)
    if code & 0xff == SQLITE_FULL || code & 0xff == SQLITE_IOERR && cause == full {
      return .file(full)
    }
    // SAFETY: the text belongs to the open connection and is copied at once.
    let problem = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? ""
    let shown = DisplayText.escaping(problem.utf8)
    return switch code & 0xff {
    case SQLITE_NOTADB: .notADatabase(path: path)
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_SCHEMA, SQLITE_CONSTRAINT,
      SQLITE_FORMAT, SQLITE_MISMATCH:
      .corrupt(path: path, problem: shown)
    default: .sqlite(path: path, code: code & 0xff, problem: shown)
    }
  }

  /// Returns a path as a URI has it.
  private static func escaped(_ path: [UInt8]) -> [UInt8] {
    path.flatMap { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        return [byte]
      default:
        let digits = Array("0123456789abcdef".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }
}

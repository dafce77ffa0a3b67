import CSQLite
import SwiftDataStores

/// A database that is nowhere but in memory, and becomes bytes.
@safe final class MemoryDatabase {
  private let connection: OpaquePointer

  /// What stands for a path in messages.
  static let name = "a sample store in memory"

  /// Creates a database whose pages are as those of Core Data's.
  init() throws(StoreError) {
    var connection: OpaquePointer?
    // SAFETY: the name is a constant; the connection is closed by deinit, or here where it is none.
    let code = unsafe sqlite3_open_v2(
      ":memory:", &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil
    )
    // SAFETY: as above.
    guard code == SQLITE_OK, let connection = unsafe connection else {
      unsafe sqlite3_close_v2(connection)
      throw .sqlite(path: Self.name, code: code & 0xff, problem: "no database in memory")
    }
    unsafe self.connection = connection
    try run("PRAGMA page_size=4096")
    try run("PRAGMA auto_vacuum=2")
  }

  deinit {
    // SAFETY: opened by init; statements that are left keep it until they go.
    unsafe sqlite3_close_v2(connection)
  }

  /// Runs statements that return nothing.
  func run(_ sql: String) throws(StoreError) {
    // SAFETY: the connection is open; the text is copied by the call.
    try check(unsafe sqlite3_exec(connection, sql, nil, nil, nil), sql)
  }

  /// Compiles a statement that takes values.
  func prepare(_ sql: String) throws(StoreError) -> Insertion {
    var statement: OpaquePointer?
    // SAFETY: the text is copied by the call; the object that is made of the statement finalizes it.
    try check(unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil), sql)
    // SAFETY: as above.
    guard let statement = unsafe statement else {
      throw .sqlite(path: Self.name, code: SQLITE_MISUSE, problem: sql)
    }
    return unsafe Insertion(statement, of: self)
  }

  /// Returns the bytes of the database as a file has them.
  func content() throws(StoreError) -> [UInt8] {
    var size: sqlite3_int64 = 0
    // SAFETY: the connection is open; the bytes are ours, copied at once, and freed.
    guard let bytes = unsafe sqlite3_serialize(connection, "main", &size, 0) else {
      throw .sqlite(path: Self.name, code: SQLITE_NOMEM, problem: "out of memory")
    }
    // SAFETY: as above; SQLite says how many there are.
    let content = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    unsafe sqlite3_free(bytes)
    return content
  }

  fileprivate func check(_ code: Int32, _ sql: String) throws(StoreError) {
    guard code == SQLITE_OK || code == SQLITE_DONE else {
      // SAFETY: the text belongs to the open connection and is copied at once.
      let problem = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? ""
      throw .sqlite(path: Self.name, code: code & 0xff, problem: "\(problem): \(sql.prefix(200))")
    }
  }

  /// A compiled statement, run once for each row of values.
  @safe final class Insertion {
    private let statement: OpaquePointer
    private let database: MemoryDatabase

    init(_ statement: OpaquePointer, of database: MemoryDatabase) {
      // SAFETY: nobody else has the statement, which deinit finalizes.
      unsafe self.statement = statement
      self.database = database
    }

    deinit {
      // SAFETY: nobody else has the statement.
      unsafe sqlite3_finalize(statement)
    }

    /// Runs the statement with these values.
    func run(_ cells: [StoreCell]) throws(StoreError) {
      for (index, cell) in cells.enumerated() {
        try database.check(bind(cell, to: Int32(index + 1)), "a value")
      }
      // SAFETY: the statement lives as long as this object.
      let code = unsafe sqlite3_step(statement)
      // SAFETY: as above; what it returns is what the step returned.
      unsafe sqlite3_reset(statement)
      try database.check(code, "a row")
    }

    private func bind(_ cell: StoreCell, to place: Int32) -> Int32 {
      // SAFETY: the destructor of minus one has SQLite copy the bytes before the call returns.
      let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      // SAFETY: the statement lives as long as this object; pointers do not leave the closures.
      return switch cell {
      case .null: unsafe sqlite3_bind_null(statement, place)
      case .integer(let value): unsafe sqlite3_bind_int64(statement, place, value)
      case .real(let value): unsafe sqlite3_bind_double(statement, place, value)
      case .text(let bytes):
        unsafe bytes.withUnsafeBytes {
          unsafe sqlite3_bind_text(
            statement, place, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count), copied)
        }
      case .blob(let bytes) where bytes.isEmpty:
        unsafe sqlite3_bind_zeroblob(statement, place, 0)
      case .blob(let bytes):
        unsafe bytes.withUnsafeBytes {
          unsafe sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), copied)
        }
      }
    }
  }
}

import CSQLite

/// A compiled statement, which hands over one row after the other.
@safe final class Statement {
  private let statement: OpaquePointer
  private let database: Database

  /// Takes over a statement of a database.
  init(_ statement: OpaquePointer, of database: Database) {
    // SAFETY: nobody else has the statement, which deinit finalizes.
    unsafe self.statement = statement
    self.database = database
  }

  deinit {
    // SAFETY: nobody else has the statement.
    unsafe sqlite3_finalize(statement)
  }

  /// Begins again, with a whole number in the place of the first parameter.
  func restart(with value: Int64) throws(StoreError) {
    // SAFETY: the statement lives as long as this object.
    let code = unsafe sqlite3_reset(statement)
    guard code == SQLITE_OK else { throw database.error(code) }
    // SAFETY: as above.
    let bound = unsafe sqlite3_bind_int64(statement, 1, value)
    guard bound == SQLITE_OK else { throw database.error(bound) }
  }

  /// Goes to the next row; false behind the last.
  func step() throws(StoreError) -> Bool {
    // SAFETY: the statement lives as long as this object.
    switch unsafe sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.error(code)
    }
  }

  /// Returns a cell of the row, by the storage class of its value.
  func cell(at column: Int) throws(StoreError) -> StoreCell {
    guard let column = Int32(exactly: column) else { return .null }
    // SAFETY: SQLite checks the column; values are copied before the next call.
    switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      // As text first: the bytes are counted in the encoding they are asked for.
      let start = unsafe UnsafeRawPointer(sqlite3_column_text(statement, column))
      return .text(unsafe try bytes(at: start, count: sqlite3_column_bytes(statement, column)))
    case SQLITE_BLOB:
      let start = unsafe sqlite3_column_blob(statement, column)
      return .blob(unsafe try bytes(at: start, count: sqlite3_column_bytes(statement, column)))
    default: return .null
    }
  }

  // MARK: Cells that are not copied

  /// The whole number of a cell; nil if it holds anything else.
  func integer(at column: Int) -> Int64? {
    guard let column = Int32(exactly: column) else { return nil }
    // SAFETY: SQLite checks the column.
    guard unsafe sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
    return unsafe sqlite3_column_int64(statement, column)
  }

  /// The number of a cell that holds one with a fraction; nil if it holds anything else.
  func real(at column: Int) -> Double? {
    guard let column = Int32(exactly: column) else { return nil }
    // SAFETY: SQLite checks the column.
    guard unsafe sqlite3_column_type(statement, column) == SQLITE_FLOAT else { return nil }
    return unsafe sqlite3_column_double(statement, column)
  }

  /// Whether a cell holds nothing.
  func isNull(at column: Int) -> Bool {
    guard let column = Int32(exactly: column) else { return true }
    // SAFETY: SQLite checks the column.
    return unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// Whether a cell is a text of these bytes.
  func isText(_ bytes: Span<UInt8>, at column: Int) -> Bool {
    guard let column = Int32(exactly: column) else { return false }
    // SAFETY: SQLite checks the column, and vouches for so many bytes until the next call on the
    // statement; they are compared before that.
    guard unsafe sqlite3_column_type(statement, column) == SQLITE_TEXT,
      let start = unsafe sqlite3_column_text(statement, column),
      Int(unsafe sqlite3_column_bytes(statement, column)) == bytes.count
    else { return false }
    for index in bytes.indices where unsafe bytes[index] != start[index] { return false }
    return true
  }

  /// The two halves of the sixteen bytes of a cell, most significant first; nil if it holds anything
  /// else.
  func halves(at column: Int) -> (high: UInt64, low: UInt64)? {
    guard let column = Int32(exactly: column) else { return nil }
    // SAFETY: SQLite checks the column, and vouches for so many bytes until the next call on the
    // statement; they are copied before that.
    guard unsafe sqlite3_column_type(statement, column) == SQLITE_BLOB,
      let start = unsafe sqlite3_column_blob(statement, column),
      unsafe sqlite3_column_bytes(statement, column) == 16
    else { return nil }
    return unsafe (
      UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  private func bytes(at start: UnsafeRawPointer?, count: Int32) throws(StoreError) -> [UInt8] {
    guard count > 0 else { return [] }
    // SAFETY: SQLite vouches for so many bytes until the next call on the statement.
    guard let start = unsafe start else { throw database.error(SQLITE_NOMEM) }
    // SAFETY: as above; they are copied.
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
  }
}

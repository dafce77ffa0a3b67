import CSQLite

/// A database that a test writes with SQLite itself.
@safe package final class TestDatabase {
  private let connection: OpaquePointer

  /// Opens or creates a database.
  package init(at path: String) throws {
    var connection: OpaquePointer?
    // SAFETY: the connection is closed by deinit.
    guard unsafe sqlite3_open(path, &connection) == SQLITE_OK, let connection = unsafe connection
    else { throw TestDatabaseError(problem: "cannot open \(path)") }
    unsafe self.connection = connection
  }

  deinit { unsafe sqlite3_close_v2(connection) }

  /// Runs statements.
  package func run(_ sql: String) throws {
    // SAFETY: the connection is open.
    guard unsafe sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
      let problem = unsafe String(cString: sqlite3_errmsg(connection))
      throw TestDatabaseError(problem: "\(problem): \(sql)")
    }
  }

  /// Changes what is left of deleted rows or kept in memory so that files hold everything.
  package func checkpoint() throws { try run("PRAGMA wal_checkpoint(TRUNCATE)") }
}

/// What SQLite said.
package struct TestDatabaseError: Error {
  package var problem: String
}

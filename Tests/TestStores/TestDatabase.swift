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

  /// Returns the first cell of each row of a query, as text; none for null.
  package func texts(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    // SAFETY: the text is copied by the call; the statement is finalized below.
    guard unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
      throw TestDatabaseError(problem: sql)
    }
    // SAFETY: nobody else has the statement.
    defer { unsafe sqlite3_finalize(statement) }
    var texts: [String] = []
    // SAFETY: the text is copied before the next step.
    while unsafe sqlite3_step(statement) == SQLITE_ROW {
      if let text = unsafe sqlite3_column_text(statement, 0) {
        texts.append(unsafe String(cString: text))
      }
    }
    return texts
  }

  /// Changes what is left of deleted rows or kept in memory so that files hold everything.
  package func checkpoint() throws { try run("PRAGMA wal_checkpoint(TRUNCATE)") }
}

/// What SQLite said.
package struct TestDatabaseError: Error {
  package var problem: String
}

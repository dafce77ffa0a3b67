// What makes the tables, in the order in which Core Data makes them.
extension SampleSchema {
  /// The statements that make an empty store, those of its history behind the others.
  var statements: [String] {
    var statements = tables.map {
      Self.table($0.name, $0.columns.map { ($0.name, $0.declaredType) })
    }
    for links in linkTables {
      statements.append(
        "CREATE TABLE \(links.name) ( \(links.columns[0]) INTEGER, \(links.columns[1]) INTEGER, "
          + "PRIMARY KEY (\(links.columns[0]), \(links.columns[1])) )")
      statements.append(
        "CREATE INDEX \(links.name)_\(links.columns[1])_INDEX ON \(links.name) "
          + "(\(links.columns[1]), \(links.columns[0]))")
    }
    statements += tables.flatMap(\.indexes)
    return statements + Self.own + Self.history
  }

  private static let own = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
      + "Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
  ]

  private static let history =
    [
      table(
        "ACHANGE",
        [
          ("ZCHANGETYPE", "INTEGER"), ("ZENTITY", "INTEGER"), ("ZENTITYPK", "INTEGER"),
          ("ZTRANSACTIONID", "INTEGER"), ("ZCOLUMNS", "BLOB"),
        ]),
      table(
        "ATRANSACTION",
        [
          ("ZAUTHORTS", "INTEGER"), ("ZBUNDLEIDTS", "INTEGER"), ("ZCONTEXTNAMETS", "INTEGER"),
          ("ZPROCESSIDTS", "INTEGER"), ("ZTIMESTAMP", "FLOAT"), ("ZAUTHOR", "VARCHAR"),
          ("ZBUNDLEID", "VARCHAR"), ("ZCONTEXTNAME", "VARCHAR"), ("ZPROCESSID", "VARCHAR"),
          ("ZQUERYGEN", "BLOB"),
        ]),
      table("ATRANSACTIONSTRING", [("ZNAME", "VARCHAR")]),
      "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
    ]
    + ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"].map {
      "CREATE INDEX ATRANSACTION_\($0)_INDEX ON ATRANSACTION (\($0))"
    } + [
      "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION "
        + "(ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
        + "(ZTIMESTAMP COLLATE BINARY ASC)",
      "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
        + "(ZNAME COLLATE BINARY ASC)",
    ]

  /// Returns the statement for a table with rows of entities.
  static func table(_ name: String, _ columns: [(String, String)]) -> String {
    let all =
      [("Z_PK", "INTEGER PRIMARY KEY"), ("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")] + columns
    return "CREATE TABLE \(name) ( " + all.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + " )"
  }
}

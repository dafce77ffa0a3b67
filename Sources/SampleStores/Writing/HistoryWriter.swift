import SwiftDataStores

/// Writes the history of a store: transactions, and the rows that each of them changed.
struct HistoryWriter {
  static let entities: [(number: Int64, name: String)] = [
    (16001, "CHANGE"), (16002, "TRANSACTION"), (16003, "TRANSACTIONSTRING"),
  ]

  private let database: MemoryDatabase
  private var changeCount: Int64 = 0
  private var transactionCount: Int64 = 0
  private var stringCount: Int64 = 0
  private var seconds = 788_918_400.25

  /// Names who writes: the app, its process, and what mirrors the store.
  init(_ database: MemoryDatabase, _ app: SampleApp, isMirrored: Bool) throws(StoreError) {
    self.database = database
    let process = app.bundle.split(separator: ".").last.map(String.init) ?? app.bundle
    var names = [app.bundle, process]
    if isMirrored { names.append("NSCloudKitMirroringDelegate.import") }
    let insertion = try database.prepare("INSERT INTO ATRANSACTIONSTRING VALUES (?, 16003, 1, ?)")
    for name in names {
      stringCount += 1
      try insertion.run([.integer(stringCount), .text(Array(name.utf8))])
    }
  }

  /// Adds a transaction that inserted, or updated, these rows.
  mutating func add(
    _ rows: [(entity: Int64, number: Int64)], isUpdate: Bool = false, isImported: Bool = false
  ) throws(StoreError) {
    guard !rows.isEmpty else { return }
    transactionCount += 1
    seconds += 17.380816
    let transaction = try database.prepare(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP) "
        + "VALUES (?, 16002, ?, 1, 2, ?)")
    try transaction.run([
      .integer(transactionCount), isImported ? .integer(3) : .null, .real(seconds),
    ])
    let change = try database.prepare(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, "
        + "ZCOLUMNS) VALUES (?, 16001, ?, ?, ?, ?, ?)")
    for row in rows {
      changeCount += 1
      try change.run([
        .integer(changeCount), .integer(isUpdate ? 1 : 0), .integer(row.entity),
        .integer(row.number), .integer(transactionCount), isUpdate ? .blob([0x02]) : .null,
      ])
    }
    for (entity, highest) in highWater {
      try database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest) WHERE Z_ENT = \(entity)")
    }
  }

  /// The greatest numbers that were handed out, by the numbers of the history's entities.
  var highWater: [(entity: Int64, highest: Int64)] {
    [(16001, changeCount), (16002, transactionCount), (16003, stringCount)]
  }
}

import SampleFolders
import SwiftDataStores

/// Writes one store of a sample app: everything up to a moment into the database, and what came last
/// into the log only, as while the app runs.
struct StoreWriter {
  /// The bytes of a store.
  struct Content {
    var database: [UInt8]
    /// Nil where there is no log.
    var log: [UInt8]?
    /// What undoes an unfinished transaction; nil where there is none.
    var journal: [UInt8]?
    /// The files of `_EXTERNAL_DATA`.
    var external: [(name: String, bytes: [UInt8])]
  }

  private let plan: StorePlan
  private let file: SampleApp.StoreFile
  private let schema: SampleSchema
  private let rows: any SampleRows
  private let numbers: RowNumbers
  private let database: MemoryDatabase
  private var history: HistoryWriter
  private var random: SeededRandom
  private var external: [(name: String, bytes: [UInt8])] = []

  /// From how many bytes on a value is in a file of its own.
  private static let externalSize = 100_000
  /// How many of the last rows the history still knows, and how many a transaction wrote.
  private static let (recentCount, transactionSize) = (40, 5)
  /// The size of an archive that no reader should inflate.
  private static let bombSize = 17 << 20

  init(_ plan: StorePlan, _ file: SampleApp.StoreFile) throws(StoreError) {
    self.plan = plan
    self.file = file
    schema = SampleSchema(of: plan.app, plan.version, in: file)
    rows = plan.rows
    var counts: [String: Int] = [:]
    for entity in schema.entities { counts[entity.key] = rows.count(of: entity.key) }
    if plan.damages.contains(.twoSingletons), let singleton = plan.roles.singleton {
      counts[singleton, default: 0] += 1
    }
    numbers = RowNumbers(plan, schema, counts)
    var seed = plan.seed ^ UInt64(plan.device) << 40
    for byte in file.name.utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01b3 }
    random = SeededRandom(seed: seed)
    database = try MemoryDatabase()
    try database.run("BEGIN")
    for statement in schema.statements { try database.run(statement) }
    for name in file.mirroringTables { try database.run(SampleSchema.table(name, [])) }
    history = try HistoryWriter(
      database, plan.app, isMirrored: !file.mirroringTables.isEmpty && plan.device == 2)
  }

  /// Writes the store.
  mutating func write() throws(StoreError) -> Content {
    for table in schema.tables { try insert(into: table, newest: false) }
    try insertLinks()
    try describe()
    try recordRecent()
    if isDamaged {
      for damage in StoreDamage.allCases where plan.damages.contains(damage) {
        for statement in damage.statements(plan, schema) { try database.run(statement) }
      }
    }
    try database.run("COMMIT")
    let base = try content()
    let log = try writeNewest(after: base)
    var content = Content(database: base, log: log, external: external)
    if isDamaged && plan.damages.contains(.hotJournal) { try stopTransaction(&content) }
    if isDamaged { try damage(&content) }
    return content
  }

  /// Whether the plan's damages are of this store: they are of the one with most rows.
  private var isDamaged: Bool { file.entities.contains(plan.roles.child) }

  // MARK: Rows

  /// Inserts the rows of a table that are in the database, or those that are in the log only.
  @discardableResult private mutating func insert(
    into table: SampleSchema.Table, newest: Bool
  ) throws(StoreError) -> [RowNumbers.Row] {
    let rows = (numbers.rows[table.name] ?? []).filter { $0.isNewest == newest }
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
    let insertion = try database.prepare(
      "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES "
        + "(\(names.map { _ in "?" }.joined(separator: ", ")))")
    for row in rows {
      let values = self.rows.row(row.index, of: row.entity)
      var cells: [StoreCell] = [
        .integer(row.number), .integer(schema.number(of: row.entity)),
        .integer(row.index % 5 == 0 ? 2 : 1),
      ]
      for column in table.columns { cells.append(cell(column.source, values)) }
      try insertion.run(cells)
    }
    return rows
  }

  private mutating func cell(
    _ source: SampleSchema.Source, _ values: [String: SampleCell]
  ) -> StoreCell {
    switch source {
    case .entity(let name):
      guard case .row(let entity, let index)? = values[name],
        numbers.number(of: entity, index) != nil
      else { return .null }
      return .integer(schema.number(of: entity))
    case .value(let name):
      switch values[name] ?? .null {
      case .null: return .null
      case .integer(let value): return .integer(value)
      case .real(let value): return .real(value)
      case .text(let text): return .text(Array(text.utf8))
      case .blob(let bytes): return .blob(bytes)
      case .row(let entity, let index):
        return numbers.number(of: entity, index).map { .integer($0) } ?? .null
      case .data(let bytes):
        guard bytes.count >= Self.externalSize else { return .blob([1] + bytes) }
        let uuid = SampleUUID(&random).text
        external.append((uuid, bytes))
        return .blob([2] + Array(uuid.utf8) + [0])
      }
    }
  }

  private func insertLinks() throws(StoreError) {
    for table in schema.linkTables {
      let insertion = try database.prepare("INSERT INTO \(table.name) VALUES (?, ?)")
      for (source, target) in rows.links(of: table.key) {
        guard let source = numbers.number(of: table.entities[0], source),
          let target = numbers.number(of: table.entities[1], target)
        else { continue }
        try insertion.run([.integer(source), .integer(target)])
      }
    }
  }

  // MARK: What the store says about itself

  private mutating func describe() throws(StoreError) {
    let keys = try database.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)")
    for entity in schema.entities {
      let table = schema.tables.first { $0.entities.first == entity.key }
      let highest = table.flatMap { numbers.rows[$0.name]?.last { !$0.isNewest }?.number } ?? 0
      try keys.run([
        .integer(entity.number), .text(Array(entity.name.utf8)), .integer(entity.superNumber),
        .integer(highest),
      ])
    }
    for own in HistoryWriter.entities {
      let highest = history.highWater.first { $0.entity == own.number }?.highest ?? 0
      try keys.run([
        .integer(own.number), .text(Array(own.name.utf8)), .integer(0), .integer(highest),
      ])
    }
    let model = plan.app.model(of: plan.version, in: file)
    var metadata = StoreMetadataWriter(model: model, identifiers: model.versionIdentifiers)
    if isDamaged && plan.damages.contains(.otherVersion) { metadata.identifiers = ["0.9.0"] }
    let uuid = SampleUUID(&random).text
    try database.prepare("INSERT INTO Z_METADATA VALUES (1, ?, ?)")
      .run([.text(Array(uuid.utf8)), .blob(metadata.bytes)])
    let isBad = isDamaged && plan.damages.contains(.badModel)
    let archive =
      isBad
      ? Deflation.deflate([UInt8](repeating: 0, count: Self.bombSize))
      : ModelArchive.content(of: model)
    try database.prepare("INSERT INTO Z_MODELCACHE VALUES (?)").run([.blob(archive)])
  }

  /// Records who wrote the last rows of the table with most of them.
  private mutating func recordRecent() throws(StoreError) {
    guard let table = schema.tables.max(by: { count(of: $0) < count(of: $1) }) else { return }
    let rows = (numbers.rows[table.name] ?? []).filter { !$0.isNewest }.suffix(Self.recentCount)
    var next = rows.startIndex
    while next < rows.endIndex {
      let end = min(next + Self.transactionSize, rows.endIndex)
      try history.add(
        rows[next..<end].map { (schema.number(of: $0.entity), $0.number) },
        isImported: plan.device == 2 && !file.mirroringTables.isEmpty)
      next = end
    }
  }

  private func count(of table: SampleSchema.Table) -> Int { numbers.rows[table.name]?.count ?? 0 }

  // MARK: The log

  /// Writes the newest rows, then an edit of an older one, and returns the log that holds both; nil if
  /// there is nothing so new.
  private mutating func writeNewest(after base: [UInt8]) throws(StoreError) -> [UInt8]? {
    let child = plan.roles.child
    guard let table = schema.tables.first(where: { $0.entities.contains(child) }),
      let last = numbers.rows[table.name]?.last, last.isNewest,
      !plan.damages.contains(.emptied), !plan.damages.contains(.noStore)
    else { return nil }
    var log = LogWriter(&random)
    try database.run("BEGIN")
    let rows = try insert(into: table, newest: true)
    try history.add(rows.map { (schema.number(of: $0.entity), $0.number) })
    if !plan.damages.contains(.foreignRows) {
      try database.run(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = \(last.number) WHERE Z_NAME = "
          + "'\(table.entities[0])\(plan.version.suffix)'")
    }
    try database.run("COMMIT")
    let afterRows = try content()
    log.append(from: base, to: afterRows)
    try database.run("BEGIN")
    if let edited = numbers.rows[table.name]?.first {
      try database.run("UPDATE \(table.name) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = \(edited.number)")
      try history.add([(schema.number(of: edited.entity), edited.number)], isUpdate: true)
    }
    try database.run("COMMIT")
    let whole = log.bytes.count
    log.append(from: afterRows, to: try content())
    guard isDamaged else { return log.bytes }
    if plan.damages.contains(.tornLog) { return Array(log.bytes.prefix(whole + 1500)) }
    if plan.damages.contains(.unfinishedLog) {
      return Array(log.bytes.prefix(whole + LogWriter.frameSize))
    }
    if plan.damages.contains(.staleLog) { return log.stale }
    if plan.damages.contains(.foreignLog) { return try foreignLog() }
    if plan.damages.contains(.noLog) { return nil }
    log.appendOld(Array(base.prefix(LogWriter.pageSize)), count: 3)
    return log.bytes
  }

  /// Leaves the store as a program without a log does that dies while it deletes rows.
  private mutating func stopTransaction(_ content: inout Content) throws(StoreError) {
    let whole = try self.content(hasLog: false)
    guard let table = schema.tables.first(where: { $0.entities.contains(plan.roles.child) }) else {
      return
    }
    try database.run("DELETE FROM \(table.name)")
    content.database = try self.content(hasLog: false)
    let nonce = UInt32(truncatingIfNeeded: random.bits())
    content.journal = JournalWriter.journal(from: content.database, to: whole, nonce: nonce)
    content.log = nil
  }

  /// The log of another store of the app, in which all of that store is.
  private mutating func foreignLog() throws(StoreError) -> [UInt8] {
    var other = plan
    other.damages = []
    other.seed = plan.seed &+ 1
    var writer = try StoreWriter(other, file)
    let content = try writer.write()
    var log = LogWriter(&random)
    log.append(from: [], to: content.database)
    return log.bytes
  }

  /// The database as it is in a file: what depends on how SQLite was called, or on its version, is as
  /// Core Data leaves it.
  private func content(hasLog: Bool = true) throws(StoreError) -> [UInt8] {
    var bytes = try database.content()
    // In which way it is written and read.
    (bytes[18], bytes[19]) = hasLog ? (2, 2) : (1, 1)
    for place in [24, 92] { bytes.replaceSubrange(place..<place + 4, with: [0, 0, 0, 4]) }
    bytes.replaceSubrange(96..<100, with: [0x00, 0x2e, 0x6e, 0xba])
    return bytes
  }

  // MARK: Damage

  private mutating func damage(_ content: inout Content) throws(StoreError) {
    let page = LogWriter.pageSize
    if plan.damages.contains(.missingExternal), !content.external.isEmpty {
      content.external.removeFirst()
    }
    if plan.damages.contains(.orphanExternal) {
      content.external.append((SampleUUID(&random).text, Array("nobody names this".utf8)))
    }
    if plan.damages.contains(.encrypted) {
      content.database = content.database.map { _ in UInt8(truncatingIfNeeded: random.bits()) }
    } else if plan.damages.contains(.emptyFile) {
      content.database = []
    } else if plan.damages.contains(.damagedHeader) {
      (content.database[16], content.database[17]) = (0, 3)
    } else if plan.damages.contains(.truncated) {
      content.database.removeLast(content.database.count / 3 + 100)
    } else if plan.damages.contains(.corrupt) {
      // The first page of the first table: the second page of the file is not of any.
      for place in 2 * page..<3 * page { content.database[place] = 0xa5 }
    } else {
      return
    }
    content.log = nil
    content.journal = nil
  }
}

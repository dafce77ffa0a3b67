import FolderDocuments
import Folders
import SafeFiles
import SwiftDataStores

/// The rows of stores whose cells may say all there is to say: each cell holds one plain value, as its
/// property is declared.
///
/// Where a document shows exactly what the cells of such a row hold, its line has nothing to add. All
/// other rows are verified by their lines, and by `StoreWitness`.
struct PlainRows: Sendable {
  /// What a cell has to hold that is not null.
  enum Meaning: Hashable {
    case boolean, integer, double, date, text, uuid
    /// The name of a time zone: there is something to tell of any other text.
    case timeZone
    /// A UUID, or the number of a row of one of the `targets`.
    case reference(target: Int?)
    /// Anything: a cell alone does not tell what it means.
    case other
  }

  /// One property.
  struct Column {
    let meaning: Meaning
    /// The position of its cell; nil if the store has no such column.
    let cell: Int?
    /// Whether there is something to tell where the cell is null.
    let needsValue: Bool
    /// Whether null is a value, and not the same as nothing.
    let tellsNull: Bool
  }

  /// The rows of one entity.
  struct Table {
    let kind: EntityKind
    /// The names of all properties of the kind.
    let names: NamesInOrder
    /// What each of them is.
    let columns: [Column]
    /// The positions of references that lead to the same: of rows in which they do not there is something
    /// to tell.
    let pairs: [(Int, Int)]
    /// The numbers of the rows, ascending.
    fileprivate(set) var rows: [Int64] = []
    /// The identities of the rows; nil where a cell holds none.
    fileprivate(set) var identities: [Identity?] = []
    /// Which row has an identity; none where several have it.
    fileprivate var positions: [Identity: UInt32?] = [:]

    fileprivate let store: Int
    fileprivate let entity: EntityLayout
    fileprivate let shared: SharedStore
    fileprivate let cells: [String]

    /// Opens the rows for one worker.
    func open() throws(StoreError) -> SoughtRows {
      try shared.sought(of: entity, columns: cells)
    }

    fileprivate mutating func notePositions() {
      // Once the number is known: growing takes longer than all the rest.
      positions.reserveCapacity(identities.count)
      for (position, identity) in identities.enumerated() {
        guard let identity else { continue }
        let known = positions.updateValue(UInt32(position), forKey: identity)
        if known != nil { positions[identity] = .some(nil) }
      }
    }

    /// Returns the position of the row that has an identity; nil if none has it, or several.
    func position(of identity: Identity) -> Int? {
      positions[identity].flatMap { $0.map(Int.init) }
    }
  }

  private(set) var tables: [Table] = []
  /// The identities of rows that numbers lead to, an entity each.
  private(set) var targets: [[Int64: Identity]] = []

  /// Looks which rows there are, and reads their identities. A kind that several entities or stores have
  /// rows of is left to lines: one identity may be in all of them.
  init(_ source: StoreSource) throws(StoreError) {
    let kinds = source.stores.flatMap { $0.entities.map(\.kind) }
    for number in source.stores.indices {
      var targets: [Int64: Int] = [:]
      for entity in source.stores[number].entities
      where kinds.count(where: { $0 == entity.kind }) == 1 {
        try add(entity, ofStore: number, source, &targets)
      }
    }
  }

  /// Returns the identity of a row.
  func identity(of row: PlainRowVerifier.Settled) -> Identity? {
    tables[Int(row.table)].identities[Int(row.row)]
  }

  /// Returns rows by their numbers.
  func settled(_ rows: some Sequence<PlainRowVerifier.Settled>) -> SettledRows {
    var numbers = tables.map { _ in [Int64]() }
    for row in rows {
      numbers[Int(row.table)].append(tables[Int(row.table)].rows[Int(row.row)])
    }
    var settled = SettledRows()
    for (table, numbers) in zip(tables, numbers) where !numbers.isEmpty {
      settled.add(
        numbers.sorted(), of: table.entity, inStore: table.store,
        areAll: numbers.count == table.rows.count)
    }
    return settled
  }

  // MARK: Finding tables

  private mutating func add(
    _ entity: StoreEntity, ofStore number: Int, _ source: StoreSource, _ targets: inout [Int64: Int]
  ) throws(StoreError) {
    let store = source.stores[number].store
    let profile = source.kinds.profile
    guard entity.links.isEmpty, !entity.columns.contains(where: { $0.role == .undeclared }),
      let identity = try Self.identityColumn(of: entity, in: store),
      let names = try store.columnsOfNumberedRows(of: entity.layout)
    else { return }
    let found = CellColumn.all(of: entity, in: store, among: names, profile)
    var columns: [(name: [UInt8], column: Column)] = []
    var cells: [String] = []
    for property in entity.profile.properties {
      let cell = found.first { $0.name == property.name.bytes }
      let isInLine = entity.columns.contains { $0.name == property.name.bytes }
      let checks = entity.profile.checks.filter {
        $0.property == property.name || $0.other == property.name
      }
      let needsValue =
        property.isAlwaysThere
        || !checks.allSatisfy { $0 == .timeZone(property.name) || $0.isToldElsewhere }
      // Lines and cells are to speak of the same; what there is to tell of every row lines tell.
      guard isInLine == (cell != nil), cell != nil || !needsValue else { return }
      var target: Int?
      if let layout = cell?.target {
        target = try self.target(layout, ofStore: number, source, &targets)
      }
      let column = Column(
        meaning: Self.meaning(of: property, target: target, checks, profile),
        cell: cell == nil ? nil : cells.count,
        needsValue: needsValue, tellsNull: property.type == .json)
      columns.append((property.name.bytes, column))
      if let cell { cells.append(names[cell.position]) }
    }
    columns.sort { ByteOrder.precedes($0.name, $1.name) }
    let pairs = entity.profile.checks.compactMap { check -> (Int, Int)? in
      guard case .same(let one, let other) = check,
        let first = columns.firstIndex(where: { $0.name == one.bytes }),
        let second = columns.firstIndex(where: { $0.name == other.bytes })
      else { return nil }
      return (first, second)
    }
    var table = Table(
      kind: entity.kind, names: NamesInOrder(columns.lazy.map(\.name)),
      columns: columns.map(\.column), pairs: pairs, store: number, entity: entity.layout,
      shared: store.shared, cells: cells)
    try store.forEachRow(of: entity.layout, uuidIn: identity) { row, uuid in
      table.rows.append(row)
      table.identities.append(uuid.map { Identity(high: $0.high, low: $0.low) })
    }
    table.notePositions()
    tables.append(table)
  }

  /// The column of an entity's UUIDs; nil if it has none, or shares its table with others.
  private static func identityColumn(
    of entity: StoreEntity, in store: Store
  ) throws(StoreError) -> String? {
    guard case .uuid(let name) = entity.profile.identity,
      store.layout.entities.count(where: { $0.table == entity.layout.table }) == 1
    else { return nil }
    let column = "Z" + name.description.uppercased()
    return try store.columns(ofTable: entity.layout.table).contains(column) ? column : nil
  }

  /// Returns the position of the identities of an entity's rows; nil if they are not all that is needed
  /// to follow a number.
  private mutating func target(
    _ layout: EntityLayout, ofStore number: Int, _ source: StoreSource,
    _ known: inout [Int64: Int]
  ) throws(StoreError) -> Int? {
    if let position = known[layout.number] { return position }
    let store = source.stores[number].store
    guard let entity = source.stores[number].entities.first(where: { $0.layout == layout }),
      let column = try Self.identityColumn(of: entity, in: store)
    else { return nil }
    var identities: [Int64: Identity] = [:]
    try store.forEachRow(of: layout, uuidIn: column) { row, uuid in
      if let uuid { identities[row] = Identity(high: uuid.high, low: uuid.low) }
    }
    targets.append(identities)
    known[layout.number] = targets.count - 1
    return targets.count - 1
  }

  private static func meaning(
    of property: Property, target: Int?, _ checks: [PropertyCheck], _ profile: Profile
  ) -> Meaning {
    let others = checks.filter { !$0.isOfPresence && !$0.isToldElsewhere }
    guard others.isEmpty else {
      let isTimeZone = others.allSatisfy { $0 == .timeZone(property.name) }
      return isTimeZone && property.type == .string ? .timeZone : .other
    }
    switch property.type {
    case .boolean: return .boolean
    case .integer: return .integer
    case .double: return .double
    case .date: return .date
    case .string: return .text
    case .uuid: return .uuid
    case .reference:
      if case .uuid? = profile.kind(of: property.type.target)?.identity {
        return .reference(target: target)
      }
      return .other
    case .number, .bytes, .decimal, .json, .text, .list, .map, .links: return .other
    }
  }
}

extension PropertyCheck {
  /// Whether a cell alone has nothing to tell of it: two are compared, or nobody asks a verification.
  fileprivate var isToldElsewhere: Bool {
    switch self {
    case .same, .past: true
    default: false
    }
  }

  /// Whether it asks for nothing but that there is a value.
  fileprivate var isOfPresence: Bool {
    if case .presence(_, when: nil) = self { true } else { false }
  }
}

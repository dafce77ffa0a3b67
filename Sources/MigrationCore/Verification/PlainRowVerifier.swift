import Automerge
import FolderDocuments
import Folders
import SwiftDataStores

/// Finds the rows of which documents show exactly what their cells hold, in one version. One worker has
/// one verifier.
///
/// It reads cells itself and knows nothing of how rows become lines. What it does not find equal counts
/// as nothing here, and is verified by its line.
struct PlainRowVerifier {
  /// A row that needs no line.
  struct Settled: Hashable, Sendable {
    /// The position of its table.
    let table: Int32
    /// The position of the row there.
    let row: UInt32
    let fieldCount: Int32
  }

  private let plain: PlainRows
  private var rows: [SoughtRows?]
  /// What a document shows of each property of an entity; nil where that is no text.
  private var texts: [Range<Int>?] = []

  init(_ plain: PlainRows) {
    self.plain = plain
    rows = Array(repeating: nil, count: plain.tables.count)
  }

  /// Returns the rows that some documents settle.
  ///
  /// - Parameter isCopy: whether a document looks like a conflict copy: what only that holds is not safe.
  mutating func settled(
    by documents: GroupDocuments, of kind: EntityKind, isCopy: (Int) -> Bool
  ) throws(StoreError) -> [Settled] {
    var settled: [Settled] = []
    for table in plain.tables.indices where plain.tables[table].kind == kind {
      let found = found(in: documents, plain.tables[table], isCopy: isCopy)
      if found.isEmpty { continue }
      let rows = try open(table)
      settled.reserveCapacity(settled.count + found.count)
      for (number, loaded) in documents.documents.enumerated() {
        for item in found where item.document == number {
          guard let map = item.map, try rows.find(plain.tables[table].rows[item.row]),
            let count = fieldCount(of: map, in: loaded.document, plain.tables[table], rows),
            plain.tables[table].pairs.allSatisfy({ areSame($0, $1, in: loaded.document) })
          else { continue }
          settled.append(
            Settled(table: Int32(table), row: UInt32(item.row), fieldCount: Int32(count)))
        }
      }
    }
    return settled
  }

  /// A row and the only place where documents have its identity.
  private struct Found {
    let row: Int
    let document: Int
    /// What readers see there; nil if that is nothing, or several maps, or the document is a copy.
    let map: OpID?
  }

  /// Returns the rows of a table of which documents have the identity in one place, ascending.
  private func found(
    in documents: GroupDocuments, _ table: PlainRows.Table, isCopy: (Int) -> Bool
  ) -> [Found] {
    var found: [Found] = []
    for (number, loaded) in documents.documents.enumerated() {
      let isCopy = isCopy(loaded.file)
      found.reserveCapacity(found.count + loaded.root.entities.count)
      for entity in loaded.root.entities {
        guard let row = table.position(of: entity.identity) else { continue }
        let isPlain = entity.valueCount == 1 && entity.key != nil && !isCopy
        found.append(Found(row: row, document: number, map: isPlain ? entity.map : nil))
      }
    }
    found.sort { $0.row < $1.row }
    let isElsewhere = { (index: Int) in
      index > 0 && found[index - 1].row == found[index].row
        || index + 1 < found.count && found[index + 1].row == found[index].row
    }
    return found.indices.contains(where: isElsewhere)
      ? found.indices.filter { !isElsewhere($0) }.map { found[$0] } : found
  }

  private mutating func open(_ table: Int) throws(StoreError) -> SoughtRows {
    if let known = rows[table] { return known }
    let opened = try plain.tables[table].open()
    rows[table] = opened
    return opened
  }

  /// How many fields a row and a document both have, all equal; nil if any is not.
  private mutating func fieldCount(
    of map: OpID, in document: DocumentState, _ table: PlainRows.Table, _ rows: SoughtRows
  ) -> Int? {
    let (names, columns) = (table.names, table.columns)
    var isEqual = true
    var count = 0
    var next = 0
    let pool = document.pool
    texts.removeAll(keepingCapacity: true)
    document.forEachKey(of: map) { key, group in
      guard isEqual, let value = document.winner(in: group) else { return }
      let name = pool.span.extracting(key)
      while next < columns.count, !names.isEqual(at: next, to: name) {
        isEqual = isEqual && isAbsent(columns[next], rows, &count)
        texts.append(nil)
        next += 1
      }
      guard isEqual, next < columns.count, document.isUnchanged(group) else {
        isEqual = false
        return
      }
      isEqual = isShown(columns[next], rows, by: value, of: document)
      texts.append(value.text)
      count += 1
      next += 1
    }
    while isEqual, next < columns.count {
      isEqual = isAbsent(columns[next], rows, &count)
      next += 1
    }
    return isEqual ? count : nil
  }

  /// Whether two properties of the entity that was looked at last are the same text, or one of them is none.
  private func areSame(_ first: Int, _ second: Int, in document: DocumentState) -> Bool {
    guard first < texts.count, second < texts.count, let one = texts[first],
      let other = texts[second]
    else { return true }
    let pool = document.pool
    return pool.span.extracting(one).isEqual(to: pool.span.extracting(other))
  }

  /// Whether nothing is what a cell says.
  private func isAbsent(
    _ column: PlainRows.Column, _ rows: SoughtRows, _ count: inout Int
  ) -> Bool {
    guard let cell = column.cell else { return true }
    count += 1
    return rows.isNull(at: cell) && !column.needsValue && !column.tellsNull
  }

  /// Whether a value is what a cell says.
  private func isShown(
    _ column: PlainRows.Column, _ rows: SoughtRows, by value: DocumentValue,
    of document: DocumentState
  ) -> Bool {
    guard case .scalar(let place) = value.content else { return false }
    guard let cell = column.cell else { return place.type == .null && !column.tellsNull }
    if place.type == .null { return rows.isNull(at: cell) && !column.needsValue }
    switch (column.meaning, place.type) {
    case (.boolean, .boolFalse): return rows.integer(at: cell) == 0
    case (.boolean, .boolTrue): return rows.integer(at: cell) == 1
    case (.integer, .int): return rows.integer(at: cell) == document.signed(place)
    case (.double, .float64):
      let shown = document.double(place)
      if let real = rows.real(at: cell) { return real.bitPattern == shown.bitPattern }
      guard let whole = rows.integer(at: cell), let real = Double(exactly: whole) else {
        return false
      }
      return real.bitPattern == shown.bitPattern
    case (.date, .timestamp):
      let seconds = rows.real(at: cell) ?? rows.integer(at: cell).flatMap(Double.init(exactly:))
      return seconds.flatMap(RawValue.milliseconds(secondsSince2001:)) == document.signed(place)
    case (.text, .string):
      return rows.isText(document.pool.span.extracting(place.range), at: cell)
    case (.timeZone, .string):
      let text = document.pool.span.extracting(place.range)
      return rows.isText(text, at: cell) && TimeZoneNames.contains(text)
    case (.uuid, .string):
      guard let uuid = rows.uuid(at: cell) else { return false }
      return isUUID(uuid, document, place)
    case (.reference(let target), .string):
      if let uuid = rows.uuid(at: cell) { return isUUID(uuid, document, place) }
      guard let target, let row = rows.integer(at: cell),
        let identity = plain.targets[target][row]
      else { return false }
      return isUUID((identity.high, identity.low), document, place)
    default: return false
    }
  }

  private func isUUID(
    _ uuid: (high: UInt64, low: UInt64), _ document: DocumentState, _ place: ScalarPlace
  ) -> Bool {
    RawValue.isUUIDText(
      document.pool.span.extracting(place.range), high: uuid.high, low: uuid.low)
  }
}

extension DocumentValue {
  /// The bytes of the text that it is; nil if it is anything else.
  fileprivate var text: Range<Int>? {
    guard case .scalar(let place) = content, place.type == .string else { return nil }
    return place.range
  }
}

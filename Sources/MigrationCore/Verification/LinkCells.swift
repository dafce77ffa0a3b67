import Automerge
import FolderDocuments
import Folders
import SafeFiles
import SwiftDataStores

/// The pairs of a property that leads to any number of rows, as the tables have them.
///
/// Which column of a table of pairs is which side is found by the numbers in their names, not by what the
/// import found out.
struct LinkCells {
  /// The name of the property.
  let name: [UInt8]
  /// The entity that it leads to; nil if nothing says that.
  let target: EntityLayout?

  private let pairs: LinkReader
  private var next: (source: StoreCell, target: StoreCell)?
  /// What was asked for last.
  private var last: (row: Int64, targets: [Int64])?

  /// Begins to read; nil if there is nothing to read.
  init?(
    _ column: StoreEntity.Column, of entity: EntityLayout, in store: Store
  ) throws(StoreError) {
    name = column.name
    switch column.layout.place {
    case .links(let table, let source, let target, let destination):
      let sides = try Self.sides(of: table, column.layout.name, of: entity, in: store)
      pairs = try store.pairs(
        inTable: table, from: sides?.source ?? source, to: sides?.target ?? target)
      let named = destination.flatMap(store.layout.entity(named:))
      let numbered = sides.flatMap { Self.number(in: $0.target) }
        .flatMap(store.layout.entity(numbered:))
      // The number may be that of an entity that the target inherits from.
      self.target = named?.table == numbered?.table ? named : numbered ?? named
    case .toMany(let destination, let column):
      guard let other = store.layout.entity(named: destination), !other.table.isEmpty else {
        return nil
      }
      pairs = try store.pairs(inTable: other.table, from: column, to: "Z_PK")
      target = other
    case .attribute, .composite, .toOne, .missing: return nil
    }
    next = try pairs.next()
  }

  /// Returns the rows that a row leads to. Rows are asked for by ascending numbers, each as often as
  /// documents show it.
  mutating func targets(of row: Int64) throws(StoreError) -> [Int64] {
    if let last, last.row == row { return last.targets }
    var targets: [Int64] = []
    while let pair = next {
      if case .integer(let source) = pair.source {
        guard source <= row else { break }
        if source == row, case .integer(let target) = pair.target { targets.append(target) }
      }
      next = try pairs.next()
    }
    last = (row, targets)
    return targets
  }

  /// The columns of a table of pairs: that of the entity has its number, or that of one it inherits from.
  /// Where both have, the targets are in the one with the property's name.
  private static func sides(
    of table: String, _ property: String, of entity: EntityLayout, in store: Store
  ) throws(StoreError) -> (source: String, target: String)? {
    let columns = try store.columns(ofTable: table).filter { !$0.hasPrefix("Z_FOK_") }
    guard columns.count == 2 else { return nil }
    var own: Set<Int64> = []
    var ancestor: EntityLayout? = entity
    while let found = ancestor, own.insert(found.number).inserted {
      ancestor = found.superNumber.flatMap(store.layout.entity(numbered:))
    }
    let isOwn = columns.map { number(in: $0).map(own.contains) ?? false }
    if isOwn[0] != isOwn[1] {
      return isOwn[0] ? (columns[0], columns[1]) : (columns[1], columns[0])
    }
    guard let target = columns.firstIndex(where: { $0.hasSuffix(property.uppercased()) }) else {
      return nil
    }
    return (columns[1 - target], columns[target])
  }

  /// The number of an entity in the name of a column, `Z_nNAME`.
  private static func number(in column: String) -> Int64? {
    Int64(column.dropFirst(2).prefix { ("0"..."9").contains($0) })
  }
}

extension DocumentState {
  /// The identities that a value links, ascending; none where nothing is shown, nil where it is no value
  /// of links.
  func identities(linkedBy value: DocumentValue?) -> [[UInt8]]? {
    guard let value, !value.isNull else { return [] }
    var identities: [[UInt8]] = []
    var areTexts = true
    switch value.content {
    case .object(.map):
      forEachKey(of: value.id) { key, group in
        if isVisible(group) { identities.append(Array(pool[key])) }
      }
    case .object(.list):
      forEachElement(of: value.id) { _, group in
        guard isVisible(group) else { return }
        if case .scalar(let place)? = winner(in: group)?.content, place.type == .string {
          identities.append(Array(pool[place.range]))
        } else {
          areTexts = false
        }
      }
    default: return nil
    }
    guard areTexts else { return nil }
    return identities.sorted { ByteOrder.precedes($0, $1) }
  }
}

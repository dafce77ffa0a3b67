import Folders
import SwiftDataStores

/// Tells the identities of rows by their numbers.
final class RowIdentities {
  private let store: Store
  private let entities: [StoreEntity]
  /// A lookup for each entity that was asked for, and the identities that it found lately.
  private var lookups: [String: RowLookup] = [:]
  private var known: [String: Known] = [:]
  /// What was asked for last.
  private var last: (name: String, known: Known)?

  /// Identities of rows of one entity.
  private final class Known {
    var identities: [Int64: [UInt8]] = [:]
  }

  /// How many identities of an entity are remembered.
  private static let capacity = 4096

  init(_ store: Store, _ entities: [StoreEntity]) {
    self.store = store
    self.entities = entities
  }

  /// The identity of a row.
  struct Found {
    var bytes: [UInt8]
    /// Whether the row is of another entity than whoever leads there says.
    var isOfOther = false
  }

  /// Returns the identity of a row as its kind writes it; nil if there is no such row, or it has none.
  ///
  /// - Parameters:
  ///   - name: the entity that leads there says it is one of this, or inherits from it.
  ///   - number: the number of the row's own entity, where that is known.
  func identity(
    ofRow row: Int64, of name: String, entity number: Int64?
  ) throws(StoreError) -> Found? {
    var name = name
    var isOfOther = false
    if let number {
      // A number that is of another table says nothing about this one.
      let own = store.layout.entity(numbered: number)
      if let own, own.table == store.layout.entity(named: name)?.table {
        name = own.name
      } else {
        isOfOther = true
      }
    }
    let known = known(of: name)
    if let identity = known.identities[row] {
      return Found(bytes: identity, isOfOther: isOfOther)
    }
    guard let layout = store.layout.entity(named: name), !layout.table.isEmpty else { return nil }
    let entity = entities.first { $0.layout.number == layout.number }
    let lookup = try lookup(of: layout, entity?.tellingColumn)
    // A row without the number of an entity is nobody's.
    guard let found = try lookup.row(row), let own = found.entity else { return nil }
    if own != layout.number {
      guard let actual = store.layout.entity(numbered: own), actual.table == layout.table
      else { return nil }
      var found = try identity(ofRow: row, of: actual.name, entity: own)
      if number != nil { found?.isOfOther = true }
      return found
    }
    guard let entity,
      let identity = Self.identity(
        in: found.cell, row: row, of: entity, store: store.uuid)
    else { return nil }
    if known.identities.count >= Self.capacity { known.identities.removeAll() }
    known.identities[row] = identity
    return Found(bytes: identity, isOfOther: isOfOther)
  }

  private func known(of name: String) -> Known {
    if let last, last.name == name { return last.known }
    let found = known[name] ?? Known()
    known[name] = found
    last = (name, found)
    return found
  }

  private func lookup(
    of layout: EntityLayout, _ column: String?
  ) throws(StoreError) -> RowLookup {
    if let lookup = lookups[layout.name] { return lookup }
    let lookup = try store.lookup(in: layout, column: column)
    lookups[layout.name] = lookup
    return lookup
  }

  /// Returns the identity that a cell is; nil if it is none.
  static func identity(
    in cell: StoreCell, row: Int64, of entity: StoreEntity, store uuid: String
  ) -> [UInt8]? {
    if entity.isKnownByUUID, case .blob(let bytes) = cell, bytes.count == 16 {
      return Self.uuid(bytes)
    }
    if isNumbered(cell, of: entity) {
      // Rows of any two stores that do not say which they are would be the same.
      return uuid.isEmpty ? nil : Array("\(uuid)/\(entity.layout.name)/p\(row)".utf8)
    }
    switch entity.profile.identity {
    case .singleton: return IdentityRule.singletonBytes
    case .row: return cell.integer.map { Array(String($0).utf8) }
    case .uuid, .string:
      guard let text = text(of: cell) else { return nil }
      return entity.profile.identity.bytes(text.span)
    case .member, .file: return nil
    }
  }

  /// Whether nothing but its number tells a row from others: it has no key.
  static func isNumbered(_ cell: StoreCell, of entity: StoreEntity) -> Bool {
    if entity.isKnownByUUID { return false }
    let hasKey = entity.profile.home?.rows?.key != nil
    return switch entity.profile.identity {
    case .row: !hasKey || cell.integer == nil
    case .string: hasKey && cell == .null
    case .uuid, .singleton, .member, .file: false
    }
  }

  /// The text of a cell that holds a text, or a UUID as 16 bytes.
  static func text(of cell: StoreCell) -> [UInt8]? {
    switch cell {
    case .text(let bytes): bytes.span.isWellFormedUTF8 ? bytes : nil
    case .blob(let bytes) where bytes.count == 16: uuid(bytes)
    default: nil
    }
  }

  /// Sixteen bytes as the text of a UUID.
  static func uuid(_ bytes: [UInt8]) -> [UInt8] {
    var (high, low): (UInt64, UInt64) = (0, 0)
    for index in 0..<8 {
      high = high << 8 | UInt64(bytes[index])
      low = low << 8 | UInt64(bytes[index + 8])
    }
    return Identity(high: high, low: low).canonicalBytes
  }
}

import Folders
import SwiftDataStores

/// Tells the identities of rows by their numbers.
final class RowIdentities {
  private let store: Store
  private let entities: [StoreEntity]
  /// A lookup for each entity that was asked for, and the identities that it found lately.
  private var lookups: [String: RowLookup] = [:]
  private var known: [String: [Int64: [UInt8]]] = [:]

  /// How many identities of an entity are remembered.
  private static let capacity = 4096

  init(_ store: Store, _ entities: [StoreEntity]) {
    self.store = store
    self.entities = entities
  }

  /// Returns the identity of a row as its kind writes it; nil if there is no such row, or it has none.
  ///
  /// - Parameters:
  ///   - name: the entity that leads there says it is one of this, or inherits from it.
  ///   - number: the number of the row's own entity, where that is known.
  func identity(
    ofRow row: Int64, of name: String, entity number: Int64?
  ) throws(StoreError) -> [UInt8]? {
    var name = name
    if let number, let own = store.layout.entity(numbered: number) { name = own.name }
    if let identity = known[name]?[row] { return identity }
    guard let layout = store.layout.entity(named: name), !layout.table.isEmpty else { return nil }
    let entity = entities.first { $0.layout.number == layout.number }
    let lookup = try lookup(of: layout, entity?.identityColumn)
    guard let found = try lookup.row(row) else { return nil }
    if let own = found.entity, own != layout.number {
      guard number == nil, let actual = store.layout.entity(numbered: own),
        actual.table == layout.table
      else { return nil }
      return try identity(ofRow: row, of: actual.name, entity: own)
    }
    guard let entity,
      let identity = Self.identity(
        in: found.cell, row: row, of: entity, store: store.metadata?.uuid ?? "")
    else { return nil }
    if known[name, default: [:]].count >= Self.capacity { known[name] = [:] }
    known[name, default: [:]][row] = identity
    return identity
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
    switch entity.profile.identity {
    case .singleton: return IdentityRule.singletonBytes
    case .row: return Array("\(uuid)/\(entity.layout.name)/p\(row)".utf8)
    case .uuid, .string:
      guard let text = text(of: cell) else { return nil }
      return entity.profile.identity.bytes(text.span)
    case .member, .file: return nil
    }
  }

  /// The text of a cell that holds a text, or a UUID as 16 bytes.
  static func text(of cell: StoreCell) -> [UInt8]? {
    switch cell {
    case .text(let bytes): String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
    case .blob(let bytes) where bytes.count == 16: uuid(bytes)
    default: nil
    }
  }

  /// Sixteen bytes as the text of a UUID.
  static func uuid(_ bytes: [UInt8]) -> [UInt8] {
    func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    return Identity(high: word(0..<8), low: word(8..<16)).canonicalBytes
  }
}

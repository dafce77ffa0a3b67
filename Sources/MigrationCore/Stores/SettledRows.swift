import SwiftDataStores

/// Rows of stores that need no line, because whoever reads the lines knows enough about them.
struct SettledRows {
  private struct Key: Hashable {
    let store: Int
    let entity: Int64
  }

  /// Those of one entity.
  struct Part {
    /// The numbers of the rows, ascending.
    let rows: [Int64]
    /// Whether the entity has no others.
    let areAll: Bool
  }

  private var parts: [Key: Part] = [:]

  /// Adds rows of an entity of the store at a position.
  mutating func add(_ rows: [Int64], of entity: EntityLayout, inStore store: Int, areAll: Bool) {
    parts[Key(store: store, entity: entity.number)] = Part(rows: rows, areAll: areAll)
  }

  /// Returns those of an entity; nil if there are none.
  func part(of entity: EntityLayout, inStore store: Int) -> Part? {
    parts[Key(store: store, entity: entity.number)]
  }
}

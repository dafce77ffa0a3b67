/// What a backup of a store says about it: which one it is, and how many rows it had.
package struct StoreSummary: Hashable, Sendable {
  /// One entity of the store.
  package struct Entity: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// How many rows it had.
    package var rowCount: Int
    /// The greatest number of a row that had been handed out.
    package var highWater: Int
    /// The hash of its version in hexadecimal digits; empty if the store did not say.
    package var versionHash: String

    /// Describes an entity.
    package init(name: String, rowCount: Int, highWater: Int, versionHash: String) {
      (self.name, self.rowCount) = (name, rowCount)
      (self.highWater, self.versionHash) = (highWater, versionHash)
    }
  }

  /// The name of its database: that of the copy in the backup, too.
  package var name: String
  /// Its identifier; empty if it did not say.
  package var uuid: String
  /// The names that the developer gave the version of its model.
  package var versionIdentifiers: [String]
  /// The hash of the whole model, as it was written; empty if the store did not say.
  package var modelChecksum: String
  /// Its entities.
  package var entities: [Entity]
  /// The entities whose rows were left out because they are private; nil for a backup, which leaves
  /// out none.
  package var leftOut: [String]?
  /// Whether the files of the store were packed as they were, and nobody opened it: then nothing is
  /// known of its rows.
  package var isUnopened = false

  /// Describes a store.
  package init(
    name: String, uuid: String, versionIdentifiers: [String], modelChecksum: String,
    entities: [Entity]
  ) {
    (self.name, self.uuid, self.entities) = (name, uuid, entities)
    (self.versionIdentifiers, self.modelChecksum) = (versionIdentifiers, modelChecksum)
  }

  /// How many rows all entities had together.
  package var rowCount: Int { entities.reduce(0) { $0 + $1.rowCount } }

  /// From how many rows on they are missed when they are gone.
  private static let many = 10

  /// Whether so many rows are missed where all are this many: from ten on, and at least half of all.
  package static func isMissed(_ gone: Int, of all: Int) -> Bool { gone >= many && 2 * gone >= all }

  /// Whether the rows that an earlier state had are gone, and were not deleted one by one: no row is left
  /// of the entities that had at least half of all, or few are that may be others; or the store is a new
  /// one, and holds less than half. An app that begins anew writes the rows that it always has at once, so
  /// there need not be fewer of every entity.
  package func isEmptied(since earlier: StoreSummary) -> Bool {
    guard earlier.rowCount >= Self.many else { return false }
    if rowCount == 0 { return true }
    let entities = entitiesByName
    let isNew = isNew(since: earlier, entities)
    if isNew, 2 * rowCount < earlier.rowCount { return true }
    let gone = earlier.entities.reduce(0) { sum, entity in
      guard let now = entities[entity.name] else {
        // An entity of another version of the model may have another name.
        return 2 * rowCount < earlier.rowCount ? sum + entity.rowCount : sum
      }
      return now.isGone(since: entity, isNew: isNew) ? sum + entity.rowCount : sum
    }
    return Self.isMissed(gone, of: earlier.rowCount)
  }

  /// Whether an earlier state holds what nobody may have any more: all of it, or all rows of an entity
  /// that had many.
  package func lacksRows(of earlier: StoreSummary) -> Bool {
    if isEmptied(since: earlier) { return true }
    let entities = entitiesByName
    return earlier.entities.contains { entity in
      entity.rowCount >= Self.many && entities[entity.name]?.rowCount == 0
    }
  }

  private var entitiesByName: [String: Entity] {
    Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Whether the store was made anew: it hands out numbers again.
  private func isNew(since earlier: StoreSummary, _ entities: [String: Entity]) -> Bool {
    let common = earlier.entities.filter { $0.highWater > 0 && entities[$0.name] != nil }
    if common.isEmpty { return earlier.entities.contains { $0.highWater > 0 } }
    return common.contains { (entities[$0.name]?.highWater ?? 0) < $0.highWater }
  }
}

extension StoreSummary.Entity {
  /// Whether none of the rows of an earlier state need be among these, and there are fewer than half as
  /// many.
  fileprivate func isGone(since earlier: Self, isNew: Bool) -> Bool {
    if rowCount == 0 { return true }
    guard 2 * rowCount < earlier.rowCount else { return false }
    // So many numbers were handed out since that all of these may be of new rows.
    let isOfOthers = earlier.highWater > 0 && highWater - earlier.highWater >= rowCount
    return isNew || isOfOthers || 10 * rowCount <= earlier.rowCount
  }
}

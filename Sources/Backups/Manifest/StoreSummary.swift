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

  /// From how many rows on a store is missed when they are gone.
  private static let many = 10

  /// Whether the rows that an earlier state had are gone, and were not deleted one by one: the store is
  /// empty, or it is a new one, which has handed out fewer numbers than the earlier one for every entity
  /// that had rows, and holds less than half of them.
  package func isEmptied(since earlier: StoreSummary) -> Bool {
    guard earlier.rowCount >= Self.many else { return false }
    if rowCount == 0 { return true }
    let numbers = Dictionary(entities.map { ($0.name, $0.highWater) }) { first, _ in first }
    let isNew = earlier.entities.allSatisfy { entity in
      entity.highWater == 0 || (numbers[entity.name] ?? 0) < entity.highWater
    }
    return isNew && rowCount < earlier.rowCount / 2
  }
}

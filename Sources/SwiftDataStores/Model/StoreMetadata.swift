/// What a store says about itself.
package struct StoreMetadata: Hashable, Sendable {
  /// One entity of the model's version, with the hash of what it is.
  package struct VersionHash: Hashable, Sendable {
    /// The name of the entity.
    package var entity: String
    /// Its hash.
    package var hash: [UInt8]
  }

  /// The store's own identifier, as it is written.
  package var uuid = ""
  /// The names that the developer gave the version of the model, sorted.
  package var versionIdentifiers: [String] = []
  /// The hash of each entity, by the entities' names.
  package var versionHashes: [VersionHash] = []
  /// The hash of the whole model, as it is written; empty if the store does not say.
  package var modelChecksum = ""
  /// The version of the framework that wrote the store; nil if it does not say.
  package var frameworkVersion: Int64?

  /// How many hashes and identifiers there may be: a store has one for each entity.
  private static let maximumCount = 10_000

  /// Creates metadata that says nothing.
  package init() {}

  /// Reads the property list of a store.
  init(uuid: String, _ list: PropertyList) throws(PropertyListError) {
    self.uuid = uuid
    let root = list.root
    guard root.members != nil else {
      throw PropertyListError(.unexpected("dictionary"), at: root.offset)
    }
    if let (keys, values) = root["NSStoreModelVersionHashes"]?.members {
      guard keys.count <= Self.maximumCount else {
        throw PropertyListError(.limitExceeded("hashes"), at: root.offset)
      }
      for index in keys.indices {
        guard let name = keys[index].text, let hash = values[index].data else {
          throw PropertyListError(.unexpected("hash"), at: values[index].offset)
        }
        versionHashes.append(VersionHash(entity: name, hash: hash))
      }
    }
    versionHashes.sort { $0.entity.utf8.lexicographicallyPrecedes($1.entity.utf8) }
    if let elements = root["NSStoreModelVersionIdentifiers"]?.elements {
      guard elements.count <= Self.maximumCount else {
        throw PropertyListError(.limitExceeded("identifiers"), at: root.offset)
      }
      versionIdentifiers = elements.compactMap(\.text)
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    modelChecksum = root["NSStoreModelVersionChecksumKey"]?.text ?? ""
    frameworkVersion = root["NSPersistenceFrameworkVersion"]?.integer
  }
}

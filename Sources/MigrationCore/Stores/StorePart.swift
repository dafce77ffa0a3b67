import Folders
import SwiftDataStores

/// Rows of an entity of a store, to be read by one thread.
struct StorePart: Sendable {
  /// The store, and its entity, by their positions.
  let (store, entity): (Int, Int)
  var rows = RowRange.all

  /// So many numbers of rows are a part at least: less would not be worth a thread.
  fileprivate static let leastRowCount: Int64 = 1 << 13
}

extension StoreSource {
  /// All rows, in the order of an interchange stream: store by store, by the profile's kinds.
  var parts: [StorePart] {
    var parts: [StorePart] = []
    for (number, store) in stores.enumerated() {
      let entities = store.entities
      parts += entities.indices.sorted { entities[$0].kind < entities[$1].kind }.map {
        StorePart(store: number, entity: $0)
      }
    }
    return parts
  }

  /// The entity that rows are of.
  func entity(of part: StorePart) -> StoreEntity { stores[part.store].entities[part.entity] }

  /// Divides a part among threads, if there is much of it and its rows say everything by themselves.
  func divided(_ part: StorePart) throws(StoreError) -> [StorePart] {
    // What leads to many rows comes as pairs, in the order of all rows, and what there is one of by
    // convention is counted.
    let entity = entity(of: part)
    guard entity.links.isEmpty, !(entity.profile.home?.rows?.isSingle ?? false) else {
      return [part]
    }
    let ranges = try stores[part.store].store.ranges(
      of: entity.layout, each: StorePart.leastRowCount)
    return ranges.map { StorePart(store: part.store, entity: part.entity, rows: $0) }
  }

  /// The stores for other threads, each of which opens them for itself.
  var shared: SharedStores { SharedStores(self) }
}

/// What was found out about stores, for threads of which each opens them for itself.
struct SharedStores: Sendable {
  private let path: String
  private let kinds: EntityKinds
  private let stores: [(store: SharedStore, version: Int?)]

  fileprivate init(_ source: StoreSource) {
    (path, kinds) = (source.path, source.kinds)
    stores = source.stores.map { ($0.store.shared, $0.version) }
  }

  /// Opens them, without the preferences of the app.
  func open() throws(StoreError) -> StoreSource {
    var opened: [StoreSource.Opened] = []
    for shared in stores {
      let store = try shared.store.open()
      // Of its own, too: threads that count references to the same wait for each other.
      opened.append(
        StoreSource.Opened(
          store: store, version: shared.version, entities: StoreEntity.all(of: store, as: kinds)))
    }
    return StoreSource(path: path, kinds: kinds, stores: opened, findings: [])
  }
}

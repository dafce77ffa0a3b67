import Backups
import Runs
import SafeFiles
import SwiftDataStores

extension StoreSummary {
  /// Counts what a store holds.
  init(of store: Store) throws(MigrationError) {
    var counts: [String: [Store.RowCount]] = [:]
    do throws(StoreError) {
      for table in Set(store.layout.entities.map(\.table)) where !table.isEmpty {
        counts[table] = try store.rowCounts(ofTable: table)
      }
    } catch {
      throw MigrationError(error)
    }
    let hashes = store.metadata?.versionHashes ?? []
    self.init(
      name: String(decoding: store.files.name.bytes, as: UTF8.self),
      uuid: store.uuid,
      versionIdentifiers: store.metadata?.versionIdentifiers ?? [],
      modelChecksum: store.metadata?.modelChecksum ?? "",
      entities: store.layout.entities.map { entity in
        let count = counts[entity.table]?.first { $0.entity == entity.number }
        let hash = hashes.first { $0.entity == entity.name }?.hash ?? []
        return Entity(
          name: entity.name, rowCount: Int(clamping: count?.count ?? 0),
          // A store may say anything.
          highWater: Int(clamping: max(0, entity.highWater)),
          versionHash: hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
      })
  }
}

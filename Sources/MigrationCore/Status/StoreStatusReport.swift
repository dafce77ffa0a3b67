package import Diagnostics
package import Runs

/// What the stores at a place are and hold, counted.
package struct StoreStatusReport: RunReport {
  package static let name = "verify-counts"

  /// One store.
  package struct Store: Hashable, Sendable {
    /// Where it is: the path that was given, or below it.
    package var path: String
    /// Its identifier, as it is written; empty if it does not say.
    package var uuid = ""
    /// The names that the developer gave the version of its model.
    package var versionIdentifiers: [String] = []
    /// The hash of the whole model, as it is written; empty if it does not say.
    package var modelChecksum = ""
    /// Whether it keeps a model that can be read.
    package var hasModel = false
    /// How many bytes its database has.
    package var byteCount = 0
    /// How many bytes the log beside it has.
    package var logByteCount = 0
    /// How many frames of the log are newer than the database.
    package var logFrames = 0
    /// What follows them in the log, in a word.
    package var logTail = ""
    /// How many tables mirror it to CloudKit.
    package var mirroringTables = 0
    /// The app's entities, by their numbers.
    package var entities: [Entity] = []

    /// How many rows all entities have together.
    package var rowCount: Int { entities.reduce(0) { $0 + $1.rowCount } }
  }

  /// One entity of a store.
  package struct Entity: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its number in this store.
    package var number: Int
    /// The table of its rows; empty if there is none.
    package var table: String
    /// How many rows it has, those of its sub-entities apart.
    package var rowCount = 0
    /// The greatest number of a row.
    package var highestRow = 0
    /// The greatest number that the store says it handed out, for all entities of a table together.
    package var highWater = 0
    /// The hash of its version in hexadecimal digits; empty if the store does not say.
    package var versionHash = ""
  }

  /// The stores, by their paths.
  package var stores: [Store] = []
  /// How many rows were read whole; nil if they were only counted.
  package var rowsRead: Int?
  /// Why a store could not be read, store by store.
  package var failures: [MigrationError] = []
  /// Databases that are no stores, by their paths.
  package var otherDatabases: [String] = []
  package var findings: [Finding] = []
  /// Where the stores are that have no backup beside them.
  var notBackedUp: [String] = []
  /// What to run next; nil if nobody asked, or no store is there.
  package var next: NextCommand?
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of no store.
  package init() {}

  /// What the answer says nothing about, for people.
  package var notLookedAt: [String] {
    (rowsRead == nil ? ["what the rows hold"] : [])
      + otherDatabases.map { "\($0), which is no store" }
  }

  package var items: [ReportObject] { stores.flatMap { [$0.item] + $0.entityItems } }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("stores", stores.count)
    summary.add("entities", stores.reduce(0) { $0 + $1.entities.count })
    summary.add("rows", stores.reduce(0) { $0 + $1.rowCount })
    if let rowsRead { summary.add("rowsRead", rowsRead) }
    summary.add("failedStores", failures.count)
    summary.add("notLookedAt", .array(notLookedAt.map { .string($0) }))
    if let next { summary.add("next", .array([.string(next.shellText)])) }
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

extension StoreStatusReport.Store {
  fileprivate var item: ReportObject {
    var item = ReportObject()
    item.add("type", "store")
    item.add("path", path)
    item.add("uuid", uuid)
    item.add("versionIdentifiers", .array(versionIdentifiers.map { .string($0) }))
    item.add("modelChecksum", modelChecksum)
    item.add("hasModel", hasModel)
    item.add("bytes", byteCount)
    item.add("walBytes", logByteCount)
    item.add("walFrames", logFrames)
    item.add("walTail", logTail)
    item.add("cloudKitTables", mirroringTables)
    item.add("rows", rowCount)
    return item
  }

  fileprivate var entityItems: [ReportObject] {
    entities.map { entity in
      var item = ReportObject()
      item.add("type", "entity")
      item.add("path", path)
      item.add("entity", entity.name)
      item.add("number", entity.number)
      item.add("table", entity.table)
      item.add("rows", entity.rowCount)
      item.add("highestRow", entity.highestRow)
      item.add("highWater", entity.highWater)
      item.add("versionHash", entity.versionHash)
      return item
    }
  }
}

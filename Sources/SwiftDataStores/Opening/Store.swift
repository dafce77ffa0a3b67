package import Diagnostics
import SafeFiles

/// A store that was opened: what it says about itself, and its rows.
///
/// It reads a private copy, which goes with the last reference. Used by one thread at a time.
package final class Store {
  /// The files it was copied from.
  package let files: StoreFiles
  /// What the database begins with.
  package let header: DatabaseHeader
  /// What was in the log beside the database.
  package let log: WriteAheadLog
  /// The store's own identifier, which is read also where nothing else of its metadata is; empty if it
  /// has none.
  package let uuid: String
  /// What the store says about itself; nil if that cannot be read.
  package let metadata: StoreMetadata?
  /// The model that the store keeps; nil if it keeps none that can be read.
  package let model: StoreModel?
  /// Where everything is.
  package let layout: StoreLayout
  /// How many tables mirror the store to CloudKit.
  package let mirroringTableCount: Int
  /// What is worth telling about the store, its rows apart.
  package let findings: [Finding]

  /// How many bytes the database has, its log apart.
  package var byteCount: Int64 { copy.databaseSize }

  /// The proof that it is sound, where that is still to be made.
  package internal(set) var pendingCheck: SoundnessCheck?

  let database: Database
  let copy: StoreCopy

  init(
    files: StoreFiles, header: DatabaseHeader, log: WriteAheadLog, database: Database,
    copy: StoreCopy, findings: [Finding]
  ) throws(StoreError) {
    (self.files, self.header, self.log) = (files, header, log)
    (self.database, self.copy) = (database, copy)
    var findings = findings
    let schema = try DatabaseSchema(of: database)
    mirroringTableCount = schema.mirroringTableCount
    uuid = try database.cell("SELECT Z_UUID FROM Z_METADATA LIMIT 1").string ?? ""
    metadata = try Self.metadata(of: database, &findings)
    model = try Self.model(of: database, schema, &findings)
    var builder = LayoutBuilder(schema, model: model, path: files.path)
    try builder.build()
    layout = builder.layout
    findings += builder.findings
    findings += try MarkedColumns.findings(about: layout, in: database, path: files.path)
    if let metadata, let model { findings += Self.contradictions(metadata, model, files.path) }
    self.findings = findings
  }

  fileprivate init(_ shared: SharedStore) throws(StoreError) {
    (files, header, log, uuid) = (shared.files, shared.header, shared.log, shared.uuid)
    (metadata, model, layout) = (shared.metadata, shared.model, shared.layout)
    mirroringTableCount = shared.mirroringTableCount
    (findings, copy) = (shared.findings, shared.copy)
    database = try shared.openDatabase()
    // Each thread reads a part of the rows once: there is little to keep.
    try database.execute("PRAGMA cache_size=-256")
  }

  /// The store for other threads, each of which opens it for itself.
  package var shared: SharedStore { SharedStore(self) }

  private static func metadata(
    of database: Database, _ findings: inout [Finding]
  ) throws(StoreError) -> StoreMetadata? {
    let rows = try database.prepare(
      "SELECT Z_UUID, \(bounded("Z_PLIST")) FROM Z_METADATA LIMIT 1")
    guard try rows.step() else {
      findings.append(unnamed("it has no metadata", database.path))
      return nil
    }
    let uuid = try rows.cell(at: 0).string ?? ""
    guard case .blob(let bytes) = try rows.cell(at: 1) else {
      findings.append(unnamed("its metadata are no property list", database.path))
      return nil
    }
    do throws(PropertyListError) {
      return try StoreMetadata(uuid: uuid, PropertyList(bytes))
    } catch {
      findings.append(unnamed("its metadata cannot be read: \(error.text)", database.path))
      return nil
    }
  }

  private static func model(
    of database: Database, _ schema: DatabaseSchema, _ findings: inout [Finding]
  ) throws(StoreError) -> StoreModel? {
    func unread(_ problem: String) -> Finding {
      unnamed("\(problem), so properties have the names of their columns", database.path)
    }
    guard let table = schema.tables["Z_MODELCACHE"], table.column("Z_CONTENT") != nil else {
      findings.append(unread("it keeps no model"))
      return nil
    }
    let query = "SELECT \(bounded("Z_CONTENT")) FROM Z_MODELCACHE LIMIT 1"
    guard case .blob(let bytes) = try database.cell(query) else {
      findings.append(unread("it keeps no model"))
      return nil
    }
    do throws(PropertyListError) {
      return try ModelArchiveReader.read(bytes)
    } catch {
      findings.append(unread("its model cannot be read: \(error.text)"))
      return nil
    }
  }

  /// What is longer than any property list may be is not even looked at.
  private static func bounded(_ column: String) -> String {
    let limit = PropertyList.maximumByteCount
    return "CASE WHEN length(\(column)) <= \(limit) THEN \(column) END"
  }

  private static func unnamed(_ message: String, _ path: String) -> Finding {
    Finding(.namesFromColumns, .warning, path: path, message: message)
  }

  /// The hashes are of the version that wrote the rows, the model of what the store was opened with last.
  private static func contradictions(
    _ metadata: StoreMetadata, _ model: StoreModel, _ path: String
  ) -> [Finding] {
    var messages: [String] = []
    let hashed = Set(metadata.versionHashes.map(\.entity))
    let named = Set(model.entities.map(\.name))
    if !hashed.isEmpty, hashed != named {
      let names = hashed.symmetricDifference(named).sorted()
      messages.append(
        "its metadata and its model do not know the same entities: \(names.joined(separator: ", "))"
      )
    }
    if metadata.versionIdentifiers != model.versionIdentifiers {
      messages.append(
        "its metadata are of version \(metadata.versionIdentifiers.joined(separator: ", ")), its "
          + "model of \(model.versionIdentifiers.joined(separator: ", "))")
    }
    return messages.map { Finding(.modelDiffers, .warning, path: path, message: $0) }
  }
}

/// What was found out about a store, for threads of which each opens the private copy for itself.
package struct SharedStore: Sendable {
  fileprivate let files: StoreFiles
  fileprivate let header: DatabaseHeader
  fileprivate let log: WriteAheadLog
  fileprivate let uuid: String
  fileprivate let metadata: StoreMetadata?
  fileprivate let model: StoreModel?
  fileprivate let layout: StoreLayout
  fileprivate let mirroringTableCount: Int
  fileprivate let findings: [Finding]
  let copy: StoreCopy
  /// The absolute path of the copy.
  private let database: [UInt8]

  fileprivate init(_ store: Store) {
    (files, header, log, uuid) = (store.files, store.header, store.log, store.uuid)
    (metadata, model, layout) = (store.metadata, store.model, store.layout)
    mirroringTableCount = store.mirroringTableCount
    (findings, copy, database) = (store.findings, store.copy, store.database.place)
  }

  /// Opens the copy.
  package func open() throws(StoreError) -> Store { try Store(self) }

  func openDatabase() throws(StoreError) -> Database {
    try Database(at: database, .fileAlone, path: files.path)
  }
}

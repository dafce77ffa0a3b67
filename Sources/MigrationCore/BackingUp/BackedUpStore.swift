import Backups
import Runs
import SafeFiles
import SwiftDataStores

/// A store and the place where its backups are.
struct BackedUpStore {
  let files: StoreFiles
  /// The absolute path of the store.
  let origin: [UInt8]
  /// The path of the place.
  let path: String
  /// The backups there; nil if there is no such place.
  let store: BackupStore?

  private let operations: any FileOperations

  init(
    _ options: PackOptions, suffix: String, uuid: String, context: RunContext,
    unfinishedRestore: FolderAccess.UnfinishedRestore = .refused
  ) throws(MigrationError) {
    let (directory, name) = try FolderAccess.openParent(
      ofPath: options.folder, context: context, unfinishedRestore: unfinishedRestore)
    operations = context.operations
    files = StoreFiles(in: directory, name: name, path: options.folder)
    let parent = try MigrationError.wrapping { () throws(FileError) in
      try directory.canonicalPath()
    }
    origin = parent + (parent.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name.bytes
    path = options.backupDirectory ?? String(decoding: origin, as: UTF8.self) + suffix
    let (place, operations, origin) = (path, context.operations, origin)
    let there = try MigrationError.wrapping { () throws(FileError) in
      try Directory.openTarget(path: place, operations: operations)
    }
    store = there.map {
      BackupStore(
        $0, named: String(decoding: name.bytes, as: UTF8.self),
        bond: FolderBond(storeAt: origin, uuid: uuid))
    }
  }

  /// Returns the backups of the store, and of others that are like it.
  func backups(isAlike: @escaping @Sendable (StoreSummary) -> Bool) -> BackupStore? {
    store.map {
      BackupStore(
        $0.directory, named: String(decoding: files.name.bytes, as: UTF8.self),
        bond: FolderBond(storeAt: origin, isAlike: isAlike))
    }
  }

  /// Returns the backups of the store, those included that were made of it at another place: they say
  /// its identifier.
  func backups(withIdentifier uuid: String) -> BackupStore? {
    backups { !uuid.isEmpty && $0.uuid == uuid }
  }

  /// Opens the place, which is created as private as its store if it is not there.
  func createStore(uuid: String) throws(MigrationError) -> BackupStore {
    try MigrationError.wrapping { () throws(FileError) in
      let (parent, name) = try Directory.openParent(ofPath: path, operations: operations)
      let directory = try parent.createDirectory(
        name, asPrivateAs: Privacy(of: files.stateOfFirst()))
      return BackupStore(
        directory, named: String(decoding: files.name.bytes, as: UTF8.self),
        bond: FolderBond(storeAt: origin, uuid: uuid))
    }
  }
}

extension StoreFiles {
  /// Returns the state of the database, or of what is left beside it.
  fileprivate func stateOfFirst() throws(FileError) -> FileState {
    for name in [name, logName, journalName].compactMap({ $0 }) {
      if let state = try directory.stateIfPresent(of: name) { return state }
    }
    return try directory.state()
  }
}

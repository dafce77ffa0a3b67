import Backups
import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores

// Which stores are at a place, or were.
extension StoreRecoveryWorkflow {
  static func path(of name: FileName, in directory: String) -> String {
    (directory == "/" ? "/" : directory + "/") + String(decoding: name.bytes, as: UTF8.self)
  }

  /// Returns the databases of a directory: files that are called stores or begin as databases, and stores
  /// of which only something else is left.
  static func names(in directory: Directory) throws(MigrationError) -> [FileName] {
    try MigrationError.wrapping { () throws(FileError) in
      var names: Set<FileName> = []
      for entry in try directory.entries() {
        if entry.kind == .regular, try isDatabase(entry.name, in: directory) {
          names.insert(entry.name)
        }
        if let name = Self.store(of: entry) { names.insert(name) }
      }
      return names.sorted()
    }
  }

  static func isDatabase(
    _ name: FileName, in directory: Directory
  ) throws(FileError) -> Bool {
    if StoreSource.hasNameOfStore(name) { return true }
    do throws(FileError) { return try StoreSource.isDatabase(name, in: directory) } catch {
      // What is gone by now, or nobody may read, is not called a store.
      switch error {
      case .missing, .permissionDenied: return false
      default: throw error
      }
    }
  }

  /// Returns the name of the store that an entry lies beside; nil for anything else.
  static func store(of entry: DirectoryEntry) -> FileName? {
    let endings: [StaticString] =
      entry.kind == .regular ? ["-wal", "-journal"] : entry.kind == .directory ? ["-backups"] : []
    guard let ending = endings.first(where: { entry.name.hasSuffix($0) }),
      let name = FileName(Array(entry.name.bytes.dropLast(ending.utf8CodeUnitCount))),
      StoreSource.hasNameOfStore(name)
    else { return nil }
    return name
  }

  /// Whether a file is a store, or was one.
  static func isStore(
    _ name: FileName, in parent: Directory, hasBackups: Bool
  ) throws(MigrationError) -> Bool {
    try MigrationError.wrapping { () throws(FileError) in
      let state = try parent.stateIfPresent(of: name)
      if let state {
        guard state.kind == .regular else { return false }
        if try isDatabase(name, in: parent) { return true }
      } else if !StoreSource.hasNameOfStore(name) {
        return false
      }
      if try StoreSource.hasCompany(name, in: parent) { return true }
      guard state == nil else { return false }
      if hasBackups { return true }
      if try isInRestore(parent) { return true }
      return !AppBackups(around: parent, and: nil).items.isEmpty
    }
  }

  static func isInRestore(_ directory: Directory) throws(FileError) -> Bool {
    do throws(BackupError) { return try RestorePlace.unfinishedRun(in: directory) != nil } catch {
      guard case .file(let error) = error else { return false }
      throw error
    }
  }

  static func isInRestoreOfStore(_ directory: Directory) throws(MigrationError) -> Bool {
    do throws(BackupError) { return try UnfinishedRestore.scope(in: directory) == .store } catch {
      throw MigrationError(error)
    }
  }

  /// Whether a directory holds data of an app in files, or did: then it is a folder with a store in it.
  static func isFolder(
    _ directory: Directory, at path: String, _ context: RunContext
  ) throws(MigrationError) -> Bool {
    // One that lost everything has its lock, or backups beside it: those of stores have other places.
    if let lock = context.kinds.lock {
      let isThere = try MigrationError.wrapping { () throws(FileError) in
        try directory.stateIfPresent(of: lock) != nil
      }
      if isThere { return true }
    }
    let backups = "\(path)\(FolderNames.backupsSuffix)"
    if try FolderAccess.openBeside(backups, context: context) != nil { return true }
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: directory, as: context.kinds, noting: &unlisted)
    return !inventory.documents.isEmpty || inventory.hasLegacyFiles
  }

  /// Whether stores lie below a directory that holds none itself, or copies of some around it.
  static func hasStoresElsewhere(
    _ directory: Directory, at path: String, _ context: RunContext
  ) throws(MigrationError) -> Bool {
    let found: StoreFinder.Found
    do throws(StoreError) {
      found = try StoreFinder.find(at: path, operations: context.operations)
    } catch {
      throw MigrationError(error)
    }
    return !found.stores.isEmpty || !found.others.isEmpty || !found.missing.isEmpty
      || !AppBackups(around: directory, and: nil).items.isEmpty
  }

  /// Tells of the stores in directories below a place; copies are looked at with their store.
  static func notLookedAt(_ found: inout StoreFinder.Found, at path: String) -> [Finding] {
    _ = AppCopies.takeOut(of: &found)
    return directories(of: found.below).map { place in
      Finding(
        .notLookedAt, .error, path: place, message: "holds stores, and nobody looked at them",
        command: NextCommand(.recoverFolder, [path == "/" ? path + place : "\(path)/\(place)"]))
    }
  }

  /// Returns the directories of some paths, each once.
  private static func directories(of paths: [String]) -> [String] {
    Set(paths.compactMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }).sorted()
  }
}

extension StoreFinder.Found {
  /// The paths of databases, also of those that are gone, in directories below the place.
  var below: [String] {
    (stores + others + missing).map(\.path).filter { $0.contains("/") }
  }
}

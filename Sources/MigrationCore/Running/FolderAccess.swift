import Backups
import Folders
import SafeFiles

/// How a run reaches the folder it works on.
enum FolderAccess {
  /// Opens a folder for reading; the app and other runs may write to it meanwhile.
  static func open(_ path: String, context: RunContext) throws(MigrationError) -> Directory {
    do {
      return try Directory.open(path: path, operations: context.operations)
    } catch {
      throw MigrationError(error)
    }
  }

  /// Opens a folder, or creates it in the directory above, which must exist; a new one is never
  /// wider than what its content comes from.
  static func openOrCreate(
    _ path: String, asPrivateAs privacy: Privacy? = nil, context: RunContext
  ) throws(MigrationError) -> Directory {
    do {
      if let there = try Directory.openTarget(path: path, operations: context.operations) {
        return there
      }
      let (parent, name) = try Directory.openParent(ofPath: path, operations: context.operations)
      guard let privacy else { return try parent.createDirectory(name) }
      return try parent.createDirectory(name, asPrivateAs: privacy)
    } catch {
      throw MigrationError(error)
    }
  }

  /// Takes the app's own lock on a folder; it is held as long as the result is kept.
  static func lock(_ folder: Directory, context: RunContext) throws(MigrationError) -> FolderLock? {
    do {
      return try FolderLock.acquire(
        in: folder, name: FolderNames.writeLock,
        timeoutSeconds: Double(context.lockTimeoutSeconds), creating: true,
        isInterrupted: context.isInterrupted)
    } catch {
      if case .lockTimeout = error, context.isInterrupted() { throw .interrupted }
      throw MigrationError(error)
    }
  }

  /// Takes the app's own lock as soon as no restore is at work that waits for it, too; throws
  /// `unfinishedRestore` if one died at work, which only another restore can finish.
  static func lockAfterRestores(
    _ folder: Directory, context: RunContext
  ) throws(MigrationError) -> FolderLock? {
    var patience = Patience(seconds: Double(context.lockTimeoutSeconds))
    while true {
      let obstacle: BackupError
      do {
        let lock = try lock(folder, context: context)
        do throws(BackupError) {
          try RestorePlace.requireFinished(in: folder)
          return lock
        } catch {
          obstacle = error
        }
        // Without the lock a restore cannot go on: here it is let go of.
      }
      if context.isInterrupted() { throw .interrupted }
      guard case .restoreAtWork = obstacle, patience.wait() else { throw MigrationError(obstacle) }
    }
  }

  /// Lists a folder.
  static func inventory(of folder: Directory) throws(MigrationError) -> FolderInventory {
    do {
      return try FolderInventory.scan(folder)
    } catch {
      throw MigrationError(error)
    }
  }

  /// Lists a folder; for a run that writes, once what interrupted runs left there is tidied up.
  static func inventory(
    of folder: Directory, for writing: WritingRun?
  ) throws(MigrationError) -> FolderInventory {
    guard let writing else { return try inventory(of: folder) }
    return try writing.inventory()
  }
}

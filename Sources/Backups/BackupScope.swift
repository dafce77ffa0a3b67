import Folders
package import SafeFiles

/// What belongs in a backup: everything but the app's lock and our own state.
package enum BackupScope {
  /// Returns whether an entry directly in the folder is left out.
  package static func isExcluded(_ name: FileName) -> Bool {
    name == FolderNames.writeLock || name == FolderNames.state
  }
}

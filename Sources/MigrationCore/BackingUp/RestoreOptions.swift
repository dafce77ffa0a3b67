/// What `restore-backup` is asked to do.
package struct RestoreOptions: Sendable {
  /// The backup to bring back.
  package var backup: String
  /// The folder that gets its content.
  package var folder: String

  /// Creates options for a backup and a folder.
  package init(backup: String, folder: String) {
    self.backup = backup
    self.folder = folder
  }
}

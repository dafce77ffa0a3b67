/// What `restore-backup` is asked to do.
package struct RestoreOptions: Sendable {
  /// The backup to bring back.
  package var backup: String
  /// The folder that gets its content.
  package var folder: String
  /// The paths of the entries to bring back, as the backup lists them; empty for everything.
  package var only: [String] = []
  /// A backup of what the folder must still hold when it is replaced, quarantine and all; nil if
  /// anything may be there.
  package var replaced: String?

  /// Creates options for a backup and a folder.
  package init(backup: String, folder: String) {
    self.backup = backup
    self.folder = folder
  }
}

/// What `pack-backup` is asked to do.
package struct PackOptions: Sendable {
  /// The folder to copy.
  package var folder: String
  /// Where backups go; nil means `FOLDER-backups` beside the folder.
  package var backupDirectory: String?
  /// The archive to write instead of a generated name.
  package var output: String?
  /// Whether the archive is compressed with zstd.
  package var compresses = false
  /// How many backups to keep afterwards; nil keeps all.
  package var keepCount: Int?
  /// Whether a backup that verifies against today's folder is used instead of a new one.
  package var reusesVerified = false

  /// Creates options for a folder.
  package init(folder: String) {
    self.folder = folder
  }
}

/// What the first line of a manifest says about a whole backup.
package struct BackupSummary: Hashable, Sendable {
  /// The name of the folder.
  package var folderName: String
  /// The absolute path of the folder at that time; it is only told.
  package var origin: String
  /// When the backup was begun, as `2026-01-06T12:00:00Z`.
  package var created: String
  /// How many regular files it holds.
  package var fileCount = 0
  /// How many directories.
  package var directoryCount = 0
  /// How many symbolic links.
  package var linkCount = 0
  /// How many entries are listed but not archived, because they are no files.
  package var specialCount = 0
  /// The bytes of all files together.
  package var byteCount: Int64 = 0
  /// Whether `tags.json` or a `.json` file below a records directory is in it.
  package var holdsLegacyFiles = false

  /// The number of the folder, see `FolderIdentifier`; nil in old backups, and in those of folders
  /// that nothing could be written to.
  package var folderNumber: String?

  /// The number of lines with entries.
  package var entryCount: Int { fileCount + directoryCount + linkCount + specialCount }
}

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

/// Writes a verified backup of a folder, lists the backups there are, and drops old ones.
package struct PackWorkflow: Sendable {
  private let options: PackOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: PackOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what a backup would hold and which old ones would go; writes nothing.
  package func plan() throws(MigrationError) -> BackupReport { fatalError() }

  /// Writes a backup, reads it back, and then applies the retention rule.
  package func perform() throws(MigrationError) -> BackupReport { fatalError() }

  /// Returns the backups of the folder, newest first; `isVerifying` reads each one whole.
  package func list(isVerifying: Bool) throws(MigrationError) -> BackupReport { fatalError() }

  /// Applies the retention rule alone; only shows what it would do unless `isApplying`.
  package func prune(isApplying: Bool) throws(MigrationError) -> BackupReport { fatalError() }
}

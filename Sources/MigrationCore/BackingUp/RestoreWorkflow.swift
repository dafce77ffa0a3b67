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

/// Lists, checks and restores a backup; what the folder held is set aside, never deleted.
package struct RestoreWorkflow: Sendable {
  private let options: RestoreOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: RestoreOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns the entries of the backup without reading their content.
  package func list() throws(MigrationError) -> RestoreReport { fatalError() }

  /// Returns whether every entry of the backup has the hash its manifest says.
  package func check() throws(MigrationError) -> RestoreReport { fatalError() }

  /// Returns what `perform()` would bring back and set aside; writes nothing.
  package func plan() throws(MigrationError) -> RestoreReport { fatalError() }

  /// Restores; an earlier restore that was interrupted is finished first.
  package func perform() throws(MigrationError) -> RestoreReport { fatalError() }
}

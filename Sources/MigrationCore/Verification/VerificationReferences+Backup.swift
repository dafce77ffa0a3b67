import Folders

extension VerificationReferences {
  /// The legacy files of a backup.
  static func backup(
    _ path: String, rules: EntityRules, context: RunContext
  ) throws(MigrationError) -> VerificationReferences {
    throw .unprovenBackup(path: path, problem: "cannot be read yet")
  }
}

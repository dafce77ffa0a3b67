import Backups
import Folders
import SafeFiles

extension VerificationReferences {
  /// The legacy files of a backup, which is verified first.
  static func backup(
    _ path: String, rules: EntityRules, context: RunContext
  ) throws(MigrationError) -> VerificationReferences {
    backup(
      try BackupAccess.verify(path, context: context), name: path, rules: rules, context: context)
  }

  /// The legacy files of a backup that was verified.
  static func backup(
    _ backup: VerifiedBackup, name: String, rules: EntityRules, context: RunContext
  ) -> VerificationReferences {
    var references = VerificationReferences(name: name)
    references.entries = { body throws(MigrationError) in
      let manifest = backup.manifest
      var batch = EntityBatch()
      var current: (entry: Int, bytes: [UInt8])?
      var failure: MigrationError?
      /// Hands the file over whose last piece was read.
      func finish() throws(MigrationError) {
        guard let (entry, bytes) = current else { return }
        current = nil
        let path = manifest[entry].path
        guard let (fileClass, month) = LegacyPath.classify(path) else { return }
        batch.load(bytes, as: fileClass, path: path.description, rules: rules)
        try body(batch, month, path.description)
      }
      do throws(BackupError) {
        try backup.read(
          context: BackupContext(context, phase: .verifying),
          where: { manifest[$0].kind == .file && LegacyPath.classify(manifest[$0].path) != nil }
        ) { entry, piece throws(BackupError) in
          if let open = current, open.entry == entry {
            current?.bytes.append(contentsOf: piece)
            return
          }
          do throws(MigrationError) { try finish() } catch {
            failure = error
            throw .interrupted
          }
          current = (entry, piece)
        }
      } catch {
        throw failure ?? MigrationError(error)
      }
      try finish()
    }
    return references
  }
}

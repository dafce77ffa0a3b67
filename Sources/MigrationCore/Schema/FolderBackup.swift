import Backups
import Runs

/// The verified backup of a folder that is there before steps change it.
enum FolderBackup {
  /// Verifies the backup that somebody named, or makes one, unless one is there that holds what the
  /// folder does.
  static func make(
    of folder: String, _ options: SchemaOptions, context: RunContext
  ) throws(MigrationError) -> VerifiedBackup {
    if let path = options.backup { return try BackupAccess.verify(path, context: context) }
    var pack = PackOptions(folder: folder)
    pack.reusesVerified = true
    let report = try PackWorkflow(pack, context: context).perform()
    guard let archive = report.archives.first else {
      throw .brokenInvariant("a backup that is nowhere")
    }
    return try BackupAccess.verify(archive.path, context: context)
  }
}

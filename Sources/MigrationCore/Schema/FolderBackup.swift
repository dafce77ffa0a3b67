import Backups
import Runs
import SafeFiles

/// The verified backup of a folder that is there before steps change it.
struct FolderBackup {
  let backup: ReliedBackup
  /// Whether somebody named it: it may be of another day, or of another folder.
  private let isNamed: Bool

  /// What keeps others from dropping it.
  var hold: BackupHold { backup.hold }

  /// Verifies the backup that somebody named, or makes one, unless one is there that holds what the
  /// folder does.
  static func make(
    of folder: String, _ options: SchemaOptions, context: RunContext
  ) throws(MigrationError) -> FolderBackup {
    if let path = options.backup {
      return FolderBackup(backup: try BackupAccess.rely(on: path, context: context), isNamed: true)
    }
    var pack = PackOptions(folder: folder)
    pack.reusesVerified = true
    let report = try PackWorkflow(pack, context: context).perform()
    guard let archive = report.archives.first else {
      throw .brokenInvariant("a backup that is nowhere")
    }
    return FolderBackup(
      backup: try BackupAccess.rely(on: archive.path, context: context), isNamed: false)
  }

  /// Throws unless it is in its place and, if somebody named it, holds files as they are before they
  /// change, by their hashes; those that are new have none.
  func require(
    _ files: some Sequence<(path: RelativePath, hash: ContentHash?)>
  ) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in try backup.requireInPlace() }
    guard isNamed else { return }
    for case (let path, let hash?) in files {
      guard backup.files[path]?.hash == hash else {
        throw .unprovenBackup(
          path: backup.archive.path, problem: "does not hold \(path) as it is")
      }
    }
  }
}

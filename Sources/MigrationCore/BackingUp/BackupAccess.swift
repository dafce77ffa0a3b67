import Backups
import Runs
import SafeFiles

/// How a run reaches backups.
package enum BackupAccess {
  /// Reads a whole backup and returns it once everything in it is what its manifest says.
  ///
  /// Who changes a folder because a backup holds something calls this under the lock of the folder,
  /// and keeps the result until the last change.
  static func verify(_ path: String, context: RunContext) throws(MigrationError) -> VerifiedBackup {
    do {
      return try BackupArchive(path: path, operations: context.operations).verify(
        context: BackupContext(context, phase: .checking))
    } catch {
      throw MigrationError(error)
    }
  }
}

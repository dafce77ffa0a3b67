import Folders
package import SafeFiles

/// A backup unpacked beside the folder's content, read back and equal to its manifest.
///
/// While it lives, its run is locked, so that no other restore takes it for debris.
package struct StagedRestore: Sendable {
  private let folder: Directory
  private let run: Directory
  private let name: FileName

  /// Unpacks a verified backup into a run of its own below the folder and proves it.
  ///
  /// Nothing of the folder's content is touched. Directories of dead runs are removed first.
  package static func stage(
    _ backup: VerifiedBackup, into folder: Directory, run name: FileName,
    context: BackupContext = BackupContext()
  ) throws(BackupError) -> StagedRestore {
    try RestorePlace.requireFinished(in: folder)
    let run: Directory
    let target: Directory
    do throws(FileError) {
      let free = try folder.freeSpace()
      let needed = backup.manifest.summary.byteCount + Int64(backup.manifest.count) * 4_096
      guard free > needed else { throw .diskFull(path: folder.path, action: .write) }
      try RestoreSweep.removeDebris(in: folder)
      run = try folder.createDirectory(RestorePlace.path).createDirectory(name, orOpen: false)
      // Nobody else knows the new directory; file systems without locks have one user anyway.
      _ = run.tryLock()
      target = try run.createDirectory(RestorePlace.staging, mode: 0o700)
    } catch {
      throw .file(error)
    }
    try BackupUnpacker(backup, target, context: context).unpack()
    if let different = try backup.manifest.firstDifference(from: target, context: context) {
      throw .writtenBytesDiffer(path: target.path, entry: different.description)
    }
    do throws(FileError) {
      try run.move(RestorePlace.staging, to: run, as: RestorePlace.new)
      try run.synchronize()
    } catch {
      throw .file(error)
    }
    return StagedRestore(folder: folder, run: run, name: name)
  }

  /// Moves the folder's content aside and the backup's in; the caller holds the folder's lock.
  ///
  /// Interrupted, it is finished by `UnfinishedRestore.finish(in:)`.
  package func commit() throws(BackupError) -> RestoreOutcome {
    try RestoreMove(folder: folder, run: run, runName: name).finish()
  }

  /// Gives the restore up before it is committed; the folder was not touched.
  package func discard() throws(BackupError) {
    do throws(FileError) {
      try run.removeOwnTree(RestorePlace.new)
      try folder.openDirectory(RestorePlace.path).removeEmptyDirectory(name)
    } catch {
      throw .file(error)
    }
  }
}

package import SafeFiles

/// A restore that was interrupted while entries were moving.
package enum UnfinishedRestore {
  /// Finishes it; the caller holds the folder's lock. Returns nil if there was none.
  package static func finish(in folder: Directory) throws(BackupError) -> RestoreOutcome? {
    guard let name = try RestorePlace.unfinishedRun(in: folder) else { return nil }
    let run: Directory
    do throws(FileError) {
      run = try folder.openDirectory(RestorePlace.path).openDirectory(name)
    } catch {
      throw .file(error)
    }
    // A living restore between staging and committing holds this; it must not be raced.
    guard run.tryLock() else { throw .restoreAtWork(path: run.path) }
    return try RestoreMove(folder: folder, run: run, runName: name).finish()
  }
}

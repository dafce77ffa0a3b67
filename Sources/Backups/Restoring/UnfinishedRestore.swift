package import SafeFiles

/// A restore that was interrupted while entries were moving.
package enum UnfinishedRestore {
  /// Finishes it, or its undoing if that had begun; the caller holds the folder's lock. Returns nil if
  /// there was none.
  package static func finish(in folder: Directory) throws(BackupError) -> RestoreOutcome? {
    guard let (name, run) = try open(in: folder) else { return nil }
    let isUndoing: Bool
    do throws(FileError) {
      isUndoing = try run.entries().contains {
        [RestorePlace.undoing, RestorePlace.undoingIncoming, RestorePlace.undoingChosen]
          .contains($0.name)
      }
    } catch {
      throw .file(error)
    }
    return isUndoing
      ? try RestoreUndo(folder: folder, run: run, runName: name).perform()
      : try RestoreMove(folder: folder, run: run, runName: name).finish()
  }

  /// Undoes it: what had moved out is put back, quarantine too, and what had moved in, or came since,
  /// is set aside. The caller holds the folder's lock. Returns nil if there was none.
  package static func undo(in folder: Directory) throws(BackupError) -> RestoreOutcome? {
    guard let (name, run) = try open(in: folder) else { return nil }
    return try RestoreUndo(folder: folder, run: run, runName: name).perform()
  }

  private static func open(
    in folder: Directory
  ) throws(BackupError) -> (name: FileName, run: Directory)? {
    guard let name = try RestorePlace.unfinishedRun(in: folder) else { return nil }
    let run: Directory
    do throws(FileError) {
      run = try folder.openDirectory(RestorePlace.path).openDirectory(name)
    } catch {
      throw .file(error)
    }
    // A living restore between staging and committing holds this; it must not be raced.
    guard run.tryLock() else { throw .restoreAtWork(path: run.path) }
    return (name, run)
  }
}

import Folders
package import SafeFiles

/// Where restores of a folder happen: `.automerge-migrate.nosync/restore/RUN/`.
///
/// What is in a run's directory says how far it came, nothing else does:
///
/// - `staging`: the backup is being unpacked, or was and waits for the folder's lock. Left by a dead
///   run, it is removed by the next one that writes.
/// - `new`: everything was unpacked, read back and synchronized, and nothing speaks against it. The
///   folder's entries are moving to `old`. From here on the restore will be finished or undone, and
///   nobody else opens the folder.
/// - `replacement`: instead of `new`, if the quarantine moves out with the entries, to `quarantine`.
/// - `incoming`: the folder is empty; entries are moving in.
/// - `chosen`: instead of `new`, if only some entries are restored: they are moving to their places,
///   and what was there to `old`. A file in it under the name of our state, which no backup has,
///   lists in whose places nothing was.
/// - `undoing-incoming`, `undoing-chosen`: the restore is being undone. What moved in is moving to
///   `arrived`.
/// - `undoing`: what is in `old` and `quarantine` is moving back.
/// - only `old`, `quarantine` and `arrived`: done. They hold what was in the folder before, and what
///   others wrote to it while entries moved. Beside them `staging` is debris.
package enum RestorePlace {
  static let staging: FileName = "staging"
  static let new = FolderNames.restoredContent
  static let replacement: FileName = "replacement"
  static let incoming: FileName = "incoming"
  static let chosen: FileName = "chosen"
  static let undoingIncoming: FileName = "undoing-incoming"
  static let undoingChosen: FileName = "undoing-chosen"
  static let undoing: FileName = "undoing"
  static let old = FolderNames.replacedContent
  static let arrived = FolderNames.arrivedContent
  /// Below `chosen`.
  static let added = FolderNames.state

  /// What a run has that was interrupted while entries were moving.
  private static let unfinished = [
    new, replacement, incoming, chosen, undoingIncoming, undoingChosen, undoing,
  ]

  /// The path of the restores of a folder.
  static let path = RelativePath(FolderNames.state).appending(FolderNames.restore)

  /// Returns the run of a restore that was interrupted while the folder's entries were moving, nil
  /// if there is none: nobody else may open the folder until it is finished or undone.
  package static func unfinishedRun(in folder: Directory) throws(BackupError) -> FileName? {
    do throws(FileError) {
      guard let state = try folder.stateIfPresent(of: path), state.kind == .directory else {
        return nil
      }
      let place = try folder.openDirectory(path)
      for entry in try place.entries() where entry.kind == .directory {
        // A restore that ends takes its run away.
        guard let run = try place.openDirectoryIfPresent(RelativePath(entry.name)) else { continue }
        for name in unfinished where try run.stateIfPresent(of: name) != nil {
          return entry.name
        }
      }
      return nil
    } catch {
      throw .file(error)
    }
  }

  /// Throws `restoreAtWork` if another restore is between unpacking and its end, and
  /// `unfinishedRestore` if it died there.
  package static func requireFinished(in folder: Directory) throws(BackupError) {
    while let run = try unfinishedRun(in: folder) {
      // One that has ended meanwhile is looked for once more.
      guard let isAtWork = try isAtWork(run, in: folder) else { continue }
      let shown = folder.path + "/" + path.appending(run).description
      throw isAtWork
        ? .restoreAtWork(path: shown) : .unfinishedRestore(path: shown, folder: folder.path)
    }
  }

  /// Whether a restore lives: then it holds the lock on its run. Nil if the run is gone.
  private static func isAtWork(_ run: FileName, in folder: Directory) throws(BackupError) -> Bool? {
    do throws(FileError) {
      // Nobody keeps this lock longer than the look.
      return try folder.openDirectoryIfPresent(path.appending(run)).map { !$0.tryLock() }
    } catch {
      throw .file(error)
    }
  }
}

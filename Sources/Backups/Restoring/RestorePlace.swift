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
/// - `waiting`: instead of `staging`, if a restore waits to be asked for once more. Nothing of the folder
///   has moved, and nobody is kept from working.
/// - `leaving` in any of these: the names of what makes place though nothing comes there.
/// - Our state in `new`, `replacement` or `incoming`: the record of steps over the content, which takes the
///   place of the folder's. That is in `old` until everything is in, in a directory of the same name.
/// - `undoing-incoming`, `undoing-chosen`: the restore is being undone. What moved in is moving to
///   `arrived`.
/// - `undoing`: what is in `old` and `quarantine` is moving back.
/// - `keeping-LOCK`: beside any of these, which file of the folder does not move, see `RestoreScope`.
/// - only `old`, `quarantine` and `arrived`: done. They hold what was in the folder before, and what
///   others wrote to it while entries moved. Beside them `staging` and `keeping-LOCK` are debris.
package enum RestorePlace {
  static let staging: FileName = "staging"
  static let new = FolderNames.restoredContent
  static let replacement: FileName = "replacement"
  static let incoming: FileName = "incoming"
  static let chosen: FileName = "chosen"
  static let waiting: FileName = "waiting"
  /// Below `chosen`.
  static let leaving: FileName = "leaving.nosync"
  static let undoingIncoming: FileName = "undoing-incoming"
  static let undoingChosen: FileName = "undoing-chosen"
  static let undoing: FileName = "undoing"
  static let old = FolderNames.replacedContent
  static let arrived = FolderNames.arrivedContent
  /// Below `chosen`.
  static let added = FolderNames.state

  /// The record of steps, in our state.
  static let record = DirectoryEntry(name: FolderNames.schemaLog, kind: .regular)

  /// What a run has that was interrupted while entries were moving.
  fileprivate static let unfinished = [
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
    let scope = try RestoreScope.noted(in: run)
    return isUndoing
      ? try RestoreUndo(folder: folder, run: run, runName: name, scope: scope).perform()
      : try RestoreMove(folder: folder, run: run, runName: name, scope: scope).finish()
  }

  /// Undoes it: what had moved out is put back, quarantine too, and what had moved in, or came since,
  /// is set aside. The caller holds the folder's lock. Returns nil if there was none.
  package static func undo(in folder: Directory) throws(BackupError) -> RestoreOutcome? {
    guard let (name, run) = try open(in: folder) else { return nil }
    let scope = try RestoreScope.noted(in: run)
    return try RestoreUndo(folder: folder, run: run, runName: name, scope: scope).perform()
  }

  /// Returns what of the folder stays where it is until the restore is finished or undone; nil if there
  /// is none.
  package static func scope(in folder: Directory) throws(BackupError) -> BackupScope? {
    guard let name = try RestorePlace.unfinishedRun(in: folder) else { return nil }
    let run: Directory?
    do throws(FileError) {
      run = try folder.openDirectoryIfPresent(RestorePlace.path.appending(name))
    } catch {
      throw .file(error)
    }
    // One that has ended meanwhile keeps nothing.
    guard let run else { return nil }
    return try RestoreScope.noted(in: run)
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

/// What a restore that is done has set aside: the content of the folder before, the quarantine that
/// belonged to it, and what others wrote meanwhile.
package struct ReplacedContent: Sendable {
  /// The name of the restore's run, which begins with its time.
  package let run: FileName
  /// Where the run lies, relative to the folder.
  package let path: RelativePath
  /// The directory of the run.
  package let directory: Directory

  /// Returns what restores of a folder have set aside, in the order of their names; nothing of a
  /// restore that has to be finished first.
  package static func all(of folder: Directory) throws(FileError) -> [ReplacedContent] {
    guard let place = try folder.openDirectoryIfPresent(RestorePlace.path) else { return [] }
    var all: [ReplacedContent] = []
    for entry in try place.entries() where entry.kind == .directory {
      // A restore that ends takes its run away; a living one holds the lock on it, and it is empty at
      // first.
      guard let run = try place.openDirectoryIfPresent(RelativePath(entry.name)), run.tryLock(),
        let names = try run.entriesIfPresent()?.map(\.name)
      else { continue }
      // What else is there says that the restore is not done.
      let setAside = [RestorePlace.old, FolderNames.quarantine, RestorePlace.arrived]
      let debris = names.filter { $0 == RestorePlace.staging || RestoreScope.isNote($0) }
      guard names.allSatisfy({ setAside.contains($0) || debris.contains($0) }),
        names.contains(where: setAside.contains)
      else { continue }
      all.append(
        ReplacedContent(
          run: entry.name, path: RestorePlace.path.appending(entry.name), directory: run))
    }
    return all
  }
}

extension Directory {
  /// Returns what is in this directory; nil if it was removed since it was opened.
  fileprivate func entriesIfPresent() throws(FileError) -> [DirectoryEntry]? {
    do throws(FileError) {
      return try entries()
    } catch {
      guard case .missing = error else { throw error }
      return nil
    }
  }
}

/// Removes what dead restores left: backups that were still being unpacked, and empty runs.
package enum RestoreSweep {
  /// Removes it from a folder; what a living restore unpacks stays, whoever calls.
  package static func removeDebris(in folder: Directory) throws(FileError) {
    guard try folder.stateIfPresent(of: RestorePlace.path) != nil else { return }
    let place = try folder.openDirectory(RestorePlace.path)
    for entry in try place.entries() where entry.kind == .directory {
      do throws(FileError) {
        try removeDebris(of: entry.name, in: place)
      } catch {
        // A restore that ends takes its run away.
        guard case .missing = error else { throw error }
      }
    }
  }

  private static func removeDebris(
    of name: FileName, in place: Directory
  ) throws(FileError) {
    let run = try place.openDirectory(name)
    // A living restore holds the lock on its run.
    guard run.tryLock() else { return }
    try unlessDenied { () throws(FileError) in
      guard try run.stateIfPresent(of: RestorePlace.staging) != nil else { return }
      try run.removeOwnTree(RestorePlace.staging)
    }
    // What cannot be listed ends this: nobody knows what was set aside there.
    let names = try run.entries().map(\.name)
    if let note = names.first(where: RestoreScope.isNote) {
      guard !names.contains(where: RestorePlace.unfinished.contains) else { return }
      try unlessDenied { () throws(FileError) in try RestoreScope.forget(note, in: run) }
    }
    guard names.allSatisfy(RestoreScope.isNote) else { return }
    try unlessDenied { () throws(FileError) in try place.removeEmptyDirectory(name) }
  }

  /// What somebody else owns stays, and keeps nobody from working.
  private static func unlessDenied(
    _ remove: () throws(FileError) -> Void
  ) throws(FileError) {
    do throws(FileError) { try remove() } catch {
      guard case .permissionDenied = error else { throw error }
    }
  }
}

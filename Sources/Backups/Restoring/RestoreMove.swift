import Folders
import SafeFiles

/// Moves a folder's entries out and a restored backup's in, from wherever an earlier run stopped.
///
/// Where the system lets them be renamed every step is one rename; see `EntryMover` for the rest.
/// What is where says which step is next; see `RestorePlace`.
struct RestoreMove {
  let folder: Directory
  let run: Directory
  let runName: FileName

  func finish() throws(BackupError) -> RestoreOutcome {
    do throws(FileError) {
      for ready in [RestorePlace.new, RestorePlace.replacement]
      where try run.stateIfPresent(of: ready) != nil {
        try moveOut()
        if ready == RestorePlace.replacement { try moveQuarantineOut() }
        try run.move(ready, to: run, as: RestorePlace.incoming)
        try run.synchronize()
      }
      if try run.stateIfPresent(of: RestorePlace.incoming) != nil { try moveIn() }
      if try run.stateIfPresent(of: RestorePlace.chosen) != nil { try moveChosenIn() }
      return try RestoreOutcome(of: run, named: runName)
    } catch {
      throw .restoreStopped(error, folder: folder.path)
    }
  }

  /// Everything that is in the folder before the first entry moves in is old. What has the name of an
  /// entry that has moved out already has come since.
  private func moveOut() throws(FileError) {
    let old = try run.createDirectory(RestorePlace.old, mode: 0o700)
    try old.sweepUnpublished()
    let mover = EntryMover(
      collision: .setsSourceAside, mergesDirectories: true, elsewhere: run.arrivals)
    for entry in try folder.entries() where !BackupScope.isExcluded(entry.name) {
      try mover.move(entry, from: folder, to: old)
    }
    try old.synchronize()
    try folder.synchronize()
  }

  /// What lies in quarantine was part of what the old content became, and goes with it: it is
  /// nothing to compare the new content with.
  private func moveQuarantineOut() throws(FileError) {
    let state = try folder.openDirectory(RelativePath(FolderNames.state))
    guard try state.stateIfPresent(of: FolderNames.quarantine) != nil else { return }
    let mover = EntryMover(
      collision: .setsSourceAside, mergesDirectories: true, elsewhere: run.arrivals)
    try mover.move(
      DirectoryEntry(name: FolderNames.quarantine, kind: .directory), from: state, to: run)
    try run.synchronize()
    try state.synchronize()
  }

  /// What an app that did not wait has made meanwhile is set aside.
  private func moveIn() throws(FileError) {
    let incoming = try run.openDirectory(RestorePlace.incoming)
    let mover = EntryMover(
      collision: .setsTargetAside, mergesDirectories: false, elsewhere: run.arrivals)
    for entry in try incoming.entries() { try mover.move(entry, from: incoming, to: folder) }
    try folder.synchronize()
    try incoming.synchronize()
    try run.removeEmptyDirectory(RestorePlace.incoming)
    try run.synchronize()
  }

  /// Moves what was chosen to its place; a directory that is there on both sides stays and gets what
  /// was chosen in it.
  private func moveChosenIn() throws(FileError) {
    let chosen = try run.openDirectory(RestorePlace.chosen)
    // It may have the mode of a directory nobody writes to.
    try chosen.makeWritable()
    let mover = EntryMover(collision: .setsTargetAside, mergesDirectories: true) {
      (path, name) throws(FileError) in
      // Only the first that lies in a place was there before.
      let old = try run.createDirectory(RestorePlace.old, mode: 0o700).createDirectory(path)
      return try old.stateIfPresent(of: name) == nil ? old : run.arrivals(path, name)
    }
    for entry in try chosen.entries() where !BackupScope.isExcluded(entry.name) {
      try mover.move(entry, from: chosen, to: folder)
    }
    try folder.synchronize()
    try chosen.synchronize()
    // Done from here on: the rest is debris.
    try run.move(RestorePlace.chosen, to: run, as: RestorePlace.staging)
    try run.synchronize()
    try run.removeOwnTree(RestorePlace.staging)
  }
}

extension Directory {
  /// Opens the place of what came to a directory of the folder while entries moved; of a run.
  func arrivals(_ path: RelativePath, _ name: FileName) throws(FileError) -> Directory {
    try createDirectory(RestorePlace.arrived, mode: 0o700).createDirectory(path)
  }
}

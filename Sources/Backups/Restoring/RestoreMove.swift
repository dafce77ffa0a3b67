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
  /// What of the folder stays where it is.
  let scope: BackupScope

  func finish() throws(BackupError) -> RestoreOutcome {
    do throws(FileError) {
      for ready in [RestorePlace.new, RestorePlace.replacement]
      where try run.stateIfPresent(of: ready) != nil {
        try moveOut()
        try moveRecordOut(before: ready)
        if ready == RestorePlace.replacement { try moveQuarantineOut() }
        try run.move(ready, to: run, as: RestorePlace.incoming)
        try run.synchronize()
      }
      if try run.stateIfPresent(of: RestorePlace.incoming) != nil { try moveIn() }
      if try run.stateIfPresent(of: RestorePlace.chosen) != nil { try moveChosenIn() }
      try RestoreScope.forget(scope, in: run)
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
    for entry in try folder.entries() where !scope.isExcluded(entry.name) {
      try mover.move(entry, from: folder, to: old)
    }
    try old.synchronize()
    try folder.synchronize()
  }

  /// The record of what steps did to the old content goes with it, if the new content brings its own.
  private func moveRecordOut(before ready: FileName) throws(FileError) {
    guard try run.openDirectory(ready).stateIfPresent(of: FolderNames.state) != nil else { return }
    // Also where there is no record: whoever undoes the restore knows by it that another one came.
    let place = try run.createDirectory(RestorePlace.old, mode: 0o700)
      .createDirectory(FolderNames.state, mode: 0o700)
    let state = try folder.openDirectory(RelativePath(FolderNames.state))
    guard try state.stateIfPresent(of: FolderNames.schemaLog) != nil else { return }
    let mover = EntryMover(
      collision: .setsSourceAside, mergesDirectories: true, elsewhere: run.arrivals)
    try mover.move(RestorePlace.record, from: state, to: place, RelativePath(FolderNames.state))
    try place.synchronize()
    try state.synchronize()
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
    let merger = EntryMover(
      collision: .setsTargetAside, mergesDirectories: true, elsewhere: run.arrivals)
    for entry in try incoming.entries() {
      let mover = entry.name == FolderNames.state ? merger : mover
      try mover.move(entry, from: incoming, to: folder)
    }
    try folder.synchronize()
    try incoming.synchronize()
    try run.removeEmptyDirectory(RestorePlace.incoming)
    // What the record before said the one that is there now says, too.
    if let old = try run.openDirectoryIfPresent(RelativePath(RestorePlace.old)),
      try old.stateIfPresent(of: FolderNames.state) != nil
    {
      try old.removeOwnTree(FolderNames.state)
    }
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
    let coming = try chosen.entries().filter {
      !scope.isExcluded($0.name) && $0.name != RestorePlace.leaving
    }
    try moveLeavingOut(of: chosen, mover)
    for entry in coming { try mover.move(entry, from: chosen, to: folder) }
    try folder.synchronize()
    try chosen.synchronize()
    // Done from here on: the rest is debris.
    try run.move(RestorePlace.chosen, to: run, as: RestorePlace.staging)
    try run.synchronize()
    try run.removeOwnTree(RestorePlace.staging)
  }

  /// Moves out what makes place though nothing comes there. Each name is forgotten before anything moves
  /// in: what lies there then is new.
  private func moveLeavingOut(of chosen: Directory, _ mover: EntryMover) throws(FileError) {
    let path = RelativePath(RestorePlace.leaving)
    guard let leaving = try chosen.openDirectoryIfPresent(path) else { return }
    for entry in try leaving.entries() {
      if let there = try folder.stateIfPresent(of: entry.name) {
        try mover.setAside(
          DirectoryEntry(name: entry.name, kind: there.kind), from: folder, .folder)
      }
      try leaving.removeCopied(entry.name)
    }
    try leaving.synchronize()
  }
}

extension Directory {
  /// Opens the place of what came to a directory of the folder while entries moved; of a run.
  func arrivals(_ path: RelativePath, _ name: FileName) throws(FileError) -> Directory {
    try createDirectory(RestorePlace.arrived, mode: 0o700).createDirectory(path)
  }
}

/// Moves entries between two directories: by renaming where the system lets them be renamed, else a
/// directory by its entries and a file by a copy.
///
/// Dying anywhere leaves each file in one of the two places, or in both with the same bytes; moving
/// once more goes on from there.
struct EntryMover {
  /// What to do where something else has the name already.
  enum Collision {
    /// What is to be moved goes elsewhere: it has come since an earlier run had moved that name.
    case setsSourceAside
    /// What is there goes elsewhere.
    case setsTargetAside
  }

  let collision: Collision
  /// Whether a directory that is there already takes in the entries of the other; else that goes
  /// elsewhere like a file, unless it cannot be moved.
  let mergesDirectories: Bool
  /// Opens the place of what goes elsewhere from a path, for an entry of this name.
  let elsewhere: (RelativePath, FileName) throws(FileError) -> Directory

  /// Moves an entry to the same name in another directory.
  ///
  /// - Parameter path: the path of both directories, below what the run began with.
  func move(
    _ entry: DirectoryEntry, from source: Directory, to target: Directory,
    _ path: RelativePath = .folder
  ) throws(FileError) {
    // Whoever writes without the lock can come between again, but not for ever.
    for _ in 0..<100 {
      do throws(FileError) {
        return try Self.rename(entry, from: source, to: target, as: entry.name)
      } catch {
        if error.needsCopying {
          return try copy(entry, from: source, to: target, path)
        }
        guard case .alreadyExists = error else { throw error }
      }
      guard let there = try target.stateIfPresent(of: entry.name) else { continue }
      if there.kind == .directory, entry.kind == .directory {
        // One that something is mounted on stayed when it was emptied.
        if !mergesDirectories, try !target.openDirectory(entry.name).entries().isEmpty,
          try setAsideByRenaming(entry.name, from: target, path)
        {
          continue
        }
        return try moveContent(
          of: entry.name, from: source, to: target, path, keepsMode: mergesDirectories)
      }
      if entry.kind == there.kind, try target.isCopy(entry.name, of: entry.name, in: source) {
        return try source.removeCopied(entry.name)
      }
      switch collision {
      case .setsSourceAside: return try setAside(entry, from: source, path)
      case .setsTargetAside:
        try setAside(DirectoryEntry(name: entry.name, kind: there.kind), from: target, path)
      }
    }
    throw .alreadyExists(path: target.path(of: entry.name))
  }

  /// Moves an entry out of the way, under its own name if that is free.
  func setAside(
    _ entry: DirectoryEntry, from source: Directory, _ path: RelativePath
  ) throws(FileError) {
    let place = try elsewhere(path, entry.name)
    try Self.withFreeName(for: entry.name) { name throws(FileError) in
      do throws(FileError) {
        try Self.rename(entry, from: source, to: place, as: name)
      } catch {
        guard error.needsCopying else { throw error }
        guard entry.kind == .directory else {
          return try source.moveByCopying(entry.name, to: place, as: name)
        }
        try place.makeDirectory(name)
        try moveContent(from: source.openDirectory(entry.name), to: place.openDirectory(name))
        try source.removeEmptiedDirectory(entry.name)
      }
    }
    try place.synchronize()
    try source.synchronize()
  }

  private func setAsideByRenaming(
    _ name: FileName, from source: Directory, _ path: RelativePath
  ) throws(FileError) -> Bool {
    let place = try elsewhere(path, name)
    do throws(FileError) {
      try Self.withFreeName(for: name) { free throws(FileError) in
        try Self.rename(
          DirectoryEntry(name: name, kind: .directory), from: source, to: place, as: free)
      }
    } catch {
      guard error.needsCopying else { throw error }
      return false
    }
    try place.synchronize()
    return true
  }

  // MARK: Copying

  private func copy(
    _ entry: DirectoryEntry, from source: Directory, to target: Directory, _ path: RelativePath
  ) throws(FileError) {
    guard entry.kind == .directory else {
      return try source.moveByCopying(entry.name, to: target, as: entry.name)
    }
    let state = try source.state(of: entry.name)
    try target.makeDirectory(entry.name)
    // Whoever goes on after a crash finds a directory like the other.
    try target.openDirectory(entry.name).setAttributes(
      mode: state.mode | 0o700, modified: state.modified, owner: state.owner)
    try moveContent(of: entry.name, from: source, to: target, path, keepsMode: false)
  }

  private func moveContent(
    of name: FileName, from source: Directory, to target: Directory, _ path: RelativePath,
    keepsMode: Bool
  ) throws(FileError) {
    let (from, to) = (try source.openDirectory(name), try target.openDirectory(name))
    let state = try from.state()
    try from.makeWritable()
    if !keepsMode { try to.makeWritable() }
    // What was being copied when an earlier run died is copied anew.
    try to.sweepUnpublished()
    for entry in try from.entries() { try move(entry, from: from, to: to, path.appending(name)) }
    if !keepsMode {
      try to.setAttributes(mode: state.mode, modified: state.modified, owner: state.owner)
    }
    try to.synchronize()
    try target.synchronize()
    try from.synchronize()
    try source.removeEmptiedDirectory(name)
  }

  /// Moves the content of a directory to one that is new.
  private func moveContent(from source: Directory, to target: Directory) throws(FileError) {
    let state = try source.state()
    try source.makeWritable()
    let fresh = EntryMover(
      collision: .setsTargetAside, mergesDirectories: true, elsewhere: elsewhere)
    for entry in try source.entries() { try fresh.move(entry, from: source, to: target) }
    try target.setAttributes(mode: state.mode, modified: state.modified, owner: state.owner)
    try target.synchronize()
  }

  // MARK: Renaming

  private static func withFreeName(
    for name: FileName, _ body: (FileName) throws(FileError) -> Void
  ) throws(FileError) {
    var attempt = 1
    while true {
      let suffix = attempt == 1 ? [] : Array(".\(attempt)".utf8)
      let free = attempt == 1 ? name : FileName(name.prefix(250 - suffix.count) + suffix) ?? name
      do throws(FileError) { return try body(free) } catch {
        guard case .alreadyExists = error, attempt < 1_000 else { throw error }
        attempt += 1
      }
    }
  }

  /// Renames; a directory its owner cannot write to is made writable for that instant, because
  /// moving it changes its own link to its parent.
  private static func rename(
    _ entry: DirectoryEntry, from source: Directory, to target: Directory, as name: FileName
  ) throws(FileError) {
    do throws(FileError) {
      try source.move(entry.name, to: target, as: name)
    } catch {
      guard case .permissionDenied = error, entry.kind == .directory else { throw error }
      let directory = try source.openDirectory(entry.name)
      let state = try directory.state()
      guard state.mode & 0o200 == 0 else { throw error }
      try directory.setAttributes(mode: state.mode | 0o200, modified: state.modified, owner: nil)
      try source.move(entry.name, to: target, as: name)
      try directory.setAttributes(mode: state.mode, modified: state.modified, owner: nil)
    }
  }
}

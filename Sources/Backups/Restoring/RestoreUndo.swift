import Folders
import SafeFiles

/// Puts back what a restore has moved, from wherever it or an earlier undoing stopped.
///
/// Nothing is deleted but what never left the run: what had moved in goes to `arrived`, because it may
/// have been edited there. Steps are told as those of a restore; see `RestorePlace`.
struct RestoreUndo {
  let folder: Directory
  let run: Directory
  let runName: FileName
  /// What of the folder stays where it is.
  let scope: BackupScope

  func perform() throws(BackupError) -> RestoreOutcome {
    do throws(FileError) {
      for (ready, undoing) in [
        (RestorePlace.new, RestorePlace.undoing), (RestorePlace.replacement, RestorePlace.undoing),
        (RestorePlace.incoming, RestorePlace.undoingIncoming),
        (RestorePlace.chosen, RestorePlace.undoingChosen),
      ] where try run.stateIfPresent(of: ready) != nil {
        try step(from: ready, to: undoing)
      }
      if try run.stateIfPresent(of: RestorePlace.undoingIncoming) != nil {
        try moveOut()
        try step(from: RestorePlace.undoingIncoming, to: RestorePlace.undoing)
      }
      if try run.stateIfPresent(of: RestorePlace.undoingChosen) != nil {
        try moveAddedOut()
        try step(from: RestorePlace.undoingChosen, to: RestorePlace.undoing)
      }
      if try run.stateIfPresent(of: RestorePlace.undoing) != nil {
        try moveBack()
        // Done from here on: the rest is debris.
        try step(from: RestorePlace.undoing, to: RestorePlace.staging)
        try run.removeOwnTree(RestorePlace.staging)
      }
      if try run.stateIfPresent(of: RestorePlace.old) != nil {
        try run.removeEmptyDirectory(RestorePlace.old)
      }
      try RestoreScope.forget(scope, in: run)
      let outcome = try RestoreOutcome(of: run, named: runName, isUndone: true)
      if try run.entries().isEmpty {
        try folder.openDirectory(RestorePlace.path).removeEmptyDirectory(runName)
      }
      return outcome
    } catch {
      throw .restoreStopped(error, folder: folder.path)
    }
  }

  private func step(from: FileName, to: FileName) throws(FileError) {
    try run.move(from, to: run, as: to)
    try run.synchronize()
  }

  /// The folder was empty before entries moved in: what it holds is of the backup, or newer.
  private func moveOut() throws(FileError) {
    for entry in try folder.entries() where !scope.isExcluded(entry.name) {
      try mover.setAside(entry, from: folder, .folder)
    }
    try moveRecordOut()
  }

  /// A record of steps that came with the entries goes with them.
  private func moveRecordOut() throws(FileError) {
    let path = RelativePath(FolderNames.state)
    let record = path.appending(FolderNames.schemaLog)
    guard
      try run.stateIfPresent(of: RelativePath(RestorePlace.old).appending(FolderNames.state))
        != nil,
      try run.stateIfPresent(
        of: RelativePath(RestorePlace.undoingIncoming).appending(path).appending(
          FolderNames.schemaLog)) == nil,
      try folder.stateIfPresent(of: record) != nil
    else { return }
    try mover.setAside(RestorePlace.record, from: folder.openDirectory(path), path)
  }

  /// Moves out what had moved to places where nothing was.
  private func moveAddedOut() throws(FileError) {
    let waiting = try run.openDirectory(RestorePlace.undoingChosen)
    for path in try AddedPlaces.read(from: waiting) {
      guard let there = try folder.entry(at: path), let parent = path.parent else { continue }
      // A directory that is in both places had moved in part.
      guard
        try waiting.entry(at: path).map({ $0.kind == .directory && there.kind == .directory })
          ?? true
      else { continue }
      try mover.setAside(there, from: folder.openDirectory(parent), parent)
    }
  }

  private func moveBack() throws(FileError) {
    if let old = try run.openDirectoryIfPresent(RelativePath(RestorePlace.old)) {
      for entry in try old.entries() { try mover.move(entry, from: old, to: folder) }
      try folder.synchronize()
      try old.synchronize()
    }
    if try run.stateIfPresent(of: FolderNames.quarantine) != nil {
      let state = try folder.openDirectory(RelativePath(FolderNames.state))
      try mover.move(
        DirectoryEntry(name: FolderNames.quarantine, kind: .directory), from: run, to: state)
      try state.synchronize()
      try run.synchronize()
    }
  }

  private var mover: EntryMover {
    EntryMover(collision: .setsTargetAside, mergesDirectories: true, elsewhere: run.arrivals)
  }
}

/// The places of the entries of a restore of some in which nothing was, so that undoing it takes them
/// away again.
enum AddedPlaces {
  /// Writes the list into the directory that holds what was unpacked.
  static func write(to content: Directory, for folder: Directory) throws(FileError) {
    var paths: [UInt8] = []
    try collect(from: content, folder, .folder, &paths)
    try content.makeWritable()
    try content.publish(paths, as: RestorePlace.added)
  }

  static func read(from content: Directory) throws(FileError) -> [RelativePath] {
    try content.contents(of: RestorePlace.added).split(separator: 0).compactMap {
      RelativePath(Array($0))
    }
  }

  private static func collect(
    from content: Directory, _ folder: Directory, _ path: RelativePath, _ paths: inout [UInt8]
  ) throws(FileError) {
    for entry in try content.entries() {
      let place = path.appending(entry.name)
      guard let there = try folder.stateIfPresent(of: entry.name) else {
        paths.append(contentsOf: place.bytes + [0])
        continue
      }
      guard there.kind == .directory, entry.kind == .directory else { continue }
      try collect(
        from: content.openDirectory(entry.name), folder.openDirectory(entry.name), place, &paths)
    }
  }
}

extension Directory {
  /// Returns what lies at a path; nil if nothing does, or something else is in the way.
  fileprivate func entry(at path: RelativePath) throws(FileError) -> DirectoryEntry? {
    guard let name = path.lastComponent else { return nil }
    do throws(FileError) {
      return try stateIfPresent(of: path).map { DirectoryEntry(name: name, kind: $0.kind) }
    } catch {
      guard case .wrongKind = error else { throw error }
      return nil
    }
  }
}

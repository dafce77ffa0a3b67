import Folders
package import SafeFiles

/// A backup unpacked beside the folder's content, read back and equal to its manifest.
///
/// While it lives, its run is locked, so that no other restore takes it for debris.
package struct StagedRestore: Sendable {
  private let folder: Directory
  private let run: Directory
  private let name: FileName
  /// What the unpacked entries lie in once they may move, by which `RestoreMove` knows what to do
  /// with them.
  private let ready: FileName
  /// What of the folder stays where it is.
  private let scope: BackupScope
  /// What the unpacked entries lie in until then.
  private var place = RestorePlace.staging

  /// Unpacks a verified backup into a run of its own below the folder and proves it.
  ///
  /// Nothing of the folder's content is touched. Directories of dead runs are removed first.
  ///
  /// - Parameters:
  ///   - replacesQuarantine: whether what lies in quarantine is set aside with the content.
  ///   - scope: what of the folder stays where it is; nil for what the backup was made without.
  package static func stage(
    _ backup: VerifiedBackup, into folder: Directory, run name: FileName,
    replacesQuarantine: Bool = false, keeping scope: BackupScope? = nil,
    context: BackupContext = BackupContext()
  ) throws(BackupError) -> StagedRestore {
    try stage(
      backup.manifest, as: replacesQuarantine ? RestorePlace.replacement : RestorePlace.new,
      into: folder, run: name, keeping: scope, context: context
    ) { target throws(BackupError) in
      try BackupUnpacker(backup, target, context: context).unpack()
    }
  }

  /// Unpacks some entries of a backup likewise; `commit()` then leaves all others alone.
  package static func stage(
    _ chosen: ChosenEntries, into folder: Directory, run name: FileName,
    keeping scope: BackupScope? = nil, context: BackupContext = BackupContext()
  ) throws(BackupError) -> StagedRestore {
    try stage(
      chosen.manifest.keeping(chosen.isUnpacked), as: RestorePlace.chosen, into: folder,
      run: name, keeping: scope, context: context
    ) { target throws(BackupError) in
      try BackupUnpacker(chosen, target, context: context).unpack()
    }
  }

  /// Unpacks some entries of the backup of a store likewise.
  ///
  /// - Parameter leaving: the names of what is set aside though nothing comes into its place.
  package static func stage(
    store chosen: ChosenEntries, leaving: [FileName], into folder: Directory, run name: FileName,
    context: BackupContext = BackupContext()
  ) throws(BackupError) -> StagedRestore {
    let staged = try stage(
      chosen, into: folder, run: name, keeping: .store, context: context)
    do throws(FileError) {
      let content = try staged.run.openDirectory(RestorePlace.staging)
      let names = try content.createDirectory(RestorePlace.leaving, mode: 0o700)
      for name in leaving { _ = try names.createFile(name) }
      try names.synchronize()
    } catch {
      throw .file(error)
    }
    return staged
  }

  /// Lets the restore wait until `waiting(in:)` is asked for it, in this run or a later one; one that
  /// waits already gives way to it.
  package func wait() throws(BackupError) {
    do throws(FileError) {
      try run.move(place, to: run, as: RestorePlace.waiting)
      try run.synchronize()
      for other in try Self.allWaiting(in: folder) where other.name != name { try other.remove() }
    } catch {
      throw .file(error)
    }
  }

  /// Returns the restore that waits in a folder, locked; nil if none does.
  package static func waiting(in folder: Directory) throws(BackupError) -> StagedRestore? {
    do throws(FileError) { return try allWaiting(in: folder).last } catch { throw .file(error) }
  }

  private static func allWaiting(in folder: Directory) throws(FileError) -> [StagedRestore] {
    guard let place = try folder.openDirectoryIfPresent(RestorePlace.path) else { return [] }
    var all: [StagedRestore] = []
    for entry in try place.entries() where entry.kind == .directory {
      guard let run = try place.openDirectoryIfPresent(RelativePath(entry.name)),
        try run.stateIfPresent(of: RestorePlace.waiting) != nil, run.tryLock()
      else { continue }
      all.append(
        StagedRestore(
          folder: folder, run: run, name: entry.name, ready: RestorePlace.chosen, scope: .store,
          place: RestorePlace.waiting))
    }
    return all
  }

  /// Returns the files that were unpacked, with their sizes.
  package func files() throws(BackupError) -> [(path: RelativePath, size: Int64)] {
    var files: [(RelativePath, Int64)] = []
    do throws(FileError) {
      try Self.list(run.openDirectory(place), .folder, &files)
    } catch {
      throw .file(error)
    }
    return files
  }

  /// Returns the names of what makes place though nothing comes there.
  package func leaving() throws(BackupError) -> [FileName] {
    do throws(FileError) {
      return try run.openDirectory(place).openDirectory(RestorePlace.leaving).entries().map(\.name)
    } catch {
      throw .file(error)
    }
  }

  private static func list(
    _ directory: Directory, _ path: RelativePath, _ files: inout [(RelativePath, Int64)]
  ) throws(FileError) {
    for entry in try directory.entries() where !entry.name.hasSuffix(".nosync") {
      let inner = path.appending(entry.name)
      if entry.kind == .directory {
        try list(directory.openDirectory(entry.name), inner, &files)
      } else {
        files.append((inner, try directory.state(of: entry.name).size))
      }
    }
  }

  /// Gives up a restore that waits, of which nothing has moved.
  package func giveUpWaiting() throws(BackupError) {
    do throws(FileError) { try remove() } catch { throw .file(error) }
  }

  /// Gives a waiting restore up: it is debris from here on.
  private func remove() throws(FileError) {
    try run.move(RestorePlace.waiting, to: run, as: RestorePlace.staging)
    try run.removeOwnTree(RestorePlace.staging)
    try folder.openDirectory(RestorePlace.path).removeEmptyDirectory(name)
  }

  private static func stage(
    _ manifest: BackupManifest, as ready: FileName, into folder: Directory, run name: FileName,
    keeping scope: BackupScope?, context: BackupContext,
    _ unpack: (Directory) throws(BackupError) -> Void
  ) throws(BackupError) -> StagedRestore {
    try RestorePlace.requireFinished(in: folder)
    let run: Directory
    let target: Directory
    do throws(FileError) {
      try folder.requireSpace(for: manifest.summary.byteCount + Int64(manifest.count) * 4_096)
      try RestoreSweep.removeDebris(in: folder)
      (run, target) = try createRun(name, in: folder.createDirectory(RestorePlace.path))
    } catch {
      throw .file(error)
    }
    try requireNames(of: manifest, in: run)
    try unpack(target)
    if let different = try manifest.firstDifference(from: target, context: context) {
      throw .writtenBytesDiffer(path: target.path, entry: different.description)
    }
    return StagedRestore(
      folder: folder, run: run, name: name, ready: ready, scope: scope ?? manifest.summary.scope)
  }

  /// Creates and locks the directory of a run, and in it the one that is unpacked into.
  private static func createRun(
    _ name: FileName, in place: Directory
  ) throws(FileError) -> (run: Directory, target: Directory) {
    var patience = Patience(seconds: 1)
    while true {
      do throws(FileError) {
        let run = try place.createDirectory(name, orOpen: false)
        // Who looks whether the run is alive has its lock for an instant. File systems without locks
        // have one user anyway.
        var instant = Patience(seconds: 0.2)
        while !run.tryLock(), instant.wait() {}
        return (run, try run.createDirectory(RestorePlace.staging, mode: 0o700))
      } catch {
        // A sweep that came before the lock, or before this opened it, took it for what a dead restore
        // left.
        guard case .missing = error, patience.wait() else { throw error }
      }
    }
  }

  /// Throws `nameCollision` if the volume takes two of the entries for one.
  private static func requireNames(of manifest: BackupManifest, in run: Directory)
    throws(BackupError)
  {
    guard !manifest.collisions(on: .least).isEmpty else { return }
    let volume: VolumeNames
    do { volume = try VolumeNames(probing: run) } catch { throw .file(error) }
    guard let (path, earlier) = manifest.collisions(on: volume).first else { return }
    throw .nameCollision(
      path: run.path, entry: path.description, other: earlier.description)
  }

  /// Opens what was unpacked, to be looked at before it is committed.
  package func content() throws(BackupError) -> Directory {
    do { return try run.openDirectory(place) } catch { throw .file(error) }
  }

  /// Decides that the restore happens: from here on it will be finished, and other writers wait.
  ///
  /// The caller holds the folder's lock, and has looked at all that might speak against it: what
  /// dies before this leaves debris, whatever was unpacked, and what dies after it is finished by
  /// `UnfinishedRestore.finish(in:)`. Throws `unfinishedRestore` if another one died meanwhile.
  package func makeReady() throws(BackupError) {
    try RestorePlace.requireFinished(in: folder)
    do throws(FileError) {
      let content = try run.openDirectory(place)
      try requireMovable(to: content)
      try RestoreScope.note(scope, in: run, of: content)
      // What waited may have been made ready before, by a run that died.
      if place == RestorePlace.waiting { try content.sweepUnpublished() }
      if ready == RestorePlace.chosen { try AddedPlaces.write(to: content, for: folder) }
      try run.move(place, to: run, as: ready)
      try run.synchronize()
    } catch {
      throw .file(error)
    }
  }

  /// Moves what the folder holds in their places aside and the entries in; the caller holds the
  /// folder's lock. A whole backup takes the place of everything.
  ///
  /// Interrupted, it is finished by `UnfinishedRestore.finish(in:)`. If something of the old content
  /// cannot be moved out, what was is put back: the folder is what it was.
  package func commit() throws(BackupError) -> RestoreOutcome {
    try makeReady()
    do throws(BackupError) {
      return try RestoreMove(folder: folder, run: run, runName: name, scope: scope).finish()
    } catch {
      guard case .restoreStopped(let cause, _) = error, isMovingOut,
        // If that fails, too, the first error says what to do.
        (try? RestoreUndo(folder: folder, run: run, runName: name, scope: scope).perform()) != nil
      else { throw error }
      throw .restoreUndone(cause)
    }
  }

  private var isMovingOut: Bool {
    [RestorePlace.new, RestorePlace.replacement].contains { ready in
      // What cannot be looked at is told by the error that is under way.
      (try? run.stateIfPresent(of: ready)) != nil
    }
  }

  /// Throws `immutable` if something that has to make place is marked so that it cannot.
  private func requireMovable(to content: Directory) throws(FileError) {
    let places =
      ready == RestorePlace.chosen
      ? try content.entries().map(\.name) : try folder.entries().map(\.name)
    for name in places where !scope.isExcluded(name) && folder.isImmutable(name) {
      throw .immutable(path: folder.path(of: name))
    }
  }

  /// Gives the restore up unless it is ready; the folder was not touched.
  package func discard() throws(BackupError) {
    do throws(FileError) {
      guard try run.stateIfPresent(of: RestorePlace.staging) != nil else { return }
      try run.removeOwnTree(RestorePlace.staging)
      try RestoreScope.forget(scope, in: run)
      try folder.openDirectory(RestorePlace.path).removeEmptyDirectory(name)
    } catch {
      throw .file(error)
    }
  }
}

/// What a restore leaves behind that is finished, or undone.
package struct RestoreOutcome: Hashable, Sendable {
  /// Where the old content of the folder is now, relative to the folder; nil if there was none, or if
  /// it was put back.
  package let setAside: RelativePath?
  /// What others wrote to the folder while entries moved, or, if it was undone, what the folder held
  /// then: where it is now, relative to the folder, directories by their names alone.
  package let arrived: [RelativePath]
  /// Whether what had moved was put back.
  package let isUndone: Bool

  init(of run: Directory, named name: FileName, isUndone: Bool = false) throws(FileError) {
    let path = RestorePlace.path.appending(name)
    let old = try run.openDirectoryIfPresent(RelativePath(RestorePlace.old))
    setAside = try old?.entries().isEmpty ?? true ? nil : path.appending(RestorePlace.old)
    let arrived = try run.openDirectoryIfPresent(RelativePath(RestorePlace.arrived))
    self.arrived =
      try arrived?.entries().map {
        path.appending(RestorePlace.arrived).appending($0.name)
      } ?? []
    self.isUndone = isUndone
  }
}

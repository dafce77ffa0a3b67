import Folders
import SafeFiles

/// Moves a folder's entries out and a restored backup's in, from wherever an earlier run stopped.
///
/// Every step is one rename, and what is where says which step is next; see `RestorePlace`.
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
      return RestoreOutcome(setAside: try setAside())
    } catch {
      throw .file(error)
    }
  }

  /// Everything that is in the folder before the first entry moves in is old.
  private func moveOut() throws(FileError) {
    let old = try old(.folder)
    for entry in try folder.entries() where !BackupScope.isExcluded(entry.name) {
      try setAside(entry, from: folder, in: old)
    }
    try old.synchronize()
    try folder.synchronize()
  }

  /// What lies in quarantine was part of what the old content became, and goes with it: it is
  /// nothing to compare the new content with.
  private func moveQuarantineOut() throws(FileError) {
    let state = try folder.openDirectory(RelativePath(FolderNames.state))
    guard try state.stateIfPresent(of: FolderNames.quarantine) != nil else { return }
    try state.move(FolderNames.quarantine, to: run)
    try run.synchronize()
    try state.synchronize()
  }

  private func moveIn() throws(FileError) {
    let incoming = try run.openDirectory(RestorePlace.incoming)
    for entry in try incoming.entries() {
      try moveIn(entry, from: incoming, to: folder, .folder)
    }
    try folder.synchronize()
    try incoming.synchronize()
    try run.removeEmptyDirectory(RestorePlace.incoming)
    try run.synchronize()
  }

  private func moveChosenIn() throws(FileError) {
    try moveIn(run.openDirectory(RestorePlace.chosen), to: folder, .folder)
    try run.removeEmptyDirectory(RestorePlace.chosen)
    try run.synchronize()
  }

  /// Moves what was chosen from one directory to its place; a directory that is there on both
  /// sides stays and gets what was chosen in it.
  private func moveIn(
    _ source: Directory, to target: Directory, _ path: RelativePath
  ) throws(FileError) {
    // It may have the mode of a directory nobody writes to.
    try source.makeWritable()
    let entries = try source.entries()
    var replaced: [DirectoryEntry] = []
    var shared: Set<FileName> = []
    for entry in entries {
      guard let kind = try target.stateIfPresent(of: entry.name)?.kind else { continue }
      if kind == .directory, entry.kind == .directory {
        shared.insert(entry.name)
      } else {
        replaced.append(DirectoryEntry(name: entry.name, kind: kind))
      }
    }
    if !replaced.isEmpty {
      let old = try old(path)
      for entry in replaced { try setAside(entry, from: target, in: old) }
      try old.synchronize()
      try target.synchronize()
    }
    for entry in entries {
      guard shared.contains(entry.name) else {
        try moveIn(entry, from: source, to: target, path)
        continue
      }
      try moveIn(
        source.openDirectory(entry.name), to: target.openDirectory(entry.name),
        path.appending(entry.name))
      try source.removeEmptyDirectory(entry.name)
    }
    try target.synchronize()
    try source.synchronize()
  }

  private func moveIn(
    _ entry: DirectoryEntry, from source: Directory, to target: Directory, _ path: RelativePath
  ) throws(FileError) {
    do throws(FileError) {
      try move(entry, from: source, to: target, as: entry.name)
    } catch {
      // An app that did not wait has made one of its own meanwhile: that is set aside too.
      guard case .alreadyExists = error else { throw error }
      let old = try old(path)
      let kind = try target.state(of: entry.name).kind
      try setAside(DirectoryEntry(name: entry.name, kind: kind), from: target, in: old)
      try old.synchronize()
      try move(entry, from: source, to: target, as: entry.name)
    }
  }

  /// Opens the place of what was in a directory of the folder.
  private func old(_ path: RelativePath) throws(FileError) -> Directory {
    try run.createDirectory(RestorePlace.old, mode: 0o700).createDirectory(path)
  }

  /// Moves an entry to the old ones, under its own name if that is free.
  private func setAside(
    _ entry: DirectoryEntry, from source: Directory, in old: Directory
  ) throws(FileError) {
    var attempt = 1
    while true {
      let suffix = attempt == 1 ? [] : Array(".\(attempt)".utf8)
      let name = FileName(entry.name.prefix(250 - suffix.count) + suffix)
      do throws(FileError) {
        return try move(
          entry, from: source, to: old, as: attempt == 1 ? entry.name : name ?? entry.name)
      } catch {
        guard case .alreadyExists = error, attempt < 1_000 else { throw error }
        attempt += 1
      }
    }
  }

  /// Renames; a directory its owner cannot write to is made writable for that instant, because
  /// moving it changes its own link to its parent.
  private func move(
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

  private func setAside() throws(FileError) -> RelativePath? {
    guard try run.stateIfPresent(of: RestorePlace.old) != nil,
      try !run.openDirectory(RestorePlace.old).entries().isEmpty
    else { return nil }
    return RestorePlace.path.appending(runName).appending(RestorePlace.old)
  }
}

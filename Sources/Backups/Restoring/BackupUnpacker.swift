import SafeFiles

/// Writes the content of a backup, or some of it, into an empty directory.
///
/// Places come from the manifest, which was checked to stay inside; nothing is created through a
/// link, because every directory on the way was created here. The archive is read again, so every
/// hash is compared again too.
struct BackupUnpacker {
  /// A file never comes back with the right to run as its owner.
  private static let fileModes: UInt16 = 0o777
  private static let directoryModes: UInt16 = 0o3777

  /// Above this, one call for the whole file system beats one for each file; below, it could wait
  /// for what other programs write.
  private static let mostSynchronizedAlone = 512

  private let archive: BackupArchive
  private let state: FileState
  private let manifest: BackupManifest
  /// Which entries are written; nil for all.
  private let isChosen: [Bool]?
  private let target: Directory
  private let context: BackupContext

  init(_ backup: VerifiedBackup, _ target: Directory, context: BackupContext) {
    (archive, state, manifest) = (backup.archive, backup.state, backup.manifest)
    isChosen = nil
    self.target = target
    self.context = context
  }

  init(_ chosen: ChosenEntries, _ target: Directory, context: BackupContext) {
    (archive, state, manifest) = (chosen.archive, chosen.state, chosen.manifest)
    isChosen = chosen.isUnpacked
    self.target = target
    self.context = context
  }

  /// Whether each file is synchronized by itself.
  private var synchronizesEach: Bool {
    (isChosen?.count { $0 } ?? manifest.count) <= Self.mostSynchronizedAlone
  }

  private func wants(_ entry: Int) -> Bool { isChosen?[entry] ?? true }

  /// Creates everything and makes it last.
  func unpack() throws(BackupError) {
    // What comes after the last entry that is wanted is not even read.
    let end = isChosen.map { ($0.lastIndex(of: true) ?? -1) + 1 } ?? manifest.count
    var open = OpenPlace(target)
    var next = 0
    var current: (entry: Int, file: FileWriter)?
    let reader = try archive.open()
    guard try archive.state().isUnchanged(since: state) else {
      throw .file(.changedSince(path: archive.path))
    }
    _ = try reader.readManifest()
    try reader.check(0..<end, of: manifest, context: context, where: wants, wrapping: \.self) {
      (entry, block) throws(BackupError) in
      if current?.entry != entry {
        try finish(current)
        current = nil
        // What lies between two files with content is created on the way.
        while next < entry {
          try create(next, &open)
          next += 1
        }
        current = (entry, try createFile(entry, &open))
        next = entry + 1
      }
      // SAFETY: the block is written before the call returns.
      do throws(FileError) { unsafe try current?.file.write(block) } catch { throw .file(error) }
    }
    try finish(current)
    while next < end {
      try create(next, &open)
      next += 1
    }
    if isChosen == nil { try reader.requireEnd() }
    try finishDirectories()
  }

  private func create(_ entry: Int, _ open: inout OpenPlace) throws(BackupError) {
    guard wants(entry) else { return }
    let record = manifest.records[entry]
    switch record.kind {
    case .file:
      try finish((entry, try createFile(entry, &open)))
    case .directory:
      do throws(FileError) {
        let (parent, name) = try open.place(manifest.path(entry))
        try parent.makeDirectory(name)
      } catch {
        throw .file(error)
      }
    case .link:
      do throws(FileError) {
        let (parent, name) = try open.place(manifest.path(entry))
        try parent.createSymbolicLink(
          name, target: Array(manifest.pool[record.target]), modified: record.modified,
          owner: record.owner)
      } catch {
        throw .file(error)
      }
    case .special: return
    }
    if entry & 255 == 0 { context.reportProgress?(entry, manifest.count) }
  }

  private func createFile(_ entry: Int, _ open: inout OpenPlace) throws(BackupError) -> FileWriter {
    do throws(FileError) {
      let (parent, name) = try open.place(manifest.path(entry))
      return try parent.createFile(name)
    } catch {
      throw .file(error)
    }
  }

  private func finish(_ file: (entry: Int, file: FileWriter)?) throws(BackupError) {
    guard let file else { return }
    let record = manifest.records[file.entry]
    do throws(FileError) {
      try file.file.setAttributes(
        mode: record.mode & Self.fileModes, modified: record.modified, owner: record.owner)
      if synchronizesEach { try file.file.synchronize() }
    } catch {
      throw .file(error)
    }
  }

  /// Last, and the innermost first: creating something in a directory changes its time, and needs
  /// permissions it may not have in the end.
  private func finishDirectories() throws(BackupError) {
    do throws(FileError) {
      for entry in manifest.records.indices.reversed()
      where manifest.records[entry].kind == .directory && wants(entry) {
        let record = manifest.records[entry]
        let directory = try target.openDirectory(manifest.path(entry))
        if synchronizesEach { try directory.synchronize() }
        try directory.setAttributes(
          mode: record.mode & Self.directoryModes, modified: record.modified, owner: record.owner)
      }
      if synchronizesEach {
        try target.synchronize()
      } else {
        try target.synchronizeFileSystem()
      }
    } catch {
      throw .file(error)
    }
  }
}

/// The directory of the last entry, kept open for the next one.
private struct OpenPlace {
  private let target: Directory
  private var current: (path: RelativePath, directory: Directory)

  init(_ target: Directory) {
    self.target = target
    current = (.folder, target)
  }

  mutating func place(_ path: RelativePath) throws(FileError) -> (Directory, FileName) {
    guard let parent = path.parent, let name = path.lastComponent else {
      throw .invalidPath(path: path.description)
    }
    if parent != current.path { current = (parent, try target.openDirectory(parent)) }
    return (current.directory, name)
  }
}

package import SafeFiles

/// A file that may be a backup; nothing in it is trusted before `verify(context:)`.
package struct BackupArchive: Sendable {
  /// The directory it is in.
  package let directory: Directory
  /// Its name there.
  package let name: FileName

  /// Names a file; nothing is read yet.
  package init(directory: Directory, name: FileName) {
    self.directory = directory
    self.name = name
  }

  /// How long to wait for who is about to drop the backup.
  private static let holdTimeoutSeconds = 10.0

  /// Opens the place of a backup the user named.
  package init(
    path: String, operations: any FileOperations = SystemFileOperations()
  ) throws(BackupError) {
    do throws(FileError) {
      (directory, name) = try Directory.openParent(ofPath: path, operations: operations)
    } catch {
      throw .file(error)
    }
  }

  /// The path in display form.
  package var path: String { directory.path(of: name) }

  /// Returns the absolute path without links, byte for byte.
  package func absolutePath() throws(BackupError) -> [UInt8] {
    do {
      let folder = try directory.canonicalPath()
      return folder + (folder.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name.bytes
    } catch {
      throw .file(error)
    }
  }

  /// Returns the state of the file.
  package func state() throws(BackupError) -> FileState {
    do { return try directory.state(of: name) } catch { throw .file(error) }
  }

  /// Returns what the first line of the manifest says, reading only the start of the archive.
  package func summary() throws(BackupError) -> BackupSummary {
    try open().readSummary()
  }

  /// Returns the manifest, without looking at what comes after it.
  package func manifest() throws(BackupError) -> BackupManifest {
    try open().readManifest()
  }

  /// Reads the whole archive and compares every name, size and hash with the manifest; from before
  /// the first byte on it is held.
  package func verify(context: BackupContext = BackupContext()) throws(BackupError)
    -> VerifiedBackup
  {
    let held: HeldFile
    do throws(FileError) {
      held = try HeldFile.acquire(
        name, in: directory, timeoutSeconds: Self.holdTimeoutSeconds,
        isInterrupted: context.isInterrupted)
    } catch {
      if case .lockTimeout = error, context.isInterrupted() { throw .interrupted }
      throw .file(error)
    }
    let reader = try open(held)
    let manifest = try reader.readManifest()
    try reader.check(0..<manifest.count, of: manifest, context: context)
    try reader.requireEnd()
    let backup = VerifiedBackup(archive: self, manifest: manifest, held: held)
    do throws(FileError) {
      try backup.requireInPlace()
    } catch {
      if case .changedSince(let path) = error { throw .file(.changedWhileRead(path: path)) }
      throw .file(error)
    }
    return backup
  }

  /// Hands over whole files of an archive that nobody verified, each after its hash was compared,
  /// until `body` answers false.
  package func read(
    _ entries: [Int], of manifest: BackupManifest, _ body: (RelativePath, [UInt8]) -> Bool
  ) throws(BackupError) {
    guard let last = entries.max() else { return }
    let wanted = Set(entries)
    let reader = try open()
    try reader.skipManifest(hash: manifest.hash)
    var current: (entry: Int, bytes: [UInt8])?
    do throws(ReadingEnd) {
      try reader.check(
        0..<last + 1, of: manifest, context: BackupContext(), where: { wanted.contains($0) },
        wrapping: ReadingEnd.failed
      ) { (entry, block) throws(ReadingEnd) in
        if let file = current, file.entry != entry {
          current = nil
          guard body(manifest.path(file.entry), file.bytes) else { throw .enough }
        }
        if current == nil { current = (entry, []) }
        // SAFETY: the block is copied before the call returns.
        unsafe current?.bytes.append(contentsOf: block)
      }
    } catch {
      if case .failed(let error) = error { throw error }
      return
    }
    if let current { _ = body(manifest.path(current.entry), current.bytes) }
  }

  func open() throws(BackupError) -> BackupReader {
    try open { () throws(FileError) in try directory.openForReading(name) }
  }

  func open(_ held: HeldFile) throws(BackupError) -> BackupReader {
    try open { () throws(FileError) in try held.reader() }
  }

  private func open(
    _ makeReader: () throws(FileError) -> FileReader
  ) throws(BackupError) -> BackupReader {
    let file: FileReader
    let size: Int64
    do throws(FileError) {
      file = try makeReader()
      size = try file.state().size
    } catch {
      throw .file(error)
    }
    return try BackupReader(file, archiveSize: size)
  }
}

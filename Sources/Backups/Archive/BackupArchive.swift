import Diagnostics
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
    try reader.skipManifest(hash: manifest.hash, otherwise: hasChanged)
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

  /// The manifest is another one than was read before.
  fileprivate var hasChanged: BackupError {
    .damagedManifest(path: path, offset: 0, problem: "it is another one than was read before")
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

/// A backup whose every byte was read and found to be what its manifest says.
///
/// As long as there is a copy of the value the file stays open, and no command drops it.
package struct VerifiedBackup: Sendable {
  /// Where it is.
  package let archive: BackupArchive
  /// What it holds.
  package private(set) var manifest: BackupManifest
  /// Keeps others from dropping it.
  let held: HeldFile

  /// The state of the file when it was verified.
  package var state: FileState { held.state }

  /// What keeps others from dropping it.
  package var hold: BackupHold {
    BackupHold(archive: archive, manifestHash: manifest.hash, held: held)
  }

  /// Hands over what it holds and forgets it.
  mutating func takeManifest() -> BackupManifest {
    let manifest = manifest
    self.manifest = BackupManifest(manifest.summary)
    return manifest
  }

  /// Throws if the file is not in its place any more, or is not the one that was verified.
  ///
  /// Asked right before each step that cannot be undone without the backup.
  package func requireInPlace() throws(FileError) { try held.requireInPlace() }

  /// Hands over the content of files, in the order of the archive; reads the archive once.
  ///
  /// `wants` chooses the entries by their number. Each hash is compared again, after the last byte
  /// was handed over: only when this returns was everything true. Throws what `body` throws, and
  /// what `wrap` makes of an error of the archive.
  package func read<Failure: Error>(
    context: BackupContext = BackupContext(), where wants: (Int) -> Bool,
    wrapping wrap: (BackupError) -> Failure,
    _ body: (_ entry: Int, _ bytes: [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var piece: [UInt8] = []
    try readBlocks(context: context, where: wants, wrapping: wrap) {
      (entry, block) throws(Failure) in
      piece.removeAll(keepingCapacity: true)
      // SAFETY: the block is copied before the call returns.
      unsafe piece.append(contentsOf: block)
      try body(entry, piece)
    }
  }

  /// Hands over files whole, in the order of the archive; reads the archive once.
  ///
  /// As `read`, but that a file is handed over once its hash was compared.
  package func readFiles<Failure: Error>(
    context: BackupContext = BackupContext(), where wants: (Int) -> Bool,
    wrapping wrap: (BackupError) -> Failure,
    _ body: (_ entry: Int, _ bytes: [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var current: Int?
    var bytes: [UInt8] = []
    try readBlocks(context: context, where: wants, wrapping: wrap) {
      (entry, block) throws(Failure) in
      if let file = current, file != entry {
        try body(file, bytes)
        bytes.removeAll(keepingCapacity: true)
      }
      current = entry
      // SAFETY: the block is copied before the call returns.
      unsafe bytes.append(contentsOf: block)
    }
    if let current { try body(current, bytes) }
  }

  @safe private func readBlocks<Failure: Error>(
    context: BackupContext, where wants: (Int) -> Bool, wrapping wrap: (BackupError) -> Failure,
    _ body: (_ entry: Int, _ block: UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let reader: BackupReader
    do throws(BackupError) {
      reader = try archive.open(held)
      try reader.skipManifest(hash: manifest.hash, otherwise: archive.hasChanged)
    } catch {
      throw wrap(error)
    }
    try reader.check(0..<manifest.count, of: manifest, context: context, wrapping: wrap) {
      (entry, block) throws(Failure) in
      // SAFETY: the block is only read inside of the call.
      if wants(entry) { try unsafe body(entry, block) }
    }
  }

  /// Returns the bytes of one file.
  package func contents(of path: RelativePath, limit: Int = .max) throws(BackupError) -> [UInt8] {
    guard let wanted = manifest.position(of: path), manifest.records[wanted].kind == .file else {
      throw .noSuchEntry(path: archive.path, entry: path.description)
    }
    guard manifest.records[wanted].size <= limit else {
      throw .tooLarge(
        path: archive.path, problem: "\(path) is longer than \(limit.counted("byte"))")
    }
    var bytes: [UInt8] = []
    try read(where: { $0 == wanted }, wrapping: \.self) { (_, piece) throws(BackupError) in
      bytes.append(contentsOf: piece)
    }
    return bytes
  }
}

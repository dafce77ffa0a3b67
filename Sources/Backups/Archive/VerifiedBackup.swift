import Diagnostics
package import SafeFiles

/// A backup whose every byte was read and found to be what its manifest says.
///
/// As long as there is a copy of the value the file stays open, and no command drops it.
package struct VerifiedBackup: Sendable {
  /// Where it is.
  package let archive: BackupArchive
  /// What it holds.
  package let manifest: BackupManifest
  /// Keeps others from dropping it.
  let held: HeldFile

  /// The state of the file when it was verified.
  package var state: FileState { held.state }

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
      _ = try reader.readManifest()
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

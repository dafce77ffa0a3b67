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
  /// was handed over: only when this returns was everything true.
  package func read(
    context: BackupContext = BackupContext(), where wants: (Int) -> Bool,
    _ body: (_ entry: Int, _ bytes: [UInt8]) throws(BackupError) -> Void
  ) throws(BackupError) {
    let reader = try archive.open(held)
    _ = try reader.readManifest()
    var piece: [UInt8] = []
    try reader.check(0..<manifest.count, of: manifest, context: context) {
      (entry, block) throws(BackupError) in
      guard wants(entry) else { return }
      piece.removeAll(keepingCapacity: true)
      // SAFETY: the block is copied before the call returns.
      unsafe piece.append(contentsOf: block)
      try body(entry, piece)
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
    try read(where: { $0 == wanted }) { (_, piece) throws(BackupError) in
      bytes.append(contentsOf: piece)
    }
    return bytes
  }
}

import Crypto
import Diagnostics
import SafeFiles

/// Reads the manifest of an archive and compares what follows with it, entry by entry.
struct BackupReader {
  /// How much an archive may grow when it is read, beyond what is always allowed: zstd makes a
  /// terabyte of zeros out of a few megabytes.
  private static let mostExpansion: Int64 = 4_096
  private static let alwaysAllowed: Int64 = 1 << 28
  /// The longest manifest; 4 million entries with long paths are about this.
  private static let longestManifest: Int64 = 1 << 31

  private let archive: ArchiveReader
  private let path: String
  private let archiveSize: Int64

  init(_ file: FileReader, archiveSize: Int64) throws(BackupError) {
    archive = try ArchiveReader(file)
    path = file.path
    self.archiveSize = archiveSize
  }

  /// Reads the first line of the manifest only.
  func readSummary() throws(BackupError) -> BackupSummary {
    let limit = try enterManifest()
    var manifest = ManifestReader(path: path, length: 0)
    do throws(ReadingEnd) {
      _ = try archive.readContent(limit: limit, wrapping: ReadingEnd.failed) {
        block throws(ReadingEnd) in
        // SAFETY: the block is only read inside of the call.
        do throws(BackupError) { try unsafe manifest.read(block) } catch { throw .failed(error) }
        // The rest of the manifest is not wanted.
        if manifest.hasSummary { throw .enough }
      }
    } catch {
      if case .failed(let error) = error, !manifest.hasSummary { throw error }
    }
    guard manifest.hasSummary else {
      throw .damagedManifest(path: path, offset: 0, problem: "it ends early")
    }
    return manifest.summary
  }

  /// Reads the manifest, which is the first entry.
  func readManifest() throws(BackupError) -> BackupManifest {
    let limit = try enterManifest()
    var reader = ManifestReader(path: path, length: limit)
    let length = try archive.readContent(limit: limit, wrapping: \.self) {
      block throws(BackupError) in
      // SAFETY: the block is only read inside of the call.
      try unsafe reader.read(block)
    }
    guard length == limit else {
      throw .damagedManifest(path: path, offset: Int(length), problem: "it ends early")
    }
    let manifest = try reader.finish()
    try requireProportion(manifest.summary.byteCount)
    return manifest
  }

  /// Skips the manifest, requiring that it is `hash`; throws `error` if it is not.
  func skipManifest(hash: ContentHash, otherwise error: BackupError) throws(BackupError) {
    let limit = try enterManifest()
    var found = SHA256()
    _ = try archive.readContent(limit: limit, wrapping: \.self) { block throws(BackupError) in
      // SAFETY: the block is only read inside of the call.
      unsafe found.update(bufferPointer: block)
    }
    guard ContentHash(found.finalize()) == hash else { throw error }
  }

  /// Compares the next entries of the archive with these of the manifest, content included.
  func check(
    _ entries: Range<Int>, of manifest: BackupManifest, context: BackupContext
  ) throws(BackupError) {
    try check(entries, of: manifest, context: context, wrapping: \.self) {
      (_, _) throws(BackupError) in
    }
  }

  /// Compares the next entries of the archive with these of the manifest and shows their content.
  ///
  /// `body` sees each block of a file before its hash is known to be right. Of entries that
  /// `wants` leaves out only what their headers say is compared. Throws the caller's kind of error,
  /// into which `wrap` turns what goes wrong here.
  @safe func check<Failure: Error>(
    _ entries: Range<Int>, of manifest: BackupManifest, context: BackupContext,
    where wants: (Int) -> Bool = { _ in true }, wrapping wrap: (BackupError) -> Failure,
    _ body: (_ entry: Int, _ block: UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    for position in entries {
      let record = manifest.records[position]
      if record.kind == .special { continue }
      do throws(BackupError) {
        if position & 63 == 0, context.isInterrupted() { throw .interrupted }
        try checkHeader(position, manifest)
      } catch {
        throw wrap(error)
      }
      guard record.kind == .file, wants(position) else { continue }
      var hash = SHA256()
      let length = try archive.readContent(limit: record.size, wrapping: wrap) {
        block throws(Failure) in
        // SAFETY: the block is only read inside of the calls.
        unsafe hash.update(bufferPointer: block)
        // SAFETY: as above.
        try unsafe body(position, block)
      }
      guard length == record.size else {
        throw wrap(
          bad(position, manifest, "has \(length.counted("byte")), expected \(record.size.grouped)"))
      }
      guard ContentHash(hash.finalize()) == record.hash else {
        throw wrap(bad(position, manifest, "its bytes do not have the hash the manifest says"))
      }
    }
  }

  /// Throws if the archive goes on.
  func requireEnd() throws(BackupError) {
    if let header = try archive.next() {
      throw .badEntry(
        path: path, entry: DisplayText.escaping(header.name), problem: "is not in the manifest")
    }
  }

  private func enterManifest() throws(BackupError) -> Int64 {
    guard let header = try archive.next() else {
      throw .notABackup(path: path, problem: "it is empty")
    }
    guard header.kind == .file, header.name == ArchiveLayout.manifestName else {
      throw .notABackup(path: path, problem: "its first entry is no manifest")
    }
    guard header.size <= Self.longestManifest else {
      throw .tooLarge(path: path, problem: "its manifest is \(header.size.counted("byte")) long")
    }
    try requireProportion(header.size)
    return header.size
  }

  private func requireProportion(_ size: Int64) throws(BackupError) {
    let (most, overflowed) = archiveSize.multipliedReportingOverflow(by: Self.mostExpansion)
    guard overflowed || size <= max(most, Self.alwaysAllowed) else {
      throw .tooLarge(
        path: path,
        problem: "would grow from \(archiveSize.grouped) to \(size.counted("byte")); refused")
    }
  }

  /// Goes to the next entry of the archive and compares what its header says.
  private func checkHeader(_ position: Int, _ manifest: BackupManifest) throws(BackupError) {
    let record = manifest.records[position]
    guard let header = try archive.next() else {
      throw bad(position, manifest, "is in the manifest and not in the archive")
    }
    let name = TarFormat.archiveName(of: manifest.member(position))
    guard header.name.elementsEqual(name) else {
      throw bad(
        position, manifest,
        "the archive has \(DisplayText.escaping(header.name)) in its place")
    }
    let expected: ArchiveReader.Kind =
      switch record.kind {
      case .file, .special: .file
      case .directory: .directory
      case .link: .link
      }
    guard header.kind == expected else {
      throw bad(position, manifest, "is no \(record.kind.rawValue) in the archive")
    }
    guard header.size == record.size else {
      throw bad(
        position, manifest, "has \(header.size.counted("byte")), expected \(record.size.grouped)")
    }
    guard record.kind != .link || header.target.elementsEqual(manifest.pool[record.target]) else {
      throw bad(position, manifest, "points to another place than the manifest says")
    }
  }

  private func bad(_ position: Int, _ manifest: BackupManifest, _ problem: String) -> BackupError {
    .badEntry(path: path, entry: manifest.pathText(position), problem: problem)
  }
}

/// Why a reader stops before its end.
enum ReadingEnd: Error {
  /// It has what it wanted.
  case enough
  case failed(BackupError)
}

import Crypto
import SafeFiles

/// Turns entries of a folder into the bytes of an archive, hashing each file on the way.
///
/// Belongs to one thread, and keeps its buffer and the last directory it was in.
struct EntryEmitter {
  /// Files above this are read in pieces.
  private static let largestWhole = 1 << 18
  private static let pieceSize = 1 << 18

  private let folder: Directory
  private let manifest: BackupManifest
  private let standIns: StandIns
  private var buffer: [UInt8] = []
  private var current: (path: ArraySlice<UInt8>, directory: Directory)?

  init(_ folder: Directory, _ manifest: BackupManifest, _ standIns: StandIns) {
    (self.folder, self.manifest, self.standIns) = (folder, manifest, standIns)
  }

  /// Emits entries one after another and returns the hashes of the files among them.
  ///
  /// `write` gets the bytes in order. A file that has another size than when it was listed throws
  /// `folderChanged`; that it was not written to meanwhile is checked at the end, for all at once.
  mutating func emit(
    _ entries: Range<Int>, _ write: ([UInt8], Range<Int>) throws(BackupError) -> Void
  ) throws(BackupError) -> [ContentHash] {
    var hashes: [ContentHash] = []
    buffer.removeAll(keepingCapacity: true)
    for position in entries {
      let record = manifest.records[position]
      guard record.kind != .special else { continue }
      TarFormat.appendHeader(of: manifest.member(position), to: &buffer)
      guard record.kind == .file else { continue }
      hashes.append(
        record.size <= Self.largestWhole
          ? try appendWhole(position) : try emitInPieces(position, write))
      if buffer.count >= Self.pieceSize { try flush(write) }
    }
    try flush(write)
    return hashes
  }

  private mutating func flush(
    _ write: ([UInt8], Range<Int>) throws(BackupError) -> Void
  ) throws(BackupError) {
    try write(buffer, 0..<buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func appendWhole(_ position: Int) throws(BackupError) -> ContentHash {
    let size = Int(manifest.records[position].size)
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: TarFormat.padded(size)))
    guard size > 0 else { return ContentHash(of: buffer, start..<start) }
    let (directory, name) = try place(position)
    do throws(FileError) {
      guard try directory.read(name, into: &buffer, at: start, count: size) == size else {
        throw .changedWhileRead(path: directory.path(of: name))
      }
    } catch {
      throw changed(error)
    }
    return ContentHash(of: buffer, start..<start + size)
  }

  private mutating func emitInPieces(
    _ position: Int, _ write: ([UInt8], Range<Int>) throws(BackupError) -> Void
  ) throws(BackupError) -> ContentHash {
    try flush(write)
    let (directory, name) = try place(position)
    var hash = SHA256()
    var rest = Int(manifest.records[position].size)
    let padding = TarFormat.padded(rest) - rest
    let file: FileReader
    do { file = try directory.openForReading(name) } catch { throw changed(error) }
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    while rest > 0 {
      let count = min(rest, piece.count)
      let read: Int
      do { read = try file.read(into: &piece, at: 0..<count) } catch { throw changed(error) }
      guard read == count else { throw .folderChanged(path: directory.path(of: name)) }
      hash.update(piece, 0..<count)
      try write(piece, 0..<count)
      rest -= count
    }
    buffer.append(contentsOf: repeatElement(0, count: padding))
    return ContentHash(hash.finalize())
  }

  private mutating func place(_ position: Int) throws(BackupError) -> (Directory, FileName) {
    var path = manifest.pool[manifest.records[position].path]
    if let place = standIns.place(of: path) ?? nil { path = place.bytes[...] }
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.map { path[..<$0] } ?? path.prefix(0)
    guard let name = FileName(Array(path[(slash.map { $0 + 1 } ?? path.startIndex)...])) else {
      throw .folderChanged(path: manifest.pathText(position))
    }
    if let current, current.path == parent { return (current.directory, name) }
    do throws(FileError) {
      let directory = try folder.openDirectory(RelativePath(Array(parent)) ?? .folder)
      current = (parent, directory)
      return (directory, name)
    } catch {
      throw changed(error)
    }
  }

  /// What was listed and is gone, or is something else now, was moved meanwhile.
  private func changed(_ error: FileError) -> BackupError {
    switch error {
    case .missing(let path), .wrongKind(let path, _, _), .changedWhileRead(let path):
      .folderChanged(path: path)
    default: .file(error)
    }
  }
}

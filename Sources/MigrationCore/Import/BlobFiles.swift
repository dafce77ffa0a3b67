import Crypto
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// Writes what is too large for documents to files beside them, each named by the hash of its bytes.
enum BlobFiles {
  /// Writes every file that is not there yet, and proves it, before any of them gets its name.
  static func publish(
    _ blobs: [StoreBlob], of source: StoreSource, in target: Directory, context: RunContext
  ) throws(MigrationError) {
    let wanted = Dictionary(blobs.map { ($0.reference, $0) }) { first, _ in first }.values
      .sorted { ByteOrder.precedes($0.reference.fileName, $1.reference.fileName) }
    if wanted.isEmpty { return }
    let directory = try MigrationError.wrapping { () throws(FileError) in
      try target.requireSpace(for: wanted.reduce(0) { $0 + $1.reference.byteCount })
      return try target.createDirectory(RelativePath(BlobReference.directory))
    }
    var staged: [StagedFile] = []
    do throws(MigrationError) {
      for blob in wanted {
        if context.isInterrupted() { throw .interrupted }
        if let file = try stage(blob, of: source, in: directory) { staged.append(file) }
      }
      let files = staged
      try MigrationError.wrapping { () throws(FileError) in try StagedFile.publish(files) }
    } catch {
      for file in staged { file.discard() }
      throw error
    }
  }

  /// Prepares a file; nil if it is there.
  private static func stage(
    _ blob: StoreBlob, of source: StoreSource, in directory: Directory
  ) throws(MigrationError) -> StagedFile? {
    guard let name = FileName(blob.reference.fileName) else { return nil }
    let state = try MigrationError.wrapping { () throws(FileError) in
      try directory.stateIfPresent(of: name)
    }
    if let state {
      guard state.kind == .regular, state.size == blob.reference.byteCount else {
        throw .existsWithOtherBytes(path: blob.reference.path.description)
      }
      return nil
    }
    let writer = try MigrationError.wrapping { () throws(FileError) in
      try directory.stageFile(as: name, replacing: .nothing)
    }
    do throws(MigrationError) {
      try write(blob, of: source, to: writer)
      return try MigrationError.wrapping { () throws(FileError) in
        let written = try hash(of: try writer.reader(in: directory))
        guard written == blob.reference.hash else { throw .writtenBytesDiffer(path: writer.path) }
        return try writer.finish()
      }
    } catch {
      writer.discard()
      throw error
    }
  }

  private static func write(
    _ blob: StoreBlob, of source: StoreSource, to writer: FileWriter
  ) throws(MigrationError) {
    try source.forEachPiece(of: blob) { bytes, range throws(MigrationError) in
      try MigrationError.wrapping { () throws(FileError) in try writer.write(bytes, range) }
    }
  }

  private static func hash(of file: FileReader) throws(FileError) -> ContentHash {
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try file.readSome(into: &buffer, at: 0..<buffer.count)
      if count == 0 { return ContentHash(hash.finalize()) }
      hash.update(buffer, 0..<count)
    }
  }
}

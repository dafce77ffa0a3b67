import Crypto
import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// Writes what is too large for documents to files beside them, each named by the hash of its bytes.
struct BlobFiles {
  /// A file that is not there as it should be.
  private struct Lacking {
    let blob: StoreBlob
    let name: FileName
    /// What is in its place; nil if nothing is.
    let found: FileState?
    /// What was read of that; nil if it is no file.
    var version: FileVersion?
  }

  private let lacking: [Lacking]

  /// Whether every file is there and has the bytes that its name says.
  var isEmpty: Bool { lacking.isEmpty }

  /// Looks which of the files are not in a folder, or have other bytes there: a name and a length prove
  /// nothing.
  init(
    of blobs: [StoreBlob], in target: Directory, context: RunContext
  ) throws(MigrationError) {
    let wanted = Dictionary(blobs.map { ($0.reference, $0) }) { first, _ in first }.values
      .sorted { ByteOrder.precedes($0.reference.fileName, $1.reference.fileName) }
    var lacking: [Lacking] = []
    if !wanted.isEmpty {
      let directory = try MigrationError.wrapping { () throws(FileError) in
        try target.openDirectoryIfPresent(RelativePath(BlobReference.directory))
      }
      var hasher = ContentHasher()
      for blob in wanted {
        if context.isInterrupted() { throw .interrupted }
        guard let name = FileName(blob.reference.fileName) else { continue }
        let found = try MigrationError.wrapping { () throws(FileError) in
          try directory?.stateIfPresent(of: name)
        }
        var version: FileVersion?
        if let directory, found?.kind == .regular {
          version = try MigrationError.wrapping { () throws(FileError) in
            let (hash, state) = try hasher.hash(name, in: directory)
            return FileVersion(state: state, hash: hash)
          }
        }
        if version?.hash == blob.reference.hash { continue }
        lacking.append(Lacking(blob: blob, name: name, found: found, version: version))
      }
    }
    self.lacking = lacking
  }

  /// Tells what is in the place of a file, and of files that are gone.
  ///
  /// - Parameter tellsMissing: whether documents name the files already.
  func findings(tellsMissing: Bool, setAside: RelativePath?) -> [Finding] {
    lacking.compactMap { file in
      let path = file.blob.reference.path
      guard file.found != nil else {
        return tellsMissing
          ? Finding(
            .missingImage, .info, path: path.description,
            message: "was not there, and comes from its store again")
          : nil
      }
      return Finding(
        .changedImage, .warning, path: path.description,
        message: "had other bytes than its name says, and comes from its store again",
        next: setAside.map { "what was in its place is in \($0.appending(path))" })
    }
  }

  /// Writes every file and proves it before any of them gets its name. What is in the place of one moves
  /// to quarantine.
  ///
  /// - Returns: the directory of the quarantine; nil if nothing was in the way.
  func publish(
    of source: StoreSource, in target: Directory, begun: FileTime, context: RunContext
  ) throws(MigrationError) -> RelativePath? {
    if lacking.isEmpty { return nil }
    let directory = try MigrationError.wrapping { () throws(FileError) in
      try target.requireSpace(for: lacking.reduce(0) { $0 + $1.blob.reference.byteCount })
      return try target.createDirectory(RelativePath(BlobReference.directory))
    }
    let place = try setAside(from: target, begun: begun, context: context)
    var staged: [StagedFile] = []
    do throws(MigrationError) {
      for file in lacking {
        if context.isInterrupted() { throw .interrupted }
        staged.append(try Self.stage(file, of: source, in: directory))
      }
      let files = staged
      try MigrationError.wrapping { () throws(FileError) in try StagedFile.publish(files) }
    } catch {
      for file in staged { file.discard() }
      throw error
    }
    return place
  }

  /// Moves what is in the place of files to quarantine.
  private func setAside(
    from target: Directory, begun: FileTime, context: RunContext
  ) throws(MigrationError) -> RelativePath? {
    let wrong = lacking.filter { $0.found != nil }
    if wrong.isEmpty { return nil }
    var mover = try QuarantineMover(target, begun: begun)
    let files = wrong.compactMap { file in
      file.version.map {
        QuarantinedFile(path: file.blob.reference.path, version: $0, identities: [])
      }
    }
    try mover.publishManifest(files, of: .displaced, command: context.command)
    for file in wrong {
      let path = file.blob.reference.path
      guard try mover.move(path, ifStill: file.version) != .stays else {
        throw .existsWithOtherBytes(path: path.description)
      }
    }
    try mover.finish()
    return mover.run.path
  }

  private static func stage(
    _ file: Lacking, of source: StoreSource, in directory: Directory
  ) throws(MigrationError) -> StagedFile {
    let writer = try MigrationError.wrapping { () throws(FileError) in
      try directory.stageFile(as: file.name, replacing: .nothing)
    }
    do throws(MigrationError) {
      try write(file.blob, of: source, to: writer)
      return try MigrationError.wrapping { () throws(FileError) in
        let written = try hash(of: try writer.reader(in: directory))
        guard written == file.blob.reference.hash else {
          throw .writtenBytesDiffer(path: writer.path)
        }
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

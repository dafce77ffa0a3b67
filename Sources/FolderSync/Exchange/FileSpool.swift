import Crypto
import Diagnostics
import Runs
import SafeFiles

/// An attached file that the other side sent, whole.
struct ArrivedFile {
  var path: RelativePath
  var content: SideIndex.File
  /// Where in the spool its pieces are.
  fileprivate(set) var pieces: [Range<Int>] = []
}

/// Attached files that arrive, until they are written.
struct FileSpool {
  /// The files that arrived whole and are what they were said to be.
  private(set) var files: [ArrivedFile] = []
  /// Those that did not.
  private(set) var lost: Set<RelativePath> = []
  private(set) var findings: [Finding] = []

  private var bytes: ByteSpool
  private var current: ArrivedFile?
  private var hash = SHA256()
  private var byteCount = 0

  init(_ context: RunContext) {
    bytes = ByteSpool(in: context.temporaryDirectory, operations: context.operations)
  }

  /// Begins a file.
  mutating func begin(_ path: RelativePath, _ content: SideIndex.File) {
    current = ArrivedFile(path: path, content: content)
    hash = SHA256()
    byteCount = 0
  }

  /// Takes in the next piece of the file that was begun; false if there is none, or it is longer than
  /// it was said to be.
  mutating func add(_ piece: [UInt8]) throws(MigrationError) -> Bool {
    guard let content = current?.content, !piece.isEmpty,
      piece.count <= content.byteCount - byteCount
    else {
      return false
    }
    hash.update(piece, 0..<piece.count)
    byteCount += piece.count
    let range = try MigrationError.wrapping { () throws(FileError) in try bytes.append(piece[...]) }
    current?.pieces.append(range)
    return true
  }

  /// Ends the file, which counts only if it is what both indexes say; false if none was begun.
  mutating func end() -> Bool {
    guard let file = current else { return false }
    current = nil
    if byteCount == file.content.byteCount, ContentHash(hash.finalize()) == file.content.hash {
      files.append(file)
    } else {
      lost.insert(file.path)
      findings.append(
        Finding(
          .changedWhileRead, .error, path: file.path.description,
          message: "changed on the other side while it was sent, and was not taken",
          next: "run the command again"))
    }
    return true
  }

  /// Hands over the pieces of a file.
  func forEachPiece(
    of file: ArrivedFile, _ body: ([UInt8]) throws(FileError) -> Void
  ) throws(FileError) {
    var buffer: [UInt8] = []
    for piece in file.pieces {
      try bytes.read(piece, into: &buffer)
      try body(buffer)
    }
  }
}

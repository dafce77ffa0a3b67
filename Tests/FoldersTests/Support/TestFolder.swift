import Diagnostics
import Folders
import Foundation
import SafeFiles

/// A folder in a temporary place that goes away with the value.
final class TestFolder {
  let url: URL

  /// Makes a folder with these files; a path that ends with `/` is a directory.
  init(_ files: [String: String] = [:]) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "folders-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (path, content) in files { try write(content, to: path) }
  }

  deinit {
    // A folder that stays behind in the temporary directory harms no test.
    try? FileManager.default.removeItem(at: url)
  }

  func write(_ content: String, to path: String) throws {
    try write(Data(content.utf8), to: path)
  }

  func write(_ content: Data, to path: String) throws {
    let file = url.appending(path: path)
    if path.hasSuffix("/") {
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    } else {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try content.write(to: file)
    }
  }

  func link(_ path: String, to target: String) throws {
    let link = url.appending(path: path)
    try FileManager.default.createDirectory(
      at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: target)
  }

  func makePipe(_ path: String) throws {
    // SAFETY: mkfifo reads the string only while it is called.
    guard unsafe mkfifo(url.appending(path: path).path, 0o600) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// Makes a file longer without writing anything, so that it takes no space.
  func extend(_ path: String, to byteCount: Int) throws {
    let file = try FileHandle(forWritingTo: url.appending(path: path))
    try file.truncate(atOffset: UInt64(byteCount))
    try file.close()
  }

  /// Makes an empty file whose name need not be UTF-8.
  func create(_ name: [UInt8], in directory: String) throws {
    let path = Array(url.appending(path: directory).path.utf8) + [UInt8(ascii: "/")] + name + [0]
    let characters = path.map { CChar(bitPattern: $0) }
    // SAFETY: the array ends with the zero that marks the end of a path.
    let file = unsafe Foundation.open(characters, O_CREAT | O_WRONLY, 0o600)
    guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
    close(file)
  }

  func open() throws -> Directory { try Directory.open(path: url.path) }

  func inventory() throws -> FolderInventory { try listing().inventory }

  /// The inventory, and what is said of directories that cannot be looked at.
  func listing() throws -> (inventory: FolderInventory, unlisted: [Finding]) {
    var findings: [Finding] = []
    let inventory = try FolderInventory.scan(open(), noting: &findings)
    return (inventory, findings)
  }

  func reader(_ rules: EntityRules = EntityRules()) throws -> LegacyReader {
    LegacyReader(try open(), try inventory(), rules: rules)
  }
}

extension FolderInventory {
  /// The months that have files of records, ascending.
  var recordGroups: [EntityGroup] { legacyGroups.filter { $0.kind == .record } }

  /// The files of records that have a month, by month, then by path.
  var recordFiles: [Int] { recordGroups.flatMap(legacyFiles) }

  /// The number of the file at a path.
  func file(_ path: String) -> Int? {
    indices.first { self.path(of: $0).bytes == Array(path.utf8) }
  }

  func fileClass(_ path: String) -> FileClass? { file(path).map(fileClass(of:)) }
}

import Foundation

/// The files under `fixtures/automerge`.
enum Fixtures {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "fixtures/automerge")

  static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: path)))
  }

  static func tree(_ path: String) throws -> JSONTree {
    try JSONTree(parsing: bytes(path))
  }

  /// Returns the lines of a text file, without an empty last one.
  static func lines(_ path: String) throws -> [String] {
    String(decoding: try bytes(path), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
  }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: path).path(percentEncoded: false))
  }

  /// Returns the names in a folder, ascending.
  static func names(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: path).path(percentEncoded: false)
    ).sorted()
  }
}

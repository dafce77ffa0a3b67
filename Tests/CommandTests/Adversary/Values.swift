import Automerge
import Foundation

/// Values that can be found again wherever they went: `~v` and seven digits.
enum Values {
  static func make(_ number: Int) -> String {
    let digits = String(number)
    return "~v" + String(repeating: "0", count: 7 - digits.count) + digits
  }

  /// Every value in documents, JSON, images and backups below a directory: that is, in everything
  /// a person could get it back from. Logs and manifests do not count.
  static func all(
    below url: URL, skipping skipped: String? = nil, withContents: Bool = false
  ) throws -> Set<String> {
    var found: Set<String> = []
    let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String }
    for path in paths ?? [] where skipped.map({ !path.hasPrefix($0) }) ?? true {
      found.formUnion(
        try all(inFile: url.appending(path: path), named: path, withContents: withContents))
    }
    return found
  }

  /// The values in a file or backup; with contents, also the whole text of one that is no document,
  /// which says that its bytes are there.
  static func all(
    inFile file: URL, named path: String, withContents: Bool = false
  ) throws -> Set<String> {
    guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true,
      !path.hasSuffix(".jsonl"), !path.hasSuffix("run.json")
    else { return [] }
    if path.hasSuffix(".tar") { return try all(inBackup: file, withContents: withContents) }
    let bytes = [UInt8](try Data(contentsOf: file))
    let values = all(in: bytes)
    guard withContents, !isDocument(bytes), !values.isEmpty else { return values }
    return values.union([String(decoding: bytes, as: UTF8.self)])
  }

  /// The values in a file: of a document all it ever held, of any other file those in its bytes.
  static func all(in bytes: [UInt8]) -> Set<String> {
    // A document that does not load holds nothing anybody could rely on.
    if isDocument(bytes) {
      return (try? DocumentState(loading: bytes)).map { tokens(in: $0.pool) } ?? []
    }
    return tokens(in: bytes)
  }

  /// The values in what a backup holds.
  static func all(inBackup file: URL, withContents: Bool = false) throws -> Set<String> {
    let place = try TemporaryDirectory()
    let unpacked = try run(
      URL(filePath: "/usr/bin/env"), ["tar", "-C", place.url.path, "-xf", file.path], input: nil)
    // A backup that was never finished is no backup.
    guard unpacked.status == 0 else { return [] }
    return try all(below: place.url, withContents: withContents)
  }

  private static func isDocument(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x85, 0x6f, 0x4a, 0x83])
  }

  private static func tokens(in bytes: [UInt8]) -> Set<String> {
    var found: Set<String> = []
    var position = 0
    while position + 9 <= bytes.count {
      if bytes[position] == UInt8(ascii: "~"), bytes[position + 1] == UInt8(ascii: "v"),
        bytes[position + 2..<position + 9].allSatisfy({ $0 &- 48 < 10 })
      {
        found.insert(String(decoding: bytes[position..<position + 9], as: UTF8.self))
        position += 9
      } else {
        position += 1
      }
    }
    return found
  }
}

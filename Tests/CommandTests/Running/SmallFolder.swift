import Foundation

/// A data folder that is small enough to be read in a failure.
struct SmallFolder {
  static let tagID = "0B1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A01"
  static let firstID = "5D1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A02"
  static let secondID = "6E1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A03"

  private let place: TemporaryDirectory
  let url: URL

  /// Makes a folder of one tag, two records in two months, an image and a foreign file.
  init() throws {
    place = try TemporaryDirectory()
    url = place.url.appending(path: "Minuta")
    try write(
      ##"{"tags":[{"id":"\##(Self.tagID)","name":"Tee & Küche","color":"#34C759","createdAt":"2024-01-02T08:00:00Z","isArchived":false}]}"##,
      to: "tags.json")
    try write(
      #"{"id":"\#(Self.firstID)","startTime":"2024-01-15T09:30:00Z","endTime":"2024-01-15T10:00:00Z","tagId":"\#(Self.tagID)","comment":"erste","images":["\#(Self.firstID)_0.jpg"],"mood":{"scale":12345678901234567890}}"#,
      to: "records/2024/01/2024-01-15_093000.json")
    try write("not really a picture", to: "records/2024/01/\(Self.firstID)_0.jpg")
    try write(
      #"{"id":"\#(Self.secondID)","startTime":"2024-02-01T07:00:00Z"}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    try write("keep me", to: "notes.txt")
  }

  var path: String { url.path }

  /// The directory that holds the folder and, by default, its backups.
  var parent: URL { place.url }

  func file(_ path: String) -> URL { url.appending(path: path) }

  func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: file(path).path)
  }

  func write(_ text: String, to path: String) throws {
    let file = self.file(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(at: file(path))
  }

  /// Everything below the folder: path to bytes and time of change.
  func snapshot() throws -> [String: Entry] { try Self.snapshot(of: url) }

  static func snapshot(of url: URL) throws -> [String: Entry] {
    var entries: [String: Entry] = [:]
    for path in FileManager.default.enumerator(atPath: url.path)?.compactMap({ $0 as? String })
      ?? []
    {
      let file = url.appending(path: path)
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      entries[path] = Entry(
        bytes: isFile ? try Data(contentsOf: file) : nil,
        changed: isFile ? attributes[.modificationDate] as? Date : nil)
    }
    return entries
  }

  struct Entry: Hashable {
    let bytes: Data?
    let changed: Date?
  }

  /// Migrates the folder and moves its JSON to quarantine; returns the backup and the path of the run.
  func clean() throws -> (backup: String, quarantine: String) {
    let backup = try backup()
    guard try run("import-crdt", path).status == 0,
      let quarantine = try run("cleanup-legacy", path, "--apply", "--backup", backup, "--json")
        .summary?["quarantine"] as? String
    else { throw CocoaError(.fileNoSuchFile) }
    return (backup, quarantine)
  }

  /// Writes a backup and returns its path.
  func backup() throws -> String {
    let run = try run("pack-backup", path, "--print-path", "--quiet")
    return run.output.trimmingCharacters(in: .newlines)
  }
}

import Foundation
import Testing

/// Two folders of one app, each of which has something that the other does not.
struct SyncedFolders {
  let place: TemporaryDirectory
  let one: URL
  let two: URL

  /// - Parameter isParted: whether each has records that the other does not have; else both hold the same.
  init(isParted: Bool = true) throws {
    let folder = try SmallFolder()
    place = try TemporaryDirectory()
    one = place.url.appending(path: "One")
    two = place.url.appending(path: "Two")
    for url in [one, two] {
      try FileManager.default.copyItem(at: folder.url, to: url)
    }
    if isParted {
      try FileManager.default.removeItem(
        at: two.appending(path: "records/2024/01/\(SmallFolder.firstID)_0.jpg"))
      try FileManager.default.removeItem(
        at: two.appending(path: "records/2024/02/2024-02-01_070000.json"))
      try write(
        Self.record(1, "2024-01-20T10:00:00Z", "zweite"), to: "01/2024-01-20_100000.json", in: two)
      try write(
        Self.record(2, "2024-03-20T10:00:00Z", "dritte"), to: "03/2024-03-20_100000.json", in: two)
      try write("another picture", to: "03/\(Self.identity(2))_0.jpg", in: two)
    }
    for url in [one, two] { #expect(try run("import-crdt", url.path, "-q").status == 0) }
  }

  /// A copy of both, in a place of its own.
  func copied() throws -> SyncedFolders {
    let copy = try TemporaryDirectory()
    for folder in [one, two] {
      try FileManager.default.copyItem(
        at: folder, to: copy.url.appending(path: folder.lastPathComponent))
    }
    return SyncedFolders(copy)
  }

  private init(_ place: TemporaryDirectory) {
    self.place = place
    one = place.url.appending(path: "One")
    two = place.url.appending(path: "Two")
  }

  static func identity(_ number: Int) -> String { "7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A0\(number)" }

  static func record(_ number: Int, _ time: String, _ comment: String) -> String {
    #"{"id":"\#(identity(number))","startTime":"\#(time)","comment":"\#(comment)"}"#
  }

  /// Writes below the records of a folder.
  func write(_ text: String, to path: String, in folder: URL) throws {
    let file = folder.appending(path: "records/2024/\(path)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Changes a record of a folder, by its JSON, and brings that into the document.
  func edit(_ comment: String, in folder: URL) throws {
    let file = folder.appending(path: "records/2024/01/2024-01-15_093000.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    try Data(
      text.replacing(/"comment":"[^"]*"/, with: #""comment":"\#(comment)""#).utf8
    ).write(to: file)
    let run = try run("import-crdt", folder.path, "--update", "--json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @discardableResult
  func sync(_ options: String...) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "sync-folder"), [one.path, two.path] + options,
      input: nil)
  }

  /// The words that start the other side.
  var server: String {
    let program = BuiltCommands.directory.appending(path: "sync-folder").path
    return "'\(program)' --serve '\(two.path)'"
  }

  /// Runs the command with what a shell says as the other side.
  func sync(through script: String, _ options: String...) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "sync-folder"),
      [one.path] + options + ["--", "/bin/sh", "-c", script], input: nil)
  }

  /// The heads of each document of a folder, by its path.
  static func heads(of folder: URL) throws -> [String: String] {
    var heads: [String: String] = [:]
    for path in documents(in: folder) {
      let run = try run("inspect-crdt", folder.appending(path: path).path, "--heads")
      #expect(run.status == 0, "\(path): \(run.errors)")
      heads[path] = run.output
    }
    return heads
  }

  static func documents(in folder: URL) -> [String] {
    (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".automerge") && !$0.contains(".nosync/") }.sorted()
  }

  static func images(in folder: URL) throws -> [String: Data] {
    var images: [String: Data] = [:]
    for path in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String })
      ?? [] where path.hasSuffix(".jpg")
    {
      images[path] = try Data(contentsOf: folder.appending(path: path))
    }
    return images
  }

  /// The changes of each document, so that it can be seen that none is gone.
  static func changes(of folder: URL) throws -> [String: Set<String>] {
    var changes: [String: Set<String>] = [:]
    for path in documents(in: folder) {
      let run = try run("inspect-crdt", folder.appending(path: path).path, "--changes")
      #expect(run.status == 0, "\(path): \(run.errors)")
      changes[path] = Set(run.jsonLines.compactMap { $0["hash"] as? String })
    }
    return changes
  }

  /// Whether both folders have the same documents and images, each of them sound.
  func areEqual() throws -> Bool {
    try Self.heads(of: one) == Self.heads(of: two) && Self.images(in: one) == Self.images(in: two)
  }
}

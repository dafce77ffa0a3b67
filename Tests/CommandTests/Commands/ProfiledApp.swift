import Foundation
import Testing

/// A folder of an app that only a profile describes, and what commands are told of it.
struct ProfiledApp {
  static let fixtures = BuiltCommands.packageRoot.appending(path: "fixtures/profiles")

  let place: TemporaryDirectory
  let folder: String
  let profile: String

  /// A copy of a folder under `fixtures/profiles`.
  init(_ name: String) throws {
    let fixtures = Self.fixtures.appending(path: name)
    place = try TemporaryDirectory()
    folder = place.url.appending(path: "App").path
    profile = fixtures.appending(path: "profile.json").path
    try FileManager.default.copyItem(
      atPath: fixtures.appending(path: "folder").path, toPath: folder)
  }

  /// A folder of files, and a profile of them.
  init(profile text: String, files: [String: String]) throws {
    place = try TemporaryDirectory()
    folder = place.url.appending(path: "App").path
    profile = place.url.appending(path: "profile.json").path
    try Data(text.utf8).write(to: URL(filePath: profile))
    for (path, text) in files { try write(text, to: path) }
  }

  /// A copy of a folder of Minuta.
  init(minuta folder: SmallFolder) throws {
    place = try TemporaryDirectory()
    self.folder = place.url.appending(path: "App").path
    profile = "minuta"
    try FileManager.default.copyItem(atPath: folder.path, toPath: self.folder)
  }

  func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      at: url(path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url(path))
  }

  func run(_ command: String, _ arguments: String...) throws -> CommandRun {
    try run(command, arguments)
  }

  func run(_ command: String, _ arguments: [String]) throws -> CommandRun {
    try CommandTests.run(
      BuiltCommands.directory.appending(path: command), arguments + ["--profile", profile],
      input: nil)
  }

  func url(_ path: String) -> URL { URL(filePath: folder + "/" + path) }

  /// Makes a backup and returns its path.
  func backup() throws -> String {
    let run = try run("pack-backup", folder, "--print-path")
    #expect(run.status == 0, "\(run.errors)")
    return String(run.output.dropLast())
  }

  /// The names of its backups.
  func backups() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder + "-backups").sorted()
  }

  /// Every file that has no hidden name, by its path.
  func files(of directory: String? = nil) throws -> [String: Data] {
    let root = directory ?? folder
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root)
    where !path.hasPrefix(".") {
      let url = URL(filePath: root + "/" + path)
      guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      files[path] = try Data(contentsOf: url)
    }
    return files
  }

  func json() throws -> [String: Data] { try files().filter { $0.key.hasSuffix(".json") } }

  func documents() throws -> [String: Data] {
    try files().filter { $0.key.hasSuffix(".automerge") }
  }

  /// The documents that the JSON of the folder as it is would become.
  func documentsAnew(_ options: String...) throws -> [String: Data] {
    let copy = place.url.appending(path: "Anew-\(UUID().uuidString)").path
    for (path, bytes) in try json() {
      let file = URL(filePath: copy + "/" + path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: file)
    }
    #expect(try run("import-crdt", [copy] + options).status == 0)
    return try files(of: copy).filter { $0.key.hasSuffix(".automerge") }
  }

  /// What lies beside the folder.
  func beside() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.url.path)
      .filter { !$0.hasPrefix("Anew-") && $0 != "profile.json" }.sorted()
  }

  /// The names of all members of files, at every depth.
  static func names(of files: [String: Data]) throws -> [String: Set<String>] {
    try files.mapValues { names(in: try JSONSerialization.jsonObject(with: $0)) }
  }

  private static func names(in value: Any) -> Set<String> {
    if let list = value as? [Any] { return Set(list.flatMap { names(in: $0) }) }
    guard let object = value as? [String: Any] else { return [] }
    return Set(object.flatMap { name, value in names(in: value).map { "\(name)/\($0)" } + [name] })
  }
}

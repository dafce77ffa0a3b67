import Foundation

/// Small folders of an app, and the list of them.
struct FleetPlace {
  private let place: TemporaryDirectory
  let folders: [URL]

  var url: URL { place.url }
  var list: String { place.url.appending(path: "folders.txt").path }
  var results: String { list + ".results.jsonl" }

  /// Makes folders, each with a tag and a record.
  init(_ names: [String]) throws {
    place = try TemporaryDirectory()
    folders = names.map { [place] in place.url.appending(path: $0) }
    for (index, folder) in folders.enumerated() { try Self.fill(folder, index) }
    try Data(folders.map { $0.path + "\n" }.joined().utf8).write(to: URL(filePath: list))
  }

  init(count: Int) throws { try self.init((1...count).map { "folder-\($0)" }) }

  private static func fill(_ folder: URL, _ index: Int) throws {
    let month = folder.appending(path: "records/2024/01")
    try FileManager.default.createDirectory(at: month, withIntermediateDirectories: true)
    let digits = String(format: "%012X", index)
    try Data(
      ##"{"tags":[{"id":"0B1F1C4E-6E0B-4C0C-9E43-\##(digits)","name":"Tag","color":"#34C759","createdAt":"2024-01-02T08:00:00Z","isArchived":false}]}"##
        .utf8
    ).write(to: folder.appending(path: "tags.json"))
    try Data(
      #"{"id":"5D1F1C4E-6E0B-4C0C-9E43-\#(digits)","startTime":"2024-01-15T09:30:00Z"}"#.utf8
    ).write(to: month.appending(path: "2024-01-15_093000.json"))
  }

  /// Runs a command over the folders.
  func fleet(_ arguments: String...) throws -> CommandRun {
    try CommandTests.run(
      BuiltCommands.directory.appending(path: "migrate-fleet"), [list] + arguments, input: nil)
  }

  /// The lines of the file of results.
  func lines() throws -> [[String: Any]] {
    CommandRun.jsonLines(of: try String(contentsOfFile: results, encoding: .utf8))
  }

  /// How often each folder has a line.
  func lineCounts() throws -> [String: Int] {
    try lines().reduce(into: [:]) { $0[$1["folder"] as? String ?? "", default: 0] += 1 }
  }

  /// Whether every folder has what its JSON says, in documents.
  func areMigrated() throws -> Bool {
    try folders.allSatisfy { try CommandTests.run("verify-counts", $0.path, "--quiet").status == 0 }
  }
}

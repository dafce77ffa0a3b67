import FileFaults
import Foundation
import Testing

/// Does to a folder what apps, sync services, impatient people and failing machines do: edits it in
/// both formats, brings conflict copies, damages what a backup holds, runs commands and scripts in
/// any order and at once, edits while they run, and kills them anywhere.
///
/// It remembers every value that must not get lost: all that was ever written, but those that the
/// app itself wrote over in a JSON file.
final class Adversary {
  /// What happened, to be read when something got lost.
  private(set) var story: [String] = []
  /// How often what was done to the commands.
  var counts = Counts()

  let place: TemporaryDirectory
  /// The folder that is edited and that commands are for.
  var folder: URL
  /// Whether backups of all folders go to the same place.
  var sharesBackups = false
  /// A sync service that carries files to another folder while commands run.
  var peer: SyncPeer?
  let app: AdversaryApp
  let layout: String
  let scripts: InstalledScripts
  var random: TestRandom
  var required: Set<String> = []
  /// How many entities the app has added.
  var entityCount = 0
  private var valueCount = 0

  struct Counts {
    /// Commands and scripts that were run.
    var runs = 0
    /// Those that were killed.
    var killed = 0
    /// Those whose files could not grow beyond some kilobytes.
    var limited = 0
    /// Those that had another one beside them.
    var accompanied = 0
    /// Edits made while one ran.
    var edits = 0
    /// Documents that were damaged.
    var damaged = 0
  }

  init(_ app: AdversaryApp, seed: UInt64) throws {
    self.app = app
    random = TestRandom(seed: seed)
    place = try TemporaryDirectory()
    folder = place.url.appending(path: "App")
    scripts = try InstalledScripts()
    layout = random.isOne(in: 2) ? "monthly" : "per-record"
    try makeFolder()
  }

  var backups: URL { place.url.appending(path: "App-backups") }

  func tell(_ event: String) { story.append(event) }

  /// Does one thing.
  func step() throws {
    switch random.number(below: 12) {
    case 0...4: try edit()
    case 5 where random.isOne(in: 3): try damageDocument()
    default: try runAnything()
    }
  }

  /// Runs everything once more without trouble: the folder comes to rest.
  func settle() throws {
    tell("and now everything once more, untroubled")
    let path = folder.path
    if try run(["pack-backup", path, "--reuse"]) == 75, let backup = newestBackup {
      try run(["restore-backup", backup, "--into", path])
    }
    for _ in 1...2 {
      try run(["merge-conflicts", path])
      try run(["import-crdt", path, "--update"])
    }
    let before = try snapshot()
    try run(["merge-conflicts", path])
    try run(["import-crdt", path, "--update"])
    #expect(try snapshot() == before, "a folder at rest changed\n\(told)")
    #expect(try run(["verify-counts", path]) <= 1)
    let debris = files("").filter { $0.lastPathComponent.hasSuffix(".tmp.nosync") }
    #expect(debris.isEmpty, "\(debris)")
  }

  private func snapshot() throws -> [String: Data] {
    var content: [String: Data] = [:]
    for suffix in [".automerge", ".json", ".jpg"] {
      for file in files(suffix) { content[shown(file)] = try Data(contentsOf: file) }
    }
    return content
  }

  // MARK: Values

  func newValue() -> String {
    valueCount += 1
    let value = Values.make(valueCount)
    required.insert(value)
    return value
  }

  /// The values that nobody could get back any more.
  func lostValues() throws -> [String] {
    required.subtracting(try Values.all(below: place.url)).sorted()
  }

  /// Fails for each value that nobody could get back any more.
  func expectNothingLost(_ comment: Comment) throws {
    let lost = try lostValues()
    #expect(lost.isEmpty, "\(comment): lost \(lost)\n\(told)")
  }

  /// Deletes a file for good, as no command of ours may.
  func destroy(_ path: String) throws {
    try FileManager.default.removeItem(at: folder.appending(path: path))
  }

  /// What happened, a line each.
  var told: String { story.map { "  \($0)" }.joined(separator: "\n") }
}

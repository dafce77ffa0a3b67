import Automerge
import Foundation
import Testing

/// What happens to a folder before somebody takes a runbook.
extension RunbookSandbox {
  /// The record of the sample folder that the app edits.
  static let meeting = "EE62DA84-8C86-4543-BEF0-C7E65E600C31"

  /// Another one of the same month.
  static let preparation = "F69D08F1-4FFA-4BBB-B4D8-D5E325E57F95"

  func copySample() throws {
    try FileManager.default.copyItem(
      at: BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder"), to: folder)
  }

  /// A folder of another app, and its profile beside it.
  func copyGreenhouse() throws {
    let fixture = BuiltCommands.packageRoot.appending(path: "fixtures/profiles/greenhouse")
    try FileManager.default.copyItem(
      at: fixture.appending(path: "folder"), to: documents.appending(path: "Greenhouse"))
    try FileManager.default.copyItem(
      at: fixture.appending(path: "profile.json"), to: documents.appending(path: "greenhouse.json"))
  }

  /// A folder of settings, and a plan for it beside it.
  func copySettings() throws {
    try FileManager.default.copyItem(
      at: BuiltCommands.packageRoot.appending(path: "fixtures/plans/local-data/before"),
      to: documents.appending(path: "App"))
    try copyPlan("local-data")
  }

  /// A plan that is shipped.
  func copyPlan(_ name: String) throws {
    try FileManager.default.copyItem(
      at: BuiltCommands.packageRoot.appending(path: "plans/\(name).json"),
      to: documents.appending(path: "\(name).json"))
  }

  /// A stream of people of whom two say their age in words, and plans that make a number of it.
  func writePeople() throws {
    func write(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: documents.appending(path: name))
    }
    func plan(_ value: String) -> String {
      """
      {"plan": "numbers", "profile": "people", "steps": [{"id": "age-as-number", "risk": "additive",
        "entities": {"person": [{"set": "years", "to": \(value), "type": "integer"}]}}]}
      """
    }
    try write(
      "people.json",
      """
      {"profile": "people", "version": 1, "kinds": [{"kind": "person", "identity": {"type": "string", "property": "name"},
        "files": {"paths": ["people/*.json"]}, "document": {"path": "people.automerge"}, "properties": {"age": {"type": "string"}}}]}
      """)
    let number = #"{"convert": {"copy": "/age"}, "to": "integer"}"#
    try write("numbers.json", plan(number))
    try write(
      "mended.json",
      plan(
        #"{"convert": {"lookUp": {"copy": "/age"}, "in": {"seven": 7, "old": 99}, "else": {"copy": "/age"}}, "to": "integer"}"#
      ))
    var stream =
      #"{"stream":"automerge-migrate","version":1,"profile":"people","types":{"person":{"age":"string"}}}"#
      + "\n"
    for (name, age) in [("Ada", "36"), ("Bert", "seven"), ("Cleo", "old"), ("Dora", "12")] {
      stream +=
        #"{"kind":"person","id":"\#(name)","place":"people/\#(name).json","fields":{"age":"\#(age)"}}"#
        + "\n"
    }
    try write("people.jsonl", stream + #"{"end":true,"entities":4}"# + "\n")
  }

  /// Makes the stores of a sample app in a directory.
  func makeStore(_ directory: String, of profile: String, _ options: String = "") throws {
    try prepare("generate-store \(directory) --profile \(profile) \(options)")
  }

  /// Puts a damaged store in the place of the one that is there, without its log.
  func replaceStore(_ directory: String, of profile: String, damage: String) throws {
    try makeStore("damaged", of: profile, "--damage \(damage)")
    try prepare("rm \(directory)/default.store-wal")
    try prepare("mv damaged/default.store \(directory)/default.store && rm -r damaged")
  }

  /// Writes preferences as an app keeps them.
  func writePreferences(_ name: String, _ content: [String: Any]) throws {
    try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
      .write(to: documents.appending(path: name))
  }

  /// Runs a command that must succeed.
  func prepare(_ line: String) throws {
    let run = try run(line)
    try #require(run.status == 0, "\(line): \(run.output)")
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(at: folder.appending(path: path))
  }

  func replace(_ text: String, by other: String, in path: String) throws {
    let url = folder.appending(path: path)
    let before = try String(contentsOf: url, encoding: .utf8)
    try #require(before.contains(text))
    try Data(before.replacing(text, with: other).utf8).write(to: url)
  }

  func edit(
    _ path: String, copiedTo copy: String? = nil, by user: String = "anna",
    _ change: (Document) throws -> Void
  ) throws {
    try editAsApp(
      folder.appending(path: path), copiedTo: copy.map { folder.appending(path: $0) }, by: user,
      change)
  }

  func copyDocument(_ path: String, to copy: String) throws {
    try FileManager.default.copyItem(
      at: folder.appending(path: path), to: folder.appending(path: copy))
  }

  /// Makes the document of a month as the app of one device makes it of the JSON: with its own objects.
  func makeSeparately(
    _ path: String, as copy: String? = nil, by user: String,
    _ change: (Document) throws -> Void = { _ in }
  ) throws {
    let imported = try Document(try Data(contentsOf: folder.appending(path: path)))
    let made = Document()
    made.actor = try #require(ActorId(data: Data(user.utf8)))
    for record in imported.keys(obj: .ROOT) {
      guard case .Object(let old, .Map)? = try imported.get(obj: .ROOT, key: record) else {
        continue
      }
      let new = try made.putObject(obj: .ROOT, key: record, ty: .Map)
      for field in imported.keys(obj: old) {
        switch try imported.get(obj: old, key: field) {
        case .Scalar(let value): try made.put(obj: new, key: field, value: value)
        case .Object(let list, _):
          let images = try made.putObject(obj: new, key: field, ty: .List)
          for (index, image) in try imported.values(obj: list).enumerated() {
            guard case .Scalar(let name) = image else { continue }
            try made.insert(obj: images, index: UInt64(index), value: name)
          }
        case nil: break
        }
      }
    }
    try change(made)
    made.commitWith(timestamp: Date(timeIntervalSince1970: 1_767_600_000))
    try made.save().write(to: folder.appending(path: copy ?? path), options: .atomic)
  }

  /// Overwrites a few bytes in the middle, as a bad sector does.
  func damage(_ path: String) throws {
    let url = folder.appending(path: path)
    var bytes = try Data(contentsOf: url)
    let middle = bytes.count / 2
    bytes.replaceSubrange(middle..<middle + 4, with: [0, 0, 0, 0])
    try bytes.write(to: url)
  }

  /// Makes the last line of the history what a run leaves that dies before it can write its end.
  func leaveLastRunDead() throws {
    let state = folder.appending(path: ".automerge-migrate.nosync")
    let log = state.appending(path: "history.jsonl")
    let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
    let last = try #require(lines.last)
    let end = try #require(last.firstRange(of: #","end""#)).lowerBound
    try Data((last[..<end] + "}").utf8).write(to: state.appending(path: "run.json"))
    try Data(lines.dropLast().map { $0 + "\n" }.joined().utf8).write(to: log)
  }

  func documentPaths() throws -> [String] {
    try paths(below: "").filter { $0.hasSuffix(".automerge") && !$0.hasPrefix(".") }
  }

  /// The runs in quarantine, relative to the folder, oldest first.
  func quarantineRuns() throws -> [String] {
    let quarantine = ".automerge-migrate.nosync/quarantine"
    return try FileManager.default
      .contentsOfDirectory(atPath: folder.appending(path: quarantine).path)
      .filter { !$0.hasSuffix(".jsonl") }.sorted().map { "\(quarantine)/\($0)" }
  }

  func moveLegacyFiles(from: String, to: String) throws {
    for path in try paths(below: from) where path.hasSuffix(".json") {
      try FileManager.default.moveItem(
        at: folder.appending(path: "\(from)/\(path)"), to: folder.appending(path: "\(to)/\(path)"))
    }
  }

  /// What a restore leaves that dies while entries are moving: everything unpacked, one entry out.
  func killRestore(moved path: String) throws {
    let place = folder.appending(path: ".automerge-migrate.nosync/restore/20260106T120000Z-0001")
    for name in ["new", "old"] {
      try FileManager.default.createDirectory(
        at: place.appending(path: name), withIntermediateDirectories: true)
    }
    try prepare(
      "tar -xf Minuta-backups/*-0002.tar -C '\(place.path)/new' --exclude=manifest.json")
    try FileManager.default.moveItem(
      at: folder.appending(path: path), to: place.appending(path: "old/\(path)"))
  }

  private func paths(below directory: String) throws -> [String] {
    let url = folder.appending(path: directory)
    return (FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? [])
      .sorted()
  }
}

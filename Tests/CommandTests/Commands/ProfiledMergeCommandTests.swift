import Automerge
import Foundation
import Testing

/// `merge-conflicts --profile` on the folder of an app that only a profile describes.
@Suite struct ProfiledMergeCommandTests {
  private static let january = "documents/2025-01.automerge"
  private static let copy = "documents/2025-01 (Anna's conflicted copy 2026-01-06).automerge"
  private static let lisbon = "45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"
  private let app: ProfiledApp
  private let folder: String
  private let profile: String

  init() throws {
    app = try ProfiledApp("notes")
    folder = app.folder
    profile = app.profile
  }

  private func file(_ path: String) -> URL { URL(filePath: folder + "/" + path) }

  private func snapshot() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      // A directory has no bytes.
      files[path] = try? Data(contentsOf: file(path))
    }
    return files
  }

  /// Writes a document as it is after an edit on another device.
  private func edit(
    _ path: String, as copy: String, actor: UInt8, _ body: (Document, ObjId) throws -> Void
  ) throws {
    let document = try Document(Data(contentsOf: file(path)))
    document.actor = ActorId(bytes: [UInt8](repeating: actor, count: 16))
    guard case .Object(let map, .Map)? = try document.get(obj: .ROOT, key: Self.lisbon) else {
      Issue.record("the entity is not there")
      return
    }
    try body(document, map)
    try document.save().write(to: file(copy))
  }

  /// Two devices that went on from one import, each with its edits and a deletion.
  private func diverge() throws {
    #expect(try run("import-crdt", folder, "--profile", profile).status == 0)
    try edit(Self.january, as: Self.copy, actor: 9) { document, map in
      try document.put(obj: map, key: "title", value: .String("Lisboa"))
    }
    try edit(Self.january, as: Self.january, actor: 3) { document, map in
      try document.put(obj: map, key: "title", value: .String("Lissabon"))
      try document.put(obj: map, key: "rating", value: .Int(1))
      try document.delete(obj: .ROOT, key: "D3D94468-02A4-4259-B55D-38E6D1630404")
    }
  }

  @Test
  func `two devices that diverged are merged, told, proven, and merged again nothing changes`()
    throws
  {
    try diverge()
    let before = try snapshot()
    let plan = try run("merge-conflicts", folder, "--profile", profile, "--dry-run")
    #expect(plan.status == 0 && plan.errors.isEmpty)
    #expect(plan.output.contains("Would merge 1 of 1 copy, 1 file written"))
    #expect(try snapshot() == before)

    let merged = try run("merge-conflicts", folder, "--profile", profile)
    #expect(merged.status == 0 && merged.errors.isEmpty)
    #expect(merged.output.contains("note \(Self.lisbon)  title  Lisboa  Lissabon"))
    #expect(merged.output.contains("Merged 1 of 1 copy, 1 file written"))
    #expect(!FileManager.default.fileExists(atPath: file(Self.copy).path))

    let verified = try run("verify-counts", folder, "--profile", profile)
    #expect(verified.status == 0, "\(verified.output)")
    #expect(verified.output.contains("9 of 9 entities proven"))
    let after = try snapshot()
    #expect(after.contains { $0.key.hasSuffix(Self.copy) && $0.value == before[Self.copy] })
    let again = try run("merge-conflicts", folder, "--profile", profile)
    #expect(again.status == 0 && again.output.hasPrefix("No conflict copies"))
    #expect(try snapshot() == after)
  }

  @Test func `the machine form names kinds and identities of every rule`() throws {
    #expect(try run("import-crdt", folder, "--profile", profile).status == 0)
    try Data(#"{"version":4,"notebooks":[{"name":"Küche","order":3},{"name":"New"}]}"#.utf8)
      .write(to: file("notebooks 2.json"))
    try Data("no document".utf8).write(to: file("settings 2.automerge"))
    let run = try run("merge-conflicts", folder, "--profile", profile, "--json")
    #expect(run.status == 1, "a copy is damaged")
    let bases = run.jsonLines.filter { $0["type"] as? String == "base" }
    #expect(bases.map { $0["path"] as? String } == ["notebooks.json", "settings.automerge"])
    let differences = try #require(bases.first?["differences"] as? [[String: Any]])
    #expect(differences.count == 2)
    let entity = try #require(differences.first { $0["kind"] != nil })
    #expect(entity["kind"] as? String == "notebook" && entity["id"] as? String == "Küche")
    #expect(entity["field"] as? String == "order" && entity["other"] as? Int == 3)
    #expect(differences.contains { $0["field"] as? String == "/version" })
    #expect(run.summary?["merged"] as? Int == 1 && run.summary?["damaged"] as? Int == 1)
    #expect(try String(contentsOf: file("notebooks.json"), encoding: .utf8).contains("\"New\""))
  }

  @Test func `what is told of a copy is a command that knows the profile, and it works`() throws {
    try diverge()
    let verified = try run("verify-counts", folder, "--profile", profile, "--json")
    let commands = Set(
      verified.jsonLines.filter { $0["code"] as? String == "conflict-copy" }
        .compactMap { $0["command"] as? [String] })
    #expect(commands == [["merge-conflicts", "--profile", profile, folder]])
    let command = try #require(commands.first)
    #expect(
      try run(
        BuiltCommands.directory.appending(path: command[0]), Array(command.dropFirst()), input: nil
      )
      .status == 0)
    #expect(!FileManager.default.fileExists(atPath: file(Self.copy).path))
  }

  @Test func `a wrong profile, or none, merges nothing`() throws {
    try diverge()
    let before = try snapshot()
    let wrong = app.place.url.appending(path: "wrong.json")
    try Data("{\"profile\": \"p\",\n \"version\": 1, \"kind\": []}\n".utf8).write(to: wrong)
    let refused = try run("merge-conflicts", folder, "--profile", wrong.path)
    #expect(refused.status == 65 && refused.errors.contains("line 2, column 16"))
    #expect(try run("merge-conflicts", folder, "--profile", "/nowhere/at/all").status == 66)
    // Nobody knows whose files these are.
    let unknown = try run("merge-conflicts", folder)
    #expect(unknown.status == 78 && unknown.errors.contains("--profile FILE"))
    #expect(try snapshot() == before)
  }

  @Test func `a list that two devices read differently is brought together with unify`() throws {
    #expect(try run("import-crdt", folder, "--profile", profile).status == 0)
    let other = app.place.url.appending(path: "Other").path
    try FileManager.default.copyItem(
      atPath: ProfiledApp.fixtures.appending(path: "notes/folder").path, toPath: other)
    let note = URL(filePath: other + "/notes/travel/lisbon.json")
    let text = try String(contentsOf: note, encoding: .utf8)
    try Data(text.replacing("\"2025\"", with: "\"2026\"").utf8).write(to: note)
    #expect(try run("import-crdt", other, "--profile", profile).status == 0)
    try FileManager.default.moveItem(
      atPath: other + "/" + Self.january, toPath: folder + "/documents/2025-01 2.automerge")
    for path in [Self.january, "documents/2025-01 2.automerge"] {
      // Only one of them wins, and either may be the edited one.
      try edit(path, as: path, actor: 7) { document, map in
        guard case .Object(let list, .List)? = try document.get(obj: map, key: "tags") else {
          Issue.record("no list")
          return
        }
        if try document.values(obj: list).last == .Scalar(.String("2026")) {
          try document.insert(obj: list, index: 0, value: .String("edited"))
        }
      }
    }
    #expect(try run("merge-conflicts", folder, "--profile", profile).status == 0)
    let unified = try run("merge-conflicts", folder, "--profile", profile, "--unify", "--json")
    #expect(unified.status == 0)
    let document = try Document(Data(contentsOf: file(Self.january)))
    guard case .Object(let map, .Map)? = try document.get(obj: .ROOT, key: Self.lisbon),
      case .Object(let tags, .List)? = try document.get(obj: map, key: "tags")
    else {
      Issue.record("no list")
      return
    }
    #expect(
      try document.values(obj: tags)
        == ["edited", "city", "2026"].map { .Scalar(.String($0)) })
    let before = try snapshot()
    #expect(try run("merge-conflicts", folder, "--profile", profile, "--unify").status == 0)
    #expect(try snapshot() == before)
  }

  @Test func `a merge killed again and again is completed by the last run`() throws {
    #expect(try run("import-crdt", folder, "--profile", profile).status == 0)
    let before = try snapshot()
    let documents = before.keys.filter { $0.hasSuffix(".automerge") }
    for path in documents {
      for number in 2...4 {
        let copy = "\(path.dropLast(".automerge".count)) \(number).automerge"
        try #require(before[path]).write(to: file(copy))
      }
    }
    let merger = BuiltCommands.directory.appending(path: "merge-conflicts")
    for step in 0..<12 {
      let command = try RunningCommand(merger, [folder, "--profile", profile])
      try command.input.close()
      usleep(UInt32(step) * 3_000)
      command.send(SIGKILL)
      _ = try command.wait()
      for (path, data) in before where !path.hasPrefix(".") {
        #expect(try Data(contentsOf: file(path)) == data, "\(path)")
      }
    }
    #expect(try run("merge-conflicts", folder, "--profile", profile).status == 0)
    let after = try snapshot()
    #expect(after.filter { !$0.key.hasPrefix(".") } == before.filter { !$0.key.hasPrefix(".") })
    // Every copy is in quarantine.
    let quarantined = after.keys.filter {
      $0.contains("/quarantine/") && $0.hasSuffix(".automerge")
    }
    #expect(quarantined.count == 3 * documents.count)
    #expect(try run("verify-counts", folder, "--profile", profile).status == 0)
  }
}

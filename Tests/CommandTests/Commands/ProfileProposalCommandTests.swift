import Foundation
import Testing

/// `inspect-crdt --profile-from` as a user runs it: its draft is a profile, and the folder it was made
/// from is imported with it and proven.
@Suite struct ProfileProposalCommandTests {
  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  private func write(_ text: String, to name: String) throws {
    let file = place.url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// The draft for a folder, kept as a file.
  private func draft(of folder: String) throws -> (file: String, kinds: [[String: Any]]) {
    let run = try run("inspect-crdt", "--profile-from", folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("Drafted a profile of "))
    let file = path("draft.json")
    try Data(run.output.utf8).write(to: URL(filePath: file))
    let printed = try CommandTests.run("inspect-crdt", "--print-profile", file)
    #expect(printed.status == 0, "\(printed.errors)")
    #expect(run.output.contains("\"comment\"") && !printed.output.contains("\"comment\""))
    let profile = try JSONSerialization.jsonObject(with: Data(printed.output.utf8))
    let kinds = (profile as? [String: Any])?["kinds"] as? [[String: Any]]
    return (file, try #require(kinds))
  }

  private func expectProven(_ folder: String, _ file: String, entities: Int) throws {
    let imported = try run("import-crdt", folder, "--profile", file, "--json")
    #expect(imported.status == 0, "\(imported.output)")
    let verified = try run("verify-counts", folder, "--profile", file, "--json")
    #expect(verified.status == 0, "\(verified.output)")
    let summary = try #require(verified.summary)
    #expect(summary["complete"] as? Bool == true, "\(verified.output)")
    let counts = try #require(summary["kinds"] as? [String: [String: Int]])
    #expect(counts.values.reduce(0) { $0 + ($1["proven"] ?? 0) } == entities, "\(counts)")
  }

  @Test(arguments: [("notes", 9), ("habits", 7), ("greenhouse", 9)])
  func `the draft for the folder of an app imports and proves it`(
    _ name: String, entities: Int
  ) throws {
    let folder = path(name)
    try FileManager.default.copyItem(
      atPath: BuiltCommands.packageRoot.appending(path: "fixtures/profiles/\(name)/folder").path,
      toPath: folder)
    let (file, _) = try draft(of: folder)
    try expectProven(folder, file, entities: entities)
  }

  @Test(arguments: ["notes", "habits", "greenhouse"])
  func `the draft for a large folder imports and proves it`(_ name: String) throws {
    let folder = path("folder")
    let profile = BuiltCommands.packageRoot
      .appending(path: "fixtures/profiles/\(name)/profile.json").path
    let made = try run(
      "generate-folder", folder, "--profile", profile, "--records", "300", "--months", "5")
    #expect(made.status == 0)
    let (file, kinds) = try draft(of: folder)
    let count = name == "greenhouse" ? 4 : name == "notes" ? 3 : 2
    #expect(kinds.count == count, "\(kinds.map { $0["kind"] ?? "" })")
    try expectProven(folder, file, entities: 300)
  }

  @Test func `kinds, identities, months, references and files are seen in the notes`() throws {
    let folder = BuiltCommands.packageRoot.appending(path: "fixtures/profiles/notes/folder").path
    let (_, kinds) = try draft(of: folder)
    #expect(kinds.compactMap { $0["kind"] as? String } == ["notebook", "note", "settings"])
    let note = try #require(kinds.first { $0["kind"] as? String == "note" })
    func member(_ name: String, _ inner: String) -> Any? { (note[name] as? [String: Any])?[inner] }
    #expect(member("identity", "type") as? String == "uuid")
    #expect(member("identity", "property") as? String == "id")
    #expect(member("files", "paths") as? [String] == ["notes/**/*.json"])
    #expect(member("document", "path") as? String == "note/{year}-{month}.automerge")
    #expect(member("document", "month") as? String == "created")
    let properties = try #require(note["properties"] as? [String: [String: Any]])
    let types = properties.compactMapValues { $0["type"] as? String }
    #expect(
      types == [
        "attachments": "list", "body": "string", "created": "date", "draft": "json",
        "edited": "date", "links": "links", "mood": "map", "notebook": "reference",
        "pinned": "boolean", "rating": "json", "tags": "list", "title": "string",
      ])
    #expect(properties["links"]?["kind"] as? String == "note")
    #expect(properties["notebook"]?["kind"] as? String == "notebook")
    #expect(properties["title"]?["required"] as? Bool == true)
    #expect(properties["body"]?["required"] == nil)
    let attachments = try #require(note["attachments"] as? [[String: Any]])
    #expect(attachments.compactMap { $0["directories"] as? [String] } == [["attachments"]])
    let notebook = try #require(kinds.first)
    let files = try #require(notebook["files"] as? [String: Any])
    #expect(files["elements"] as? String == "/notebooks")
    #expect(files["stays"] as? [String] == ["/version"])
  }

  @Test func `what cannot be looked at is told and passed over`() throws {
    try write(#"{"id": "a", "n": 1}"#, to: "app/things/a.json")
    try write(#"{"id": "b", "n": 2}"#, to: "app/things/b.json")
    try write("{", to: "app/things/cut.json")
    try write(#"{"id": "c", "id": "d"}"#, to: "app/things/twice.json")
    try write(String(repeating: "[", count: 100_000), to: "app/things/deep.json")
    try write("7", to: "app/seven.json")
    try FileManager.default.createSymbolicLink(
      atPath: path("app/link.json"), withDestinationPath: "things/a.json")
    let run = try run("inspect-crdt", "--profile-from", path("app"), "--json")
    #expect(run.status == 0)
    let findings = run.errors.split(separator: "\n").compactMap { line in
      try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    }
    let told = findings.compactMap { $0["path"] as? String }
    #expect(
      told.sorted() == [
        "link.json", "seven.json", "things/cut.json", "things/deep.json", "things/twice.json",
      ])
    #expect(findings.last?["kinds"] as? Int == 1 && findings.last?["entities"] as? Int == 2)
    #expect(run.output.contains("\"things/*.json\""))
  }

  @Test func `a folder without anything to describe is told`() throws {
    try write("x", to: "empty/readme.txt")
    let empty = try run("inspect-crdt", "--profile-from", path("empty"))
    #expect(empty.status == 66 && empty.output == "")
    #expect(empty.errors.contains("holds what a profile could describe"))
    try write("{", to: "bad/a.json")
    let bad = try run("inspect-crdt", "--profile-from", path("bad"))
    #expect(bad.status == 66 && bad.errors.contains("1 file was not looked at"))
    #expect(try run("inspect-crdt", "--profile-from", path("nowhere")).status == 66)
    #expect(try run("inspect-crdt", "--profile-from").status == 64)
  }
}

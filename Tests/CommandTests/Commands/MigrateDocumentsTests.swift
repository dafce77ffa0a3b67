import Foundation
import Testing

/// `migrate-schema` over the documents of a folder, as a user runs it.
@Suite struct MigrateDocumentsTests {
  private static let plans = BuiltCommands.packageRoot.appending(path: "plans").path
  private static let fixtures = BuiltCommands.packageRoot.appending(path: "fixtures/plans").path

  /// A folder of documents in a directory of its own.
  private final class Place {
    let directory: TemporaryDirectory
    let profile: [String]
    var folder: String { directory.url.appending(path: "App").path }

    init(_ profile: String, from stream: String) throws {
      directory = try TemporaryDirectory()
      self.profile = ["--profile", profile] + (profile == "ritualist" ? ["--include-private"] : [])
      let text = try String(
        contentsOfFile: "\(MigrateDocumentsTests.fixtures)/\(stream).jsonl", encoding: .utf8)
      let imported = try run(
        BuiltCommands.directory.appending(path: "import-crdt"),
        ["-", "--into", folder, "-q"] + self.profile, input: text)
      #expect(imported.status == 0, "\(imported.errors)")
    }

    /// What readers see, as a stream.
    func values() throws -> String {
      try run(
        BuiltCommands.directory.appending(path: "export-json"), [folder, "-q"] + profile, input: nil
      ).output
    }

    func migrate(_ plan: String, _ options: [String] = []) throws -> CommandRun {
      try run(
        BuiltCommands.directory.appending(path: "migrate-schema"), [plan, folder] + options,
        input: nil)
    }

    func documents() throws -> [String: Data] {
      var documents: [String: Data] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
      where path.hasSuffix(".automerge") {
        documents[path] = try Data(contentsOf: URL(filePath: "\(folder)/\(path)"))
      }
      return documents
    }
  }

  @Test(arguments: MigrateSchemaTests.shipped.indices)
  func `a shipped plan makes of documents what it makes of a stream, and is undone`(
    index: Int
  ) throws {
    let (plan, before, after, options) = MigrateSchemaTests.shipped[index]
    let path = "\(Self.plans)/\(plan).json"
    let place = try Place(plan, from: before)
    let former = try place.values()
    // Nothing in the data says which of the versions it is that it fits.
    let waiting = try place.migrate(path, options)
    #expect(waiting.status == 1)
    #expect(waiting.output.contains("name it with --baseline"))
    let run = try place.migrate(path, options + ["--baseline", "2"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try place.values() == Place(plan, from: after).values())
    let documents = try place.documents()
    let again = try place.migrate(path, options)
    #expect(again.status == 0 && again.output.contains("No document was changed"))
    #expect(try place.documents() == documents)
    let status = try place.migrate(path, ["--status", "--json"])
    #expect(status.status == 0)
    let ids = status.jsonLines.dropLast().compactMap { $0["id"] as? String }
    #expect(status.jsonLines.dropLast().allSatisfy { $0["state"] as? String == "applied" })
    // An earlier step waits for those behind it.
    #expect(try place.migrate(path, ["--undo", ids[0]]).status == 78)
    for id in ids.reversed() {
      let undone = try place.migrate(path, ["--undo", id])
      #expect(undone.status == 0, "\(id): \(undone.errors)")
      // It came back.
      #expect(!undone.output.contains("went."), "\(undone.output)")
    }
    #expect(try place.values() == former)
    let states = try place.migrate(path, ["--status", "--json"]).jsonLines.dropLast()
    #expect(states.allSatisfy { $0["state"] as? String == "undone" })
  }

  @Test func `what was only taken as done keeps no step before it from being undone`() throws {
    let path = "\(Self.plans)/laundrytime.json"
    let place = try Place("laundrytime", from: "laundrytime-2")
    let before = try place.values()
    #expect(try place.migrate(path, ["--baseline", "2", "--to", "laundrytime-v2"]).status == 0)
    #expect(try place.migrate(path, ["--baseline", "5"]).status == 0)
    // The data fits it, too: nothing is claimed that would not be so.
    #expect(try place.migrate(path, ["--baseline", "3"]).status == 0)
    for id in ["laundrytime-v4", "laundrytime-v3"] {
      let undone = try place.migrate(path, ["--undo", id])
      #expect(undone.status == 0 && undone.output.contains("only taken as done"))
      #expect(!undone.output.contains("did not run"), "\(undone.output)")
    }
    #expect(try place.migrate(path, ["--undo", "laundrytime-v2"]).status == 0)
    #expect(try place.values() == before)
  }

  @Test func `a verified backup is made before, or one is named that holds what will change`()
    throws
  {
    let path = "\(Self.plans)/laundrytime.json"
    let place = try Place("laundrytime", from: "laundrytime-2")
    let planned = try place.migrate(path, ["--baseline", "2", "-n", "--json"])
    #expect(planned.status == 0, "\(planned.errors)")
    #expect(planned.summary?["bytesAdded"] as? Int ?? 0 > 1000)
    let backups = place.folder + "-backups"
    #expect(!FileManager.default.fileExists(atPath: backups))
    let archive = place.directory.url.appending(path: "mine.tar").path
    let other = try Place("laundrytime", from: "laundrytime-5")
    #expect(try run("pack-backup", other.folder, "-o", archive, "-q").status == 0)
    let refused = try place.migrate(path, ["--baseline", "2", "--backup", archive])
    #expect(refused.status == 78 && refused.errors.contains("pack-backup"), "\(refused.errors)")
    try FileManager.default.removeItem(atPath: archive)
    #expect(try run("pack-backup", place.folder, "-o", archive, "-q").status == 0)
    let first = try place.migrate(
      path, ["--baseline", "2", "--to", "laundrytime-v2", "--backup", archive])
    #expect(first.status == 0, "\(first.errors)")
    #expect(!FileManager.default.fileExists(atPath: backups))
    #expect(try place.migrate(path).status == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: backups).count == 1)
    let listed = try run("pack-backup", place.folder, "--list", "--verify")
    #expect(listed.status == 0 && listed.output.contains("verified"), "\(listed.output)")
  }

  @Test func `comments become text objects and strings, and nothing else changes`() throws {
    let directory = try TemporaryDirectory()
    let shell = """
      set -e
      bin=$(dirname "$0"); cp -R "$2" "$1/Minuta"; cd "$1"
      "$bin"/import-crdt Minuta -q
      "$bin"/export-json Minuta -q > strings.jsonl
      "$bin"/migrate-schema "$3"/minuta-comments.json Minuta | tail -n 1
      "$bin"/migrate-schema "$3"/minuta-comments-as-texts.json Minuta -q
      "$bin"/export-json Minuta -q > texts.jsonl
      grep -c '"/comment":"text"' texts.jsonl
      "$bin"/verify-counts Minuta --brief
      "$bin"/migrate-schema "$3"/minuta-comments.json Minuta -q --force comments-as-strings
      "$bin"/export-json Minuta -q > back.jsonl
      cmp strings.jsonl back.jsonl
      "$bin"/migrate-schema "$3"/minuta-comments.json Minuta -q --undo comments-as-strings
      "$bin"/export-json Minuta -q | cmp - texts.jsonl
      """
    let sample = BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder").path
    let run = try runInShell(shell, "migrate-schema", directory.url.path, sample, Self.plans)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("Everything is there and equal."), "\(run.output)")
    #expect(run.output.contains("206"), "\(run.output)")
  }

  @Test func `records that come later get the step, and what another one took back is told`() throws
  {
    let directory = try TemporaryDirectory()
    let shell = """
      bin=$(dirname "$0"); cd "$1"
      "$bin"/generate-folder source --records 40 --seed 7 -q
      "$bin"/export-json source -q > source.jsonl
      "$bin"/generate-folder later --records 40 --seed 8 -q
      "$bin"/import-crdt later -q --into documents
      "$bin"/migrate-schema "$2"/minuta-comments-as-texts.json documents -q
      echo "run $?"
      "$bin"/import-crdt - --into documents -q < source.jsonl
      "$bin"/migrate-schema "$2"/minuta-comments-as-texts.json documents --status --brief
      echo "late $?"
      "$bin"/migrate-schema "$2"/minuta-comments-as-texts.json documents -q
      "$bin"/migrate-schema "$2"/minuta-comments-as-texts.json documents --status --brief
      echo "again $?"
      "$bin"/export-json documents -q | grep '"comment":' | grep -vc '"/comment":"text"'
      "$bin"/migrate-schema "$2"/minuta-comments.json documents -q
      "$bin"/migrate-schema "$2"/minuta-comments-as-texts.json documents --status --brief
      echo "back $?"
      "$bin"/migrate-schema "$2"/minuta-comments-as-texts.json documents -q
      "$bin"/migrate-schema "$2"/minuta-comments-as-texts.json documents --status --brief
      echo "done $?"
      """
    let run = try runInShell(shell, "migrate-schema", directory.url.path, Self.plans)
    let parts = run.output.split(separator: "\n").map(String.init)
    let next = "next: migrate-schema \(Self.plans)/minuta-comments-as-texts.json documents"
    #expect(
      parts == [
        "run 0", "1 step to run.", next, "late 1", "No step is to run.", "again 0", "0",
        "1 step to run.", next, "back 1", "No step is to run.", "done 0",
      ], "\(run.output)\(run.errors)")
  }

  @Test func `a condition asks for free space, and a lead device runs its steps alone`() throws {
    let place = try Place("laundrytime", from: "laundrytime-2")
    let plan = place.directory.url.appending(path: "plan.json")
    func write(_ members: String) throws {
      try """
      {"plan": "p", "profile": "laundrytime", "steps": [{"id": "a", "risk": "additive", \(members),
        "entities": {"pet": [{"set": "b", "to": {"constant": 1}, "type": "integer"}]}}]}
      """.write(to: plan, atomically: true, encoding: .utf8)
    }
    try write(#""condition": {"freeBytes": 1125899906842624}"#)
    let full = try place.migrate(plan.path, ["--status", "--json"])
    #expect(full.output.contains(#""state":"skipped""#), "\(full.output)\(full.errors)")
    #expect(full.output.contains(#""versionBefore":"#))
    try write(#""leadDevice": "mine", "condition": {"freeBytes": 1}"#)
    let before = try place.documents()
    let waiting = try place.migrate(plan.path, ["--status", "--json"])
    #expect(waiting.status == 1 && waiting.output.contains(#""state":"waiting""#))
    let refused = try place.migrate(plan.path, ["--host", "other"])
    #expect(refused.status == 78, "\(refused.output)")
    #expect(refused.errors.contains("only mine may run the step, and this is other"))
    #expect(try place.documents() == before)
    let done = try place.migrate(plan.path, ["--host", "mine"])
    #expect(done.status == 0, "\(done.errors)")
    #expect(try place.documents() != before)
  }

  @Test func `options of streams and of folders are told apart`() throws {
    let path = "\(Self.plans)/laundrytime.json"
    let stream = "\(Self.fixtures)/laundrytime-2.jsonl"
    let cases: [([String], String)] = [
      ([stream, "--undo", "laundrytime-v2"], "--undo is for a folder"),
      ([stream, "--backup", "a.tar"], "--backup is for plans over what is in a folder"),
      ([stream, "--baseline", "9"], "or leads to such a version"),
    ]
    for (options, message) in cases {
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: "migrate-schema"), [path] + options, input: nil)
      #expect(run.status == 64 && run.errors.contains(message), "\(options): \(run.errors)")
    }
    #expect(try run("migrate-schema", path, "/nowhere/at/all").status == 66)
  }
}

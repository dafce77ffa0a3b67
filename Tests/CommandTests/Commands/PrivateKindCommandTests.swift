import Automerge
import Foundation
import Testing

/// Kinds that a profile calls private, whose entities leave the app's files only when somebody asks.
@Suite struct PrivateKindCommandTests {
  private let app: ProfiledApp
  private static let asked = "--include-private"
  private static let openDocuments = [
    "notes/2024-01.automerge", "notes/2024-05.automerge", "topics.automerge",
    "visits/2024/01.automerge",
  ]
  private static let closedDocuments = [
    "moods.automerge", "pages/2024-01.automerge", "pages/2024-02.automerge",
  ]

  init() throws { app = try DiaryApp.make() }

  /// The findings about private kinds.
  private func leftOut(_ run: CommandRun) -> [String] {
    run.jsonLines.filter { $0["code"] as? String == "private-kind" }
      .map { line in
        #expect(line["severity"] as? String == "info")
        return "\(line["path"] ?? ""): \(line["message"] ?? "")"
      }.sorted()
  }

  private func counts(_ run: CommandRun, _ name: String) throws -> [String: Int] {
    let kinds = try #require(run.summary?["kinds"] as? [String: [String: Int]])
    return kinds.compactMapValues { $0[name] }.filter { $0.value > 0 }
  }

  // MARK: Importing

  @Test func `an import leaves private kinds out and tells how many, and which option takes them`()
    throws
  {
    let before = try app.files()
    let run = try app.run("import-crdt", app.folder, "--json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try app.documents().keys.sorted() == Self.openDocuments)
    #expect(try app.json() == before.filter { $0.key.hasSuffix(".json") })
    #expect(
      leftOut(run) == [
        ": 2 page entities are private and not imported",
        ": 3 mood entities are private and not imported",
      ])
    #expect(try counts(run, "leftOut") == ["page": 2, "mood": 3])
    #expect(try counts(run, "read") == ["topic": 2, "note": 2, "visit": 1, "page": 2, "mood": 3])
    let line = try #require(run.jsonLines.first { $0["code"] as? String == "private-kind" })
    let command = try #require(line["command"] as? [String])
    #expect(command == ["import-crdt", Self.asked, "--profile", app.profile, app.folder])
    #expect(line["next"] as? String == command.joined(separator: " "))

    let all = try CommandTests.run(
      BuiltCommands.directory.appending(path: command[0]), Array(command.dropFirst()), input: nil)
    #expect(all.status == 0 && all.output.contains("Imported 5 of 10 entities"))
    #expect(
      try app.documents().keys.sorted() == (Self.openDocuments + Self.closedDocuments).sorted())
    #expect(try app.documents() == app.documentsAnew(Self.asked))
  }

  @Test func `what people read says what was left out, with or without findings`() throws {
    let run = try app.run("import-crdt", app.folder, "--brief")
    #expect(run.status == 0)
    #expect(run.output.contains("Imported 5 of 10 entities: 4 documents created"))
    let line =
      "Left out, because private: 2 page entities, 3 mood entities; --include-private takes them, too."
    #expect(run.output.contains(line))
    let again = try app.run("import-crdt", app.folder)
    #expect(again.output.contains("left out") && again.output.contains(line))
    #expect(again.output.contains("info private-kind: 2 page entities are private"))
    let asked = try app.run("import-crdt", app.folder, Self.asked)
    #expect(!asked.output.contains("eft out"))
  }

  @Test func `documents of private kinds stay as they are unless they are asked for`() throws {
    #expect(try app.run("import-crdt", app.folder, Self.asked).status == 0)
    let documents = try app.documents()
    try app.write(
      #"{"id": "\#(DiaryApp.first)", "text": "we swam", "photos": ["storm.jpg"]}"#,
      to: "pages/2024/01/storm.json")
    try app.write(
      #"{"id": "\#(UUID().uuidString)", "text": "new"}"#, to: "pages/2024/01/new.json")
    let run = try app.run("import-crdt", app.folder, "--update", "--json")
    #expect(run.status == 0, "\(run.output)")
    #expect(try app.documents() == documents)
    #expect(
      leftOut(run) == [
        ": 2 documents of the private kind page stay as they are",
        ": 3 mood entities are private and not imported",
        ": 3 page entities are private and not imported",
        "moods.automerge: holds the private kind mood and stays as it is",
      ])
    let unchanged = run.jsonLines.filter { $0["outcome"] as? String == "unchanged" }
    #expect(unchanged.count == 7)

    let updated = try app.run("import-crdt", app.folder, "--update", Self.asked)
    #expect(updated.status == 0 && updated.output.contains("Updated 1 entity in 1 document"))
    #expect(updated.output.contains("Imported 1 of 11 entities: 0 documents created, 1 extended"))
  }

  @Test func `a private file that cannot be read keeps nobody from the rest`() throws {
    try app.write("{\"moods\": ", to: "moods.json")
    try app.write("[]", to: "pages/2024/01/storm.json")
    let run = try app.run("import-crdt", app.folder, "--json")
    #expect(run.status == 0)
    #expect(leftOut(run).contains(": 2 page entities are private and not imported"))
    let damaged = run.jsonLines.filter { $0["path"] as? String == "moods.json" }
    #expect(damaged.map { $0["severity"] as? String } == ["info"])
    let verified = try app.run("verify-counts", app.folder, "--json")
    #expect(verified.status == 0, "\(verified.output)")
    #expect(
      leftOut(verified) == [": 2 page entities are private and in no document, and not compared"])
    #expect(try app.run("import-crdt", app.folder, Self.asked).status == 1)
    #expect(try app.run("verify-counts", app.folder, Self.asked).status == 1)
  }

  @Test func `a folder of private kinds alone is not even locked`() throws {
    let app = try ProfiledApp(profile: DiaryApp.profile, files: DiaryApp.closed)
    let run = try app.run("import-crdt", app.folder)
    #expect(run.status == 0 && run.output.contains("Left out, because private: 2 page entities"))
    #expect(try app.files() == app.files().filter { DiaryApp.closed[$0.key] != nil })
    #expect(!FileManager.default.fileExists(atPath: app.folder + "/.diary.lock"))
    let verified = try app.run("verify-counts", app.folder)
    #expect(verified.status == 1 && verified.output.contains("nothing-to-compare"))
    let status = try app.run("verify-counts", app.folder, "--status").output
    #expect(status.hasPrefix("legacy\n"))
  }

  // MARK: Verifying

  @Test func `what was left out fails no verification and is never compared`() throws {
    _ = try app.run("import-crdt", app.folder)
    let run = try app.run("verify-counts", app.folder, "--json")
    #expect(run.status == 0, "\(run.output)")
    #expect(
      leftOut(run) == [
        ": 2 page entities are private and in no document, and not compared",
        ": 3 mood entities are private and in no document, and not compared",
      ])
    #expect(try counts(run, "leftOut") == ["page": 2, "mood": 3])
    #expect(try counts(run, "reference") == ["topic": 2, "note": 2, "visit": 1])
    let summary = try #require(run.summary)
    #expect(summary["sound"] as? Bool == true && summary["complete"] as? Bool == false)
    let line = try #require(run.jsonLines.first { $0["code"] as? String == "private-kind" })
    #expect(
      line["command"] as? [String]
        == ["import-crdt", Self.asked, "--profile", app.profile, app.folder])
    // What only they name is theirs, and what leads to them leads somewhere.
    let codes = run.jsonLines.compactMap { $0["code"] as? String }
    #expect(Set(codes) == ["private-kind"])

    let text = try app.run("verify-counts", app.folder, "--brief").output
    #expect(text.contains("Left out, because private: 2 page entities, 3 mood entities; --include"))
    #expect(!text.contains("Everything is there and equal."))

    let asked = try app.run("verify-counts", app.folder, Self.asked, "--json")
    #expect(asked.status == 1)
    let missing = asked.jsonLines.filter { $0["code"] as? String == "missing-entity" }
    #expect(missing.count == 5)
    #expect(
      missing.allSatisfy { ($0["command"] as? [String])?.contains(Self.asked) ?? false })
  }

  @Test func `documents of private kinds are verified whether they are asked for or not`() throws {
    _ = try app.run("import-crdt", app.folder, Self.asked)
    for options in [[], [Self.asked]] {
      let run = try app.run("verify-counts", [app.folder] + options)
      #expect(run.status == 0 && run.output.contains("Everything is there and equal."))
    }
    try app.write(
      #"{"id": "\#(DiaryApp.second)", "text": "we did"}"#, to: "pages/2024/02/calm.json")
    let run = try app.run("verify-counts", app.folder, "--json")
    #expect(run.status == 1)
    let diverged = try #require(run.jsonLines.first { $0["code"] as? String == "diverged" })
    let command = try #require(diverged["command"] as? [String])
    #expect(command.contains(Self.asked) && command.contains("--update"))
    let status = try app.run("verify-counts", app.folder, "--status").output
    #expect(status.contains("next: import-crdt --update --include-private --profile"))
    let settled = try CommandTests.run(
      BuiltCommands.directory.appending(path: command[0]), Array(command.dropFirst()), input: nil)
    #expect(settled.status == 0)
    #expect(try app.run("verify-counts", app.folder).status == 0)
  }

  @Test func `what a clean-up moved and no document has any more is an error`() throws {
    _ = try app.run("migrate-folder", app.folder, "--cleanup", Self.asked)
    try FileManager.default.removeItem(at: app.url("pages/2024-02.automerge"))
    let run = try app.run("verify-counts", app.folder, "--json")
    #expect(run.status == 1 && leftOut(run).isEmpty)
    #expect(run.jsonLines.contains { $0["code"] as? String == "missing-entity" })
    let recovered = try app.run("recover-folder", app.folder, "--apply")
    #expect(recovered.status == 0, "\(recovered.output)\(recovered.errors)")
    #expect(try app.documents().keys.contains("pages/2024-02.automerge"))
    #expect(try app.run("verify-counts", app.folder).status == 0)
  }

  @Test func `a stream, a backup and a folder are compared without what was left out`() throws {
    let backup = try app.backup()
    let other = app.place.url.appending(path: "Other").path
    try FileManager.default.copyItem(atPath: app.folder, toPath: other)
    let stream = app.place.url.appending(path: "all.jsonl")
    let exported = try app.run("export-json", app.folder, Self.asked)
    try Data(exported.output.utf8).write(to: stream)
    _ = try app.run("import-crdt", app.folder)
    for reference in [backup, other, stream.path] {
      let run = try app.run("verify-counts", app.folder, "--against", reference, "--json")
      #expect(run.status == 0, "\(reference): \(run.output)")
      #expect(try counts(run, "leftOut") == ["page": 2, "mood": 3])
      #expect(try counts(run, "reference") == ["topic": 2, "note": 2, "visit": 1])
      #expect(!run.jsonLines.contains { $0["code"] as? String == "dangling-reference" })
      let asked = try app.run("verify-counts", app.folder, "--against", reference, Self.asked)
      #expect(asked.status == 1, "\(reference)")
    }
  }

  // MARK: Exporting

  @Test(arguments: [false, true])
  func `an export leaves private kinds out, of documents and of files`(
    _ isImported: Bool
  ) throws {
    if isImported { _ = try app.run("import-crdt", app.folder, Self.asked) }
    let run = try app.run("export-json", app.folder, "--json")
    #expect(run.status == 0)
    let lines = run.jsonLines
    #expect(
      lines.compactMap { $0["kind"] as? String }.sorted() == [
        "note", "note", "topic", "topic", "visit",
      ])
    #expect(lines.last?["entities"] as? Int == 5)
    let report = CommandRun.jsonLines(of: run.errors)
    #expect(
      report.filter { $0["code"] as? String == "private-kind" }.compactMap {
        $0["message"] as? String
      } == [
        "2 page entities are private and not exported",
        "3 mood entities are private and not exported",
      ])
    let kinds = try #require(report.last?["kinds"] as? [String: [String: Int]])
    #expect(kinds["mood"] == ["exported": 0, "leftOut": 3])
    #expect(kinds["visit"] == ["exported": 1, "leftOut": 0])
    let all = try app.run("export-json", app.folder, Self.asked)
    #expect(all.jsonLines.last?["entities"] as? Int == 10 && !all.errors.contains("Left out"))

    let target = app.place.url.appending(path: "out").path
    let files = try app.run("export-json", app.folder, "--to", target)
    #expect(files.status == 0 && files.output.contains("Left out, because private: 2 page"))
    #expect(
      try app.files(of: target).keys.sorted() == [
        "notes/ebb.json", "notes/tide.json", "topics.json", "visits/2024/01/pier.json",
      ])
    #expect(try app.run("export-json", app.folder, "--to", target, Self.asked).status == 0)
    #expect(try app.files(of: target).count == 7)
  }

  @Test func `one private document is exported when it is asked for`() throws {
    _ = try app.run("import-crdt", app.folder, Self.asked)
    let document = app.url("moods.automerge").path
    let run = try app.run("export-json", document)
    #expect(run.status == 0 && run.jsonLines.count == 2)
    #expect(run.errors.contains("Left out, because private: 3 mood entities"))
    #expect(try app.run("export-json", document, Self.asked).jsonLines.count == 5)
  }

  @Test func `what was deleted of a private kind is named only when it is asked for`() throws {
    _ = try app.run("import-crdt", app.folder, Self.asked)
    let backup = try app.backup()
    _ = try app.run("migrate-folder", app.folder, "--cleanup", Self.asked)
    try editAsApp(app.url("moods.automerge")) { document in
      try document.delete(obj: .ROOT, key: "tue")
    }
    let run = try app.run("export-json", app.folder, "--backup", backup)
    #expect(!run.errors.contains("tue"))
    #expect(run.errors.contains("3 mood entities are private and not exported"))
    let asked = try app.run("export-json", app.folder, "--backup", backup, Self.asked)
    #expect(asked.errors.contains("mood tue was deleted since the backup"))
  }

  @Test func `a stream and a source with documents give private kinds only when asked`() throws {
    let stream = try app.run("export-json", app.folder, Self.asked).output
    func importing(_ target: String, _ options: String...) throws -> CommandRun {
      try CommandTests.run(
        BuiltCommands.directory.appending(path: "import-crdt"),
        ["-", "--into", app.place.url.appending(path: target).path, "--profile", app.profile]
          + options, input: stream)
    }
    let some = try importing("some", "--json")
    #expect(some.status == 0, "\(some.output)")
    #expect(try counts(some, "leftOut") == ["page": 2, "mood": 3])
    #expect(try counts(some, "imported") == ["topic": 2, "note": 2, "visit": 1])
    #expect(!some.output.contains("\"filtered\""))
    #expect(try importing("all", Self.asked).status == 0)

    _ = try app.run("import-crdt", app.folder, Self.asked)
    for (name, options) in [("someFlat", []), ("allFlat", [Self.asked])] {
      let target = app.place.url.appending(path: name).path
      let run = try app.run("import-crdt", [app.folder, "--into", target, "--flatten"] + options)
      #expect(run.status == 0, "\(run.errors)")
    }
    func documents(_ name: String) throws -> [String: Data] {
      try app.files(of: app.place.url.appending(path: name).path)
        .filter { $0.key.hasSuffix(".automerge") }
    }
    #expect(try documents("some").keys.sorted() == Self.openDocuments)
    #expect(try documents("some") == documents("someFlat"))
    #expect(try documents("all") == app.documents() && documents("allFlat") == app.documents())
  }

  // MARK: The whole way

  @Test func `a migration without private kinds cleans up everything else, and again`() throws {
    let json = try app.json()
    for _ in 0..<2 {
      let run = try app.run("migrate-folder", app.folder, "--cleanup")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(run.output.contains("Left out, because private: 2 page entities, 3 mood entities"))
      #expect(try app.json() == json.filter { DiaryApp.closed[$0.key] != nil })
      let status = try app.run("verify-counts", app.folder, "--status")
      #expect(status.status == 0 && status.output.hasPrefix("cleaned\n"), "\(status.output)")
      #expect(status.output.contains("not looked at: 2 page entities are private"))
      #expect(!status.output.contains("next:"))
    }
    let cleaned = try app.run("cleanup-legacy", app.folder, "--json")
    #expect(cleaned.status == 0)
    let kept = cleaned.jsonLines.filter { $0["code"] as? String == "kept" }
    #expect(kept.count == 3 && kept.allSatisfy { $0["severity"] as? String == "info" })
    let looked = try app.run("recover-folder", app.folder)
    #expect(looked.status == 0, "\(looked.output)")
    #expect(try app.json().count == 3)
  }

  @Test func `a file with entities that were left out is never cleaned up`() throws {
    try app.write(
      #"{"version": 3, "moods": {"mon": {"value": 4}}}"#, to: "moods.json")
    _ = try app.run("import-crdt", app.folder, Self.asked)
    let text = #"{"version": 3, "moods": {"mon": {"value": 4}, "sun": {"value": 1}}}"#
    try app.write(text, to: "moods.json")
    let run = try app.run("migrate-folder", app.folder, "--cleanup")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try app.json().keys.sorted() == ["moods.json"])
    #expect(try String(contentsOf: app.url("moods.json"), encoding: .utf8) == text)
    let status = try app.run("verify-counts", app.folder, "--status").output
    #expect(status.hasPrefix("cleaned\n"), "\(status)")
  }

  @Test func `a migration with private kinds says so in the commands that come next`() throws {
    let run = try app.run("migrate-folder", app.folder, Self.asked)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(
      run.output.contains(
        "migrate-folder \(app.folder) --cleanup --include-private --profile \(app.profile)"))
    let cleaned = try app.run("migrate-folder", app.folder, "--cleanup", Self.asked)
    #expect(cleaned.status == 0, "\(cleaned.output)\(cleaned.errors)")
    #expect(try app.json().keys.sorted() == ["moods.json"])
  }

  @Test(arguments: [false, true])
  func `a rollback gives private kinds back, whether they were imported or not`(
    _ isImported: Bool
  ) throws {
    let json = try app.json()
    let backup = try app.backup()
    let migrated = try app.run(
      "migrate-folder", [app.folder, "--cleanup"] + (isImported ? [Self.asked] : []))
    #expect(migrated.status == 0, "\(migrated.output)\(migrated.errors)")
    if isImported {
      try editAsApp(app.url("moods.automerge")) { document in
        try document.delete(obj: .ROOT, key: "tue")
      }
    }
    let back = try app.run("rollback-folder", app.folder, backup)
    #expect(back.status == 0, "\(back.output)\(back.errors)")
    #expect(!back.output.contains("eft out"))
    #expect(try app.documents().isEmpty)
    let files = try app.json()
    #expect(files.keys.sorted() == json.keys.sorted())
    #expect(
      try ProfiledApp.names(of: files).filter { $0.key != "moods.json" }
        == ProfiledApp.names(of: json).filter { $0.key != "moods.json" })
    let moods = String(decoding: files["moods.json"] ?? Data(), as: UTF8.self)
    #expect(moods.contains("\"version\":3") && moods.contains("mon"))
    #expect(moods.contains("tue") == !isImported)
    #expect(back.output.contains("mood tue was deleted since the backup") == isImported)
  }

  @Test func `recovery makes a private document anew from its JSON`() throws {
    _ = try app.run("migrate-folder", app.folder, Self.asked)
    let documents = try app.documents()
    try Data("damaged".utf8).write(to: app.url("pages/2024-01.automerge"))
    let run = try app.run("recover-folder", app.folder, "--apply")
    #expect(run.status <= 1, "\(run.output)\(run.errors)")
    #expect(try app.documents() == documents)
  }
}

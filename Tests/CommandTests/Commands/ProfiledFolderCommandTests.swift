import Foundation
import Testing

/// `import-crdt` and `verify-counts` on the folders of two apps, with a profile alone.
@Suite struct ProfiledFolderCommandTests {
  private let app: ProfiledApp
  private let folder: String
  private let profile: String

  init() throws {
    app = try ProfiledApp("notes")
    folder = app.folder
    profile = app.profile
  }

  @Test func `a folder is imported, proven and imported again`() throws {
    let plan = try run("import-crdt", folder, "--profile", profile, "--dry-run")
    #expect(plan.status == 0 && plan.output.contains("Would import 9 of 9 entities: 6 documents"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 4)

    let imported = try run("import-crdt", folder, "--profile", profile)
    #expect(imported.status == 0)
    #expect(imported.output.contains("note         5         5\n"))
    let verified = try run("verify-counts", folder, "--profile", profile, "--json")
    #expect(verified.status == 0)
    let summary = try #require(verified.summary)
    #expect(summary["complete"] as? Bool == true && summary["tags"] == nil)
    let kinds = try #require(summary["kinds"] as? [String: [String: Int]])
    #expect(kinds.keys.sorted() == ["note", "notebook", "settings"])
    #expect(kinds["note"]?["proven"] == 5 && kinds["note"]?["equal"] == 5)
    #expect(summary["imagesFound"] as? Int == 2)

    let again = try run("import-crdt", "--profile", profile, folder)
    #expect(again.status == 0 && again.output.contains("Nothing new: no document was changed"))
  }

  @Test func `what is not there is told with the command that knows the profile`() throws {
    let run = try run("verify-counts", folder, "--profile", profile, "--json")
    #expect(run.status == 1)
    let missing = run.jsonLines.filter { $0["code"] as? String == "missing-entity" }
    #expect(missing.count == 9)
    let commands = Set(missing.compactMap { $0["command"] as? [String] })
    #expect(commands == [["import-crdt", "--profile", profile, folder]])
  }

  @Test func `JSON that changed later is told, and reaches the documents when asked`() throws {
    _ = try run("import-crdt", folder, "--profile", profile)
    let note = folder + "/notes/travel/lisbon.json"
    let text = try String(contentsOfFile: note, encoding: .utf8)
    try text.replacingOccurrences(of: "Tram 28", with: "Tram 12")
      .write(toFile: note, atomically: true, encoding: .utf8)
    let told = try run("import-crdt", folder, "--profile", profile, "--json")
    let finding = try #require(told.jsonLines.first { $0["code"] as? String == "diverged" })
    #expect(told.status == 1 && (finding["message"] as? String)?.hasSuffix("another body") == true)
    let command = try #require(finding["command"] as? [String])
    #expect(command == ["import-crdt", "--update", "--profile", profile, folder])
    let updated = try run(command[0], command[1], command[2], command[3], command[4])
    #expect(updated.status == 0, "\(updated.errors)")
    #expect(updated.output.contains("Updated 1 entity in 1 document"), "\(updated.output)")
    let verified = try run("verify-counts", folder, "--profile", profile)
    #expect(verified.status == 0 && verified.output.contains("Everything is there and equal"))
  }

  @Test func `without a profile nobody takes the folder for one without entities`() throws {
    let before = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    let calls: [[String]] = [
      ["import-crdt", folder], ["verify-counts", folder], ["export-json", folder],
      ["export-json", folder, "--to", app.place.url.appending(path: "json").path],
      ["import-crdt", folder, "--into", app.place.url.appending(path: "other").path],
    ]
    for call in calls {
      let command = BuiltCommands.directory.appending(path: call[0])
      let run = try run(command, Array(call.dropFirst()), input: nil)
      #expect(run.status == 78 && run.output == "", "\(call)")
      #expect(run.errors.contains("notebooks.json is nowhere where Minuta has data"), "\(call)")
      #expect(run.errors.contains("--profile FILE"), "\(call)")
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() == before)
    // Who says that it is Minuta's is believed.
    #expect(try run("verify-counts", folder, "--profile", "minuta").status == 1)
  }

  @Test func `a file that an entity names and that is gone is told`() throws {
    _ = try run("import-crdt", folder, "--profile", profile)
    try FileManager.default.removeItem(atPath: folder + "/attachments/plan.txt")
    let run = try run("verify-counts", folder, "--profile", profile)
    #expect(run.status == 0 && run.output.contains("names the file plan.txt, which is not there"))
    #expect(!run.output.contains("Everything is there and equal"))
  }

  @Test func `a built-in profile by name or as a file changes nothing`() throws {
    let plain = try SmallFolder()
    _ = try run("import-crdt", plain.path, "--quiet")
    func documents(of folder: SmallFolder) throws -> [String: Data] {
      try folder.snapshot().filter { $0.key.hasSuffix(".automerge") }.compactMapValues(\.bytes)
    }
    let expected = try documents(of: plain)
    #expect(expected.count == 3)
    let file = app.place.url.appending(path: "minuta.json")
    try Data(try run("inspect-crdt", "--print-profile", "minuta").output.utf8).write(to: file)
    for profile in ["minuta", file.path] {
      let other = try SmallFolder()
      _ = try run("import-crdt", other.path, "--quiet", "--profile", profile)
      #expect(try documents(of: other) == expected, "\(profile)")
      #expect(try run("verify-counts", other.path, "--profile", profile).status == 0)
    }
    let text = try String(contentsOf: file, encoding: .utf8)
    try Data(text.replacing("\"version\": 1", with: "\"version\": 2").utf8).write(to: file)
    let refused = try run("import-crdt", plain.path, "--profile", file.path)
    #expect(refused.status == 65 && refused.errors.contains("\"minuta\" has a meaning of its own"))
  }

  @Test func `a wrong profile is told before anything else is read`() throws {
    let file = app.place.url.appending(path: "wrong.json")
    try Data("{\"profile\": \"p\",\n \"version\": 1, \"kind\": []}\n".utf8).write(to: file)
    for command in ["import-crdt", "verify-counts"] {
      let run = try run(command, "/nowhere/at/all", "--profile", file.path)
      #expect(run.status == 65 && run.errors.contains("line 2, column 16"), "\(command)")
    }
    #expect(try run("import-crdt", folder, "--profile", "/nowhere/at/all").status == 66)
  }

  @Test func `a layout is no question for an import, either`() throws {
    let before = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    let other = app.place.url.appending(path: "other").path
    let calls: [[String]] = [
      [folder, "--layout", "per-record"], [folder, "--layout", "monthly", "--dry-run"],
      ["-", "--into", other, "--layout", "per-record"],
    ]
    for call in calls {
      let command = BuiltCommands.directory.appending(path: "import-crdt")
      let run = try run(command, call + ["--profile", profile], input: "")
      #expect(run.status == 64, "\(call)")
      #expect(
        run.errors.contains("--layout: documents lie where the profile says")
          && run.errors.contains("next: leave it out"), "\(call): \(run.errors)")
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() == before)
    #expect(!FileManager.default.fileExists(atPath: other))
  }

  @Test func `nothing in the sources knows the apps`() throws {
    let sources = BuiltCommands.packageRoot.appending(path: "Sources")
    let names = ["notebook", "habit"]
    // One of the apps that are built in has kinds of such names, too: its profile, and its samples.
    let builtIn = [
      "Folders/Profiles/Profile+Ritualist.swift",
      "Folders/Profiles/Profile+RitualistFormat.swift", "SampleStores/",
    ]
    for path in try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    where path.hasSuffix(".swift") && !builtIn.contains(where: path.hasPrefix) {
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      for name in names { #expect(!text.lowercased().contains(name), "\(path)") }
    }
  }
}

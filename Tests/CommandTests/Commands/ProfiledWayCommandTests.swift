import Automerge
import Diagnostics
import Foundation
import MigrationCore
import Testing

@testable import CommandLineSupport

/// The whole way of a folder that only a profile describes: backup, import, check, clean-up, and back.
@Suite struct ProfiledWayCommandTests {
  @Test(arguments: ["greenhouse", "notes", "habits"])
  func `a folder becomes documents and the same files again`(_ name: String) throws {
    let app = try ProfiledApp(name)
    let original = try app.files()
    let json = try app.json()
    // What a file holds beside its entities stays in its place.
    let rest = ["notes": "notebooks.json", "habits": "habits.json"][name]

    let migrated = try app.run("migrate-folder", app.folder)
    #expect(migrated.status == 0, "\(migrated.output)\(migrated.errors)")
    #expect(!migrated.output.contains("automerge_migration_complete_v1"))
    #expect(migrated.output.contains("Done; the JSON is still there."))
    #expect(
      migrated.output.contains("migrate-folder \(app.folder) --cleanup --profile \(app.profile)"))
    let documents = try app.documents()
    #expect(!documents.isEmpty)
    let status = try app.run("verify-counts", app.folder, "--status").output
    #expect(status.hasPrefix("migrated\n"), "\(status)")

    let backup = try app.backup()
    let cleaned = try app.run("migrate-folder", app.folder, "--cleanup")
    #expect(cleaned.status == 0, "\(cleaned.output)\(cleaned.errors)")
    #expect(
      cleaned.output.contains("What 1 of them holds besides stays in its place.") == (rest != nil))
    #expect(try app.json().keys.map(\.self) == [rest].compactMap(\.self))
    let after = try app.run("verify-counts", app.folder, "--status").output
    #expect(after == "cleaned\n")
    #expect(try app.run("verify-counts", app.folder).status == 0)
    let settled = try app.backups()
    let again = try app.run("migrate-folder", app.folder, "--cleanup")
    #expect(again.status == 0, "\(again.output)\(again.errors)")
    // There is nothing to migrate, and so nothing to back up.
    #expect(again.output.contains("Nothing to migrate"))
    #expect(try app.backups() == settled)

    let back = try app.run("rollback-folder", app.folder, backup)
    #expect(back.status == 0, "\(back.output)\(back.errors)")
    #expect(back.output.contains("\nDone.\n"))
    #expect(!back.output.contains("automerge_migration_complete_v1"))
    #expect(back.output.contains("--into \(app.folder) --profile \(app.profile)"))
    #expect(try app.documents().isEmpty)
    #expect(try app.beside() == ["App", "App-backups"])
    let files = try app.json()
    #expect(files.keys.sorted() == json.keys.sorted())
    // Where no member is null the same members are back, at every depth.
    let isWhole = try ProfiledApp.names(of: files) == ProfiledApp.names(of: json)
    #expect(isWhole || rest != nil)
    #expect(try app.documentsAnew() == documents)
    let all = try app.files()
    for (path, bytes) in original where !path.hasSuffix(".json") {
      #expect(all[path] == bytes, "\(path)")
    }

    // What it replaced comes back, and so does what was there first.
    let undo = try #require(back.output.firstMatch(of: /restore-backup ([^ ]*) --into/))
    #expect(try app.run("restore-backup", String(undo.1), "--into", app.folder).status == 0)
    #expect(try app.documents() == documents)
    let restored = try app.run("restore-backup", backup, "--into", app.folder)
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try app.json() == json && app.documents() == documents)
    #expect(try app.run("migrate-folder", app.folder).status == 0)
    #expect(try app.documents() == documents)
  }

  @Test(arguments: [false, true])
  func `what was deleted stays deleted and is listed, unless it is wanted back`(
    _ isWanted: Bool
  ) throws {
    let app = try ProfiledApp("notes")
    let json = try app.json()
    let backup = try app.backup()
    _ = try app.run("migrate-folder", app.folder, "--cleanup")
    let lisbon = "45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"
    try editAsApp(app.url("documents/2025-01.automerge")) { document in
      try document.delete(obj: .ROOT, key: lisbon)
    }
    try editAsApp(app.url("notebooks.automerge")) { document in
      try document.delete(obj: .ROOT, key: "Travel")
      try document.set("color", of: "Inbox", to: "#010203")
    }
    let back = try app.run(
      "rollback-folder", [app.folder, backup] + (isWanted ? ["--with-deleted"] : []))
    #expect(back.status == 0, "\(back.output)\(back.errors)")
    #expect(back.output.contains("lisbon.json: note \(lisbon) was deleted since the backup"))
    #expect(back.output.contains("notebook Travel was deleted since the backup"))
    let files = try app.json()
    #expect((files["notes/travel/lisbon.json"] != nil) == isWanted)
    #expect(files.count == json.count - (isWanted ? 0 : 1))
    let text = String(decoding: files["notebooks.json"] ?? Data(), as: UTF8.self)
    #expect(text.contains("Travel") == isWanted)
    // What stays in the file and what the app edited since are there.
    #expect(text.contains("\"version\":3") && text.contains("#010203"))
    #expect(text.contains("Ana"))
    let again = try app.run("import-crdt", app.folder)
    #expect(again.status == 0, "\(again.output)")
    #expect(try app.run("verify-counts", app.folder).status == 0)
  }

  @Test func `what no document has is told, and is in the backup`() throws {
    let app = try ProfiledApp("notes")
    let backup = try app.backup()
    let text = try String(contentsOf: app.url("notebooks.json"), encoding: .utf8)
    _ = try app.run("migrate-folder", app.folder, "--cleanup")
    try Data(text.replacing("#888888", with: "#999999").utf8).write(to: app.url("notebooks.json"))
    let back = try app.run("rollback-folder", app.folder, backup)
    #expect(back.status == 1, "\(back.output)\(back.errors)")
    #expect(back.output.contains("notebooks.json: held what no document has"))
    #expect(back.output.contains("--profile \(app.profile) --only notebooks.json"))
  }

  @Test func `a rollback keeps what the app edited beside the entities since the clean-up`() throws
  {
    let app = try ProfiledApp("habits")
    let backup = try app.backup()
    _ = try app.run("migrate-folder", app.folder, "--cleanup")
    let rest = try String(contentsOf: app.url("habits.json"), encoding: .utf8)
    try Data(rest.replacing("412", with: "500, \"theme\": [\"dark\"]").utf8)
      .write(to: app.url("habits.json"))
    try editAsApp(app.url("habits.automerge")) { document in
      try document.set("unit", of: "run", to: "mi")
    }
    let back = try app.run("rollback-folder", app.folder, backup)
    #expect(back.status == 0, "\(back.output)\(back.errors)")
    let text = try String(contentsOf: app.url("habits.json"), encoding: .utf8)
    let run =
      #"{"color":"green","goal":"5.5","schedule":{"mon":true,"thu":true},"unit":"mi"}"#
    #expect(
      text == #"{"app":{"build":500,"theme":["dark"]},"habits":{"run":\#(run),"#
        + #""read":{"goal":"20","unit":"pages"},"#
        + #""água":{"goal":"1.5","unit":"l","archived":false}}}"# + "\n")
    #expect(try app.documents().isEmpty)
  }

  // MARK: Stopped

  @Test func `a rollback that ends before any of its steps is completed by the next`() throws {
    var stop = 0
    while true {
      let app = try ProfiledApp("notes")
      let backup = try app.backup()
      _ = try app.run("migrate-folder", app.folder, "--cleanup")
      let documents = try app.documents()
      let before = try app.files()
      var steps = 0
      let run = try SteppedRun.rollingBack(app.folder, to: backup, profile: app.profile) {
        command, run in
        steps += 1
        #expect(command.arguments.contains("--profile"), "\(command.shellText)")
        return steps == stop + 1 ? .failed(.inputOutput) : try run()
      }
      if steps <= stop {
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        break
      }
      #expect(run.status == 74, "step \(stop): \(run.output)\(run.errors)")
      #expect(try app.files() == before, "step \(stop)")
      let again = try app.run("rollback-folder", app.folder, backup)
      #expect(again.status == 0, "step \(stop): \(again.output)\(again.errors)")
      #expect(try app.documents().isEmpty && app.documentsAnew() == documents, "step \(stop)")
      #expect(try app.beside() == ["App", "App-backups"], "step \(stop)")
      stop += 1
    }
    #expect(stop > 6)
  }

  @Test func `a migration that ends before any of its steps is completed by the next`() throws {
    for stop in 0..<4 {
      let app = try ProfiledApp("greenhouse")
      let json = try app.json()
      var steps = 0
      var options = MigrationOptions(folder: app.folder)
      options.cleansUp = true
      let run = try SteppedRun.migrating(options, profile: app.profile) { command, run in
        steps += 1
        #expect(command.arguments.contains("--profile"), "\(command.shellText)")
        return steps == stop + 1 ? .failed(.inputOutput) : try run()
      }
      #expect(run.status == 74, "\(run.output)\(run.errors)")
      #expect(try app.json() == json)
      let again = try app.run("migrate-folder", app.folder, "--cleanup")
      #expect(again.status == 0, "\(again.output)\(again.errors)")
      #expect(try app.json().isEmpty)
      #expect(try app.run("verify-counts", app.folder).status == 0)
    }
  }

  @Test(arguments: [10, 40, 80, 130, 200, 300, 450, 700], ["greenhouse", "habits"])
  func `commands killed at any moment are completed by the same command`(
    milliseconds: UInt32, _ name: String
  ) throws {
    let app = try ProfiledApp(name)
    let fileCount = try app.json().count
    let backup = try app.backup()
    for words in [["migrate-folder", "--cleanup"], ["rollback-folder", backup]] {
      let arguments = [app.folder] + words.dropFirst() + ["--profile", app.profile]
      let command = BuiltCommands.directory.appending(path: words[0])
      let killed = try RunningCommand(command, arguments)
      try killed.input.close()
      usleep(milliseconds * 1_000)
      killed.sendToAll(SIGKILL)
      _ = try killed.wait()
      let again = try run(command, arguments, input: nil)
      #expect(again.status == 0, "\(again.output)\(again.errors)")
    }
    #expect(try app.documents().isEmpty && app.json().count == fileCount)
  }

  // MARK: What is told

  @Test func `a folder that holds nothing of the profile is told where its files would be`()
    throws
  {
    let app = try ProfiledApp("notes")
    let outer = app.place.url.path
    let run = try app.run("migrate-folder", outer)
    #expect(run.status == 78 && run.output == "")
    #expect(
      run.errors.contains("has data (notes/**/*.json, notebooks.json, settings.json)"),
      "\(run.errors)")
    #expect(run.errors.contains("next: migrate-folder \(outer)/App --profile \(app.profile)"))
  }

  @Test func `a layout is no question where the profile says where documents lie`() throws {
    let app = try ProfiledApp("notes")
    let run = try app.run("migrate-folder", app.folder, "--layout", "monthly")
    #expect(run.status == 64 && run.errors.contains("documents lie where the profile says"))
    #expect(try app.documents().isEmpty && app.beside() == ["App"])
  }

  @Test func `a wrong profile is told by each command before anything is read`() throws {
    let app = try ProfiledApp("notes")
    let file = app.place.url.appending(path: "wrong.json")
    try Data("{\"profile\": \"p\",\n \"version\": 1, \"kind\": []}\n".utf8).write(to: file)
    let before = try app.files()
    let calls = [
      ["pack-backup", app.folder], ["restore-backup", "b.tar", "--into", app.folder],
      ["rollback-folder", app.folder, "b.tar"], ["migrate-folder", app.folder],
    ]
    for call in calls {
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: call[0]),
        call.dropFirst() + ["--profile", file.path], input: nil)
      #expect(run.status == 65 && run.errors.contains("line 2, column 16"), "\(call)")
    }
    #expect(try app.files() == before)
  }
}

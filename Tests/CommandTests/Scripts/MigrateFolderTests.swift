import Foundation
import Testing

@Suite struct MigrateFolderTests {
  @Test func `a folder is backed up, imported and verified, and the JSON stays`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let run = try scripts.run("migrate-folder", folder.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("Imported 3 of 3 entities"))
    #expect(run.output.contains("Everything is there and equal."))
    #expect(run.output.contains("Do not open the app on another device before clean-up"))
    #expect(folder.exists("tags.json"))
    #expect(folder.exists("records/2024/01.automerge"))
    #expect(FileManager.default.fileExists(atPath: folder.path + "-backups"))
  }

  @Test func `with clean-up only documents, images and foreign files are left`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let run = try scripts.run("migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(run.status == 0, "\(run.errors)")
    let files = try folder.snapshot().filter { $0.value.bytes != nil && !$0.key.hasPrefix(".") }
    #expect(
      files.keys.sorted() == [
        "notes.txt", "records/2024/01.automerge",
        "records/2024/01/\(SmallFolder.firstID)_0.jpg", "records/2024/02.automerge",
        "tags.automerge",
      ])
  }

  @Test func `running it again changes nothing and is a success`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let call = ["migrate-folder", folder.path, "--cleanup", "--layout"]
    for _ in 0..<2 {
      #expect(try scripts.run(call[0], call[1], call[2], call[3], "monthly").status == 0)
    }
    let before = try folder.snapshot().filter { !$0.key.hasPrefix(".") }
    #expect(try scripts.run(call[0], call[1], call[2], call[3], "monthly").status == 0)
    #expect(try folder.snapshot().filter { !$0.key.hasPrefix(".") } == before)
  }

  /// After each command in turn the script is killed where it stands, together with what it runs.
  @Test(arguments: ["pack-backup", "import-crdt", "verify-counts", "cleanup-legacy"])
  func `killed after any step it is completed by running it again`(command: String) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    try scripts.replace(command, with: #""$real" "$@"; kill -KILL $PPID"#)
    let killed = try scripts.run(
      "migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(killed.status != 0)
    try scripts.putBack(command)
    let again = try scripts.run("migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(again.status == 0, "\(again.errors)")
    #expect(!folder.exists("tags.json"))
    #expect(folder.exists("tags.automerge"))
    let leftovers = try folder.snapshot().keys.filter { $0.contains(".tmp.nosync") }
    #expect(leftovers.isEmpty)
  }

  @Test func `the first command that fails ends it with its own status`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    try scripts.replace("import-crdt", with: "exit 75")
    let run = try scripts.run("migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(run.status == 75)
    #expect(!run.output.contains("verify"))
    #expect(folder.exists("tags.json"))
  }

  @Test func `a record that cannot be imported stops the clean-up`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    try folder.write(
      #"{"id":"no uuid","startTime":"2024-02-02T07:00:00Z"}"#, to: "records/2024/02/x.json")
    let run = try scripts.run("migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(run.status == 1)
    #expect(run.output.contains("records/2024/02/x.json"))
    #expect(folder.exists("tags.json"))
    #expect(folder.exists("records/2024/01.automerge"))
  }

  @Test func `a folder with spaces and quotes in its name is a folder`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let odd = folder.parent.appending(path: "it's \"my\" data")
    try FileManager.default.copyItem(at: folder.url, to: odd)
    let run = try scripts.run("migrate-folder", odd.path, "--cleanup", "--layout", "monthly")
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(arguments: ["--backup-dir", "--layout", "--numeric-dates"])
  func `an option without its value is wrong usage`(option: String) throws {
    let run = try InstalledScripts().run("migrate-folder", "/nowhere", option)
    #expect(run.status == 64)
    #expect(run.errors.hasPrefix("usage: migrate-folder FOLDER"))
  }

  @Test func `a path that cd would print is one path`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let run = try CommandTests.run(
      URL(filePath: "/usr/bin/env"),
      [
        "-C", folder.parent.path, "CDPATH=\(folder.parent.path)",
        scripts.directory.appending(path: "recover-folder").path, "Minuta",
      ], input: nil)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("\(folder.path): legacy"))
  }

  @Test func `it explains itself`() throws {
    let scripts = try InstalledScripts()
    for script in InstalledScripts.names {
      let help = try scripts.run(script, "--help")
      #expect(help.status == 0)
      #expect(help.output.hasPrefix("usage: \(script) FOLDER"))
      #expect(try scripts.run(script).status == 64)
      #expect(try scripts.run(script, "--no-such-option").status == 64)
      #expect(try scripts.run(script, "/nowhere", "/nowhere.tar").status >= 64)
    }
  }
}

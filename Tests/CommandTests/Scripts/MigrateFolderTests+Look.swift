import Automerge
import Foundation
import Testing

// What migrate-folder looks at before it writes anything.
extension MigrateFolderTests {
  @Test func `an empty folder is left as it is, and that is a success`() throws {
    let place = try TemporaryDirectory()
    let empty = place.url.appending(path: "Minuta")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: false)
    let run = try InstalledScripts().run("migrate-folder", empty.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output == "Nothing to migrate: \(empty.path) is empty.\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == ["Minuta"])
    #expect(try SmallFolder.snapshot(of: empty).isEmpty)
  }

  @Test func `nobody gets a backup of an unrelated folder, but the name of the one inside`() throws
  {
    let folder = try SmallFolder()
    let documents = folder.parent.appending(path: "it's here")
    let minuta = documents.appending(path: "My Data")
    try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: false)
    try FileManager.default.moveItem(at: folder.url, to: minuta)
    for letter in ["a.pdf", "b.json", "c.txt"] {
      try Data("a letter".utf8).write(to: documents.appending(path: letter))
    }
    let before = try SmallFolder.snapshot(of: folder.parent)
    for options in [[], ["--cleanup"]] {
      let run = try InstalledScripts().run("migrate-folder", [documents.path] + options)
      #expect(run.status == 78 && run.output == "", "\(run.output)")
      #expect(run.errors.contains("no built-in profile knows this folder: My Data/"))
      #expect(
        run.errors.contains(
          "next: migrate-folder '\(folder.parent.path)/it'\\''s here/My Data', which the profile knows"
        ), "\(run.errors)")
      #expect(try SmallFolder.snapshot(of: folder.parent) == before)
    }
  }

  @Test func `a folder that was cleaned up is not migrated again`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let call = [folder.path, "--cleanup", "--layout", "monthly"]
    #expect(try scripts.run("migrate-folder", call).status == 0)
    let before = try SmallFolder.snapshot(of: folder.parent)
    for call in [call, [folder.path]] {
      let run = try scripts.run("migrate-folder", call)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.output == "Nothing to migrate: \(folder.path) holds documents, and no JSON.\n")
    }
    #expect(try SmallFolder.snapshot(of: folder.parent) == before)
  }

  @Test func `a dry run and an unfinished restore write nothing`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let before = try SmallFolder.snapshot(of: folder.parent)
    let dry = try scripts.run("migrate-folder", folder.path, "--dry-run")
    #expect(dry.status == 0)
    #expect(dry.output.hasPrefix("Would import 3 of 3 entities"))
    #expect(try SmallFolder.snapshot(of: folder.parent) == before)

    let backup = try folder.backup()
    try folder.leaveUnfinishedRestore(of: backup, settingAside: ["tags.json"])
    let middle = try SmallFolder.snapshot(of: folder.parent)
    let run = try scripts.run("migrate-folder", folder.path)
    #expect(run.status == 75, "\(run.output)")
    #expect(try SmallFolder.snapshot(of: folder.parent) == middle)
  }

  // MARK: The layout that the app reads

  @Test func `clean-up needs to know which layout the app reads`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let before = try folder.snapshot()
    let refused = try scripts.run("migrate-folder", folder.path, "--cleanup")
    #expect(refused.status == 78)
    #expect(refused.errors.contains("--layout per-record"))
    #expect(try folder.snapshot() == before)
    // Nobody gets a document for each record who has not chosen it.
    #expect(try scripts.run("migrate-folder", folder.path, "--layout", "per-record").status == 0)
    #expect(try scripts.run("migrate-folder", folder.path, "--cleanup").status == 0)
    #expect(!folder.exists("tags.json"))
  }

  @Test func `months that nobody chose do not say which layout the app reads`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let first = try scripts.run("migrate-folder", folder.path)
    #expect(first.status == 0, "\(first.errors)")
    let before = try folder.snapshot()
    let refused = try scripts.run("migrate-folder", folder.path, "--cleanup")
    #expect(refused.status == 78)
    #expect(refused.errors.contains("no document shows which layout the app reads"))
    #expect(try folder.snapshot() == before)
    // The first run has said what to do in either case, and both do it.
    let next = first.output.split(separator: "\n").compactMap { line in
      line.hasPrefix("  next: ") ? String(line.dropFirst(8)) : nil
    }
    #expect(next.count == 2)
    for command in next.reversed() {
      let run = try scripts.runLine(command)
      #expect(run.status == 0, "\(command): \(run.output)\(run.errors)")
      #expect(folder.exists("tags.json") == (command == next.last))
      if command == next.last {
        #expect(folder.exists("records/2024/01/2024-01-15_093000.automerge"))
        #expect(!folder.exists("records/2024/01.automerge"))
        #expect(
          try scripts.run("rollback-folder", folder.path, try folder.backup()).status == 0)
        #expect(try scripts.run("migrate-folder", folder.path).status == 0)
      }
    }
  }

  @Test func `months that an app has written to say that it reads them`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    #expect(try scripts.run("migrate-folder", folder.path).status == 0)
    try editAsApp(folder.file("records/2024/01.automerge")) {
      try $0.set("comment", of: SmallFolder.firstID, to: "by the app")
    }
    let run = try scripts.run("migrate-folder", folder.path, "--cleanup")
    #expect(run.status == 0, "\(run.errors)")
    #expect(!folder.exists("tags.json"))
  }

  @Test(arguments: [("monthly", "per-record"), ("per-record", "monthly")])
  func `a layout that the documents do not have does not pass for theirs`(
    made: String, asked: String
  ) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    #expect(try scripts.run("migrate-folder", folder.path, "--layout", made).status == 0)
    let refused = try scripts.run("migrate-folder", folder.path, "--cleanup", "--layout", asked)
    #expect(refused.status == 78)
    #expect(refused.errors.contains("reads nothing"))
    #expect(folder.exists("tags.json"))
    let looked = try scripts.run("migrate-folder", folder.path, "--layout", asked)
    #expect(looked.status == 0)
    let next = try #require(
      looked.output.split(separator: "\n").first { $0.hasPrefix("  next: rollback-folder ") })
    let turned = try scripts.runLine(String(next.dropFirst(8)))
    #expect(turned.status == 0, "\(turned.errors)")
    #expect(
      try scripts.run("migrate-folder", folder.path, "--cleanup", "--layout", asked).status == 0)
  }

  @Test func `the commands it prints carry the options that were given`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    try folder.write(
      #"{"id":"\#(SmallFolder.secondID)","startTime":728463600}"#,
      to: "records/2024/02/2024-02-01_070000.json")
    let backups = folder.parent.appending(path: "it's elsewhere").path
    let options = [
      "--layout", "per-record", "--backup-dir", backups, "--numeric-dates", "reference",
    ]
    let run = try scripts.run("migrate-folder", [folder.path] + options)
    #expect(run.status == 0, "\(run.errors)")
    let next = try #require(run.output.split(separator: "\n").last)
    #expect(
      next == "  next: migrate-folder \(folder.path) --cleanup --layout per-record --backup-dir "
        + "'\(folder.parent.path)/it'\\''s elsewhere' --numeric-dates reference")
    let cleaned = try scripts.runLine(String(next.dropFirst(8)))
    #expect(cleaned.status == 0, "\(cleaned.errors)")
    #expect(!folder.exists("tags.json"))
    let undo = try #require(cleaned.output.split(separator: "\n").last)
    #expect(undo.hasPrefix("Done. To undo it: rollback-folder "))
    let undone = try scripts.runLine(String(undo.dropFirst("Done. To undo it: ".count)))
    #expect(undone.status == 0, "\(undone.output)\(undone.errors)")
    #expect(folder.exists("tags.json"))
    // No backup went anywhere else.
    #expect(!FileManager.default.fileExists(atPath: folder.path + "-backups"))
  }
}

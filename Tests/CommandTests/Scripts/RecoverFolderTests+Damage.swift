import Automerge
import CommandLineSupport
import Diagnostics
import Foundation
import Testing

/// Documents that do not load.
extension RecoverFolderTests {
  @Test func `a damaged document comes back from the newest backup that holds it whole`() throws {
    try migrate()
    _ = try folder.backup()
    try editAsApp(folder.file("records/2024/01.automerge")) {
      try $0.set("comment", of: SmallFolder.firstID, to: "edited")
    }
    _ = try folder.backup()
    let values = try values()
    try tear("records/2024/01.automerge")
    // The newest one holds it as it is now.
    _ = try folder.backup()
    let damaged = try Data(contentsOf: folder.file("records/2024/01.automerge"))
    try expectPlan(
      "mkdir -p F-salvaged/records/2024",
      "repair-crdt F/records/2024/01.automerge -o F-salvaged/records/2024/01.automerge --brief",
      "restore-backup B-0003.tar --into F --only records/2024/01.automerge --brief")

    let run = try recover("--apply")
    // Everything that could be read of it is in the document that came back.
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try self.values() == values)
    let aside = try files(endingWith: "old/records/2024/01.automerge")
    #expect(try aside.map { try Data(contentsOf: folder.file($0)) } == [damaged])
  }

  @Test func `what was entered since the backup is told until somebody has looked`() throws {
    try migrate()
    let backup = try folder.backup()
    try editAsApp(folder.file("records/2024/01.automerge")) {
      try $0.set("comment", of: SmallFolder.firstID, to: "entered since")
    }
    try editAsApp(folder.file("records/2024/02.automerge")) {
      try $0.delete(obj: .ROOT, key: SmallFolder.secondID)
    }
    try scratch("records/2024/01.automerge")
    try scratch("records/2024/02.automerge")
    let run = try recover("--apply")
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(!run.output.contains("Nothing is wrong"))
    let salvaged = folder.path + "-salvaged/records/2024/01.automerge"
    for output in [run.output, try recover().output] {
      #expect(output.contains("  \(salvaged): shows what records/2024/01.automerge"), "\(output)")
      #expect(output.contains("    \(SmallFolder.firstID) comment: \"entered since\"\n"))
      #expect(
        output.contains(
          "    \(SmallFolder.secondID) is only in the folder: deleted, or not read\n"))
    }
    #expect(try CommandTests.run("export-json", salvaged).output.contains("entered since"))
    #expect(try recover().status == 1)
    // Somebody enters it again, and looks at what is left.
    try editAsApp(folder.file("records/2024/01.automerge")) {
      try $0.set("comment", of: SmallFolder.firstID, to: "entered since")
    }
    #expect(!(try recover().output.contains(SmallFolder.firstID)))
    try FileManager.default.removeItem(atPath: folder.path + "-salvaged")
    #expect(try recover().status == 0)
    #expect(FileManager.default.fileExists(atPath: backup))
  }

  @Test func `a document of which nothing can be read is kept beside the folder, and told`() throws
  {
    try migrate()
    _ = try folder.backup()
    let values = try values()
    try Data(repeating: 0, count: 300).write(to: folder.file("records/2024/01.automerge"))
    let run = try recover("--apply")
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(try self.values() == values)
    let kept = folder.path + "-salvaged/records/2024/01.automerge"
    #expect(try Data(contentsOf: URL(filePath: kept)).count == 300)
    #expect(run.output.contains("\(kept): was damaged, and nothing of it can be read"))
    // A second damage does not take its place.
    try tear("records/2024/01.automerge")
    #expect(try recover("--apply").status == 1)
    #expect(try Data(contentsOf: URL(filePath: kept)).count == 300)
    #expect(
      FileManager.default.fileExists(
        atPath: folder.path + "-salvaged-2/records/2024/01.automerge"))
  }

  @Test(arguments: ["monthly", "per-record"], [true, false])
  func `a document that no backup holds whole comes back from the JSON it was made from`(
    layout: String, isInBackup: Bool
  ) throws {
    let migrated = try scripts.run(
      "migrate-folder", [folder.path, "--cleanup", "--layout", layout])
    try #require(migrated.status == 0, "\(migrated.errors)")
    if !isInBackup { try FileManager.default.removeItem(atPath: folder.path + "-backups") }
    let values = try values()
    let paths =
      layout == "monthly"
      ? ["records/2024/01.automerge", "tags.automerge"]
      : ["records/2024/01/2024-01-15_093000.automerge", "tags.automerge"]
    let documents = try paths.map { try Data(contentsOf: folder.file($0)) }
    for path in paths { try tear(path) }
    let run = try recover("--apply")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try self.values() == values)
    // The very same changes.
    #expect(try paths.map { try Data(contentsOf: folder.file($0)) } == documents)
    #expect(
      FileManager.default.fileExists(atPath: folder.path + "-salvaged/\(paths[0]).damaged"))
    #expect(try recover().status == 0)
  }

  @Test func `what the JSON brings back and the damaged document had not is told`() throws {
    try migrate()
    try editAsApp(folder.file("records/2024/02.automerge")) {
      try $0.delete(obj: .ROOT, key: SmallFolder.secondID)
    }
    try scratch("records/2024/02.automerge")
    let run = try recover("--apply")
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("\(SmallFolder.secondID) is only in the folder: deleted"))
    #expect(try recover().status == 1)
  }

  /// A sync service, or the app, may be faster than the backup that comes first.
  @Test func `a whole document that comes in the place of a damaged one stays`() throws {
    try migrate()
    try FileManager.default.removeItem(atPath: folder.path + "-backups")
    let path = "records/2024/01.automerge"
    try editAsApp(folder.file(path)) {
      try $0.set("comment", of: SmallFolder.firstID, to: "edited elsewhere")
    }
    let whole = folder.parent.appending(path: "whole")
    try FileManager.default.copyItem(at: folder.file(path), to: whole)
    try tear(path)
    let target = folder.file(path)
    let run = try SteppedRun.recovering(folder.path) { command, run in
      let ending = try run()
      if command.name == .repairCRDT {
        try Data(contentsOf: whole).write(to: target, options: .atomic)
      }
      return ending
    }
    #expect(run.status <= 1, "\(run.output)\(run.errors)")
    #expect(try values()["record \(SmallFolder.firstID)"]?.contains("edited elsewhere") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "-salvaged/\(path).damaged"))
  }

  @Test func `what was moved away as damaged and is whole is told`() throws {
    try migrate()
    let path = "records/2024/01.automerge"
    let moved = URL(filePath: folder.path + "-salvaged/\(path).damaged")
    try FileManager.default.createDirectory(
      at: moved.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: folder.file(path), to: moved)
    #expect(try recover().status == 0)
    try editAsApp(moved) { try $0.set("comment", of: SmallFolder.firstID, to: "put there") }
    let run = try recover()
    #expect(run.status == 1)
    #expect(run.output.contains("\(moved.path): shows what \(path) in the folder does not"))
    #expect(run.output.contains("    \(SmallFolder.firstID) comment: \"put there\"\n"))
  }

  @Test func `with neither backup nor JSON what can be read of it goes beside the folder`() throws {
    try migrate()
    try FileManager.default.removeItem(atPath: folder.path + "-backups")
    try folder.remove(".automerge-migrate.nosync")
    try tear("records/2024/01.automerge")
    let damaged = try Data(contentsOf: folder.file("records/2024/01.automerge"))
    try expectPlan(
      "mkdir -p F-salvaged/records/2024",
      "repair-crdt F/records/2024/01.automerge -o F-salvaged/records/2024/01.automerge --brief")
    let run = try recover("--apply")
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.output.contains("1 damaged-document"))
    #expect(try Data(contentsOf: folder.file("records/2024/01.automerge")) == damaged)
    let salvaged = folder.path + "-salvaged/records/2024/01.automerge"
    let read = try CommandTests.run("inspect-crdt", salvaged, "--plain")
    #expect(read.output.contains("2024-01-15"), "\(read.output)\(read.errors)")
    // It is not done twice.
    let again = try recover()
    #expect(again.status == 1)
    #expect(!again.output.contains("  $ "))
  }
}

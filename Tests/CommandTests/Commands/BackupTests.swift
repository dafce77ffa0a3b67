import Foundation
import Testing

@Suite struct BackupTests {
  @Test func `a backup holds the folder and is extracted by other programs`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    #expect(backup.hasPrefix(folder.path + "-backups/"))
    for extract in ["tar", "bsdtar"] {
      let target = folder.parent.appending(path: extract)
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      let extracted = try run(
        URL(filePath: "/usr/bin/env"), [extract, "-xf", backup, "-C", target.path], input: nil)
      #expect(extracted.status == 0, "\(extract): \(extracted.errors)")
      let files = try SmallFolder.snapshot(of: target)
      for (path, entry) in try folder.snapshot() where entry.bytes != nil {
        #expect(files[path]?.bytes == entry.bytes, "\(extract): \(path)")
      }
    }
  }

  @Test func `a compressed backup restores too`() throws {
    let folder = try SmallFolder()
    let packed = try run("pack-backup", folder.path, "--zstd", "--print-path")
    #expect(packed.status == 0)
    let backup = packed.output.trimmingCharacters(in: .newlines)
    #expect(backup.hasSuffix(".tar.zst"))
    #expect(try run("restore-backup", backup, "--check").status == 0)
  }

  @Test func `a dry run writes nothing anywhere`() throws {
    let folder = try SmallFolder()
    let before = try SmallFolder.snapshot(of: folder.parent)
    let run = try run("pack-backup", folder.path, "-n", "--json")
    #expect(run.status == 0)
    #expect(run.summary?["dryRun"] as? Bool == true)
    #expect(try SmallFolder.snapshot(of: folder.parent) == before)
  }

  @Test func `a backup inside the folder is refused`() throws {
    let folder = try SmallFolder()
    let run = try run("pack-backup", folder.path, "--backup-dir", folder.file("backups").path)
    #expect(run.status != 0)
    #expect(!folder.exists("backups"))
  }

  @Test func `a verified backup of the folder as it is can be used again`() throws {
    let folder = try SmallFolder()
    let first = try folder.backup()
    let again = try run("pack-backup", folder.path, "--reuse", "--print-path")
    #expect(again.output == first + "\n")
    try folder.write("changed", to: "notes.txt")
    let other = try run("pack-backup", folder.path, "--reuse", "--print-path")
    #expect(other.status == 0)
    #expect(other.output != first + "\n")
  }

  @Test func `the list shows what there is and whether it is whole`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    let list = try run("pack-backup", folder.path, "--list", "--verify", "--json")
    #expect(list.status == 0)
    let line = try #require(list.jsonLines.first)
    #expect(line["path"] as? String == backup)
    #expect(line["verified"] as? Bool == true)
  }

  @Test func `the list gives a script the paths of what is whole`() throws {
    let folder = try SmallFolder()
    let odd = folder.parent.appending(path: "it's \"odd\"")
    try FileManager.default.moveItem(at: folder.url, to: odd)
    var backups: [String] = []
    for _ in 0..<3 {
      backups.append(try run("pack-backup", odd.path, "--print-path", "--quiet").output)
    }
    let damaged = URL(filePath: backups[1].trimmingCharacters(in: .newlines))
    try Data(try Data(contentsOf: damaged).dropLast(3000)).write(to: damaged)
    let list = try run("pack-backup", odd.path, "--list", "--verify", "--print-path", "--quiet")
    #expect(list.status == 1)
    #expect(list.output == backups[2] + backups[0])
    #expect(
      try run("pack-backup", odd.path, "--list", "--print-path").output.count { $0 == "\n" } == 3)
    #expect(
      try run("pack-backup", odd.path, "--prune", "--keep", "1", "--print-path").status == 64)
  }

  @Test func `an interrupted restore is finished without its backup`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    let before = try folder.snapshot().filter { $0.value.bytes != nil && !$0.key.hasPrefix(".") }
    try folder.leaveUnfinishedRestore(of: backup, settingAside: ["tags.json"])
    try FileManager.default.removeItem(atPath: backup)
    #expect(try run("pack-backup", folder.path).errors.contains("--finish"))

    let dry = try run("restore-backup", "--finish", folder.path, "--dry-run")
    #expect(dry.output == "Would finish an earlier, interrupted restore.\n")
    #expect(!folder.exists("tags.json"))
    let run = try run("restore-backup", "--finish", folder.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix("Finished an earlier, interrupted restore.\nSet aside"))
    let after = try folder.snapshot().filter { $0.value.bytes != nil && !$0.key.hasPrefix(".") }
    #expect(after.mapValues(\.bytes) == before.mapValues(\.bytes))
    let again = try CommandTests.run("restore-backup", "--finish", folder.path)
    #expect(again.output == "No restore was interrupted.\n")
    #expect(try CommandTests.run("restore-backup", "a.tar", "--finish", folder.path).status == 64)
    #expect(try CommandTests.run("restore-backup", "--check").status == 64)
  }

  @Test func `old backups go only when that is applied`() throws {
    let folder = try SmallFolder()
    for text in ["one", "two", "three"] {
      try folder.write(text, to: "notes.txt")
      _ = try folder.backup()
    }
    let directory = URL(filePath: folder.path + "-backups")
    let count = { try FileManager.default.contentsOfDirectory(atPath: directory.path).count }
    #expect(try run("pack-backup", folder.path, "--prune", "--keep", "1").status == 0)
    #expect(try count() == 3)
    #expect(try run("pack-backup", folder.path, "--prune", "--keep", "1", "--apply").status == 0)
    #expect(try count() == 1)
  }

  @Test func `a restore brings everything back and sets aside what was there`() throws {
    let folder = try SmallFolder()
    let before = try folder.snapshot()
    let backup = try folder.backup()
    try folder.write("edited", to: "notes.txt")
    try folder.write("new", to: "new.txt")
    let run = try run("restore-backup", backup, "--into", folder.path, "--json")
    #expect(run.status == 0)
    let aside = try #require(run.summary?["setAside"] as? String)
    #expect(try Data(contentsOf: folder.file("\(aside)/notes.txt")) == Data("edited".utf8))
    #expect(try Data(contentsOf: folder.file("\(aside)/new.txt")) == Data("new".utf8))
    let after = try folder.snapshot().filter { !$0.key.hasPrefix(".") }
    #expect(after.mapValues(\.bytes) == before.mapValues(\.bytes))
  }

  @Test func `a dry restore changes nothing`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    try folder.write("edited", to: "notes.txt")
    let before = try folder.snapshot()
    #expect(try run("restore-backup", backup, "--into", folder.path, "-n").status == 0)
    #expect(try folder.snapshot() == before)
  }

  @Test func `a damaged backup is found by the check and restores nothing`() throws {
    let folder = try SmallFolder()
    let backup = URL(filePath: try folder.backup())
    var bytes = try Data(contentsOf: backup)
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.write(to: backup)
    let before = try folder.snapshot()
    #expect(try run("restore-backup", backup.path, "--check").status == 65)
    #expect(try run("restore-backup", backup.path, "--into", folder.path).status == 65)
    #expect(try folder.snapshot().filter { !$0.key.hasPrefix(".") } == before)
  }

  @Test func `single files come back, and the others stay as they are`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    let image = "records/2024/01/\(SmallFolder.firstID)_0.jpg"
    try folder.write("edited", to: "notes.txt")
    try folder.remove(image)
    try folder.write("edited", to: "tags.json")
    let run = try run(
      "restore-backup", backup, "--into", folder.path, "--only", "notes.txt", "records", "--json")
    #expect(run.status == 0, "\(run.errors)")
    let entries = run.jsonLines.filter { $0["type"] as? String == "entry" }
    #expect(entries.count == 4)
    let notes = try #require(entries.first { $0["path"] as? String == "notes.txt" })
    #expect(notes["outcome"] as? String == "restored")
    let aside = try #require(notes["setAside"] as? String)
    #expect(try Data(contentsOf: folder.file(aside)) == Data("edited".utf8))
    #expect(entries.count { $0["outcome"] as? String == "unchanged" } == 2)
    #expect(folder.exists(image))
    #expect(try Data(contentsOf: folder.file("tags.json")) == Data("edited".utf8))
  }

  @Test func `a path that is in no backup is missing input`() throws {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    let run = try run("restore-backup", backup, "--into", folder.path, "--only", "tags.jsn")
    #expect(run.status == 66)
    #expect(run.errors.contains("holds no entry tags.jsn\n  next: it holds tags.json"))
    #expect(try CommandTests.run("restore-backup", backup, "--check", "--only", "x").status == 64)
  }

  @Test func `the list of a backup names every file`() throws {
    let folder = try SmallFolder()
    let list = try run("restore-backup", try folder.backup(), "--list", "--json")
    #expect(list.status == 0)
    let paths = list.jsonLines.compactMap { $0["path"] as? String }
    #expect(paths.contains("tags.json"))
    #expect(paths.contains("notes.txt"))
  }

  @Test func `what a restore had unpacked when it was killed goes with the next run that writes`()
    throws
  {
    let folder = try SmallFolder()
    let debris = ".automerge-migrate.nosync/restore/20260106T120000Z-0001"
    try folder.write("half", to: "\(debris)/staging/tags.json")
    #expect(try run("import-crdt", folder.path).status == 0)
    #expect(!folder.exists(debris))
  }
}

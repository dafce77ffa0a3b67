import Diagnostics
import Foundation
import Testing

/// The work beside the folder: whose it is, who may look at it, and what a run leaves that was killed.
extension RollbackFolderTests {
  private func work(beside folder: SmallFolder) -> URL {
    URL(filePath: folder.path + "-rollback.nosync")
  }

  private func expectNoWork(beside folder: SmallFolder) throws {
    #expect(!FileManager.default.fileExists(atPath: work(beside: folder).path))
  }

  /// What a kill leaves is what lies there between two steps: each time all of it is copied.
  @Test func `killed between any two steps it is completed by running it again`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let before = try shown(folder)
    let copies = try TemporaryDirectory()
    var names: [String] = []
    func keep(_ name: String) throws {
      names.append("\(names.count)-\(name)")
      try FileManager.default.copyItem(
        at: folder.parent, to: copies.url.appending(path: names.last ?? name))
    }
    let whole = try SteppedRun.rollingBack(folder.path, to: backup) { command, run in
      try keep(command.name.rawValue)
      return try run()
    }
    try keep("end")
    #expect(whole.status == 0, "\(whole.output)\(whole.errors)")
    #expect(names.count == 9, "\(names)")
    for name in names {
      let place = copies.url.appending(path: name)
      let copied = place.appending(path: "Minuta").path
      let again = try scripts.run(
        "rollback-folder", copied, backup.replacing(folder.parent.path, with: place.path))
      #expect(again.status == 0, "\(name): \(again.output)\(again.errors)")
      let left = try FileManager.default.contentsOfDirectory(atPath: place.path)
      #expect(left.sorted() == ["Minuta", "Minuta-backups"], "\(name)")
      let files = try SmallFolder.snapshot(of: place.appending(path: "Minuta")).filter {
        $0.value.bytes != nil && !$0.key.hasPrefix(".")
      }
      #expect(try files.keys.sorted() == visibleFiles(folder), "\(name)")
    }
    #expect(try shown(folder) == before)
  }

  /// Killed in the middle of a step, as soon as something is there.
  @Test(arguments: [
    "", "next", "next/tags.automerge", "purged", "json", "json/records", "next.tar",
  ])
  func `killed at any instant it is completed by running it again`(path: String) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let command = try RunningCommand(
      BuiltCommands.directory.appending(path: "rollback-folder"), [folder.path, backup])
    try command.input.close()
    let sign = work(beside: folder).path + (path.isEmpty ? "" : "/\(path)")
    while command.isRunning, !FileManager.default.fileExists(atPath: sign) { usleep(200) }
    command.send(SIGKILL)
    _ = try command.wait()
    // Nobody else has it in the way.
    #expect(try run("verify-counts", folder.path).status <= 1)
    let again = try scripts.run("rollback-folder", folder.path, backup)
    #expect(again.status == 0, "\(again.output)\(again.errors)")
    for file in legacy { #expect(folder.exists(file)) }
    try expectNoWork(beside: folder)
  }

  @Test func `who works there has it locked, and whoever comes then changes nothing`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    var meanwhile: [CommandRun] = []
    let whole = try SteppedRun.rollingBack(folder.path, to: backup) { command, step in
      let before = try SmallFolder.snapshot(of: folder.parent)
      meanwhile.append(try scripts.run("rollback-folder", folder.path, backup))
      #expect(try SmallFolder.snapshot(of: folder.parent) == before)
      return try step()
    }
    #expect(whole.status == 0, "\(whole.output)\(whole.errors)")
    #expect(meanwhile.count == 8)
    for run in meanwhile {
      #expect(run.status == 75, "\(run.output)\(run.errors)")
      #expect(run.errors.contains("another rollback-folder is at work on it"), "\(run.errors)")
    }
    try expectNoWork(beside: folder)
  }

  /// A process that was killed has a number that nobody has.
  @Test(arguments: ["made-by-rollback-folder", "made-by-rollback-folder.2147483647"])
  func `what an earlier version left is known, and goes`(mark: String) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let work = work(beside: folder)
    try FileManager.default.createDirectory(
      at: work.appending(path: "next/records"), withIntermediateDirectories: true)
    try Data((mark.hasSuffix("7") ? "" : "2147483647\n").utf8).write(
      to: work.appending(path: mark))
    try Data("old".utf8).write(to: work.appending(path: "next/records/old.json"))
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    try expectNoWork(beside: folder)
    for file in legacy { #expect(folder.exists(file)) }
  }

  @Test(arguments: ["directory", "file", "link"])
  func `what somebody else put there is in the way, and stays`(kind: String) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let work = work(beside: folder)
    switch kind {
    case "directory":
      try FileManager.default.createDirectory(at: work, withIntermediateDirectories: false)
      try Data("mine".utf8).write(to: work.appending(path: "mine.txt"))
    case "file": try Data("mine".utf8).write(to: work)
    default:
      try FileManager.default.createSymbolicLink(
        at: work, withDestinationURL: folder.parent)
    }
    let before = try SmallFolder.snapshot(of: folder.parent)
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 73, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("next: move it elsewhere"), "\(run.errors)")
    #expect(try SmallFolder.snapshot(of: folder.parent) == before)
  }

  @Test func `an empty directory is nobody's`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    try FileManager.default.createDirectory(
      at: work(beside: folder), withIntermediateDirectories: false)
    #expect(try scripts.run("rollback-folder", folder.path, backup).status == 0)
    try expectNoWork(beside: folder)
  }

  @Test func `nobody may look at the work or the JSON who may not look at the folder`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: folder.path)
    if geteuid() == 0 {
      let run = try CommandTests.run(
        URL(filePath: "/bin/chown"), ["-R", "65534:65534", folder.path], input: nil)
      #expect(run.status == 0)
    }
    func mode(_ path: String) throws -> Int {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }
    let command = try RunningCommand(
      BuiltCommands.directory.appending(path: "rollback-folder"), [folder.path, backup])
    try command.input.close()
    let work = work(beside: folder).path
    while command.isRunning, !FileManager.default.fileExists(atPath: work + "/next") {
      usleep(200)
    }
    // It may be done by now.
    let workMode = (try? mode(work)) ?? 0o700
    #expect(workMode & 0o077 == 0)
    let run = try command.wait()
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for file in legacy {
      #expect(try mode(folder.file(file).path) & 0o077 == 0, "\(file)")
      let owner = try FileManager.default.attributesOfItem(atPath: folder.file(file).path)[
        .ownerAccountID]
      #expect(owner as? Int == (geteuid() == 0 ? 65534 : Int(geteuid())), "\(file)")
    }
  }

  @Test(arguments: [" a  b ", "it's \"mine\"", "-rf", "$(x)\ny", "x\n"])
  func `a folder may have any name`(name: String) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let odd = folder.parent.appending(path: name)
    try FileManager.default.copyItem(at: folder.url, to: odd)
    let packed = try run("pack-backup", odd.path, "--output", folder.parent.path + "/-b.tar")
    #expect(packed.status == 0, "\(packed.errors)")
    let migrated = try scripts.run(
      "migrate-folder", odd.path, "--cleanup", "--layout", "monthly")
    #expect(migrated.status == 0, "\(migrated.errors)")
    let back = try scripts.run(
      "rollback-folder", ["--", name, "-b.tar"], in: folder.parent)
    #expect(back.status == 0, "\(back.output)\(back.errors)")
    #expect(FileManager.default.fileExists(atPath: odd.path + "/tags.json"))
    // No line of a shell names what ends with a line break.
    if name.hasSuffix("\n") { return }
    let said = try #require(back.output.range(of: "To undo this: "))
    let undone = try scripts.runLine(String(back.output[said.upperBound...]))
    #expect(undone.status == 0, "\(back.output)\(undone.errors)")
    #expect(FileManager.default.fileExists(atPath: odd.path + "/tags.automerge"))
  }

  @Test func `its last step waits for the lock as long as it was told to`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let before = try visibleFiles(folder)
    var lock: FolderLockHolder? = try FolderLockHolder(folder.url)
    let waiting = try scripts.run("rollback-folder", folder.path, backup, "--lock-timeout", "0")
    #expect(waiting.status == 75, "\(waiting.output)\(waiting.errors)")
    #expect(waiting.errors.contains("for 0 seconds"), "\(waiting.errors)")
    #expect(lock != nil)
    #expect(try visibleFiles(folder) == before)
    lock = nil
    #expect(try scripts.run("rollback-folder", folder.path, backup).status == 0)
    try expectNoWork(beside: folder)
  }

  @Test func `its report is for scripts, too, and its steps talk as it was asked to`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let lines = try scripts.run("rollback-folder", folder.path, backup, "--json")
    #expect(lines.status == 0, "\(lines.errors)")
    #expect(lines.jsonLines.count == 1 && lines.output.split(separator: "\n").count == 1)
    let today = try #require(lines.summary?["backup"] as? String)
    #expect(today.hasPrefix(folder.path + "-backups/Minuta-") && today != backup)
    #expect(
      lines.summary?["undo"] as? [String] == ["restore-backup", today, "--into", folder.path])
    #expect(lines.summary?["purged"] as? [String] == [])
    #expect(lines.errors.contains("Everything is there and equal."))
    let again = try scripts.run("rollback-folder", folder.path, backup, "--json")
    #expect(again.summary?["backup"] is NSNull && again.summary?["undo"] is NSNull)
    let other = try SmallFolder()
    let quiet = try scripts.run(
      "rollback-folder", other.path, try migrate(other, scripts), "--quiet")
    #expect(quiet.status == 0)
    #expect(quiet.output == "" && quiet.errors == "", "\(quiet.output)\(quiet.errors)")
    #expect(other.exists("tags.json"))
  }

  @Test func `what no export writes stays, and what is not downloaded is there`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let others = ["t.automerge", "records/x.automerge"]
    for path in others {
      try FileManager.default.copyItem(
        at: folder.file("tags.automerge"), to: folder.file(path))
    }
    // Copies are exported with what they are copies of.
    try FileManager.default.copyItem(
      at: folder.file("tags.automerge"), to: folder.file("tags 2.automerge"))
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try visibleFiles(folder).filter { $0.hasSuffix(".automerge") } == others.sorted())
    for file in legacy { #expect(folder.exists(file)) }
    let again = try scripts.run("rollback-folder", folder.path, backup)
    #expect(again.output.contains("Nothing to roll back"))

    // One that is not downloaded is there, and nobody can tell what it holds.
    let other = try SmallFolder()
    let otherBackup = try migrate(other, scripts)
    for path in ["tags", "records/2024/01", "records/2024/02"] {
      try other.remove("\(path).automerge")
    }
    try other.write("", to: ".tags.automerge.icloud")
    let before = try visibleFiles(other)
    let waiting = try scripts.run("rollback-folder", other.path, otherBackup)
    #expect(waiting.status != 0, "\(waiting.output)")
    #expect(!waiting.output.contains("Nothing to roll back"))
    #expect(try visibleFiles(other) == before)
    try expectNoWork(beside: other)
  }

  @Test func `a run in quarantine that says nothing of what it moved stops it`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let place = ".automerge-migrate.nosync/quarantine/"
    let name = try #require(
      try folder.snapshot().keys.first { $0.hasPrefix(place) && $0.hasSuffix(".jsonl") })
    try folder.write("torn", to: name)
    let before = try folder.snapshot()
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 65, "\(run.output)\(run.errors)")
    #expect(try folder.snapshot() == before)
    try expectNoWork(beside: folder)
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "a disk of a size takes a mount"))
  func `room for all of it is asked for before the first byte`() throws {
    let place = try TemporaryDirectory()
    let disk = place.url.appending(path: "disk")
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
    let small = try SmallDisk(at: disk, kilobytes: 4096)
    let folder = try SmallFolder()
    _ = try folder.clean()
    // The backup would fit, and not the copy.
    let script = """
      cp -R "$2" "$0/Minuta" && cd "$0" && head -c 1300000 /dev/zero >Minuta/large.bin &&
      mv "$0/Minuta/.automerge-migrate.nosync/quarantine" "$1" || exit 70
      status=0; "$3" "$0/Minuta" "$4" || status=$?; ls -A; exit $status
      """
    let backup = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "-backups").sorted().first)
    let run = try run(
      URL(filePath: "/usr/bin/env"),
      small.prefix + [
        "sh", "-c", script, disk.path, place.url.path, folder.path,
        BuiltCommands.directory.appending(path: "rollback-folder").path,
        "\(folder.path)-backups/\(backup)",
      ], input: nil)
    #expect(run.status == 74, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("disk or quota is full: needs"), "\(run.errors)")
    #expect(run.output == "Minuta\n", "\(run.output)")
  }
}

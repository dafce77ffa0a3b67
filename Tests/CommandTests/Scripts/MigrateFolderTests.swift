import CommandLineSupport
import Diagnostics
import Folders
import Foundation
import MigrationCore
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

  /// What happens to a folder that is cleaned up, with something around each step.
  private func migrate(
    _ folder: SmallFolder, around: @escaping SteppedRun.Around
  ) throws -> CommandRun {
    var options = MigrationOptions(folder: folder.path)
    options.cleansUp = true
    options.layout = .monthly
    return try SteppedRun.migrating(options, around: around)
  }

  @Test(arguments: [
    NextCommand.Name.packBackup, .importCRDT, .verifyCounts, .cleanupLegacy,
  ])
  func `stopped after any step it is completed by running it again`(
    last: NextCommand.Name
  ) throws {
    let folder = try SmallFolder()
    var names: [NextCommand.Name] = []
    let stopped = try migrate(folder) { command, run in
      names.append(command.name)
      let ending = try run()
      return command.name == last ? .failed(.inputOutput) : ending
    }
    #expect(stopped.status == 74)
    #expect(names.last == last)
    let again = try InstalledScripts().run(
      "migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(again.status == 0, "\(again.errors)")
    #expect(!folder.exists("tags.json"))
    #expect(folder.exists("tags.automerge"))
    let leftovers = try folder.snapshot().keys.filter { $0.contains(".tmp.nosync") }
    #expect(leftovers.isEmpty)
  }

  @Test func `the first command that fails ends it with its own status`() throws {
    let folder = try SmallFolder()
    let run = try migrate(folder) { command, run in
      command.name == .importCRDT ? .failed(.busy) : try run()
    }
    #expect(run.status == 75)
    #expect(run.output == "backup\nimport\n")
    #expect(folder.exists("tags.json"))
  }

  @Test func `its steps talk as it was asked to`() throws {
    let scripts = try InstalledScripts()
    let other = try SmallFolder()
    let quiet = try scripts.run("migrate-folder", other.path, "--quiet")
    #expect(quiet.status == 0)
    #expect(quiet.output == "" && quiet.errors == "", "\(quiet.output)\(quiet.errors)")
    let folder = try SmallFolder()
    let lines = try scripts.run("migrate-folder", folder.path, "--layout", "per-record", "--json")
    #expect(lines.jsonLines.count == 1 && lines.output.split(separator: "\n").count == 1)
    #expect(lines.summary?["folderStatus"] as? String == "legacy")
    #expect(
      (lines.summary?["backup"] as? String)?.hasPrefix(folder.path + "-backups/Minuta-") == true)
    #expect(
      lines.summary?["commands"] as? [[[String]]]
        == [[["migrate-folder", folder.path, "--cleanup", "--layout", "per-record"]]])
    #expect(lines.errors.contains("Imported 3 of 3 entities"))
  }

  /// The commands that are started are those of the program itself.
  @Test func `the one program needs nothing beside it and nothing on the path`() throws {
    let folder = try SmallFolder()
    let place = try TemporaryDirectory()
    let program = place.url.appending(path: "renamed")
    try FileManager.default.copyItem(
      at: BuiltCommands.directory.appending(path: BuiltCommands.program), to: program)
    let call = ["PATH=/nowhere", program.path]
    let env = URL(filePath: "/usr/bin/env")
    let migrated = try run(
      env, call + ["migrate-folder", folder.path, "--cleanup", "--layout", "monthly"], input: nil)
    #expect(migrated.status == 0, "\(migrated.errors)")
    #expect(migrated.output.contains("\nclean up\nMoved 3 files"), "\(migrated.output)")
    try folder.remove("tags.automerge")
    let recovered = try run(env, call + ["recover-folder", folder.path, "--apply"], input: nil)
    #expect(recovered.status == 0, "\(recovered.output)\(recovered.errors)")
    #expect(folder.exists("tags.automerge"))
    let backups = try FileManager.default.contentsOfDirectory(atPath: folder.path + "-backups")
    let oldest = folder.path + "-backups/" + (try #require(backups.sorted().first))
    let back = try run(env, call + ["rollback-folder", folder.path, oldest], input: nil)
    #expect(back.status == 0, "\(back.output)\(back.errors)")
    #expect(folder.exists("tags.json"))
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "a disk of a size takes a mount"))
  func `what the backup and the documents need together is asked for before the first byte`() throws
  {
    let place = try TemporaryDirectory()
    let disk = place.url.appending(path: "disk")
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
    let small = try SmallDisk(at: disk, kilobytes: 3144)
    let record = """
      {"id":"\(SmallFolder.firstID)","startTime":"2024-01-15T09:30:00Z","comment":"COMMENT"}
      """
    // Half of the disk is the JSON; the backup alone would fit in the other half.
    let script = """
      mkdir -p "$0/Minuta/records/2024/01" && cd "$0" &&
      { printf '%s' "${3%COMMENT*}"; head -c 1590000 /dev/zero | tr '\\0' a
        printf '%s' "${3#*COMMENT}"; } >Minuta/records/2024/01/2024-01-15_093000.json &&
      "$1" "$0/Minuta" --output "$0/probe.tar" --quiet && rm probe.tar || exit 70
      status=0; "$2" "$0/Minuta" || status=$?; find . ! -name . | sort; exit $status
      """
    let tools = ["pack-backup", "migrate-folder"].map {
      BuiltCommands.directory.appending(path: $0).path
    }
    let run = try run(
      URL(filePath: "/usr/bin/env"),
      small.prefix + ["sh", "-c", script, disk.path] + tools + [record], input: nil)
    #expect(run.status == 74, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("disk or quota is full: needs"), "\(run.errors)")
    #expect(run.output.contains("./Minuta/records/2024/01/"))
    #expect(!run.output.contains("-backups") && !run.output.contains(".automerge\n"))
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
    #expect(run.errors.hasSuffix("\n  next: migrate-folder --help shows what it takes\n"))
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
}

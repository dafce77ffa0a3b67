import Foundation
import Testing

/// How the commands end that run others: with the status of what failed.
@Suite struct ScriptStatusTests {
  /// What is wrong, and the status of migrate-folder, recover-folder and rollback-folder.
  enum Situation: String, CaseIterable {
    case noFolder
    case fileForFolder
    case folderBelowClosedDirectory
    case closedFolder
    case closedMonth
    case closedQuarantine
    case closedParent
    case closedAround
    case emptyName
    case noBackup
    case directoryForBackup
    case noBackupAtAll
    case closedBackup
    case noTemporaryDirectory
    case unfinishedRestore
    case fullOutput
    case unknownOption
    case optionWithoutValue
    case wrongUnit
    case twoFolders

    var statuses: (migrate: Int32, recover: Int32, rollback: Int32) {
      switch self {
      case .noFolder, .fileForFolder: (66, 66, 66)
      case .folderBelowClosedDirectory, .closedFolder: (77, 77, 77)
      // What can be read is told, and that something cannot.
      case .closedMonth: (77, 1, 77)
      case .closedQuarantine: (77, 77, 77)
      case .closedParent: (77, 0, 77)
      // As the directory that homes lie in often is.
      case .closedAround: (0, 0, 0)
      case .emptyName: (64, 64, 64)
      case .noBackup, .directoryForBackup: (0, 0, 66)
      case .noBackupAtAll: (0, 0, 65)
      case .closedBackup: (0, 0, 77)
      // None of them needs one.
      case .noTemporaryDirectory: (0, 0, 0)
      case .unfinishedRestore: (75, 1, 75)
      case .fullOutput: (74, 74, 74)
      case .unknownOption, .optionWithoutValue, .wrongUnit, .twoFolders: (64, 64, 64)
      }
    }
  }

  @Test(arguments: Situation.allCases)
  func `it ends with the status of the table, whoever runs it`(
    _ situation: Situation
  ) throws {
    for (script, status) in [
      ("migrate-folder", situation.statuses.migrate),
      ("recover-folder", situation.statuses.recover),
      ("rollback-folder", situation.statuses.rollback),
    ] {
      let place = try Place()
      let run = try place.run(script, in: situation)
      #expect(
        run.status == status, "\(script), \(situation): \(run.status)\n\(run.output)\(run.errors)")
      // Whoever reads it learns what to do, unless it is plain; a wrong call is shown the right one.
      if status > 66 { #expect(run.errors.contains("\n  next: "), "\(script): \(run.errors)") }
      if status == 64 {
        #expect(run.errors.contains("\n  next: \(script) --help"), "\(script): \(run.errors)")
      }
    }
  }

  @Test(arguments: ["records", "records/2024", "records/2024/01"])
  func `nothing is planned for what cannot be looked at`(_ closed: String) throws {
    for isEmptied in closed == "records" ? [false, true] : [false] {
      let place = try Place()
      let (folder, scripts) = (place.folder, place.scripts)
      let migrated = try scripts.run(
        "migrate-folder", [folder.path, "--cleanup", "--layout", "monthly"])
      #expect(migrated.status == 0, "\(migrated.errors)")
      if isEmptied { try folder.remove("tags.automerge") }
      // A month that is in no document: it waits, and is not made again from the JSON.
      if closed == "records/2024/01" { try folder.remove("records/2024/01.automerge") }
      let run = try place.run(
        "recover-folder", [folder.path], preparing: "chmod 0 '\(folder.path)/\(closed)'")
      #expect(run.status == 1, "\(run.output)\(run.errors)")
      #expect(run.output.contains("error unreadable: \(closed): "), "\(run.output)")
      #expect(!run.output.contains("\n   $ "), "\(run.output)")
      let left = run.output.split(separator: "For a person to decide:\n").last ?? ""
      #expect(left.contains("  1 unreadable\n    next: run as the owner of"), "\(run.output)")
      // The tags can be looked for, and are gone.
      #expect(left.contains(" missing-entity\n") == isEmptied, "\(run.output)")
    }
  }

  @Test(arguments: ["records/2024/01", "records/2024"], [false, true])
  func `a directory that nobody may write to is rolled back all the same`(
    _ closed: String, isCleaned: Bool
  ) throws {
    let place = try Place()
    let (folder, scripts) = (place.folder, place.scripts)
    if isCleaned {
      let migrated = try scripts.run(
        "migrate-folder", [folder.path, "--cleanup", "--layout", "monthly"])
      #expect(migrated.status == 0, "\(migrated.errors)")
    }
    let run = try place.run(
      "rollback-folder", [folder.path, place.backup],
      preparing: "chmod 555 '\(folder.path)/\(closed)'")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(folder.exists("records/2024/01/2024-01-15_093000.json"))
    #expect(!folder.exists("records/2024/01.automerge"))
  }

  /// A migrated folder with a backup, and somebody who is not root to work on it.
  private struct Place {
    let scripts: InstalledScripts
    let folder: SmallFolder
    let backup: String

    init() throws {
      scripts = try InstalledScripts()
      folder = try SmallFolder()
      backup = try folder.backup()
      _ = try CommandTests.run("import-crdt", folder.path, "--quiet")
    }

    func run(_ script: String, in situation: Situation) throws -> CommandRun {
      var arguments = script == "rollback-folder" ? [folder.path, backup] : [folder.path]
      var prepare = ""
      var setting = ""
      switch situation {
      case .noFolder: arguments[0] += "-not-there"
      case .fileForFolder: arguments[0] = folder.file("tags.json").path
      case .folderBelowClosedDirectory: prepare = "chmod 0 '\(folder.parent.path)'"
      case .closedFolder: prepare = "chmod 0 '\(folder.path)'"
      case .closedMonth: prepare = "chmod 0 '\(folder.path)/records/2024'"
      case .closedQuarantine:
        prepare = "chmod 0 '\(folder.path)/.automerge-migrate.nosync'"
        try folder.write("", to: ".automerge-migrate.nosync/quarantine/note")
      case .closedParent:
        prepare = "rm -r '\(folder.path)-backups'; chmod 555 '\(folder.parent.path)'"
      case .closedAround:
        let home = folder.parent.path + "/home"
        prepare =
          "mkdir '\(home)'; mv '\(folder.path)' '\(folder.path)-backups' '\(home)';"
          + " chown -R 65534:65534 '\(home)'; chmod 111 '\(folder.parent.path)'"
        arguments = arguments.map { $0.replacing(folder.parent.path, with: home) }
      case .emptyName: arguments[0] = ""
      case .noBackup: if arguments.count > 1 { arguments[1] += "-not-there" }
      case .directoryForBackup: if arguments.count > 1 { arguments[1] = folder.path }
      case .noBackupAtAll: if arguments.count > 1 { arguments[1] = folder.file("notes.txt").path }
      case .closedBackup:
        guard arguments.count > 1 else { break }
        try FileManager.default.copyItem(atPath: backup, toPath: backup + "-closed")
        arguments[1] = backup + "-closed"
        prepare = "chmod 0 '\(backup)-closed'"
      case .noTemporaryDirectory: setting = "TMPDIR=/not-there"
      case .unfinishedRestore:
        try folder.leaveUnfinishedRestore(of: backup, settingAside: ["tags.json"])
      case .fullOutput: setting = "exec >/dev/full;"
      case .unknownOption: arguments.append("--no-such-option")
      case .optionWithoutValue: arguments.append("--backup-dir")
      case .wrongUnit: arguments += ["--numeric-dates", "fortnights"]
      case .twoFolders: arguments += ["another", "and another"]
      }
      if situation == .closedParent {
        // The backup that rollback-folder is given is somewhere else.
        let elsewhere = scripts.directory.appending(path: "elsewhere.tar").path
        try FileManager.default.copyItem(atPath: backup, toPath: elsewhere)
        if arguments.count > 1 { arguments[1] = elsewhere }
      }
      return try self.run(script, arguments, preparing: prepare, setting: setting)
    }

    func run(
      _ script: String, _ arguments: [String], preparing prepare: String, setting: String = ""
    ) throws -> CommandRun {
      let path = scripts.directory.appending(path: script).path
      defer { open() }
      guard geteuid() == 0 else {
        return try CommandTests.run(
          URL(filePath: "/bin/sh"),
          ["-c", "\(prepare)\n\(setting) \"$0\" \"$@\"", path] + arguments, input: nil)
      }
      let whole = #"""
        chown -R 65534:65534 '\#(folder.parent.path)' && \#(prepare.isEmpty ? ":" : prepare)
        exec setpriv --reuid=65534 --regid=65534 --clear-groups \
          /bin/sh -c '\#(setting) "$0" "$@"' "$0" "$@"
        """#
      return try CommandTests.run(
        URL(filePath: "/bin/sh"), ["-c", whole, path] + arguments, input: nil)
    }

    /// What is closed cannot be removed either.
    private func open() {
      _ = try? CommandTests.run(
        URL(filePath: "/bin/chmod"), ["-R", "u+rwX", folder.parent.path], input: nil)
    }
  }
}

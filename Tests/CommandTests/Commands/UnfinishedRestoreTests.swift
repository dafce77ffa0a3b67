import Foundation
import Testing

/// What every command does with a folder in which a restore died in the middle: it holds neither what
/// it held before nor what the backup holds.
@Suite struct UnfinishedRestoreTests {
  /// Every way a command opens a folder. `FOLDER` is the folder, `OTHER` one that is whole,
  /// `BACKUP` a backup, `NEW` a place where nothing is.
  private static let refused: [String: [[String]]] = [
    "bench-engine": [["FOLDER"]],
    "cleanup-legacy": [
      ["FOLDER"], ["FOLDER", "--dry-run"], ["FOLDER", "--apply", "--backup", "BACKUP"],
      ["FOLDER", "--months-before", "2024-02"], ["FOLDER", "--purge", "--older-than", "0d"],
      ["FOLDER", "--bring-back", "20260106T120000Z"],
    ],
    "export-json": [
      ["FOLDER"], ["FOLDER", "--dry-run"], ["FOLDER", "--to", "NEW"], ["OTHER", "--to", "FOLDER"],
      ["OTHER", "--to", "FOLDER", "--dry-run"], ["FOLDER/notes.txt"],
    ],
    "generate-folder": [["FOLDER"], ["FOLDER/sub"]],
    "generate-store": [["FOLDER"], ["FOLDER/sub"]],
    "import-crdt": [
      ["FOLDER"], ["FOLDER", "--dry-run"], ["FOLDER", "--update"], ["FOLDER", "--into", "NEW"],
      ["OTHER", "--into", "FOLDER"], ["OTHER", "--into", "FOLDER", "--dry-run"],
    ],
    "inspect-crdt": [["--sizes", "FOLDER"]],
    "merge-conflicts": [
      ["FOLDER"], ["FOLDER", "--dry-run"], ["FOLDER", "--unify"], ["FOLDER", "--watch"],
    ],
    // It opens no folder itself.
    "migrate-fleet": [],
    "migrate-folder": [
      ["FOLDER"], ["FOLDER", "--dry-run"], ["FOLDER", "--cleanup", "--layout", "monthly"],
    ],
    "migrate-schema": [
      ["PLAN", "FOLDER"], ["PLAN", "FOLDER", "--dry-run"], ["PLAN", "FOLDER", "--status"],
    ],
    "pack-backup": [
      ["FOLDER"], ["FOLDER", "--dry-run"], ["FOLDER", "--list"], ["FOLDER", "--reuse"],
      ["FOLDER", "--prune", "--keep", "1"], ["FOLDER", "--output", "NEW"],
    ],
    "recover-folder": [],
    "repair-crdt": [
      ["FOLDER/notes.txt", "-o", "NEW"], ["BACKUP", "-o", "FOLDER/salvaged.automerge"],
      ["FOLDER/notes.txt", "--anonymize", "-o", "NEW"],
    ],
    // It shows the folder as it is, and says what finishes it.
    "report-folder": [],
    "restore-backup": [["BACKUP", "--into", "FOLDER", "--only", "tags.json", "--dry-run"]],
    // It has its own word for one that is not its own.
    "rollback-folder": [],
    "sync-folder": [
      ["FOLDER", "OTHER"], ["OTHER", "FOLDER"], ["FOLDER", "OTHER", "--dry-run"],
    ],
    "verify-counts": [
      ["FOLDER"], ["FOLDER", "--status"], ["FOLDER", "--status", "--names-only"],
      ["OTHER", "--against", "FOLDER"],
      ["FOLDER/records"],
    ],
  ]

  /// What finishes it, and what is needed to look at it.
  private static let allowed: [[String]] = [
    ["restore-backup", "BACKUP", "--list"], ["restore-backup", "BACKUP", "--check"],
    ["restore-backup", "--finish", "FOLDER", "--dry-run"],
    ["restore-backup", "BACKUP", "--into", "FOLDER", "--dry-run"],
    ["inspect-crdt", "--history", "FOLDER"], ["recover-folder", "FOLDER"],
    ["report-folder", "FOLDER"],
    ["verify-counts", "FOLDER/.automerge-migrate.nosync/restore/20260106T120000Z-0001/old"],
  ]

  @Test func `no command is forgotten`() {
    #expect(Set(Self.refused.keys) == Set(BuiltCommands.names))
  }

  @Test(arguments: BuiltCommands.names)
  func `a command says so, ends with 75 and changes nothing`(command: String) throws {
    let place = try Place()
    let before = try SmallFolder.snapshot(of: place.folder.parent)
    for words in try #require(Self.refused[command]) {
      let run = try place.run(command, words)
      #expect(run.status == 75, "\(words): \(run.output)\(run.errors)")
      #expect(run.output == "", "\(words)")
      #expect(run.errors.contains("an earlier restore was interrupted"), "\(words): \(run.errors)")
      #expect(run.errors.contains("restore-backup --finish FOLDER"), "\(words): \(run.errors)")
      #expect(try SmallFolder.snapshot(of: place.folder.parent) == before, "\(words)")
    }
  }

  @Test func `what finishes it works, and what looks at it`() throws {
    let place = try Place()
    let before = try SmallFolder.snapshot(of: place.folder.parent)
    for call in Self.allowed {
      let run = try place.run(try #require(call.first), Array(call.dropFirst()))
      #expect([0, 1].contains(run.status), "\(call): \(run.errors)")
      #expect(try SmallFolder.snapshot(of: place.folder.parent) == before, "\(call)")
    }
    let plan = try place.run("restore-backup", ["BACKUP", "--into", "FOLDER", "-n"])
    #expect(plan.output.contains("Would finish an earlier, interrupted restore."))
    let refused = try place.run("verify-counts", ["FOLDER", "--json"])
    let words = try #require(refused.jsonLines.first?["command"] as? [String])
    #expect(words == ["restore-backup", "--finish", place.folder.path])
    #expect(try place.run(words[0], Array(words.dropFirst())).status == 0)
    #expect(try place.run("export-json", ["FOLDER"]).status == 0)
  }

  private struct Place {
    let folder: SmallFolder
    private let other: SmallFolder
    private let backup: String

    init() throws {
      folder = try SmallFolder()
      other = try SmallFolder()
      backup = try folder.backup()
      try folder.leaveUnfinishedRestore(of: backup, settingAside: ["tags.json"])
    }

    func run(_ command: String, _ words: [String]) throws -> CommandRun {
      let new = folder.parent.appending(path: "new").path
      let arguments = words.map { word in
        [
          ("FOLDER", folder.path), ("OTHER", other.path), ("BACKUP", backup), ("NEW", new),
          ("PLAN", BuiltCommands.packageRoot.appending(path: "plans/local-data.json").path),
        ]
        .reduce(word) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
      }
      return try CommandTests.run(
        BuiltCommands.directory.appending(path: command), arguments, input: nil)
    }
  }
}

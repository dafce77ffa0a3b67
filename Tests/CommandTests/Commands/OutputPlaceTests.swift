import Foundation
import Testing

/// What a command makes lies beside data folders, never in one.
@Suite struct OutputPlaceTests {
  /// `FOLDER` is a folder with documents, `LEGACY` one without any state of ours, `BACKUP` a backup.
  @Test(arguments: [
    ["restore-backup", "BACKUP", "--into", "FOLDER/x"],
    ["restore-backup", "BACKUP", "--into", "FOLDER/records/2024/x"],
    ["restore-backup", "BACKUP", "--into", "LEGACY/x"],
    ["restore-backup", "BACKUP", "--into", "LEGACY/images/x"],
    ["restore-backup", "BACKUP", "--into", "FOLDER/.automerge-migrate.nosync/x"],
    ["restore-backup", "BACKUP", "--into", "FOLDER/records", "--only", "notes.txt"],
    ["restore-backup", "BACKUP", "--into", "FOLDER/x", "--only", "notes.txt"],
    ["export-json", "FOLDER", "--to", "FOLDER/x"],
    ["export-json", "FOLDER", "--to", "FOLDER/records"],
    ["export-json", "LEGACY", "--to", "FOLDER/x"],
    ["export-json", "LEGACY/records", "--to", "LEGACY"],
    ["import-crdt", "LEGACY", "--into", "LEGACY/x"],
    ["import-crdt", "LEGACY", "--into", "FOLDER/x"],
    ["generate-folder", "FOLDER/x"], ["generate-folder", "FOLDER/records/x"],
    ["generate-store", "FOLDER/x"],
    ["repair-crdt", "FOLDER/records/2024/01.automerge", "-o", "FOLDER/records/2024/y.automerge"],
    ["repair-crdt", "FOLDER/records/2024/01.automerge", "--anonymize", "-o", "FOLDER/records/y"],
    [
      "repair-crdt", "FOLDER/records/2024/01.automerge", "-o", "FOLDER/.automerge-migrate.nosync/y",
    ],
    ["pack-backup", "LEGACY", "-o", "FOLDER/records/b.tar"],
    ["pack-backup", "LEGACY", "--backup-dir", "FOLDER/records"],
    ["pack-backup", "LEGACY", "--backup-dir", "FOLDER/records/new"],
  ])
  func `a place inside a data folder is refused, dry or not, and nothing is made`(
    call: [String]
  ) throws {
    let folder = try SmallFolder()
    let legacy = try SmallFolder()
    try legacy.write("x", to: "images/2024/01/x.jpg")
    let backup = try folder.backup()
    #expect(try run("import-crdt", folder.path, "--layout", "monthly").status == 0)
    let words = call.map { word in
      [("FOLDER", folder.path), ("LEGACY", legacy.path), ("BACKUP", backup)]
        .reduce(word) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
    let before = [try folder.snapshot(), try legacy.snapshot()]
    let canPlan = !words[0].hasPrefix("generate-")
    for options in canPlan ? [["--dry-run"], []] : [[]] {
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: words[0]), Array(words.dropFirst()) + options,
        input: nil)
      #expect(run.status == 64, "\(run.output)\(run.errors)")
      #expect(run.errors.contains("  next: "), "\(run.errors)")
      #expect([try folder.snapshot(), try legacy.snapshot()] == before)
    }
  }

  @Test func `a place beside a folder, that folder, and one inside that is one itself are not`()
    throws
  {
    let folder = try SmallFolder()
    let backup = try folder.backup()
    #expect(try run("import-crdt", folder.path, "--layout", "monthly").status == 0)
    for path in [
      "tags.json", "records/2024/01/2024-01-15_093000.json",
      "records/2024/02/2024-02-01_070000.json",
    ] {
      try folder.remove(path)
    }
    #expect(try run("export-json", folder.path, "--to", folder.path).status == 0)
    let beside = folder.parent.appending(path: "x").path
    #expect(try run("export-json", folder.path, "--to", beside).status == 0)
    #expect(try run("restore-backup", backup, "--into", folder.path).status == 0)
    #expect(
      try run("restore-backup", backup, "--into", folder.parent.appending(path: "y").path).status
        == 0)
    // As an older version could make it.
    try folder.write("", to: "inner/.minuta.writelock.nosync")
    #expect(try run("restore-backup", backup, "--into", folder.file("inner").path).status == 0)
  }

  @Test
  func `what a killed run was writing goes with the next, and what a living one writes stays`()
    throws
  {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path, "--layout", "monthly").status == 0)
    let place = folder.parent.appending(path: "out")
    let debris = [
      ".tags.json.0123456789abcdef.tmp.nosync",
      "records/2024/01/.2024-01-15_093000.json.0123456789abcdef.tmp.nosync",
    ]
    func leave(_ path: String) throws -> URL {
      let file = place.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("half".utf8).write(to: file)
      return file
    }
    let files = try debris.map(leave)
    let foreign = try leave(".tags.json.tmp.nosync")
    #expect(try run("export-json", folder.path, "--to", place.path, "-n").status == 0)
    #expect(files.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    #if os(Linux)
      // A living export has a share of the lock on the directory.
      let beside = try runInShell(
        #"exec 9<"$2"; flock -s 9; exec "$0" "$1" --to "$2""#, "export-json", folder.path,
        place.path)
      #expect(beside.status == 0, "\(beside.errors)")
      #expect(files.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
    #endif
    #expect(try run("export-json", folder.path, "--to", place.path).status == 0)
    #expect(!files.contains { FileManager.default.fileExists(atPath: $0.path) })
    #expect(FileManager.default.fileExists(atPath: foreign.path))

    let half = try leave(".tags.new.0123456789abcdef.tmp.nosync")
    let other = try leave(".other.0123456789abcdef.tmp.nosync")
    let salvage = try run(
      "repair-crdt", folder.file("tags.automerge").path, "-o",
      place.appending(path: "tags.new").path)
    #expect([0, 1].contains(salvage.status), "\(salvage.errors)")
    #expect(!FileManager.default.fileExists(atPath: half.path))
    #expect(FileManager.default.fileExists(atPath: other.path))
  }
}

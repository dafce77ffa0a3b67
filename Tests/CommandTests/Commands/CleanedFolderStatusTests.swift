import Foundation
import Testing

/// What `--status` says of a folder whose JSON is in quarantine.
@Suite struct CleanedFolderStatusTests {
  @Test func `a whole one is cleaned, and nothing is left to say`() throws {
    let folder = try SmallFolder()
    _ = try folder.clean()
    let run = try run("verify-counts", folder.path, "--status")
    #expect(run.status == 0)
    #expect(run.output == "cleaned\n")
  }

  @Test(arguments: [["tags.automerge"], ["records/2024/01.automerge"]])
  func `documents that are gone are missed`(gone: [String]) throws {
    let folder = try SmallFolder()
    _ = try folder.clean()
    for path in gone { try folder.remove(path) }
    let run = try run("verify-counts", folder.path, "--status")
    #expect(run.status == 1)
    #expect(
      run.output
        == "cleaned\nin the way: 1 missing-entity\nnext: recover-folder \(folder.path)\n"
        + "next: verify-counts \(folder.path)\n")
  }

  @Test func `a folder without any document is missed, and not migrated anew`() throws {
    let folder = try SmallFolder()
    _ = try folder.clean()
    try folder.removeDocuments()
    let run = try run("verify-counts", folder.path, "--status")
    #expect(run.status == 1)
    #expect(run.output.contains("in the way: 3 missing-entity\nnext: recover-folder "))
    let migrate = try InstalledScripts().run("migrate-folder", folder.path)
    #expect(migrate.status == 1)
    #expect(migrate.output.contains("what was migrated is not all there"))
    #expect(migrate.output.contains("next: recover-folder "))
  }

  @Test func `without quarantine the history tells that there were documents`() throws {
    let folder = try SmallFolder()
    let (backup, _) = try folder.clean()
    let purged = try run(
      "cleanup-legacy", folder.path, "--purge", "--older-than", "0d", "--backup", backup, "--apply")
    #expect(purged.status == 0)
    let cleaned = try run("verify-counts", folder.path, "--status")
    #expect(cleaned.status == 0)
    #expect(cleaned.output.hasPrefix("cleaned\nnot looked at: what the documents should hold: "))
    try folder.removeDocuments()
    let run = try run("verify-counts", folder.path, "--status", "--json")
    #expect(run.status == 1)
    #expect(run.summary?["errors"] as? [String: Int] == ["missing-file": 1])
  }

  @Test func `without quarantine records tell that there were tags`() throws {
    let folder = try SmallFolder()
    let (backup, _) = try folder.clean()
    let purged = try run(
      "cleanup-legacy", folder.path, "--purge", "--older-than", "0d", "--backup", backup, "--apply")
    #expect(purged.status == 0)
    try folder.remove("tags.automerge")
    let status = try run("verify-counts", folder.path, "--status", "--json")
    #expect(status.status == 1)
    #expect(status.summary?["errors"] as? [String: Int] == ["missing-file": 1])
    let verified = try run("verify-counts", folder.path)
    #expect(
      verified.output.contains(
        "info dangling-tag: records/2024/01.automerge: the tag \(SmallFolder.tagID) is nowhere, "
          + "and 1 record names it\n"))
  }

  @Test func `documents of another folder are no answer`() throws {
    let folder = try SmallFolder()
    _ = try folder.clean()
    let other = try SmallFolder()
    try other.write(
      #"{"id":"7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04","startTime":"2024-01-15T07:00:00Z"}"#,
      to: "records/2024/01/2024-01-15_093000.json")
    #expect(try CommandTests.run("import-crdt", other.path).status == 0)
    try folder.remove("records/2024/01.automerge")
    try FileManager.default.copyItem(
      at: other.file("records/2024/01.automerge"), to: folder.file("records/2024/01.automerge"))
    let run = try run("verify-counts", folder.path, "--status")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("cleaned\nin the way: 1 missing-entity\n"))
  }

  @Test func `a file that left quarantine by itself is told`() throws {
    let folder = try SmallFolder()
    let (_, quarantine) = try folder.clean()
    try folder.remove("\(quarantine)/records/2024/02/2024-02-01_070000.json")
    let run = try run("verify-counts", folder.path, "--status")
    #expect(run.status == 0)
    #expect(run.output.contains("not looked at: \(quarantine).jsonl: 1 file of this list"))
    try folder.remove("records/2024/02.automerge")
    let gone = try CommandTests.run("verify-counts", folder.path, "--status", "--json")
    #expect(gone.status == 1)
    #expect(gone.summary?["errors"] as? [String: Int] == ["missing-file": 1])
  }
}

extension SmallFolder {
  fileprivate func removeDocuments() throws {
    for path in ["tags.automerge", "records/2024/01.automerge", "records/2024/02.automerge"] {
      try remove(path)
    }
  }
}

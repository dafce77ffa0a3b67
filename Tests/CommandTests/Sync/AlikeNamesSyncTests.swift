import Foundation
import Testing

/// Names that are two here and one on disks which do not tell upper from lower case.
@Suite struct AlikeNamesSyncTests {
  @Test func `documents whose names differ only in case are told, and neither is written`() throws {
    let folders = try SyncedFolders(isParted: false)
    for folder in [folders.one, folders.two] {
      for path in SyncedFolders.documents(in: folder) {
        try FileManager.default.removeItem(at: folder.appending(path: path))
      }
      #expect(
        try CommandTests.run("import-crdt", folder.path, "--layout", "per-record").status == 0)
    }
    let path = try #require(
      SyncedFolders.documents(in: folders.one).first { $0.hasPrefix("records/2024/01/") })
    let names = ["records/2024/01/Habits.automerge", "records/2024/01/habits.automerge"]
    for (folder, name) in zip([folders.one, folders.two], names) {
      try FileManager.default.moveItem(
        at: folder.appending(path: path), to: folder.appending(path: name))
    }
    let before = try [folders.one, folders.two].map(SyncedFolders.changes)
    let run = try folders.sync("--json")
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    let findings = run.jsonLines.filter { $0["code"] as? String == "not-synced" }
    for path in names {
      #expect(
        findings.contains {
          $0["path"] as? String == path
            && ($0["message"] as? String)?.contains("but for upper and lower case") == true
        }, "\(run.output)")
    }
    #expect(run.summary?["leftOut"] as? Int == 2, "\(run.output)")
    #expect(try [folders.one, folders.two].map(SyncedFolders.changes) == before)
  }
}

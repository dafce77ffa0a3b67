import Foundation
import Testing

/// `--fail-fast` of every command that takes it.
@Suite struct FailFastTests {
  /// A migrated folder in which the first month's JSON is damaged.
  private func folder() throws -> SmallFolder {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    try folder.write("{", to: "records/2024/01/2024-01-15_093000.json")
    return folder
  }

  private func isStopped(_ run: CommandRun) -> Bool {
    run.jsonLines.contains { $0["code"] as? String == "not-looked-at" }
  }

  @Test func `the first error ends the run and the report says so`() throws {
    let folder = try folder()
    let backup = try folder.backup()
    for arguments in [
      ["verify-counts"], ["cleanup-legacy", "--backup", backup, "--apply"], ["import-crdt"],
    ] {
      let run = try run(
        BuiltCommands.directory.appending(path: arguments[0]),
        arguments.dropFirst() + [folder.path, "--fail-fast", "--jobs", "1", "--json"], input: nil)
      #expect(run.status == 1, "\(arguments)")
      #expect(isStopped(run), "\(arguments)")
    }
    #expect(folder.exists("records/2024/02/2024-02-01_070000.json"))
    try folder.remove("records/2024/01/2024-01-15_093000.json")
    try folder.write("no document", to: "records/2024/01.automerge")
    let target = folder.parent.appending(path: "exported").path
    let export = try run(
      "export-json", folder.path, "--to", target, "--fail-fast", "--jobs", "1", "--json")
    #expect(export.status == 1)
    #expect(isStopped(export))
    try folder.write("no document", to: "records/2024/01 2.automerge")
    try folder.write("no document", to: "records/2024/02 2.automerge")
    let merge = try run("merge-conflicts", folder.path, "--fail-fast", "--json")
    #expect(merge.status == 1)
    #expect(isStopped(merge))
    #expect(merge.summary?["bases"] as? Int == 1)
  }

  @Test func `what looks at everything or has no errors does not take it`() throws {
    let folder = try SmallFolder()
    #expect(try run("verify-counts", folder.path, "--status", "--fail-fast").status == 64)
    #expect(
      try run(
        "cleanup-legacy", folder.path, "--purge", "--older-than", "0d", "--fail-fast"
      ).status == 64)
    #expect(try run("pack-backup", folder.path, "--fail-fast").status == 64)
  }
}

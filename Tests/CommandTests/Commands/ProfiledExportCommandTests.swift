import Foundation
import Testing

/// `export-json --to` on the folder of an app that only a profile describes.
@Suite struct ProfiledExportCommandTests {
  private let app: ProfiledApp
  private let folder: String
  private let profile: String
  private let target: String

  init() throws {
    app = try ProfiledApp("notes")
    folder = app.folder
    profile = app.profile
    target = app.place.url.appending(path: "json").path
    #expect(try run("import-crdt", folder, "--profile", profile).status == 0)
  }

  private func files(of directory: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: directory)
      .filter { $0.hasSuffix(".json") }.sorted()
  }

  @Test func `the app's own files are written and imported again as the same documents`() throws {
    let original = try files(of: folder)
    for path in original { try FileManager.default.removeItem(atPath: folder + "/" + path) }
    let exported = try run("export-json", folder, "--profile", profile, "--to", target)
    #expect(exported.status == 0 && exported.errors.isEmpty)
    #expect(
      exported.output.contains(
        "Exported 5 note entities, 3 notebook entities, 1 settings entity: 7 files created, 0 unchanged"
      ))
    #expect(
      exported.output.contains("notebooks.json: is written without what stays in it (/version)"))
    #expect(try files(of: target).count == original.count)

    #expect(try run("import-crdt", target, "--profile", profile).status == 0)
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where path.hasSuffix(".automerge") {
      let (one, other) = (URL(filePath: folder + "/" + path), URL(filePath: target + "/" + path))
      #expect(try Data(contentsOf: one) == Data(contentsOf: other), "\(path)")
    }
  }

  @Test func `the report counts by kind, and a dry run writes nothing`() throws {
    let plan = try run(
      "export-json", folder, "--profile", profile, "--to", target, "--dry-run", "--json")
    #expect(plan.status == 0 && plan.summary?["dryRun"] as? Bool == true)
    #expect(!FileManager.default.fileExists(atPath: target))
    let exported = try run("export-json", folder, "--profile", profile, "--to", target, "--json")
    let summary = try #require(exported.summary)
    let kinds = try #require(summary["kinds"] as? [String: [String: Int]])
    #expect(
      kinds == [
        "note": ["exported": 5, "leftOut": 0], "notebook": ["exported": 3, "leftOut": 0],
        "settings": ["exported": 1, "leftOut": 0],
      ])
    #expect(summary["tags"] == nil && summary["records"] == nil)
    #expect(summary["filesCreated"] as? Int == 7)
    #expect(try files(of: target) == files(of: folder))
    let again = try run("export-json", folder, "--profile", profile, "--to", target, "--json")
    #expect(again.summary?["filesUnchanged"] as? Int == 7)

    let plain = try SmallFolder()
    let minuta = try run("export-json", plain.path, "--to", target + "-minuta", "--json")
    let counts = try #require(minuta.summary?["kinds"] as? [String: [String: Int]])
    #expect(counts["tag"]?["exported"] == minuta.summary?["tags"] as? Int)
    #expect(counts["record"]?["exported"] == minuta.summary?["records"] as? Int)
  }

  @Test func `a file with other bytes stays and is told`() throws {
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    let file = URL(filePath: target + "/notebooks.json")
    try Data("{}".utf8).write(to: file)
    let refused = try run("export-json", folder, "--profile", profile, "--to", target)
    #expect(refused.status == 73 && refused.errors.contains("notebooks.json"))
    #expect(try Data(contentsOf: file) == Data("{}".utf8))
    // The folder itself holds what the app wrote, in its own form.
    let before = try Data(contentsOf: URL(filePath: folder + "/notebooks.json"))
    #expect(try run("export-json", folder, "--profile", profile, "--to", folder).status == 73)
    #expect(try Data(contentsOf: URL(filePath: folder + "/notebooks.json")) == before)
  }

  @Test func `a document that cannot be read is told and does not stop the others`() throws {
    for path in try files(of: folder) {
      try FileManager.default.removeItem(atPath: folder + "/" + path)
    }
    try Data("no document".utf8).write(to: URL(filePath: folder + "/documents/2025-01.automerge"))
    let exported = try run("export-json", folder, "--profile", profile, "--to", target)
    #expect(exported.status == 1)
    #expect(exported.output.contains("documents/2025-01.automerge"))
    #expect(exported.output.contains("Exported 3 note entities, 3 notebook entities"))
  }

  @Test func `what a backup holds besides is named, and written if that is asked for`() throws {
    let packed = try run("pack-backup", folder, "--print-path")
    let backup = packed.output.trimmingCharacters(in: .whitespacesAndNewlines)
    try FileManager.default.removeItem(atPath: folder + "/settings.json")
    try FileManager.default.removeItem(atPath: folder + "/settings.automerge")
    let call = ["export-json", folder, "--profile", profile, "--backup", backup]
    let named = try run(
      BuiltCommands.directory.appending(path: call[0]), call.dropFirst() + ["--json"], input: nil)
    #expect(named.status == 0, "\(named.errors)")
    #expect(named.errors.contains(#""code":"deleted-since""#))
    #expect(named.errors.contains("settings singleton was deleted since the backup"))
    let written = try run(
      BuiltCommands.directory.appending(path: call[0]),
      call.dropFirst() + ["--with-deleted", "--to", target, "--json"], input: nil)
    #expect(written.status == 0 && written.summary?["deleted"] as? Int == 1)
    #expect(try files(of: target) == files(of: folder) + ["settings.json"])
  }

  @Test func `a wrong profile is told before anything else is read`() throws {
    let file = app.place.url.appending(path: "wrong.json")
    try Data("{\"profile\": \"p\",\n \"version\": 1, \"kind\": []}\n".utf8).write(to: file)
    let run = try run("export-json", "/nowhere/at/all", "--to", target, "--profile", file.path)
    #expect(run.status == 65 && run.errors.contains("line 2, column 16"))
  }
}

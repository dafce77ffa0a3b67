import Foundation
import Testing

/// Two legacy files of one record that say different things, from the first import to the clean-up.
@Suite struct DisagreeingFilesTests {
  private let folder: SmallFolder
  private let scripts: InstalledScripts
  private static let second = "records/2024/01/2024-01-15_093000 copy.json"

  init() throws {
    folder = try SmallFolder()
    scripts = try InstalledScripts()
    let record =
      "{\"id\":\"\(SmallFolder.firstID)\",\"startTime\":\"2024-01-15T09:30:00Z\","
      + "\"comment\":\"what another device wrote\"}"
    try Data(record.utf8).write(to: folder.file(Self.second))
  }

  private func findings(_ run: CommandRun) -> [(code: String, severity: String)] {
    run.jsonLines.filter { $0["type"] as? String == "finding" }.compactMap { line in
      guard let code = line["code"] as? String, let severity = line["severity"] as? String else {
        return nil
      }
      return (code, severity)
    }
  }

  @Test func `they are told once as an error, then known, and both can be cleaned up`() throws {
    let first = try run("import-crdt", folder.path, "--layout", "monthly", "--json")
    #expect(first.status == 1)
    #expect(findings(first).filter { $0.code == "duplicate-id" }.map(\.severity) == ["error"])
    let documents = try folder.snapshot().filter { $0.key.hasSuffix(".automerge") }

    for command in ["import-crdt", "verify-counts"] {
      let next = try run(command, folder.path, "--json")
      #expect(next.status == 0, "\(command): \(next.output)")
      // Of some fields readers see what one file says, of some what the other does.
      let told = findings(next).filter { $0.code == "duplicate-id" }
      #expect(told.map(\.severity) == ["warning", "warning"], "\(command)")
      #expect(!findings(next).contains { $0.code == "edited-since" }, "\(command)")
    }
    let verified = try run("verify-counts", folder.path, "--json")
    let records = try #require(verified.summary?["records"] as? [String: Any])
    #expect(records["reference"] as? Int == records["proven"] as? Int)
    #expect(try folder.snapshot().filter { $0.key.hasSuffix(".automerge") } == documents)
    #expect(try run("verify-counts", folder.path, "--status").output.contains("migrated"))

    let migrated = try scripts.run(
      "migrate-folder", folder.path, "--cleanup", "--layout", "monthly")
    #expect(migrated.status == 0, "\(migrated.output)\(migrated.errors)")
    #expect(!folder.exists(Self.second))
    #expect(try run("verify-counts", folder.path, "--status").output.contains("cleaned"))
    let after = try run("verify-counts", folder.path, "--json")
    #expect(after.status == 0)
    #expect(findings(after).contains { $0.code == "duplicate-id" && $0.severity == "warning" })
    // Readers see one of the values, and the document holds the other one.
    let conflicts = try run(
      "inspect-crdt", "--conflicts", folder.file("records/2024/01.automerge").path)
    #expect(conflicts.output.contains("what another device wrote"))
  }

  @Test func `one that changes after the import is told as an error`() throws {
    #expect(try run("import-crdt", folder.path).status == 1)
    let file = folder.file(Self.second)
    let text = try String(contentsOf: file, encoding: .utf8)
    try Data(text.replacing("another device", with: "a third").utf8).write(to: file)
    for command in ["import-crdt", "verify-counts"] {
      let next = try run(command, folder.path, "--json")
      #expect(next.status == 1, "\(command)")
      #expect(findings(next).contains { $0.severity == "error" }, "\(command)")
    }
    let told = try run("import-crdt", folder.path)
    #expect(told.output.contains("its document never held what this one says"))
    #expect(folder.exists(Self.second))
  }
}

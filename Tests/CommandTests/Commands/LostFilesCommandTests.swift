import Foundation
import TestStores
import Testing

/// What commands do about a store that has lost the files of its large values, as a user runs them.
@Suite struct LostFilesCommandTests {
  private let place: TemporaryDirectory

  init() throws {
    place = try TemporaryDirectory()
    #expect(
      try run("generate-store", path("app"), "--profile", "library", "--rows", "60").status == 0)
  }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }
  private var store: String { path("app/Library.store") }
  private var external: String { path("app/.Library_SUPPORT/_EXTERNAL_DATA") }

  private func pack(_ options: String...) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "pack-backup"), [store] + options, input: nil)
  }

  /// Loses the hidden folder, and returns how many files were in it.
  private func loseFiles() throws -> Int {
    let count = try FileManager.default.contentsOfDirectory(atPath: external).count
    try FileManager.default.removeItem(atPath: path("app/.Library_SUPPORT"))
    return count
  }

  private func reasons() throws -> [[String]] {
    try pack("--list", "--keep", "1", "--json").jsonLines.compactMap { $0["keptBy"] as? [String] }
  }

  @Test func `the last backup that holds files which the store lost is never dropped`() throws {
    #expect(try pack("--keep", "1").status == 0)
    let count = try loseFiles()
    #expect(count > 0)
    for pages in 1...3 {
      try TestDatabase(at: store).run("UPDATE ZBOOK SET ZPAGES = \(pages) WHERE Z_PK = 1")
      let planned = try pack("--keep", "1", "--dry-run", "--json")
      let packed = try pack("--keep", "1", "--json")
      for run in [planned, packed] {
        #expect(run.status == 0, "\(run.errors)")
        #expect(
          run.jsonLines.contains {
            $0["code"] as? String == "missing-file" && $0["severity"] as? String == "warning"
          })
        #expect(run.jsonLines.contains { ($0["keptBy"] as? [String]) == ["holds lost files"] })
      }
    }
    #expect(try reasons().last == ["holds lost files"])
    // Of a store that does not open nobody knows what it has lost.
    let bytes = try Data(contentsOf: URL(filePath: store))
    try Data("not a database".utf8).write(to: URL(filePath: store))
    #expect(try reasons().last == ["holds lost files"])
    let pruned = try pack("--prune", "--apply", "--keep", "1", "--json")
    #expect(pruned.summary?["dropped"] as? Int == 0, "\(pruned.output)")
    try bytes.write(to: URL(filePath: store))
    // What no row names any more is not lost.
    try TestDatabase(at: store).run("UPDATE ZBOOK SET ZCOVER = NULL; UPDATE ZLOAN SET Z_OPT = 2")
    let last = try pack("--keep", "1", "--json")
    #expect(last.status == 0 && last.summary?["dropped"] as? Int ?? 0 > 0, "\(last.output)")
  }

  @Test func `lost files are told, and brought back from the backup that holds them`() throws {
    #expect(try pack().status == 0)
    let count = try loseFiles()
    let status = try run("verify-counts", "--status", "--json", store)
    #expect(status.status == 1)
    #expect(status.jsonLines.contains { $0["code"] as? String == "missing-file" })
    let plan = try run("recover-folder", store)
    #expect(plan.status == 1)
    #expect(
      plan.output.contains("--into \(path("app")) --only .Library_SUPPORT/_EXTERNAL_DATA --brief"))
    // Rows that came since stay.
    try TestDatabase(at: store).run("UPDATE ZBOOK SET ZPAGES = 4711 WHERE Z_PK = 1")
    let applied = try run("recover-folder", store, "--apply")
    #expect(applied.status == 0, "\(applied.output)\(applied.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: external).count == count)
    #expect(
      try TestDatabase(at: store).texts("SELECT ZPAGES FROM ZBOOK WHERE Z_PK = 1") == ["4711"])
    #expect(try run("verify-counts", "--status", store).status == 0)
  }

  @Test func `only the files that are gone come back`() throws {
    #expect(try pack().status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: external).sorted()
    try FileManager.default.removeItem(atPath: "\(external)/\(names[0])")
    let plan = try run("recover-folder", path("app"))
    #expect(plan.output.contains("--only .Library_SUPPORT/_EXTERNAL_DATA/\(names[0]) --brief"))
    #expect(try run("recover-folder", path("app"), "--apply").status == 0)
  }

  @Test func `what no backup holds is left to a person`() throws {
    _ = try loseFiles()
    #expect(try pack().status == 0)
    let plan = try run("recover-folder", store)
    #expect(plan.status == 1 && plan.output.contains("1 missing-file"), "\(plan.output)")
  }
}

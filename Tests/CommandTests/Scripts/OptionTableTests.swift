import Foundation
import Testing

/// The table of options in the scripting guide, tried with each command.
@Suite struct OptionTableTests {
  private static let guide =
    (try? String(
      contentsOf: BuiltCommands.packageRoot.appending(path: "Sources/Documentation/scripting.md"),
      encoding: .utf8)) ?? ""

  /// A call of each command that fails for want of its input, but not because it is wrong usage.
  private static let calls: [String: [String]] = [
    "cleanup-legacy": ["/nowhere/at/all"], "export-json": ["/nowhere/at/all"],
    "generate-folder": ["/proc/nowhere"], "generate-store": ["/proc/nowhere"],
    "import-crdt": ["/nowhere/at/all"],
    "inspect-crdt": ["/nowhere/at/all", "--sizes"], "merge-conflicts": ["/nowhere/at/all"],
    "pack-backup": ["/nowhere/at/all"], "repair-crdt": ["/nowhere/at/all", "-o", "/nowhere/else"],
    "report-folder": ["/nowhere/at/all"],
    "restore-backup": ["/nowhere/at/all", "--into", "/nowhere/else"],
    "migrate-schema": ["/nowhere/at/all", "-"], "verify-counts": ["/nowhere/at/all"],
    "migrate-folder": ["/nowhere/at/all"], "migrate-fleet": ["/nowhere/at/all"],
    "recover-folder": ["/nowhere/at/all"], "rollback-folder": ["/nowhere/at/all", "/nowhere/else"],
    "sync-folder": ["/nowhere/at/all", "/nowhere/else"],
  ]

  private static let values = [
    "--lock-timeout": "1", "--jobs": "1", "--numeric-dates": "unix", "--color": "never",
    "--backup-dir": "/nowhere/else", "--profile": "minuta",
    "--keep": "1", "--keep-within": "30d", "--keep-daily": "1", "--keep-monthly": "1",
    "--keep-size": "2G", "--folders-from": "/nowhere/at/all",
    // A folder of Minuta is no store.
    "generate-store --profile": "laundrytime",
  ]

  /// What an option goes with.
  private static let companions = [
    "cleanup-legacy --folders-from": ["--list"], "pack-backup --folders-from": ["--list"],
    "export-json --folders-from": ["--to", "/nowhere/else"],
    "migrate-schema --folders-from": ["--status"],
  ]

  /// A row of the table: an option, and the commands that have it; nil for every command.
  struct Row: Sendable, CustomTestStringConvertible {
    let option: String
    let commands: Set<String>?

    var testDescription: String { option }
  }

  static let rows: [Row] = guide.matches(of: /(?m)^\| (`--[^|]*) \| ([^|]*) \|$/).flatMap { match in
    let commands = match.2.matches(of: /`([a-z-]+)`/).map { String($0.1) }
    return match.1.matches(of: /`(--[a-z-]+)`/).map {
      Row(option: String($0.1), commands: match.2 == "every command" ? nil : Set(commands))
    }
  }

  @Test func `the guide has the table`() {
    #expect(Self.rows.count > 10)
    #expect(Self.rows.contains { $0.commands == nil })
  }

  @Test(arguments: rows)
  func `an option is where the guide says, and nowhere else`(row: Row) throws {
    let scripts = try InstalledScripts()
    for (command, call) in Self.calls.sorted(by: { $0.key < $1.key }) {
      let value = Self.values["\(command) \(row.option)"] ?? Self.values[row.option]
      let arguments =
        call + [row.option] + (value.map { [$0] } ?? [])
        + (Self.companions["\(command) \(row.option)"] ?? [])
      let run = try scripts.run(command, arguments)
      let isExpected = row.commands?.contains(command) ?? true
      #expect((run.status != 64) == isExpected, "\(command) \(arguments): \(run.errors)")
    }
  }
}

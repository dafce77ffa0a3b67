import Foundation
import TestStores
import Testing

/// The table of what apps say of a store in the scripting guide, each row tried.
@Suite struct AppErrorTableTests {
  private let place: TemporaryDirectory
  private var store: String { path("app/default.store") }

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  /// What leads to the error of an app, by the word that the row begins with: returns what our command
  /// says then.
  private static let cases: [String: @Sendable (AppErrorTableTests) throws -> CommandRun] = [
    "databaseNotFound": {
      try $0.run("verify-counts", "--status", $0.path("app/Ritualist.sqlite"))
    },
    "noBackupAvailable": { test in
      try test.make()
      return try test.run("pack-backup", test.store, "--list", "--json")
    },
    "backupCorrupted": { test in
      try test.make()
      let backup = try test.backup()
      let bytes = try Data(contentsOf: URL(filePath: backup))
      try bytes.prefix(bytes.count / 2).write(to: URL(filePath: backup))
      return try test.run("restore-backup", backup, "--check", "--json")
    },
    "restoreFailed": { test in
      try test.make()
      let backup = try test.backup()
      let app = try TestDatabase(at: test.store)
      try app.run("UPDATE ZPET SET Z_OPT = Z_OPT + 1")
      defer { withExtendedLifetime(app) {} }
      return try test.run("restore-backup", backup, "--into", test.store, "--json")
    },
    "invalidData": { test in
      try test.make()
      let app = try TestDatabase(at: test.store)
      try app.run("UPDATE ZPET SET ZNAME = ''")
      defer { withExtendedLifetime(app) {} }
      return try test.run("verify-counts", test.store, "--json")
    },
    "migrationFailed": { test in
      try test.make("--schema-version", "V1")
      return try test.history([
        "migrationMetrics": [["fromVersion": "1.0.0", "toVersion": "2.0.0", "success": false]]
      ])
    },
    "corruptedData": { test in
      try test.make("--damage", "corrupt")
      return try test.run("verify-counts", "--status", test.store, "--json")
    },
    "134504": { test in
      try test.make("--schema-version", "V2")
      return try test.history(["lastSuccessfulVersion": "1.0.0"])
    },
    "Duplicate version checksums detected": { test in
      try test.make()
      return try test.run("verify-counts", test.store, "--json")
    },
  ]

  private func run(_ command: String, _ arguments: String...) throws -> CommandRun {
    try CommandTests.run(
      BuiltCommands.directory.appending(path: command), arguments, input: nil)
  }

  private func make(_ options: String...) throws {
    let made = try CommandTests.run(
      BuiltCommands.directory.appending(path: "generate-store"),
      [path("app"), "--profile", "laundrytime"] + options, input: nil)
    try #require(made.status == 0, "\(made.errors)")
  }

  private func backup() throws -> String {
    try run("pack-backup", store, "--print-path").output.trimmingCharacters(in: .newlines)
  }

  private func history(_ preferences: [String: Any]) throws -> CommandRun {
    try PropertyListSerialization.data(fromPropertyList: preferences, format: .xml, options: 0)
      .write(to: place.url.appending(path: "app.plist"))
    return try run(
      "inspect-crdt", "--history", store, "--preferences", path("app.plist"), "--json")
  }

  /// A row: the word it begins with, the command, the status and the finding.
  private struct Row {
    let error: String
    let command: String
    let status: Int32
    let code: String?
  }

  private static func rows() throws -> [Row] {
    let guide = try String(
      contentsOf: BuiltCommands.packageRoot.appending(path: "Sources/Documentation/scripting.md"),
      encoding: .utf8)
    let section = try #require(guide.firstMatch(of: /## What apps say of a store\n([^#]*)/)).1
    return section.matches(
      of: /(?m)^\| `([^`]+)`[^|]* \| [^|]* \| `([a-z-]+)[^`]*`[^|]* \| (\d+)(?:, `([a-z-]+)`)? \|$/
    ).map {
      Row(
        error: String($0.1), command: String($0.2), status: Int32($0.3) ?? -1,
        code: $0.4.map(String.init))
    }
  }

  @Test func `every row of the table has a case, and every case a row`() throws {
    #expect(try Set(Self.rows().map(\.error)) == Set(Self.cases.keys))
  }

  @Test(arguments: cases.keys.sorted())
  func `what an app says is what the table says here`(error: String) throws {
    let row = try #require(Self.rows().first { $0.error == error })
    let makeError = try #require(Self.cases[error])
    let said = try makeError(self)
    #expect(said.status == row.status, "\(said.output)\(said.errors)")
    let codes = said.jsonLines.compactMap { $0["code"] as? String }
    let grave = said.jsonLines.filter { $0["severity"] as? String == "error" }
    if let code = row.code { #expect(codes.contains(code)) } else { #expect(grave.isEmpty) }
    if let summary = said.summary {
      #expect(summary["command"] as? String == row.command)
    } else {
      #expect(said.errors.contains("\(row.command): "))
    }
  }
}

import Foundation
import Testing
import TestStores

/// `inspect-crdt --profile-from STORE` as a user runs it: its profile reads the documents of the rows.
@Suite struct StoreProfileCommandTests {
  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  private func run(_ command: String, _ arguments: String...) throws -> CommandRun {
    try CommandTests.run(BuiltCommands.directory.appending(path: command), arguments, input: nil)
  }

  /// The options that make stores, and the name of the profile that they tell.
  private static let stores = [
    (["--profile", "library"], "generic"), (["--damage", "unknown-columns"], "ritualist-extended"),
    (["--profile", "laundrytime"], "laundrytime"),
  ]

  @Test(arguments: stores.indices)
  func `the profile of a store exports the documents of its rows`(index: Int) throws {
    let (options, name) = Self.stores[index]
    let made = try CommandTests.run(
      BuiltCommands.directory.appending(path: "generate-store"),
      [path("app"), "--rows", "100"] + options, input: nil)
    #expect(made.status == 0, "\(made.errors)")
    #expect(
      try run("import-crdt", path("app"), "--into", path("data"), "--include-private").status == 0)
    let drafted = try run("inspect-crdt", "--profile-from", path("app"))
    #expect(drafted.status == 0, "\(drafted.errors)")
    #expect(drafted.output.contains("\"profile\": \"\(name)\""))
    #expect(drafted.errors.contains("It says what the stores say of themselves."))
    try Data(drafted.output.utf8).write(to: place.url.appending(path: "app.json"))
    let exported = try run(
      "export-json", path("data"), "--profile", path("app.json"), "--include-private")
    #expect(exported.status == 0, "\(exported.errors)")
    let rows = try run("export-json", path("app"), "--include-private")
    #expect(exported.jsonLines.count == rows.jsonLines.count)
    #expect(exported.jsonLines.last?["entities"] as? Int == 100 + (index == 1 ? 1 : 0))
  }

  @Test func `what is no store and no folder is missing`() throws {
    #expect(try run("inspect-crdt", "--profile-from", path("nowhere")).status == 66)
  }
}

import Foundation
import Testing

/// `inspect-crdt --print-profile` and `--profile-schema` as a user runs them.
@Suite struct ProfileViewTests {
  @Test func `a built-in profile is printed as a file that is printed as it is`() throws {
    let place = try TemporaryDirectory()
    let printed = try run("inspect-crdt", "--print-profile", "minuta")
    #expect(printed.status == 0 && printed.errors == "")
    #expect(printed.output.hasPrefix("{\n  \"profile\": \"minuta\",\n"))
    let file = place.url.appending(path: "mine.json")
    try Data(printed.output.utf8).write(to: file)
    let again = try run("inspect-crdt", file.path, "--print-profile")
    #expect(again.status == 0 && again.output == printed.output)
  }

  @Test func `a wrong profile is status 65 with line, column and what to do`() throws {
    let place = try TemporaryDirectory()
    let file = place.url.appending(path: "mine.json")
    try Data("{\"profile\": \"p\",\n \"version\": 1, \"kind\": []}\n".utf8).write(to: file)
    let run = try run("inspect-crdt", "--print-profile", file.path)
    #expect(run.status == 65 && run.output == "")
    #expect(
      run.errors.hasPrefix("inspect-crdt: \(file.path): line 2, column 16: \"kind\" is no member"))
    #expect(run.errors.contains("\n  next: these are known: profile, version, "))
    #expect(try CommandTests.run("inspect-crdt", "--print-profile", "/nowhere/at/all").status == 66)
  }

  @Test func `the schema is JSON on standard output`() throws {
    let run = try run("inspect-crdt", "--profile-schema")
    #expect(run.status == 0 && run.errors == "")
    let schema = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect(schema?["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
  }

  @Test(arguments: [
    ["--print-profile"], ["--print-profile", "a", "b"], ["--profile-schema", "a"],
    ["--print-profile", "--heads", "a"], ["--print-profile", "--sizes", "a"],
    ["--print-profile", "--profile-schema"], ["--at", "00", "--print-profile", "a"],
  ])
  func `views that contradict each other are wrong usage`(arguments: [String]) throws {
    let command = BuiltCommands.directory.appending(path: "inspect-crdt")
    let run = try CommandTests.run(command, arguments, input: nil)
    #expect(run.status == 64 && run.output == "")
  }
}

import Foundation
import Testing

/// Commands that read several folders: each line says of which it is.
@Suite struct SeveralFoldersTests {
  private let place: TemporaryDirectory
  /// A plan with one step, which nobody has done.
  private static let plan = #"""
    {"plan": "marks", "profile": "minuta", "steps": [{"id": "mark", "risk": "additive",
    "entities": {"record": [{"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
    """#

  /// Two folders of which one has documents, beside each other.
  init() throws {
    place = try TemporaryDirectory()
    for name in ["first", "second"] {
      let folder = try SmallFolder()
      if name == "first" { #expect(try run("import-crdt", folder.path).status == 0) }
      try FileManager.default.moveItem(at: folder.url, to: place.url.appending(path: name))
    }
    try Self.plan.write(to: place.url.appending(path: "plan"), atomically: true, encoding: .utf8)
  }

  private func read(_ command: String, _ arguments: [String], input: String? = nil) throws
    -> CommandRun
  {
    try CommandTests.run(
      BuiltCommands.directory.appending(path: command), arguments, input: input, in: place.url)
  }

  /// Every call that takes several folders.
  static let calls: [[String]] = [
    ["verify-counts"], ["verify-counts", "--status"], ["inspect-crdt", "--history"],
    ["inspect-crdt", "--sizes"], ["pack-backup", "--list"], ["cleanup-legacy", "--list"],
    ["export-json", "--to", "out"], ["migrate-schema", "plan", "--status"],
  ]

  @Test(arguments: calls)
  func `each line begins with its folder, and says what it says of that alone`(
    call: [String]
  ) throws {
    try FileManager.default.createDirectory(
      at: place.url.appending(path: "out"), withIntermediateDirectories: true)
    let both = try read(call[0], call.dropFirst() + ["first", "second"])
    var lines = both.output.split(separator: "\n").map(String.init)
    #expect(lines.removeLast().hasPrefix("2 folders: "), "\(both.output)")
    var expected: [String] = []
    var gravest: Int32 = 0
    for folder in ["first", "second"] {
      let exported = place.url.appending(path: "out")
      if call.contains("--to") {
        #expect(try FileManager.default.subpathsOfDirectory(atPath: exported.path).count > 2)
        try FileManager.default.removeItem(at: exported)
      }
      let alone = try read(call[0], call.dropFirst() + [folder])
      gravest = max(gravest, alone.status)
      expected += alone.output.split(separator: "\n").map { "\(folder): \($0)" }
    }
    #expect(both.status == gravest, "\(both.errors)")
    #expect(lines.map(Self.withoutSeconds) == expected.map(Self.withoutSeconds))
  }

  private static func withoutSeconds(_ line: String) -> String {
    line.replacing(/\d+\.\d+ s/, with: "")
  }

  @Test(arguments: calls)
  func `each line for scripts names its folder, but for the last`(call: [String]) throws {
    try FileManager.default.createDirectory(
      at: place.url.appending(path: "out"), withIntermediateDirectories: true)
    let run = try read(call[0], call.dropFirst() + ["--json", "first", "second", "third"])
    #expect(run.status == 66, "\(run.output)")
    #expect(run.errors.hasPrefix("third: \(call[0]): "), "\(run.errors)")
    var lines = run.jsonLines
    #expect(lines.count == run.output.split(separator: "\n").count)
    let whole = lines.removeLast()
    #expect(whole["type"] as? String == "summary")
    #expect(whole["place"] == nil)
    #expect(whole["folders"] as? Int == 3)
    #expect((whole["statuses"] as? [String: Int])?["66"] == 1)
    #expect(whole["notRead"] as? Int == 0)
    var places: [String] = []
    for line in lines {
      let place = try #require(line["place"] as? String)
      if places.last != place { places.append(place) }
    }
    #expect(places == ["first", "second", "third"])
    for folder in places {
      let summaries = lines.filter {
        $0["place"] as? String == folder && $0["type"] as? String == "summary"
      }
      #expect(summaries.count == 1)
    }
    let missing = lines.last { $0["type"] as? String == "summary" }
    #expect(missing?["status"] as? Int == 66)
  }

  @Test func `a list is read with lines, zero bytes, twice named folders and no names`() throws {
    let lines = try read(
      "verify-counts", ["--status", "--folders-from", "-"], input: "first\n\nsecond/\nfirst/\n")
    #expect(lines.status == 0, "\(lines.errors)")
    #expect(lines.output.contains("first: migrated\n") && lines.output.contains("second: legacy\n"))
    #expect(lines.output.contains("info duplicate-entity: first: is in the list more than once"))
    #expect(lines.output.hasSuffix("2 folders: 2 with status 0 (done)\n"))
    let zero = try read(
      "verify-counts", ["second", "--status", "-0", "--folders-from", "-"], input: "first\0")
    #expect(zero.output.hasSuffix("2 folders: 2 with status 0 (done)\n"), "\(zero.output)")
    let lineOfBoth = try read(
      "verify-counts", ["--status", "-0", "--folders-from", "-"], input: "first\nsecond\n")
    #expect(lineOfBoth.status == 66, "\(lineOfBoth.output)")
    for command in [["verify-counts"], ["cleanup-legacy", "--list"]] {
      let none = try read(
        command[0], command.dropFirst() + ["--folders-from", "-"], input: "\n\n")
      #expect(none.status == 66)
      #expect(none.errors.contains("standard input: names no folder"), "\(none.errors)")
    }
    let unreadable = try runInShell(
      #"printf 'first\n\377\n' | "$0" --status --folders-from -"#, "verify-counts", in: place.url)
    #expect(unreadable.status == 1, "\(unreadable.output)")
    #expect(unreadable.output.contains("error not-looked-at: \\xff"), "\(unreadable.output)")
  }

  @Test func `a folder that fails leaves the others their turn, unless it is to end the run`()
    throws
  {
    let all = try read("verify-counts", ["nowhere", "first"])
    #expect(all.status == 66)
    #expect(all.output.contains("first: Everything is there and equal."))
    let first = try read("verify-counts", ["nowhere", "first", "--fail-fast"])
    #expect(first.status == 66)
    #expect(first.output.hasSuffix("with status 66 (input is missing); 1 not read\n"))
    #expect(!first.output.contains("first: "))
  }

  @Test func `files of two folders with one name are not mixed`() throws {
    for directory in ["out", "other"] {
      try FileManager.default.createDirectory(
        at: place.url.appending(path: directory), withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(
      at: place.url.appending(path: "second"), to: place.url.appending(path: "other/first"))
    let run = try read("export-json", ["first", "other/first", ".", "--to", "out"])
    #expect(run.status == 78, "\(run.errors)")
    #expect(
      run.errors.contains("other/first: export-json: other/first: has the same name as first"))
    #expect(run.errors.contains(".: export-json: the folder: has no name at its end"))
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: place.url.appending(path: "out").path) == ["first"])
  }

  @Test func `how it stands with the steps of a plan is asked of listed folders, too`() throws {
    let run = try read(
      "migrate-schema", ["plan", "--status", "--json", "-0", "--folders-from", "-"],
      input: "first\0nowhere\0second\0")
    #expect(run.status == 66, "\(run.errors)")
    for folder in ["first", "second"] {
      let lines = run.jsonLines.filter { $0["place"] as? String == folder }
      #expect(lines.contains { $0["state"] as? String == "pending" }, "\(run.output)")
      #expect(
        lines.contains { $0["next"] as? [String] == ["migrate-schema plan \(folder)"] },
        "\(run.output)")
    }
    let done = try read("migrate-schema", ["plan", "first"])
    #expect(done.status == 0, "\(done.errors)")
    let again = try read("migrate-schema", ["--status", "plan", "first", "nowhere", "second"])
    #expect(again.output.contains("first: "), "\(again.output)")
    #expect(!again.output.contains("next: migrate-schema plan first"), "\(again.output)")
    #expect(again.output.contains("next: migrate-schema plan second"), "\(again.output)")
    #expect(again.status == 66)
  }

  @Test(arguments: [
    ["verify-counts", "a", "b", "--against", "-"], ["migrate-schema", "plan", "a", "-0"],
    ["migrate-schema", "plan", "--folders-from", "-"], ["verify-counts", "a", "-0"],
    ["report-folder"], ["report-folder", "a", "b", "--bundle", "c"], ["report-folder", "a", "-0"],
    ["verify-counts"], ["export-json", "a", "b"], ["pack-backup", "a", "b"],
    ["cleanup-legacy", "a", "--folders-from", "-"],
    ["inspect-crdt", "a", "--folders-from", "-"],
    ["inspect-crdt", "--print-profile", "minuta", "-0"],
  ])
  func `what takes one folder says so`(call: [String]) throws {
    let run = try read(call[0], Array(call.dropFirst()))
    #expect(run.status == 64, "\(run.output)")
    #expect(run.errors.contains("\(call[0]): "))
  }

  /// Writes a list in which a folder stands under many names.
  private func makeLongList(_ count: Int) throws {
    try (0..<count).map {
      String(repeating: "./", count: $0 % 500) + "first\($0 < 500 ? "" : "/.")"
    }
    .joined(separator: "\n")
    .write(to: place.url.appending(path: "list"), atomically: true, encoding: .utf8)
  }

  @Test func `a signal ends the run, and no folder is counted that was not read`() throws {
    try makeLongList(1000)
    let run = try runInShell(
      #"""
      "$0" nowhere --folders-from list --json >out 2>err &
      while [ ! -s out ]; do sleep 0.01; done
      kill -TERM $!
      wait $!
      echo "status $?"
      tail -n 1 out
      cat err
      """#, "verify-counts", in: place.url)
    #expect(run.output.hasPrefix("status 143\n"), "\(run.output)")
    let whole = try #require(
      CommandRun.jsonLines(of: run.output).last { $0["type"] as? String == "summary" })
    #expect(whole["place"] == nil && whole["folders"] == nil, "\(run.output)")
    #expect(whole["interrupted"] as? Bool == true)
    // What the folder before it ended with is not forgotten.
    #expect(whole["status"] as? Int == 66, "\(run.output)")
    // How far it was stands between the two parts of that line, if it was anywhere.
    let told = run.output.split(separator: "\n").filter { $0.contains("interrupted") }.dropFirst()
    #expect(told.count == 1, "\(run.output)")
    #expect(told.allSatisfy { $0.hasSuffix("; every file is as it was or complete") })
  }

  @Test func `a reader that went away ends the run`() throws {
    try makeLongList(200)
    let run = try runInShell(
      #"{ "$0" --status --folders-from list; echo "status $?" >&2; } | head -n 1"#,
      "verify-counts", in: place.url)
    #expect(run.errors.contains("status 74"), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count < 10, "\(run.errors)")
  }
}

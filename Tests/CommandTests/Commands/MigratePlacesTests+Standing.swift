import Foundation
import Testing

// What `migrate-schema` says of steps over places is so.
extension MigratePlacesTests {
  private func plan(_ places: String) throws -> String {
    let plan = place.url.appending(path: "plan.json")
    try Data("{\"plan\": \"p\", \"places\": [\(places)]}".utf8).write(to: plan)
    return plan.path
  }

  /// The files of the app.
  private func data() throws -> [String: Data] {
    try files(folder).filter { !$0.key.hasPrefix(".") }
  }

  private static let chain = """
    {"id": "move", "risk": "transformative", "sources": [{"file": "old/theme.json"}], \
    "destination": "new/theme.json"},
    {"id": "unify", "risk": "transformative", "destination": "unified.json",
     "sources": [{"file": "new/theme.json", "as": "theme"}, {"file": "beep.json", "as": "beep"}],
     "value": {"object": {"theme": {"first": [{"copy": "/theme"}, {"constant": "system"}]},
                          "beep": {"first": [{"copy": "/beep"}, {"constant": false}]}}}}
    """

  @Test(arguments: [true, false])
  func `after its backup was restored a folder is migrated as the first time`(hasSecond: Bool)
    throws
  {
    let plan = try plan(Self.chain)
    try write("\"dark\"", "old/theme.json")
    if hasSecond { try write("true", "beep.json") }
    let before = try data()
    #expect(try migrate(plan: plan).status == 0)
    let after = try data()
    #expect(
      after["unified.json"].map { String(decoding: $0, as: UTF8.self).contains("dark") } == true)
    let shell = """
      cd "$1" && "$(dirname "$0")"/restore-backup *-backups/*.tar --into "$2" --brief
      """
    let restored = try runInShell(shell, "migrate-schema", place.url.path, folder.path)
    #expect(restored.status == 0, "\(restored.output)\(restored.errors)")
    #expect(try data() == before)
    let status = try migrate("--status", "--json", plan: plan)
    // What the second one takes is still to be made by the first.
    #expect(states(status) == ["move": "pending", "unify": "pending"], "\(status.output)")
    let again = try migrate(plan: plan)
    #expect(
      again.status == 0 && again.output.contains("Ran 2 steps"), "\(again.output)\(again.errors)")
    #expect(try data() == after)
    // What the app takes away of what was made stays away.
    try FileManager.default.removeItem(at: folder.appending(path: "unified.json"))
    #expect(try migrate(plan: plan).output.contains("Nothing was to be done"))
  }

  @Test func `the command that status shows runs what steps before it make way for`() throws {
    let plan = try plan(
      """
      {"id": "move", "risk": "transformative", "sources": [{"file": "a.json"}],
       "destination": "b.json"},
      {"id": "cut", "risk": "destructive", "sources": [{"file": "b.json"}],
       "destination": "c.json", "value": {"copy": "/v"}}
      """)
    try write(#"{"v": 1, "w": 2}"#, "a.json")
    let status = try migrate("--status", "--json", plan: plan)
    #expect(status.status == 1 && states(status) == ["move": "pending", "cut": "pending"])
    #expect(status.output.contains("--allow-destructive"))
    // Up to the first one nothing is destroyed.
    let first = try migrate("--status", "--json", "--to", "move", plan: plan)
    #expect(states(first)["cut"] == "skipped" && !first.output.contains("--allow-destructive"))
    #expect(try migrate("--allow-destructive", plan: plan).output.contains("Ran 2 steps"))
    let files = try Set(data().keys)
    #expect(files.contains("c.json") && files.isDisjoint(with: ["a.json", "b.json"]))
    #expect(
      try states(migrate("--status", "--json", plan: plan))
        == ["move": "applied", "cut": "applied"])
  }

  @Test func `what was restored and is not what was used is used now`() throws {
    let plan = try plan(Self.chain)
    try write("\"dark\"", "old/theme.json")
    try write("true", "beep.json")
    #expect(try migrate(plan: plan).status == 0)
    // As a backup that is older has it.
    try FileManager.default.removeItem(at: folder.appending(path: "unified.json"))
    try write("\"light\"", "old/theme.json")
    try write("true", "beep.json")
    let again = try migrate(plan: plan)
    #expect(
      again.status == 0 && again.output.contains("Ran 2 steps"), "\(again.output)\(again.errors)")
    let unified = try #require(try data()["unified.json"])
    #expect(String(decoding: unified, as: UTF8.self).contains("light"))
  }

  @Test func `a step that is edited is one line of the state of all`() throws {
    try write("1", "a.json")
    try write("2", "b.json")
    func step(_ id: String, _ from: String, _ value: Int) -> String {
      """
      {"id": "\(id)", "risk": "transformative", "sources": [{"file": "\(from)"}],
       "destination": "\(id).json", "value": {"constant": \(value)}}
      """
    }
    #expect(try migrate(plan: plan(step("one", "a.json", 1))).status == 0)
    let plan = try plan(step("one", "a.json", 2) + "," + step("two", "b.json", 2))
    let status = try migrate("--status", "--json", plan: plan)
    #expect(status.status == 78 && states(status) == ["one": "edited", "two": "pending"])
    for options in [["--dry-run"], []] {
      let refused = try run(
        BuiltCommands.directory.appending(path: "migrate-schema"), [plan, folder.path] + options,
        input: nil)
      #expect(
        refused.status == 78 && refused.errors.contains("was done as another one"),
        "\(refused.errors)")
    }
  }

  @Test func `a step that is forced and not asked for is told before anything is made`() throws {
    let plan = try plan(Self.chain)
    try write("\"dark\"", "old/theme.json")
    let before = try SmallFolder.snapshot(of: place.url)
    let run = try migrate("--to", "move", "--force", "unify", plan: plan)
    #expect(run.status == 78 && run.errors.contains("comes behind move"), "\(run.errors)")
    #expect(try SmallFolder.snapshot(of: place.url) == before)
  }

  @Test func `a file of which a service has made a copy waits, and a linked directory, too`() throws
  {
    let plan = try plan(Self.chain)
    try write("\"dark\"", "old/theme.json")
    let copy = "old/theme (Anna's conflicted copy 2026-01-06).json"
    try write("\"light\"", copy)
    for options in ["--status", "--brief"] {
      let run = try migrate(options, "--json", plan: plan)
      #expect(run.status == 1 && states(run)["move"] == "waiting", "\(run.output)\(run.errors)")
      #expect(run.output.contains("has the conflict copy"), "\(run.output)")
    }
    try FileManager.default.removeItem(at: folder.appending(path: copy))
    let (old, elsewhere) = (folder.appending(path: "old"), place.url.appending(path: "elsewhere"))
    try FileManager.default.moveItem(at: old, to: elsewhere)
    try FileManager.default.createSymbolicLink(at: old, withDestinationURL: elsewhere)
    let linked = try migrate("--status", "--json", plan: plan)
    #expect(linked.status == 1 && states(linked)["move"] == "waiting", "\(linked.errors)")
    #expect(linked.output.contains("is a symbolic link"), "\(linked.output)")
  }

  @Test(arguments: [
    (
      #"{"id": "a", "risk": "additive", "sources": [{"file": "x.json"}], "destination": "new.json"},"#
        + #"{"id": "b", "risk": "additive", "sources": [{"file": "y.json"}], "destination": "new.json/t.json"}"#,
      "would be a file and what is in it"
    ),
    (
      #"{"id": "a", "risk": "additive", "sources": [{"file": "x/y.json"}], "destination": "x"}"#,
      "would be a file and what is in it"
    ),
    (
      #"{"id": "a", "risk": "additive", "platforms": ["linux"], "sources": [{"file": "x.json"}], "#
        + #""destination": "new.json"}"#, "Linux"
    ),
    (
      #"{"id": "a", "risk": "additive", "condition": {"platform": ["windows"]}, "#
        + #""sources": [{"file": "x.json"}], "destination": "new.json"}"#, "Linux"
    ),
  ])
  func `what no folder or system has is a mistake of the plan`(places: String, text: String) throws
  {
    let checked = try run(
      BuiltCommands.directory.appending(path: "migrate-schema"), [plan(places), "--check"],
      input: nil)
    #expect(
      checked.status == 65 && checked.errors.contains(text), "\(checked.output)\(checked.errors)")
  }

  @Test func `a dry run names the files that leave, and the state what a step needs`() throws {
    let plan = try plan(Self.chain)
    try write("\"dark\"", "old/theme.json")
    let look = try migrate("--dry-run", "--json", plan: plan)
    let left = look.jsonLines.filter { $0["id"] as? String == "old/theme.json" }
    #expect(left.count == 1, "\(look.output)")
    let destructive = try self.plan(Self.chain.replacing("transformative", with: "destructive"))
    let status = try migrate("--status", plan: destructive)
    #expect(status.output.contains("next: migrate-schema"), "\(status.output)")
    #expect(status.output.contains("--allow-destructive"), "\(status.output)")
  }
}

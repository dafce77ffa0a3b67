import Foundation
import Testing

// What lets steps over places run, and what keeps them from it.
extension MigratePlacesTests {
  @Test func `a step whose value a later one would have taken runs only if that is asked for`()
    throws
  {
    let plan = place.url.appending(path: "plan.json")
    let text = """
      {"plan": "x", "places": [
        {"id": "free", "risk": "transformative", "sources": [{"file": "x.json"}], "destination": "y.json"},
        {"id": "move", "risk": "transformative", "sources": [{"file": "old.json"}], "destination": "middle.json"},
        {"id": "unite", "risk": "transformative", "destination": "all.json",
          "sources": [{"file": "a.json", "as": "a"}, {"file": "middle.json", "member": "/b", "as": "b"}],
          "value": {"object": {"a": {"copy": "/a"}, "b": {"copy": "/b"}}}}]}
      """
    try Data(text.utf8).write(to: plan)
    try write("1", "a.json")
    #expect(try migrate(plan: plan.path).output.contains("Ran 1 step"))
    // What no later step takes anything of has no order.
    try write("1", "x.json")
    #expect(try migrate(plan: plan.path).output.contains("Ran 1 step; 1 file moved"))
    try write("{\"b\": 1}", "old.json")
    let before = try SmallFolder.snapshot(of: folder)
    for options in ["--status", "--dry-run"] {
      let run = try migrate(options, plan: plan.path)
      #expect(
        run.output.contains("unite has run, and reads what it makes: it runs with --out-of-order"),
        "\(run.output)\(run.errors)")
    }
    let refused = try migrate(plan: plan.path)
    #expect(refused.status == 78 && refused.errors.contains("--out-of-order"), "\(refused.errors)")
    #expect(try SmallFolder.snapshot(of: folder) == before)
    let run = try migrate("--out-of-order", plan: plan.path)
    #expect(run.status == 0 && run.output.contains("Ran 1 step; 1 file moved"), "\(run.output)")
    #expect(try files(folder)["middle.json"] != nil)
  }

  @Test func `a destructive step asks first, also behind another one, and says where things are`()
    throws
  {
    let plan = place.url.appending(path: "plan.json")
    let text = """
      {"plan": "x", "parameters": {"p": {"type": "text"}}, "places": [
        {"id": "one", "risk": "transformative", "sources": [{"file": "old.json"}], "destination": "middle.json"},
        {"id": "two", "risk": "destructive", "sources": [{"file": "middle.json"}], "destination": "new.json",
          "value": {"parameter": "p"}}]}
      """
    try Data(text.utf8).write(to: plan)
    try write("1", "old.json")
    let before = try SmallFolder.snapshot(of: folder)
    let refused = try migrate("--set", "p=q", plan: plan.path)
    #expect(refused.status == 78 && refused.errors.contains("--allow-destructive"))
    let missing = try migrate("--allow-destructive", plan: plan.path)
    #expect(missing.status == 64 && missing.errors.contains("--set p=VALUE"), "\(missing.errors)")
    let look = try migrate("--set", "p=q", "--dry-run", plan: plan.path)
    #expect(
      look.output.contains(
        "two: what it sets aside will be only in .automerge-migrate.nosync/schema/two"),
      "\(look.output)")
    #expect(try SmallFolder.snapshot(of: folder) == before)
    let run = try migrate("--set", "p=q", "--allow-destructive", plan: plan.path)
    #expect(run.status == 0 && run.output.contains("Ran 2 steps; 2 files moved"), "\(run.errors)")
  }

  @Test func `before a file moves a backup is there that was made or named, and verified`() throws {
    let plan = place.url.appending(path: "plan.json")
    let text = """
      {"plan": "x", "places": [
        {"id": "one", "risk": "transformative", "sources": [{"file": "old.json"}], "destination": "new.json"},
        {"id": "two", "risk": "transformative", "sources": [{"file": "x.json"}], "destination": "y.json"}]}
      """
    try Data(text.utf8).write(to: plan)
    func backups() throws -> [String] {
      try FileManager.default.contentsOfDirectory(
        atPath: place.url.appending(path: "App-backups").path
      ).filter { $0.hasSuffix(".tar") }
    }
    try write("1", "old.json")
    #expect(try migrate(plan: plan.path).output.contains("Ran 1 step; 1 file moved"))
    let made = try #require(try backups().first)
    let back = place.url.appending(path: "Back")
    let restored = try run(
      "restore-backup", place.url.appending(path: "App-backups/\(made)").path, "--into", back.path)
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try files(back)["old.json"] == Data("1".utf8))
    // With nothing to do no other one is made.
    #expect(try migrate(plan: plan.path).status == 0)
    #expect(try backups() == [made])

    try write("2", "x.json")
    let named = place.url.appending(path: "named.tar").path
    #expect(try run("pack-backup", folder.path, "-o", named).status == 0)
    try write("3", "x.json")
    let before = try files(folder)
    let refused = try migrate("--backup", named, plan: plan.path)
    #expect(refused.status == 78, "\(refused.output)")
    #expect(refused.errors.contains("does not hold x.json as it is"), "\(refused.errors)")
    #expect(try files(folder) == before)
    let other = place.url.appending(path: "other.tar").path
    #expect(try run("pack-backup", folder.path, "-o", other).status == 0)
    let ran = try migrate("--backup", other, plan: plan.path)
    #expect(ran.output.contains("Ran 1 step; 1 file moved"), "\(ran.output)\(ran.errors)")
    #expect(try backups() == [made])
    let undone = try migrate("--undo", "two", plan: plan.path)
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try files(folder)["x.json"] == Data("3".utf8))
    #expect(try backups().count == 2)
  }

  @Test func `plans that are in each other's way are told by line, and nothing is written`() throws
  {
    func plan(_ name: String, _ id: String, _ source: String, _ destination: String) throws
      -> String
    {
      let text = """
        {"plan": "\(id)", "places": [
          {"id": "\(id)", "risk": "transformative", "sources": [\(source)], "destination": "\(destination)"}]}
        """
      let plan = place.url.appending(path: name)
      try Data(text.utf8).write(to: plan)
      return plan.path
    }
    let first = try plan("1.json", "one", #"{"file": "legacy.json"}"#, "new.json")
    let same = try plan("2.json", "two", #"{"file": "other.json"}"#, "new.json")
    let member = try plan("3.json", "three", #"{"file": "legacy.json", "member": "/x"}"#, "x.json")
    try write("{\"x\": 1}", "legacy.json")
    let before = try SmallFolder.snapshot(of: folder)
    for (plan, problem) in [
      (same, "line 2, column 3: one and two both write file:new.json"),
      (member, "column 57: it reads \"legacy.json\", and the step \"one\" before it takes that"),
    ] {
      for options in [["--check"], [folder.path], [folder.path, "--status"]] {
        let run = try CommandTests.run(
          BuiltCommands.directory.appending(path: "migrate-schema"), [first, plan] + options,
          input: nil)
        #expect(run.status == 65 && run.errors.contains(problem), "\(options): \(run.errors)")
      }
    }
    #expect(try SmallFolder.snapshot(of: folder) == before)
    // The other way round each gets what it reads.
    let run = try CommandTests.run(
      BuiltCommands.directory.appending(path: "migrate-schema"), [member, first, folder.path],
      input: nil)
    #expect(run.status == 0 && run.output.contains("Ran 2 steps; 1 file moved"), "\(run.errors)")
  }

  @Test func `the version of the app decides, and an unknown one makes the step wait`() throws {
    for (options, state): ([String], String) in [
      ([], "waiting"), (["--app-version", "2.0"], "skipped"),
      (["--app-version", "10.0"], "skipped"),
      (["--app-version", "1.9.9"], "pending"),
    ] {
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: "migrate-schema"),
        [Self.plan, folder.path, "--status", "--json"] + options, input: nil)
      #expect(states(run)["move-profile"] == state, "\(options)")
    }
  }

  @Test func `a step of one device is run there, and others say who may`() throws {
    let plan = place.url.appending(path: "plan.json")
    let step = #"""
      {"plan": "p", "places": [{"id": "move", "risk": "transformative", "leadDevice": "mine",
        "sources": [{"file": "count.json"}], "destination": "new/count.json"}]}
      """#
    try Data(step.utf8).write(to: plan)
    try Data(#"{"n": 2}"#.utf8).write(to: folder.appending(path: "count.json"))
    let before = try files(folder)
    #expect(try migrate("--status", plan: plan.path).status == 1)
    let refused = try migrate("--host", "other", plan: plan.path)
    #expect(refused.status == 78, "\(refused.output)\(refused.errors)")
    #expect(refused.errors.contains("only mine may run the step, and this is other"))
    #expect(try files(folder) == before)
    #expect(try migrate("--host", "mine", plan: plan.path).status == 0)
    #expect(try files(folder).keys.contains("new/count.json"))
  }

  @Test func `nothing is written of a value for which a promise does not hold`() throws {
    let plan = place.url.appending(path: "plan.json")
    let step = #"""
      {"plan": "p", "places": [{"id": "move", "risk": "transformative",
        "sources": [{"file": "count.json"}], "destination": "new/count.json",
        "verify": [{"holds": {"present": {"copy": "/n"}}},
          {"holds": {"equal": [{"copy": "/n"}, {"parameter": "n"}]}}]}],
       "parameters": {"n": {"type": "number"}}}
      """#
    try Data(step.utf8).write(to: plan)
    try Data(#"{"n": 2}"#.utf8).write(to: folder.appending(path: "count.json"))
    let before = try files(folder)
    #expect(try migrate(plan: plan.path).status == 64)
    let refused = try migrate("--set", "n=1", plan: plan.path)
    #expect(refused.status == 1, "\(refused.output)\(refused.errors)")
    #expect(refused.output.contains("what it promises does not hold"), "\(refused.output)")
    #expect(try files(folder) == before)
    let done = try migrate("--set", "n=2", plan: plan.path)
    #expect(done.status == 0, "\(done.output)\(done.errors)")
    #expect(try files(folder).keys.contains("new/count.json"))
  }

  @Test func `parameters are asked for before anything is written, and streams need other plans`()
    throws
  {
    let before = try SmallFolder.snapshot(of: folder)
    let missing = try migrate("--app-version", "1.9")
    #expect(missing.status == 64 && missing.errors.contains("--set at=VALUE"), "\(missing.errors)")
    #expect(try migrate("--undo", "none").status == 64)
    #expect(try migrate("--baseline", "move-setting").status == 64)
    #expect(try SmallFolder.snapshot(of: folder) == before)
    let stream = BuiltCommands.packageRoot.appending(path: "fixtures/plans/laundrytime-2.jsonl")
      .path
    for source in [stream, "-"] {
      let run = try CommandTests.run(
        BuiltCommands.directory.appending(path: "migrate-schema"), [Self.plan, source], input: "")
      #expect(run.status == 64 && run.output == "", "\(source): \(run.errors)")
      #expect(run.errors.contains("a folder"), "\(run.errors)")
    }
    // A plan over entities finds none of its app here.
    let plan = BuiltCommands.packageRoot.appending(path: "plans/laundrytime.json").path
    let run = try CommandTests.run(
      BuiltCommands.directory.appending(path: "migrate-schema"), [plan, folder.path], input: nil)
    #expect(run.status == 78 && run.output == "", "\(run.errors)")
    #expect(try SmallFolder.snapshot(of: folder) == before)
  }
}

import Foundation
import Testing

/// `migrate-schema` over streams, as a user runs it.
@Suite struct MigrateSchemaTests {
  static let plans = BuiltCommands.packageRoot.appending(path: "plans").path
  static let fixtures = BuiltCommands.packageRoot.appending(path: "fixtures/plans").path

  /// The shipped plans, with streams before and after all of their steps.
  static let shipped: [(plan: String, before: String, after: String, options: [String])] = [
    (
      "ritualist", "ritualist-2", "ritualist-11",
      ["--allow-destructive", "--set", "zone=Europe/Rome", "--set", "at=2026-01-01T00:00:00Z"]
    ),
    ("laundrytime", "laundrytime-2", "laundrytime-5", []),
  ]

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(Self.fixtures)/\(name).jsonl", encoding: .utf8)
  }

  func migrate(
    _ plan: String, _ source: String, _ options: [String] = [], input: String? = nil
  ) throws -> CommandRun {
    try run(
      BuiltCommands.directory.appending(path: "migrate-schema"), [plan, source] + options,
      input: input)
  }

  // MARK: What is asked for first

  @Test func `a parameter that is missing or wrong is wrong usage`() throws {
    let path = "\(Self.plans)/ritualist.json"
    let source = "\(Self.fixtures)/ritualist-2.jsonl"
    let cases: [([String], String)] = [
      ([], "--set at=VALUE"), (["--set", "zone=Europe/Rome"], "--set at=VALUE"),
      (["--set", "zone=Atlantis"], "no value of type timeZone"),
      (["--set", "place=Rome"], "NAME=VALUE"), (["--to", "ritualist-v99"], "no step is called"),
      (["--app-version", "two"], "--app-version"), (["--undo", "ritualist-v9"], "--undo is for"),
      (["-n", "--status"], "do not go together"),
      (["--ignore-condition", "ritualist-v9"], "--force"),
      (["--force", "ritualist-v9", "--ignore-condition", "ritualist-v9"], "no condition"),
    ]
    for (options, message) in cases {
      let run = try migrate(path, source, ["--allow-destructive"] + options)
      #expect(run.status == 64 && run.output == "", "\(options): \(run.errors)")
      #expect(run.errors.contains(message), "\(options): \(run.errors)")
    }
    #expect(try run("migrate-schema").status == 64)
    #expect(try run("migrate-schema", path).status == 64)
    #expect(try run("migrate-schema", path, "--print-schema").status == 64)
  }

  @Test func `a destructive step needs consent, and a dry run says what will be gone`() throws {
    let path = "\(Self.plans)/ritualist.json"
    let options = ["--set", "zone=Europe/Rome", "--set", "at=2026-01-01T00:00:00Z"]
    let source = "\(Self.fixtures)/ritualist-2.jsonl"
    let refused = try migrate(path, source, options)
    #expect(refused.status == 78 && refused.output == "")
    #expect(refused.errors.contains("habit/isPinned will be gone"))
    let planned = try migrate(path, source, options + ["-n"])
    #expect(planned.status == 0 && planned.errors == "")
    #expect(
      planned.output.contains(
        "profile/subscriptionPlan, profile/subscriptionExpiryDate will be gone"))
    #expect(planned.output.contains("homeTimezoneIdentifier"))
    let lines = try migrate(path, source, options + ["-n", "--json"]).jsonLines
    let changes = lines.filter { $0["type"] as? String == "changed-entity" }
    #expect(changes.count == 2)
    #expect(lines.last?["dryRun"] as? Bool == true && lines.last?["bytesWritten"] as? Int ?? 0 > 0)
  }

  @Test func `a plan with a mistake ends with its line and column before anything is read`() throws
  {
    let place = try PlanPlace()
    try place.writePlan(#"{"id": "a", "risk": "additive", "entities": {"pen": []}}"#)
    let run = try migrate(place.plan, "/nowhere", place.options)
    #expect(run.status == 65 && run.output == "")
    #expect(run.errors.contains("plan.json: line 1, column"))
    #expect(try migrate(place.path("none.json"), "/nowhere", place.options).status == 66)
  }

  // MARK: How it stands

  @Test func `an edited step is told, and a new one behind a done one needs leave`() throws {
    let place = try PlanPlace()
    let step =
      #"{"id": "a", "risk": "additive", "entities": {"note": [{"set": "b", "to": {"constant": 1}, "type": "integer"}]}}"#
    try place.writePlan(step)
    let done = try migrate(place.plan, "-", place.options, input: place.stream())
    #expect(done.status == 0, "\(done.errors)")
    try place.writePlan(step.replacing("constant\": 1", with: "constant\": 2"))
    let edited = try migrate(place.plan, "-", place.options, input: done.output)
    #expect(edited.status == 78 && edited.output == "")
    #expect(edited.errors.contains("id of its own"))
    let look = try migrate(place.plan, "-", place.options + ["--status"], input: done.output)
    #expect(look.status == 78 && look.output.contains("edited") && look.errors.isEmpty)
    #expect(!look.output.contains("next:"), "\(look.output)")
    // Forced it runs as it is now.
    let forced = try migrate(place.plan, "-", place.options + ["--force", "a"], input: done.output)
    #expect(forced.status == 0 && forced.output.contains(#""b":2"#), "\(forced.errors)")

    let first =
      #"{"id": "z", "risk": "additive", "entities": {"note": [{"set": "c", "to": {"constant": 1}, "type": "integer"}]}}"#
    try place.writePlan(first + "," + step)
    let late = try migrate(place.plan, "-", place.options, input: done.output)
    #expect(late.status == 78 && late.errors.contains("--out-of-order"))
    let allowed = try migrate(
      place.plan, "-", place.options + ["--out-of-order"], input: done.output)
    #expect(allowed.status == 0 && allowed.output.contains(#""c":1"#))

    try place.writePlan(first)
    let unknown = try migrate(place.plan, "-", place.options + ["--status"], input: done.output)
    #expect(unknown.output.contains("unknown"))
  }

  @Test func `conditions, platforms and lead devices make steps skipped or waiting`() throws {
    let place = try PlanPlace()
    func step(_ members: String) -> String {
      #"{"id": "a", "risk": "additive", \#(members), "entities": {"note": [{"set": "b", "to": {"constant": 1}, "type": "integer"}]}}"#
    }
    let cases: [(String, [String], state: String, status: Int32)] = [
      (#""platforms": ["watchOS"]"#, [], "skipped", 0),
      (#""condition": {"platform": ["watchOS"]}"#, [], "skipped", 0),
      (#""leadDevice": "mine""#, [], "waiting", 1),
      (#""leadDevice": "mine""#, ["--host", "mine"], "applied", 0),
      (#""condition": {"appBelow": "2.0"}"#, [], "waiting", 1),
      (#""condition": {"appBelow": "2.0"}"#, ["--app-version", "10.0"], "skipped", 0),
      (#""condition": {"appBelow": "2.0.0"}"#, ["--app-version", "2.0"], "skipped", 0),
      (#""condition": {"appBelow": "2.0"}"#, ["--app-version", "1.9"], "applied", 0),
      (#""condition": {"freeBytes": 1}"#, [], "waiting", 1),
      (
        #""condition": {"appBelow": "2.0"}"#, ["--force", "a", "--ignore-condition", "a"],
        "applied", 0
      ),
      (#""condition": {"appBelow": "2.0"}"#, ["--force", "a"], "waiting", 1),
    ]
    for (members, options, state, status) in cases {
      try place.writePlan(step(members))
      let run = try migrate(
        place.plan, "-", place.options + options + ["--json"], input: place.stream())
      #expect(run.status == status, "\(members) \(options): \(run.errors)")
      #expect(run.errors.contains(#""state":"\#(state)""#), "\(members) \(options)")
      #expect(run.output.contains(#""b":1"#) == (state == "applied"))
      // Where a step could not run nobody takes the stream for what the plan makes.
      #expect(run.output.contains(#"{"end":true"#) == (state != "waiting"))
      #expect(run.errors.contains(#""isPublished":\#(state != "waiting")"#))
    }
  }

  @Test func `data is adopted at a version that it fits`() throws {
    let path = "\(Self.plans)/ritualist.json"
    let options = ["--set", "zone=Europe/Rome", "--set", "at=2026-01-01T00:00:00Z"]
    // Without its stores a stream does not say its version.
    let stream = try text("ritualist-11").replacing(
      /"stores":\[.*?\],"schema":\{.*?\]\},/, with: "")
    #expect(!stream.contains("schema\":"))
    let status = try migrate(path, "-", ["--status"], input: stream)
    #expect(status.status == 1 && status.output.contains("adopt it with --baseline"))
    let adopted = try migrate(path, "-", options + ["--baseline", "ritualist-v11"], input: stream)
    #expect(adopted.status == 0, "\(adopted.errors)")
    #expect(try migrate(path, "-", ["--status"], input: adopted.output).status == 0)
    // What says that it is of a later version is taken for no earlier one.
    let lower = try migrate(
      path, "-", options + ["--baseline", "ritualist-v10"], input: adopted.output)
    #expect(lower.status == 78 && lower.errors.contains("of version 11, and not 10: ritualist-v11"))
    #expect(lower.errors.contains("next: leave --baseline out\n"), "\(lower.errors)")
    // A stream of version 2 is none of version 11.
    let old = try text("ritualist-2").replacing(/"stores":\[.*?\],/, with: "")
    let misfit = try migrate(path, "-", options + ["--baseline", "ritualist-v11"], input: old)
    #expect(misfit.status == 78 && !misfit.output.contains(#"{"end":true"#))
    #expect(misfit.errors.contains("which is gone after"))
  }

  @Test func `a step of which nothing shows is not taken as done`() throws {
    let path = "\(Self.plans)/ritualist.json"
    let header = try #require(text("ritualist-11").split(separator: "\n").first)
    let old = try text("ritualist-2").split(separator: "\n").dropFirst().joined(separator: "\n")
    let run = try migrate(path, "-", input: "\(header)\n\(old)\n")
    #expect(run.status == 1 && !run.output.contains(#"{"end":true"#))
    #expect(run.errors.contains("is still there"))
  }

  // MARK: Entities that cannot be changed

  @Test
  func `what does not convert is told with entity, field and value, and nothing is published`()
    throws
  {
    let place = try PlanPlace()
    try place.writePlan(
      #"""
      {"id": "a", "risk": "additive", "entities": {"note": [{"set": "b", "to": {"convert": {"copy": "/a"}, "to": "integer"}, "type": "integer"}]}},
      {"id": "z", "risk": "additive", "entities": {"note": [{"set": "c", "to": {"constant": 1}, "type": "integer"}]}}
      """#)
    let run = try migrate(place.plan, "-", place.options, input: place.stream("1", "x", "3", "y"))
    #expect(run.status == 1)
    #expect(!run.output.contains(#"{"end":true"#))
    #expect(run.errors.contains("note N2: a: b: \"x\" cannot be made a value of type integer"))
    #expect(run.errors.contains("note N4"))
    let folder = place.path("docs")
    let imported = try CommandTests.run(
      BuiltCommands.directory.appending(path: "import-crdt"),
      ["-", "--into", folder] + place.options, input: run.output)
    #expect(imported.status == 65)
    #expect(
      try SmallFolder.snapshot(of: URL(filePath: folder)).keys.allSatisfy {
        !$0.hasSuffix(".automerge")
      })
  }

  @Test func `what is promised and does not hold is not published, unless it is only a warning`()
    throws
  {
    let place = try PlanPlace()
    let twice = place.stream("1", "2").replacing("N2", with: "N1")
    for (warns, status): (String, Int32) in [("false", 1), ("true", 0)] {
      try place.writePlan(
        #"{"id": "a", "risk": "additive", "verify": [{"unique": "note", "warns": \#(warns)}]}"#)
      let run = try migrate(place.plan, "-", place.options, input: twice)
      #expect(run.status == status)
      #expect(run.errors.contains("note N1: a: it is there twice"))
      #expect(run.output.contains(#"{"end":true"#) == (status == 0))
    }
    try place.writePlan(
      #"{"id": "a", "risk": "additive", "verify": [{"every": "note", "holds": {"equal": [{"copy": "/a"}, {"constant": "1"}]}}, {"asMany": "note", "as": "tag"}]}"#
    )
    let run = try migrate(place.plan, "-", place.options, input: place.stream("1", "2"))
    #expect(run.status == 1)
    #expect(run.errors.contains("note N2: a: what the step promises does not hold"))
    #expect(run.errors.contains("there are 2 note entities and 0 tags"))
  }

  @Test func `entities are made of others, once, and never in the place of one that is there`()
    throws
  {
    let place = try PlanPlace()
    try place.writePlan(
      #"""
      {"id": "a", "risk": "additive",
       "folds": {"n": {"count": true, "of": "note"}, "sum": {"sum": {"convert": {"copy": "/a"}, "to": "number"}, "of": "note"},
                 "all": {"list": {"copy": "/a"}, "of": "note", "orderedBy": {"copy": "/a"}}},
       "create": [{"kind": "tag", "id": {"constant": "total"}, "fields": [
         {"set": "n", "to": {"fold": "n"}, "type": "integer"}, {"set": "sum", "to": {"fold": "sum"}, "type": "number"},
         {"set": "all", "to": {"fold": "all"}, "type": "list"}]}]},
      {"id": "z", "risk": "additive", "entities": {"tag": [{"set": "seen", "to": {"constant": true}, "type": "boolean"}]},
       "verify": [{"every": "tag", "holds": {"present": {"copy": "/seen"}}}]}
      """#)
    let forward = try migrate(
      place.plan, "-", place.options, input: place.stream("0.1", "0.2", "30"))
    let backward = try migrate(
      place.plan, "-", place.options, input: place.stream("30", "0.2", "0.1"))
    let made = #""fields":{"n":3,"sum":30.3,"all":["0.1","0.2","30"],"seen":true}"#
    #expect(forward.status == 0 && forward.output.contains(made), "\(forward.errors)")
    #expect(backward.status == 0 && backward.output.contains(made))
    #expect(forward.output.contains(#""kind":"tag","id":"total","place":"tags/total.json""#))

    let taken = place.stream("1").replacing(
      #"{"end""#,
      with: #"{"kind":"tag","id":"total","place":"tags/x.json","fields":{}}"# + "\n" + #"{"end""#)
    let clash = try migrate(place.plan, "-", place.options, input: taken)
    #expect(clash.status == 1 && clash.errors.contains("tag total: a: it is there already"))
    #expect(!clash.output.contains(#"{"end":true"#))
  }

  @Test func `fields that nobody touches keep their digits, order, types and unknown members`()
    throws
  {
    let place = try PlanPlace()
    try place.writePlan(
      #"{"id": "a", "risk": "transformative", "entities": {"note": [{"rename": "a", "to": "d"}]}}"#)
    let stream = place.stream("x").replacing(
      #""fields":{"a":"x"}"#,
      with:
        #""fields":{"z":1.50e1,"a":"AQI=","y":{"q":[1,"2"]}},"types":{"/a":"bytes","/y/q/1":"text"},"more":1"#
    )
    let run = try migrate(place.plan, "-", place.options, input: stream)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains(
        #""fields":{"z":1.50e1,"d":"AQI=","y":{"q":[1,"2"]}},"more":1,"types":{"/d":"bytes","/y/q/1":"text"}}"#
      ), "\(run.output)")
    // What is there already is not written over.
    let both = place.stream("x").replacing(#"{"a":"x"}"#, with: #"{"a":"x","d":"y"}"#)
    let clash = try migrate(place.plan, "-", place.options, input: both)
    #expect(clash.status == 1 && clash.errors.contains("note N1: a: d: it is there already"))
  }

  // MARK: Bad streams

  @Test func `a stream that is wrong in every line is told in a thousand, and how many more`()
    throws
  {
    let place = try PlanPlace()
    try place.writePlan(
      #"{"id": "a", "risk": "additive", "entities": {"note": [{"set": "b", "to": {"convert": {"copy": "/a"}, "to": "integer"}, "type": "integer"}]}}"#
    )
    let words = place.stream().split(separator: "\n")
    func stream(_ fields: String) -> String {
      words[0] + "\n"
        + (1...3000).map {
          #"{"kind":"note","id":"N\#($0)","place":"notes/\#($0).json","fields":\#(fields)}"# + "\n"
        }.joined() + #"{"end":true,"entities":3000}"# + "\n"
    }
    for fields in [#"{"a":"x"}"#, "[]"] {
      let run = try migrate(
        place.plan, "-", place.options + ["--json"], input: stream(fields))
      #expect(run.status == 1 && !run.output.contains(#"{"end":true"#))
      let findings = CommandRun.jsonLines(of: run.errors).filter {
        $0["type"] as? String == "finding"
      }
      #expect(findings.count == 1001)
      #expect(findings.last?["message"] as? String == "2,000 more entities are like that")
    }
  }

  @Test func `a stream that is cut off, damaged or of another profile is not migrated`() throws {
    let place = try PlanPlace()
    try place.writePlan(
      #"{"id": "a", "risk": "additive", "verify": [{"every": "note", "holds": {"present": {"copy": "/a"}}}]}"#
    )
    let stream = place.stream("1", "2")
    let cases: [(String, Int32)] = [
      ("", 65), ("{}\n", 65), (String(stream.dropLast(30)), 65),
      (stream.replacing("\"fields\":{\"a\":\"2\"}", with: "\"fields\":[]"), 1),
      (stream.replacing("diary", with: "other"), 78), (stream.replacing("N2", with: ""), 1),
      (
        stream.replacing(#""version":1"#, with: #""version":1,"schema":{"steps":[{"id":"a"}]}"#), 65
      ),
    ]
    for (text, status) in cases {
      let run = try migrate(place.plan, "-", place.options, input: text)
      #expect(run.status == status, "\(text): \(run.errors)")
      #expect(!run.output.contains(#"{"end":true"#))
      let look = try migrate(place.plan, "-", place.options + ["--status"], input: text)
      #expect((look.status == 65) == (status == 65), "\(text): \(look.errors)")
    }
  }

  @Test func `a reader that goes away ends the run without a trap`() throws {
    let run = try runInShell(
      #""$0" "$1" "$2" --set zone=Europe/Rome --set at=2026-01-01T00:00:00Z --allow-destructive | head -c 10 > /dev/null; echo done"#,
      "migrate-schema", "\(Self.plans)/ritualist.json", "\(Self.fixtures)/ritualist-2.jsonl")
    #expect(run.output == "done\n")
  }
}

/// A small app and a plan for it, in a directory of their own.
private struct PlanPlace {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let profile = """
      {"profile": "diary", "version": 1, "kinds": [
        {"kind": "note", "identity": {"type": "string", "property": "id"}, "files": {"paths": ["notes/*.json"]},
         "document": {"path": "notes.automerge"}, "properties": {"a": {"type": "string"}, "d": {"type": "json"}}},
        {"kind": "tag", "identity": {"type": "string", "property": "name"}, "files": {"paths": ["tags/*.json"]},
         "document": {"path": "tags.automerge"}, "properties": {}}]}
      """
    try Data(profile.utf8).write(to: directory.url.appending(path: "profile.json"))
  }

  var plan: String { path("plan.json") }
  var options: [String] { ["--profile", path("profile.json")] }

  func path(_ name: String) -> String { directory.url.appending(path: name).path }

  func writePlan(_ steps: String) throws {
    let text = #"{"plan": "p", "profile": "diary", "steps": [\#(steps)]}"#
    try Data(text.utf8).write(to: URL(filePath: plan))
  }

  /// A stream of notes.
  func stream(_ values: String...) -> String {
    let values = values.isEmpty ? ["1"] : values
    let types = #""types":{"note":{"a":"string","d":"json"},"tag":{}}"#
    var text = #"{"stream":"automerge-migrate","version":1,"profile":"diary",\#(types)}"# + "\n"
    for (index, value) in values.enumerated() {
      text +=
        #"{"kind":"note","id":"N\#(index + 1)","place":"notes/\#(index + 1).json","fields":{"a":"\#(value)"}}"#
        + "\n"
    }
    return text + #"{"end":true,"entities":\#(values.count)}"# + "\n"
  }
}

import Diagnostics
import Folders
import SchemaMigrations
import Testing

/// A wrong plan is one error that says where, what and what to do.
@Suite struct PlanDefectTests {
  /// A plan that is wrong, and what is wrong; `§` stands before the place that is told.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let text: String
    let fact: PlanDefect.Fact

    init(_ text: String, _ fact: PlanDefect.Fact) {
      self.text = text
      self.fact = fact
    }

    /// A plan of one step.
    static func step(
      _ members: String, _ fact: PlanDefect.Fact, risk: String = "destructive"
    ) -> Wrong { Wrong(SamplePlan.text(of: members, risk: risk), fact) }

    /// A step that does something with notes.
    static func note(
      _ actions: String, _ fact: PlanDefect.Fact, risk: String = "destructive"
    ) -> Wrong { step(#""entities": {"note": [\#(actions)]}"#, fact, risk: risk) }

    /// A step that gives the property `name` of notes a value.
    static func name(_ expression: String, _ fact: PlanDefect.Fact) -> Wrong {
      note(#"{"set": "name", "to": \#(expression)}"#, fact)
    }

    /// A plan of several steps.
    static func steps(_ steps: String, _ fact: PlanDefect.Fact) -> Wrong {
      Wrong(#"{"plan": "p", "profile": "sample", "steps": [\#(steps)]}"#, fact)
    }

    var testDescription: String { String(describing: fact) }
  }

  static let form: [Wrong] = [
    Wrong("§[]", .form(.wrongForm(expected: "an object"))),
    Wrong(
      #"{"plan": "p", "profile": "sample", "steps": §[]}"#,
      .form(.wrongForm(expected: "an array that is not empty"))),
    Wrong(#"§{"plan": "p", "profile": "sample"}"#, .stepsOrPlaces),
    Wrong(
      #"{"plan": "p", "profile": §"other", "steps": [{"id": "a", "risk": "additive"}]}"#,
      .unknownProfile("other")),
    Wrong(
      #"{"plan": §"p p", "profile": "sample", "steps": [{"id": "a", "risk": "additive"}]}"#,
      .form(.notAName("p p"))),
    .steps(
      #"{"id": "a", "risk": §"low"}"#,
      .form(.wrongForm(expected: "one of additive, transformative, destructive"))),
    .steps(
      #"{"id": "a", "risk": "additive", §"name": 1}"#,
      .form(
        .unknownMember(
          "name",
          known: [
            "id", "description", "from", "to", "risk", "condition", "platforms", "leadDevice",
            "layout", "entities", "folds", "create", "verify",
          ]))),
    .note(
      #"§{"put": "name"}"#,
      .form(.wrongForm(expected: "an object with one of set, rename, drop"))),
    .note(
      #"{"set": "name", "to": {"copy": "/first", §"from": 1}}"#,
      .form(.unknownMember("from", known: ["copy"]))),
    .name(
      "§{}",
      .form(
        .wrongForm(
          expected:
            "an expression, an object with one of copy, constant, parameter, identity, fold, first, "
            + "nonNull, concatenate, split, convert, lookUp, object, list, if"))),
    .name(
      #"{"if": §{"x": 1}, "then": {"constant": 1}}"#,
      .form(.wrongForm(expected: "a test, an object with one of present, equal, all, any, not"))),
  ]

  static let steps: [Wrong] = [
    .steps(
      #"{"id": "a", "risk": "additive"}, {"id": §"a", "risk": "additive"}"#, .duplicateStep("a")),
    .steps(#"{"id": "a", "risk": "additive", "from": §1}"#, .versionAlone),
    .steps(#"{"id": "a", "risk": "additive", "to": §1}"#, .versionAlone),
    .steps(
      #"{"id": "a", "risk": "additive", "from": 2, "to": §2}"#, .versionsBackwards(from: 2, to: 2)),
    .steps(
      #"{"id": "a", "risk": "additive", "from": 2, "to": §4}"#, .versionAboveProfile(4, profile: 3)),
    .steps(
      #"{"id": "a", "risk": "additive", "from": 1, "to": 2}, {"id": "c", "risk": "additive"}, {"id": "b", "risk": "additive", "from": §1, "to": 3}"#,
      .versionGap(after: 2, from: 1)),
    .steps(
      #"{"id": "a", "risk": "additive", "condition": {"done": §"b"}}, {"id": "b", "risk": "additive"}"#,
      .unknownStep("b")),
    .steps(
      #"{"id": "a", "risk": "additive", "condition": {"all": [{"not": {"done": §"a"}}]}}"#,
      .circularCondition("a")),
    .steps(
      #"{"id": "a", "risk": "additive", "condition": {"appBelow": §"two"}}"#, .notAVersion("two")),
    .steps(#"{"id": "a", "risk": "additive", "layout": §"monthly"}"#, .noLayouts("sample")),
    minuta(
      #"{"id": "a", "risk": "additive", "layout": §"monthly", "verify": [{"unique": "tag"}]}"#,
      .layoutBeside("a")),
    minuta(
      #"{"id": "a", "risk": "additive", "layout": "monthly"}, §{"id": "b", "risk": "additive"}"#,
      .layoutBeside("a")),
    minuta(
      #"{"id": "a", "risk": §"transformative", "layout": "per-record"}"#,
      .riskTooLow(.transformative, property: "history")),
    minuta(
      #"{"id": "a", "risk": "additive", "layout": §"yearly"}"#,
      .form(.wrongForm(expected: "one of monthly, per-record"))),
  ]

  /// A plan for an app with layouts.
  private static func minuta(_ steps: String, _ fact: PlanDefect.Fact) -> Wrong {
    Wrong(#"{"plan": "p", "profile": "minuta", "steps": [\#(steps)]}"#, fact)
  }

  static let kinds: [Wrong] = [
    .step(#""entities": {"pen": §[{"drop": "x"}]}"#, .unknownKind("pen")),
    .note(#"{"drop": §"x"}"#, .unknownProperty("x", kind: "note", version: 1)),
    // A property of the next version is not there yet, one of this version not there any more.
    .note(#"{"drop": §"name"}"#, .unknownProperty("name", kind: "note", version: 1)),
    .note(
      #"{"set": §"first", "to": {"constant": "x"}}"#,
      .unknownProperty("first", kind: "note", version: 2)),
    .note(
      #"{"set": §"id", "to": {"constant": "x"}, "type": "string"}"#,
      .unknownProperty("id", kind: "note", version: 2)),
    .note(
      #"{"set": §"name", "to": {"constant": "x"}, "type": "string"}"#, .typeOfDeclared("name")),
    .note(
      #"{"set": "name", "to": {"constant": "x"}}, §{"rename": "first", "to": "name"}"#,
      .duplicateTarget("name")),
    .note(#"{"rename": "first", "to": "name"}, §{"drop": "first"}"#, .duplicateTarget("first")),
    .step(
      #""create": [{"kind": "book", "id": {"constant": "t"}, "fields": [{"set": "color", "to": {"constant": "x"}}, §{"set": "color", "to": {"constant": "y"}}]}]"#,
      .duplicateTarget("color")),
    .step(#""verify": [{"asMany": "note", "as": §"pen"}]"#, .unknownKind("pen")),
    .step(
      #""verify": [{"every": "note", "holds": {"present": {"copy": §"/first"}}}]"#,
      .unknownProperty("first", kind: "note", version: 2)),
  ]

  static let expressions: [Wrong] = [
    .name(#"{"copy": §"first"}"#, .notAPointer("first")),
    .name(#"{"copy": §""}"#, .notAPointer("")),
    .name(#"{"copy": §"/name"}"#, .unknownProperty("name", kind: "note", version: 1)),
    .name(#"{"parameter": §"where"}"#, .unknownParameter("where")),
    .name(#"{"fold": §"sum"}"#, .unknownFold("sum")),
    .name(#"§{"split": {"copy": "/first"}, "by": " "}"#, .severalParts),
    .name(#"§{"split": {"copy": "/first"}, "by": " ", "part": 1, "last": true}"#, .severalParts),
    .name(
      #"{"if": {"equal": §[{"copy": "/first"}]}, "then": {"constant": "x"}}"#, .notTwo),
    .step(
      #""create": [{"kind": "book", "id": §{"identity": true}, "fields": [{"set": "color", "to": {"constant": "x"}}]}]"#,
      .nothingToLookAt),
    .step(
      #""create": [{"kind": "book", "id": {"copy": §"/first"}, "fields": [{"set": "color", "to": {"constant": "x"}}]}]"#,
      .nothingToLookAt),
  ]

  static let types: [Wrong] = [
    .note(
      #"{"set": "size", "to": §{"copy": "/first"}}"#,
      .incompatibleTypes("size", type: "integer", given: "null or a text")),
    .note(
      #"{"set": "size", "to": §{"convert": {"copy": "/first"}, "to": "number"}}"#,
      .incompatibleTypes("size", type: "integer", given: "an integer or a fraction")),
    .note(
      #"{"set": "made", "to": §{"constant": "today"}}"#,
      .incompatibleTypes("made", type: "date", given: "a text")),
    .note(
      #"{"set": "made", "to": §{"parameter": "who"}}"#,
      .incompatibleTypes("made", type: "date", given: "a text")),
    .note(
      #"{"set": "name", "to": §{"lookUp": {"copy": "/first"}, "in": {"a": "b", "c": 1}}}"#,
      .incompatibleTypes("name", type: "string", given: "an integer or a text")),
    .note(
      #"{"set": "name", "to": §{"first": [{"copy": "/first"}, {"constant": []}]}}"#,
      .incompatibleTypes("name", type: "string", given: "null or a text or a list")),
    .note(
      #"{"rename": "first", "to": §"size"}"#,
      .incompatibleTypes("size", type: "integer", given: "null or a text")),
    .step(
      #""create": [{"kind": "note", "for": "book", "id": §{"identity": true}, "fields": [{"set": "size", "to": {"constant": 1}}]}]"#,
      .incompatibleTypes("id", type: "uuid", given: "a text")),
    .step(
      #""folds": {"n": {"sum": §{"copy": "/made"}, "of": "note"}}"#,
      .incompatibleTypes("sum", type: "number", given: "null or a date")),
    .note(
      #"§{"set": "size", "to": {"constant": 1}}"#, .riskTooLow(.transformative, property: "size"),
      risk: "transformative"),
    .note(
      #"§{"drop": "first"}"#, .riskTooLow(.transformative, property: "first"),
      risk: "transformative"),
    .note(
      #"{"set": "name", "to": {"copy": "/first"}}, §{"drop": "first"}"#,
      .riskTooLow(.additive, property: "first"), risk: "additive"),
    .note(
      #"§{"rename": "first", "to": "name"}"#, .riskTooLow(.additive, property: "first"),
      risk: "additive"),
    // What is only tested is not given on.
    .note(
      #"{"set": "name", "to": {"if": {"present": {"copy": "/first"}}, "then": {"constant": "x"}}}, §{"drop": "first"}"#,
      .riskTooLow(.transformative, property: "first"), risk: "transformative"),
  ]

  private static func places(_ steps: String, _ fact: PlanDefect.Fact) -> Wrong {
    Wrong(#"{"plan": "p", "places": [\#(steps)]}"#, fact)
  }

  /// A step from one file to another.
  private static func place(_ members: String, _ fact: PlanDefect.Fact) -> Wrong {
    places(#"{"id": "a", "risk": "additive", \#(members)}"#, fact)
  }

  static let places: [Wrong] = [
    Wrong(
      #"§{"plan": "p", "steps": [{"id": "a", "risk": "additive"}], "places": [{"id": "b", "risk": "additive", "sources": [{"file": "a"}], "destination": "b"}]}"#,
      .stepsOrPlaces),
    Wrong(#"§{"plan": "p", "steps": [{"id": "a", "risk": "additive"}]}"#, .profileMissing),
    place(
      #""sources": [§{"registry": "x"}], "destination": "b""#,
      .form(.wrongForm(expected: "an object with one of file, preferences, keychain, encrypted"))),
    place(#""sources": [{"file": §"../a"}], "destination": "b""#, .path("../a")),
    place(#""sources": [{"file": §"/a"}], "destination": "b""#, .path("/a")),
    place(#""sources": [{"file": "a"}], "destination": §".b/c""#, .path(".b/c")),
    place(#""sources": [{"file": "a", "member": §"x"}], "destination": "b""#, .notAPointer("x")),
    place(
      #""sources": §[{"file": "a", "as": "a"}, {"file": "c"}], "destination": "b", "value": {"copy": "/a"}"#,
      .namesMissing),
    places(
      #"§{"id": "a", "risk": "additive", "sources": [{"file": "a", "as": "a"}], "destination": "b"}"#,
      .valueMissing),
    place(
      #""sources": [{"file": "a", "as": "a"}], "destination": "b", "value": {"copy": §"/c"}"#,
      .unknownSource("c")),
    place(
      #""sources": [{"file": "a"}], "destination": "b", "condition": {"present": §"c"}"#,
      .unknownSource("c")),
    place(
      #""sources": [{"file": "a"}], "destination": "b", "condition": {"value": "a", "at": §"x", "equals": 1}"#,
      .notAPointer("x")),
    place(
      #""sources": [{"file": "a"}], "destination": "b", "value": {"parameter": §"at"}"#,
      .unknownParameter("at")),
    places(
      #"{"id": "a", "risk": "additive", "sources": [{"file": "a"}], "destination": "b"}, {"id": §"a", "risk": "additive", "sources": [{"file": "c"}], "destination": "d"}"#,
      .duplicateStep("a")),
    places(
      #"{"id": "a", "risk": "additive", "sources": [{"file": "a"}], "destination": "b"}, §{"id": "c", "risk": "additive", "sources": [{"file": "c"}], "destination": "b"}"#,
      .catalog(.duplicateDestination(StorageKey("file", "b"), "a", "c"))),
    places(
      #"§{"id": "a", "risk": "additive", "sources": [{"file": "a"}], "destination": "a"}"#,
      .catalog(.circularSource(StorageKey("file", "a"), "a"))),
    places(
      #"{"id": "a", "risk": "additive", "sources": [{"file": "b"}], "destination": "c"}, §{"id": "d", "risk": "additive", "sources": [{"file": "x"}], "destination": "b"}"#,
      .catalog(.circularSource(StorageKey("file", "b"), "a"))),
    // A part of what a step writes is written by it, too.
    places(
      #"§{"id": "a", "risk": "additive", "sources": [{"file": "a", "member": "/x"}], "destination": "a"}"#,
      .catalog(.circularSource(StorageKey("file", "a"), "a"))),
    places(
      #"{"id": "a", "risk": "additive", "sources": [{"file": "b"}], "destination": "c"}, {"id": "d", "risk": "additive", "sources": [{"file": "x"}, §{"file": "b", "member": "/y"}], "destination": "e"}"#,
      .takenBefore("b", by: "a")),
    places(
      #"{"id": "a", "risk": "additive", "condition": {"appBelow": "2.0"}, "sources": [{"file": "b"}], "destination": "c"}, {"id": "d", "risk": "additive", "sources": [§{"file": "b"}], "destination": "e"}"#,
      .takenBefore("b", by: "a")),
  ]

  @Test(arguments: [
    // The member is read, and stays, before the file goes.
    #"{"id": "a", "risk": "additive", "sources": [{"file": "b", "member": "/y"}], "destination": "c"}, {"id": "d", "risk": "additive", "sources": [{"file": "b"}], "destination": "e"}"#,
    // One of the two runs.
    #"{"id": "a", "risk": "additive", "condition": {"appBelow": "2.0"}, "sources": [{"file": "b"}], "destination": "c"}, {"id": "d", "risk": "additive", "condition": {"appAtLeast": "2.0"}, "sources": [{"file": "b"}], "destination": "e"}"#,
    #"{"id": "a", "risk": "additive", "platforms": ["iOS"], "sources": [{"file": "b"}], "destination": "c"}, {"id": "d", "risk": "additive", "platforms": ["macOS"], "sources": [{"file": "b"}], "destination": "e"}"#,
    #"{"id": "a", "risk": "additive", "sources": [{"file": "b"}], "destination": "c"}, {"id": "d", "risk": "additive", "sources": [{"file": "c", "member": "/x"}], "destination": "e"}"#,
  ])
  func `steps that leave each other what they read make a plan`(steps: String) throws {
    #expect(try SamplePlan.plan(#"{"plan": "p", "places": [\#(steps)]}"#).places.count == 2)
  }

  @Test(arguments: form + steps + kinds + expressions + types + places)
  func `a wrong plan says where, what and what to do`(wrong: Wrong) throws {
    let parts = wrong.text.split(separator: "§", maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    let expected = PlanError.plan(
      file: "x.json", line: lines.count, column: (lines.last?.unicodeScalars.count ?? 0) + 1,
      wrong.fact)
    #expect(throws: expected) { try SamplePlan.plan(parts.joined()) }
    #expect(expected.diagnostic.kind == .damagedInput)
    #expect(expected.diagnostic.remedy?.isEmpty == false)
    #expect(expected.diagnostic.problem.hasPrefix("line \(lines.count), column "))
  }

  @Test(arguments: [
    ("", 1, 1), ("{\n \"a\": 1,\n \"a\": 2}", 3, 2), (String(repeating: "[", count: 100), 1, 65),
  ])
  func `what is no JSON is told by line and column`(text: String, line: Int, column: Int) {
    #expect {
      try SamplePlan.plan(text)
    } throws: { error in
      if case PlanError.json("x.json", line, column, _) = error { true } else { false }
    }
  }

  @Test func `a plan that is too large or too deep is refused`() {
    let wide = SamplePlan.text(of: String(repeating: " ", count: Plan.largestFile))
    let deep = SamplePlan.text(
      of: #""entities": {"note": [{"set": "name", "to": "#
        + String(repeating: #"{"nonNull": "#, count: 80) + "1" + String(repeating: "}", count: 82))
    for text in [wide, deep] {
      #expect {
        try SamplePlan.plan(text)
      } throws: { error in
        if case PlanError.json = error { true } else { false }
      }
    }
  }

  @Test func `whatever bytes of a plan are lost or changed, an error is told or a plan read`() {
    let text = Array(
      SamplePlan.text(
        of: #"""
          "condition": {"any": [{"appBelow": "2.0"}, {"done": "z"}]},
          "folds": {"n": {"list": {"copy": "/made"}, "of": "note", "by": {"copy": "/book"}}},
          "entities": {"note": [{"set": "name", "to": {"split": {"copy": "/first"}, "by": " ", "part": 0}}]},
          "create": [{"kind": "note", "for": "note", "id": {"constant": "x"}, "fields": []}]
          """#
      ).utf8)
    var random = SystemRandomNumberGenerator()
    for position in text.indices {
      var bytes = text
      switch position % 3 {
      case 0: bytes.removeSubrange(position...)
      case 1: bytes[position] = UInt8.random(in: 0...255, using: &random)
      default: bytes.remove(at: position)
      }
      // Any answer is right, a trap is none.
      _ = try? SamplePlan.plan(String(decoding: bytes, as: UTF8.self))
    }
  }
}

import Diagnostics
import Folders
import Testing

/// A wrong profile is one error that says where, what and what to do.
@Suite struct ProfileDefectTests {
  /// A profile that is wrong, and what is wrong; `§` stands before the place that is told.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let text: String
    let fact: ProfileDefect.Fact

    init(_ text: String, _ fact: ProfileDefect.Fact) {
      self.text = text
      self.fact = fact
    }

    /// One kind, whose members are given, in a profile of version 3.
    static func kind(_ members: String, _ fact: ProfileDefect.Fact) -> Wrong {
      Wrong(
        """
        {"profile": "p", "version": 3, "kinds": [
          {"kind": "k", "identity": {"type": "uuid", "property": "id"}, "properties": {}}, {"kind": "x",
           \(members)}]}
        """, fact)
    }

    static func properties(_ members: String, _ fact: ProfileDefect.Fact) -> Wrong {
      kind(#""identity": {"type": "file"}, "properties": {\#(members)}"#, fact)
    }

    /// A kind with files in `a/*.json` and a document `a.automerge` after one that is described.
    static func beside(_ members: String, _ fact: ProfileDefect.Fact) -> Wrong {
      Wrong(
        """
        {"profile": "p", "version": 3, "lock": "lock", "kinds": [{"kind": "k", "identity": {"type": "file"},
          "files": {"paths": ["a/*.json"]}, "document": {"path": "a.automerge"}, "properties": {}},
          {"kind": "x", "properties": {"d": {"type": "date"}, "r": {"type": "date", "required": true}},
           \(members)}]}
        """, fact)
    }

    var testDescription: String { String(describing: fact) }
  }

  /// A profile of version 3 with a kind `k`, and branches.
  private static func branches(_ text: String, _ fact: ProfileDefect.Fact) -> Wrong {
    Wrong(
      """
      {"profile": "p", "version": 3, "branches": [\(text)], "kinds": [{"kind": "k",
        "identity": {"type": "uuid", "property": "id"},
        "properties": {"a": {"type": "string"}, "b": {"type": "string", "since": 3}}}]}
      """, fact)
  }

  static let branches: [Wrong] = [
    branches(
      #"{"version": §4, "name": "n", "tables": [{"kind": "k", "properties": ["a"]}]}"#,
      .wrongForm(expected: "a version of the profile that no other branch is")),
    branches(
      #"{"version": 2, "name": "n", "tables": [{"kind": "k", "properties": ["a"]}]}, "#
        + #"{"version": §2, "name": "m", "tables": [{"kind": "k", "properties": ["a"]}]}"#,
      .wrongForm(expected: "a version of the profile that no other branch is")),
    branches(
      #"{"version": 2, "name": "n", "tables": [{"kind": §"x", "properties": ["a"]}]}"#,
      .unknownKind("x")),
    branches(
      #"{"version": 2, "name": "n", "tables": [{"kind": "k", "properties": ["a"]}, "#
        + #"{"kind": §"k", "properties": ["a"]}]}"#, .duplicateKind("k")),
    branches(
      #"{"version": 2, "name": "n", "tables": [{"kind": "k", "properties": [§"id"]}]}"#,
      .unknownProperty("id")),
    branches(
      #"{"version": 2, "name": "n", "tables": [{"kind": "k", "properties": ["a", §"b"]}]}"#,
      .sinceAboveVersion(since: 3, version: 2)),
  ]

  static let form: [Wrong] = [
    Wrong("§[]", .wrongForm(expected: "an object")),
    Wrong("§{}", .missingMember("profile")),
    Wrong(
      #"{"profile": "p", "version": 1, "kinds": §[]}"#,
      .wrongForm(expected: "an array that is not empty")),
    Wrong(
      #"{"profile": "p", "version": §0, "kinds": []}"#,
      .wrongForm(expected: "a whole number from 1 to 1,000,000")),
    Wrong(
      #"{"profile": "p", "version": §1.5, "kinds": []}"#,
      .wrongForm(expected: "a whole number from 1 to 1,000,000")),
    Wrong(#"{"profile": §"ü", "version": 1, "kinds": []}"#, .notAName("ü")),
    Wrong(#"{"profile": §"", "version": 1, "kinds": []}"#, .notAName("")),
    Wrong(
      #"{"profile": "p", §"versions": 1}"#,
      .form(
        .unknownMember(
          "versions",
          known: [
            "profile", "version", "description", "lock", "recognizedBy", "identifiers", "branches",
            "kinds",
          ]))),
    Wrong(
      #"{"profile": "p", "version": 1, "lock": §"a/b", "kinds": [{"kind": "k", "identity": {"type": "file"}, "properties": {}}]}"#,
      .notALock("a/b")),
    .kind(
      #""identity": {"type": "uuid", §"x": 1}, "properties": {}"#,
      .form(.unknownMember("x", known: ["type", "property"]))),
    .kind(
      #""identity": {"type": §"integer", "property": "n"}, "properties": {}"#,
      .wrongForm(expected: "one of uuid, string, member, file, row, singleton")),
    .kind(
      #""private": §null, "identity": {"type": "file"}, "properties": {}"#,
      .wrongForm(expected: "true or false")),
    .kind(#""identity": {"type": "file"}, "properties": §[]"#, .wrongForm(expected: "an object")),
    .properties(#""a": §{}"#, .missingMember("type")),
    .properties(#""a": {"type": "reference", "kind": §"K K"}"#, .notAName("K K")),
  ]

  /// Those that the JSON Schema sees, too; a lock's name has more to it.
  static let ofForm = form.map { $0.text.replacing("§", with: "") }

  static let names: [Wrong] = [
    .kind(#""identity": §{"type": "uuid"}, "properties": {}"#, .identityWithoutProperty("uuid")),
    .kind(
      #""identity": {"type": "file", "property": §"id"}, "properties": {}"#,
      .identityWithProperty("file")),
    .kind(
      #""identity": {"type": "string", "property": §""}, "properties": {}"#, .emptyName),
    .kind(
      #""identity": {"type": "string", "property": "n"}, "properties": {"n": §{"type": "string"}}"#,
      .identityAsProperty("n")),
    Wrong(
      """
      {"profile": "p", "version": 1, "kinds": [{"kind": "k", "identity": {"type": "file"}, "properties": {}},
        {"kind": §"k", "identity": {"type": "file"}, "properties": {}}]}
      """, .duplicateKind("k")),
    Wrong(
      """
      {"profile": "p", "version": 1, "kinds": [
        {"identity": {"type": "file"}, "properties": {}, "kind": §"other"}]}
      """, .reservedName("other")),
    .properties(#""": §{"type": "json"}"#, .emptyName),
    .properties(#""a": {"type": "json", "since": §4}"#, .sinceAboveVersion(since: 4, version: 3)),
    .properties(#""a": {"type": "json", "until": §4}"#, .untilAboveVersion(until: 4, version: 3)),
    .properties(
      #""a": {"type": "json", "until": §2, "since": 2}"#, .untilNotAboveSince(until: 2, since: 2)),
    .properties(#""a": {"type": "json", "until": §1}"#, .untilNotAboveSince(until: 1, since: 1)),
    .properties(#""a": {"type": "links", "kind": §"y"}"#, .unknownKind("y")),
    .properties(#""a": {"type": "string", "kind": §"k"}"#, .targetOfOther(type: "string")),
    .properties(#""a": {"type": "map", "onDelete": §"keep"}"#, .targetOfOther(type: "map")),
    .properties(#""a": {"type": "reference", "onDelete": §"clear"}"#, .ruleWithoutKind),
    .properties(
      #""a": {"type": "reference", "kind": "k", "onDelete": §"clear", "required": true}"#,
      .clearsRequired("a")),
    .properties(#""a": {"type": "links", "kind": "k", "onDelete": §"delete"}"#, .deletesByLink),
  ]

  static let places: [Wrong] = [
    .beside(
      #""identity": {"type": "file"}, "files": §{"paths": ["x"]}"#, .filesWithoutDocument),
    .beside(
      #""identity": {"type": "file"}, "document": §{"path": "b.automerge"}"#, .documentWithoutFiles),
    Wrong(
      """
      {"profile": "p", "version": 1, "kinds": [{"kind": "k", "identity": {"type": "file"}, "properties": {}},
        §{"kind": "x", "identity": {"type": "file"}, "properties": {}, "files": {"paths": ["a/*.json"]},
        "document": {"path": "a.automerge"}}]}
      """, .homeInPart(kind: "x")),
    home("b", #""paths": §[]"#, .wrongForm(expected: "an array that is not empty")),
    home("b", #""paths": ["b", §"../b"]"#, .path(.leavesFolder, "../b")),
    home("b", #""paths": [§"/b"]"#, .path(.absolute, "/b")),
    home("b", #""paths": [§"b\u0000"]"#, .path(.zeroByte, "b\0")),
    home(
      "b", #""paths": [§".automerge-migrate.nosync/*"]"#,
      .path(.ownState, ".automerge-migrate.nosync/*")),
    home(
      "b", #""paths": ["b", §"**/x.json"]"#, .sharedFiles("**/x.json", other: "a/*.json", kind: "k")
    ),
    home("b", #""paths": ["lock"]"#, .lockIsData("lock", kind: "x"), lock: "§"),
    home(
      "b", #""paths": ["**/*ge"]"#,
      .documentAmongFiles("a.automerge", pattern: "**/*ge", kind: "x"), first: "§"),
    home(
      "x/b", #""paths": ["x/*"]"#,
      .documentAmongFiles("x/b.automerge", pattern: "x/*", kind: "x"), document: "§"),
    home(
      "A", #""paths": ["b"]"#,
      .sharedDocument("A.automerge", other: "a.automerge", kind: "k"), document: "§"),
    document(#""path": §"../b.automerge""#, .path(.leavesFolder, "../b.automerge")),
    document(#""path": §"b.json""#, .path(.documentExtension, "b.json")),
    document(#""path": §"b*.automerge""#, .path(.wildcard, "b*.automerge")),
    document(#""path": "b.automerge", "month": §"d""#, .monthNotUsed),
    document(#""path": "b.automerge", "undated": §"c.automerge""#, .undatedNotUsed),
    document(#""path": "{year}{month}.automerge""#, .noMonth("b/*.json"), paths: "§"),
    document(#""path": "{year}{month}.automerge", "month": "d""#, .undatedMissing, "§"),
    document(#""path": "{year}{month}.automerge", "month": §"x""#, .unknownProperty("x")),
    document(
      #""path": "{year}{month}.automerge", "month": "r", "undated": §"c.automerge""#,
      .undatedNotUsed),
    document(
      #""path": "{year}{month}.automerge", "month": "d", "undated": §"{year}-{month}.automerge""#,
      .undatedHasMonth),
    document(
      #""path": "x{year}{month}.automerge", "month": "d", "undated": §"X202412.automerge""#,
      .sharedDocument("X202412.automerge", other: "x{year}{month}.automerge", kind: "x")),
    identity("file", #""elements": "/a""#, .identityDoesNotFit("file", expected: "uuid or string")),
    identity("file", #""members": "/a""#, .identityDoesNotFit("file", expected: "member")),
    identity("file", #""value": "/a""#, .identityDoesNotFit("file", expected: "singleton")),
    identity(
      "member", "", .identityDoesNotFit("member", expected: "uuid, string, file or singleton")),
    key("uuid", #""key": "id""#, .identityDoesNotFit("uuid", expected: "string or row"), "§"),
    key("string", #""key": §"n""#, .unknownProperty("n")),
    key("row", #""key": §"x""#, .unknownProperty("x")),
    key("row", #""key": §"s""#, .wrongPropertyType("s", type: "string", expected: "integer")),
    inside(#""elements": §"/a", "value": "/b""#, .severalContents),
    inside(#""elements": §"a""#, .notAPointer("a")),
    inside(#""elements": §"/a~2""#, .notAPointer("/a~2")),
    inside(#""elements": "/a/b", "stays": ["/c", §"/a"]"#, .staysNowhere("/a")),
    inside(#""elements": "/a", "stays": [§"/a/b"]"#, .staysNowhere("/a/b")),
    inside(#""elements": "/a", "stays": ["/b", §"/b"]"#, .staysNowhere("/b")),
    inside(#""elements": "/a", "stays": ["/b/c", §"/b"]"#, .staysNowhere("/b")),
    inside(#""elements": "", "stays": [§"/b"]"#, .staysNowhere("/b")),
    inside(#""stays": [§"/b"]"#, .staysNowhere("/b")),
    .beside(
      #""identity": {"type": "singleton"}, "document": {"path": "b.automerge"}, "files": {"paths": §["b*"]}"#,
      .singletonOfMany("b*")),
    Wrong(
      """
      {"profile": "p", "version": 1, "recognizedBy": ["\(String(repeating: "a", count: 500))"], "kinds": [
        §{"kind": "x", "identity": {"type": "file"}, "properties": {}, "document": {"path": "a.automerge"},
        "files": {"paths": [\((0..<16).map {
          "\"\($0)\(String(repeating: "b", count: 480))\""
        }.joined(separator: ", "))]}}]}
      """, .pathsTooLong(limit: 4096)),
  ]

  private static func home(
    _ name: String, _ files: String, _ fact: ProfileDefect.Fact, lock: String = "",
    first: String = "", document: String = ""
  ) -> Wrong {
    let wrong = Wrong.beside(
      """
      "identity": {"type": "file"}, "files": {\(files)}, "document": \(document){"path": "\(name).automerge"}
      """, fact)
    return Wrong(
      wrong.text.replacing("\"lock\": ", with: "\"lock\": \(lock)").replacing(
        "\"document\": {\"path\": \"a.", with: "\"document\": \(first){\"path\": \"a."), fact)
  }

  private static func document(
    _ members: String, _ fact: ProfileDefect.Fact, _ mark: String = "", paths: String = ""
  ) -> Wrong {
    .beside(
      """
      "identity": {"type": "file"}, "files": {"paths": \(paths)["b/*.json"]}, "document": \(mark){\(members)}
      """, fact)
  }

  private static func identity(
    _ type: String, _ files: String, _ fact: ProfileDefect.Fact
  ) -> Wrong {
    .beside(
      """
      "identity": §{"type": "\(type)"}, "document": {"path": "b.automerge"},
      "files": {"paths": ["b"]\(files.isEmpty ? "" : ", ")\(files)}
      """, fact)
  }

  private static func key(
    _ type: String, _ rows: String, _ fact: ProfileDefect.Fact, _ mark: String = ""
  ) -> Wrong {
    let property = type == "row" ? "" : #", "property": "id""#
    return Wrong(
      """
      {"profile": "p", "version": 1, "kinds": [{"kind": "x", "identity": \(mark){"type": "\(type)"\(property)},
        "document": {"path": "b.automerge"}, "rows": {"names": ["X"], \(rows)},
        "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}]}
      """, fact)
  }

  private static func inside(_ files: String, _ fact: ProfileDefect.Fact) -> Wrong {
    .beside(
      """
      "identity": {"type": "uuid", "property": "id"}, "document": {"path": "b.automerge"},
      "files": {"paths": ["b"], \(files)}
      """, fact)
  }

  static let rest: [Wrong] = [
    Wrong(
      """
      {"profile": "p", "version": 1, "kinds": [
        {"kind": "a", "identity": {"type": "file"}, "properties": {"b":
          {"type": "reference", "kind": "b", "onDelete": "delete"}}},
        {"kind": "b", "identity": {"type": "file"}, "properties": {"c":
          {"type": "reference", "kind": "c", "onDelete": "delete"}}},
        {"kind": "c", "identity": {"type": "file"}, "properties": {"c":
          {"type": "reference", "kind": "c", "onDelete": "delete"}, "x":
          {"type": "reference", "kind": "b", "onDelete": §"delete"}}}]}
      """, .deletionsChase(["b", "c", "b"])),
    attachments(#"[{"property": §"x", "directories": ["a"]}]"#, .unknownProperty("x")),
    attachments(
      #"[{"property": §"n", "directories": ["a"]}]"#,
      .wrongPropertyType("n", type: "integer", expected: "string or list")),
    attachments(
      #"[{"property": "s", "directories": ["a", §"../a"]}]"#, .path(.leavesFolder, "../a")),
    attachments(
      #"[{"property": "s", "directories": §["a/{year}/{month}"]}]"#, .monthNotUsed),
    attachments(
      #"[{"property": "s", "directories": ["a"]}, §{"property": "s", "directories": ["b"]}]"#,
      .duplicateAttachment("s")),
    checks(#"§{"property": "n"}"#, .severalChecks),
    checks(#"§{"property": "n", "minimum": 1, "pattern": "x"}"#, .severalChecks),
    checks(#"{"property": "n", "minimum": §2, "maximum": 1e0}"#, .emptyRange),
    checks(#"{"property": "n", "minimum": §1e2000}"#, .notADecimal("1e2000")),
    checks(#"{"property": §"z", "minimum": 2}"#, .unknownProperty("z")),
    checks(
      #"{"property": §"s", "minimum": 2}"#,
      .wrongPropertyType("s", type: "string", expected: "integer, number, double or decimal")),
    checks(
      #"{"property": §"n", "pattern": "x"}"#,
      .wrongPropertyType("n", type: "integer", expected: "string or text")),
    checks(#"{"property": "s", "pattern": §"["}"#, .notATextPattern("[")),
    checks(
      #"{"property": "d", "notAfter": §"s"}"#,
      .wrongPropertyType("s", type: "string", expected: "date")),
    checks(#"{"property": "d", "notAfter": §"d"}"#, .orderOfOne("d")),
  ]

  private static func attachments(_ list: String, _ fact: ProfileDefect.Fact) -> Wrong {
    .kind(
      """
      "identity": {"type": "file"}, "attachments": \(list),
      "properties": {"s": {"type": "string"}, "n": {"type": "integer"}}
      """, fact)
  }

  private static func checks(_ check: String, _ fact: ProfileDefect.Fact) -> Wrong {
    .kind(
      """
      "identity": {"type": "file"}, "checks": [\(check)],
      "properties": {"s": {"type": "string"}, "n": {"type": "integer"}, "d": {"type": "date"}}
      """, fact)
  }

  @Test(arguments: form + branches + names + places + rest)
  func `a wrong profile says where, what and what to do`(wrong: Wrong) throws {
    let parts = wrong.text.split(separator: "§", maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    let expected = ProfileError.profile(
      file: "x.json", line: lines.count, column: (lines.last?.unicodeScalars.count ?? 0) + 1,
      wrong.fact)
    #expect(throws: expected) {
      try Profile(parsing: Array(parts.joined().utf8), of: "x.json")
    }
    let diagnostic = expected.diagnostic
    #expect(diagnostic.kind == .damagedInput)
    #expect(diagnostic.remedy?.isEmpty == false)
    #expect(diagnostic.problem.hasPrefix("line \(lines.count), column "))
  }

  @Test(arguments: [
    ("", 1, 1, JSONDefect.Fact.empty),
    (
      "{\n  \"a\": 1,\n  \"é\": 2 x}", 3, 10,
      .unexpectedByte(UInt8(ascii: "x"), expected: .commaOrObjectEnd)
    ),
    ("{\"a\": 1,\n\"a\": 2}", 2, 1, .duplicateMember(name: "a")),
    (String(repeating: "[", count: 1000), 1, 17, .tooDeep(limit: 16)),
  ])
  func `what is no JSON is told by line and column`(
    text: String, line: Int, column: Int, fact: JSONDefect.Fact
  ) {
    #expect {
      try Profile(parsing: Array(text.utf8), of: "x.json")
    } throws: { error in
      guard case ProfileError.json("x.json", line, column, let defect) = error else { return false }
      return defect.fact == fact
    }
  }

  @Test func `names of two forms of one letter are two, and a kind by its looks is none`() throws {
    let text = """
      {"profile": "p", "version": 1, "kinds": [{"kind": "K", "identity": {"type": "file"},
        "properties": {"\u{e9}": {"type": "json"}, "e\u{301}": {"type": "text"}}}]}
      """
    let profile = try Profile(parsing: Array(text.utf8), of: "x.json")
    #expect(profile.kinds[0].properties.count == 2)
    // The sign of Kelvin is canonically the letter.
    #expect(profile.kind(named: "\u{212a}") == nil)
  }

  @Test func `the largest profiles are read or refused in time`() throws {
    let clock = ContinuousClock()
    let many = (0..<20_000).map { "\"p\($0)\": {\"type\": \"json\"}" }.joined(separator: ",")
    let wide =
      #"{"profile":"p","version":1,"kinds":[{"kind":"k","identity":{"type":"file"},"properties":{"#
    // Sixty-four kinds, as different as their paths allow, and not different until the end.
    let kinds = (0..<60).map { index in
      let name = String(repeating: "*a", count: 20) + String(index) + "x"
      return """
        {"kind": "k\(index)", "identity": {"type": "file"}, "files": {"paths": ["\(name)"]},
         "document": {"path": "d\(index).automerge"}, "properties": {}}
        """
    }
    let time = clock.measure {
      #expect(throws: ProfileError.self) {
        try Profile(parsing: Array((wide + many + "}}]}").utf8), of: "x")
      }
      // What of it is wrong does not matter here.
      _ = try? Profile(
        parsing: Array(
          "{\"profile\":\"p\",\"version\":1,\"kinds\":[\(kinds.joined(separator: ","))]}".utf8),
        of: "x")
    }
    #expect(time < .seconds(60))
  }
}

import Folders
import Foundation
import SafeFiles
import Testing

/// What is guessed from files, and from which.
@Suite struct ProfileProposerTests {
  private func proposal(_ files: [String: String]) throws -> ProfileProposal? {
    let folder = try TestFolder(files)
    var proposer = try ProfileProposer(of: folder.open(), while: { true })
    let proposal = proposer.propose()
    if let proposal {
      let again = try Profile(parsing: proposal.file, of: "draft.json")
      #expect(again == proposal.profile, "a draft reads as what it is")
    }
    return proposal
  }

  private func kind(_ files: [String: String]) throws -> EntityKindProfile {
    let proposal = try #require(try proposal(files))
    #expect(proposal.profile.kinds.count == 1)
    return try #require(proposal.profile.kinds.first)
  }

  @Test func `a pattern that any app may have does not say whose folder it is`() throws {
    func entity(_ number: Int, _ rest: String) -> String {
      #"{"id": "0C5A1B7E-0000-4000-8000-00000000000\#(number)", \#(rest)}"#
    }
    var files = [
      "diary/1.json": entity(1, #""text": "a", "mood": 1"#),
      "diary/2.json": entity(2, #""text": "b", "mood": 2"#),
    ]
    // Its own patterns say it as well.
    #expect(try #require(try proposal(files)).profile.recognition.isEmpty)
    files["a1.json"] = entity(3, #""goal": 1, "unit": "km""#)
    files["b2.json"] = entity(4, #""goal": 2, "unit": "mi""#)
    let mixed = try #require(try proposal(files))
    let patterns = mixed.profile.kinds.flatMap { $0.home?.paths ?? [] }.map(\.description)
    #expect(Set(patterns) == ["*.json", "diary/*.json"])
    #expect(mixed.profile.recognition.map(\.description) == ["diary/*.json"])
    #expect(mixed.comments.profile?.contains("recognizedBy") == true)
    files["diary/1.json"] = nil
    files["diary/2.json"] = nil
    #expect(try #require(try proposal(files)).profile.recognition.isEmpty)
  }

  private static let ids = [
    "0C5A1B7E-0000-4000-8000-00000000000A", "0c5a1b7e-0000-4000-8000-00000000000b",
    "0C5A1B7E-0000-4000-8000-00000000000C",
  ]

  /// The type of a property whose values in two entities are these.
  private func type(_ first: String, _ second: String) throws -> PropertyType? {
    let kind = try kind([
      "a/1.json": #"{"id": "\#(Self.ids[0])", "x": \#(first)}"#,
      "a/2.json": #"{"id": "\#(Self.ids[1])", "x": \#(second)}"#,
    ])
    #expect(kind.identity == .uuid("id"))
    return kind.properties["x"]?.type
  }

  @Test(
    arguments: [
      ("true", "false", .boolean), ("1", "-2", .integer), ("1", "18446744073709551615", .integer),
      ("1", "1.5", .number), ("1.0", "2.0", .number), ("1", "2e3", .number),
      ("\"1.50\"", "\"2\"", .decimal), ("\"1.50\"", "2", .decimal), ("\"1\"", "\"2\"", .string),
      ("\"1\"", "2", .json), ("\"01.5\"", "\"2.5\"", .string), ("\"1.5\"", "\"x\"", .string),
      ("\"2025-01-01T00:00:00Z\"", "\"2025-01-02t00:00:00+01:00\"", .date),
      ("\"2025-01-01\"", "\"2025-01-02\"", .string),
      (
        "\"0C5A1B7E-0000-4000-8000-0000000000AA\"", "\"{0C5A1B7E-0000-4000-8000-0000000000AB}\"",
        .uuid
      ),
      ("\"aGk=\"", "\"aGkh\"", .string), ("\"a\\nb\"", "\"c\"", .string),
      ("\"\"", "\"c\"", .string),
      ("[]", "[1]", .list), ("{}", "{\"a\": 1}", .map), ("[]", "{}", .json),
      ("null", "null", .json),
      ("null", "true", .boolean), ("[]", "1", .json), ("true", "1", .json),
    ] as [(String, String, PropertyType)])
  func `the type is the narrowest that holds every value`(
    first: String, second: String, expected: PropertyType
  ) throws {
    #expect(try type(first, second) == expected)
  }

  @Test func `what is always there is required, in more entities than one`() throws {
    let kind = try kind([
      "a/1.json": #"{"id": "\#(Self.ids[0])", "x": 1, "y": 1, "z": null}"#,
      "a/2.json": #"{"id": "\#(Self.ids[1])", "x": 2, "z": 1}"#,
    ])
    #expect(kind.properties["x"]?.isRequired == true)
    #expect(kind.properties["y"]?.isRequired == false)
    #expect(kind.properties["z"]?.isRequired == false)
    let alone = try self.kind(["s.json": #"{"x": 1}"#])
    #expect(alone.identity == .singleton && alone.properties["x"]?.isRequired == false)
  }

  @Test(arguments: [
    (["n/1.json", "n/2.json"], "n/*.json"), (["n/1.json", "n/x/2.json"], "n/**/*.json"),
    (["n/x/1.json", "n/y/2.json"], "n/*/*.json"), (["n/1.json"], "n/*.json"),
    (["n/2025-01-02.json", "n/2025-02-02.json"], "n/{year}-{month}-*.json"),
    (["n/2025-01.json", "n/2025-02.json"], "n/{year}-{month}.json"),
    (["n/2024/2024-01-02.json", "n/2025/2025-01-02.json"], "n/*/{year}-{month}-*.json"),
    (["n/2024/01/a.json", "n/2025/12/b.json"], "n/{year}/{month}/*.json"),
    (["n/2024/13/a.json", "n/2025/12/b.json"], "n/*/*/*.json"),
    (["1.json", "2.json"], "*.json"), (["n/x/a.json", "n/y/a.json"], "n/*/a.json"),
  ])
  func `a pattern says months where all paths do`(paths: [String], expected: String) throws {
    var files: [String: String] = [:]
    for (index, path) in paths.enumerated() { files[path] = #"{"id": "\#(Self.ids[index])"}"# }
    // Files that are no kind's name the folder that all have in common.
    files["readme.json"] = "1"
    let kind = try kind(files)
    #expect(kind.home?.paths.map(\.description) == [expected])
    let isMonthly = expected.contains("{year}")
    if case .monthly(_, of: .path, nil) = kind.home?.document {
      #expect(isMonthly)
    } else {
      #expect(!isMonthly)
    }
  }

  @Test func `identities are names, members, paths, or of one file only`() throws {
    let list = try kind(["l.json": #"{"v": 1, "rows": [{"key": "a"}, {"key": "b"}]}"#])
    #expect(list.identity == .string("key") && list.name == "row")
    #expect(list.home?.content == .elements(JSONPointer(tokens: [Array("rows".utf8)])))
    #expect(list.home?.stays == [JSONPointer(tokens: [Array("v".utf8)])])
    let bare = try kind(["things.json": #"[{"t": "a"}, {"t": "b"}]"#])
    #expect(bare.identity == .string("t") && bare.home?.content == .elements(JSONPointer()))
    let map = try kind(["m.json": #"{"all": {"x": {"a": 1}, "y": {"a": 2, "b": 3}}}"#])
    #expect(map.identity == .member && map.name == "all")
    let root = try kind(["m.json": #"{"x": {"a": 1}, "y": {"a": 2, "b": 3}}"#])
    #expect(root.identity == .member && root.home?.content == .members(JSONPointer()))
    let days = try kind(["d/a.json": #"{"n": 1}"#, "d/b.json": #"{"n": 1}"#])
    #expect(days.identity == .file)
    // Nothing tells its elements apart, so the file is one entity.
    let equal = try kind(["s.json": #"{"rows": [{"k": "a"}, {"k": "a"}]}"#])
    #expect(equal.identity == .singleton && equal.properties["rows"]?.type == .list)
  }

  @Test func `what leads to entities is a reference or links`() throws {
    let proposal = try #require(
      try proposal([
        "a/1.json":
          #"{"id": "\#(Self.ids[0])", "on": "\#(Self.ids[1])", "tag": "x", "all": ["x", "y"], "w": "x"}"#,
        "a/2.json":
          #"{"id": "\#(Self.ids[1])", "on": "\#(Self.ids[2])", "tag": "y", "all": {"y": true}}"#,
        "a/3.json": #"{"id": "\#(Self.ids[2])", "all": []}"#,
        "tags.json": #"{"tags": {"x": {"n": 1}, "y": {"n": 2}, "z": {"n": 3}}}"#,
      ]))
    let kind = try #require(proposal.profile.kind(named: "a"))
    #expect(kind.properties["on"]?.type == .reference(ReferenceTarget("a")))
    #expect(kind.properties["tag"]?.type == .reference(ReferenceTarget("tag")))
    #expect(kind.properties["all"]?.type == .links(ReferenceTarget("tag")))
    // One value, and called otherwise.
    #expect(kind.properties["w"]?.type == .string)
  }

  @Test(
    arguments: [
      ([1, 2, 3, 4, 5], 4, 1...5), ([-1, 0, 1], 4, -1...1), (Array(0...10), 5, 0...10),
      // Too few of each, a step that is not there, too few steps, too many.
      ([1, 2, 3, 4, 5], 3, nil), ([1, 2, 4, 5], 9, nil), ([0, 1], 50, nil),
      (Array(0...11), 9, nil),
    ] as [([Int], Int, ClosedRange<Int>?)])
  func `numbers that are steps of a scale get a range`(
    steps: [Int], times: Int, expected: ClosedRange<Int>?
  ) throws {
    let rows = (0..<times).flatMap { _ in steps }.enumerated().map { index, step in
      #"{"key": "k\#(index)", "step": \#(step)}"#
    }
    let kind = try kind(["rows.json": "[\(rows.joined(separator: ","))]"])
    let range = expected.map { range in
      PropertyCheck.range(
        "step", minimum: ExactDecimal("\(range.lowerBound)"),
        maximum: ExactDecimal("\(range.upperBound)"))
    }
    #expect(kind.checks == [range].compactMap(\.self))
    // One value that is none of it is enough.
    let other = rows + [#"{"key": "x", "step": 1.5}"#]
    #expect(try self.kind(["rows.json": "[\(other.joined(separator: ","))]"]).checks.isEmpty)
  }

  @Test func `dates that follow each other in all entities get an order`() throws {
    func kind(_ rows: [[String: Int]]) throws -> [PropertyCheck] {
      let texts = rows.enumerated().map { index, row in
        let dates = row.map { #""\#($0.key)": "2025-01-\#(10 + $0.value)T00:00:00Z""# }
        return "{" + ([#""key": "k\#(index)""#] + dates.sorted()).joined(separator: ",") + "}"
      }
      return try self.kind(["rows.json": "[\(texts.joined(separator: ","))]"]).checks
    }
    let rows = [["b": 1, "a": 2, "c": 5], ["b": 3, "a": 3, "c": 9], ["b": 2, "a": 6, "c": 6]]
    // That `b` is not after `c` follows.
    #expect(
      try kind(rows) == [.order("a", notAfter: "c"), .order("b", notAfter: "a")])
    // An entity without one of them says nothing, and one that has them otherwise says it all.
    #expect(try kind(rows + [["b": 9], ["a": 1]]).count == 2)
    #expect(
      try kind(rows + [["b": 9, "a": 1, "c": 9]])
        == [.order("a", notAfter: "c"), .order("b", notAfter: "c")])
    // Two are chance, and where all are equal nothing comes first.
    #expect(try kind(Array(rows.prefix(2))).isEmpty)
    #expect(try kind([["a": 1, "b": 1], ["a": 2, "b": 2], ["a": 3, "b": 3]]).isEmpty)
  }

  @Test(
    arguments: [
      ([".app.lock"], ".app.lock"), (["app.writelock.nosync"], "app.writelock.nosync"),
      ([".clock", "blocks"], nil), ([".a.lock", ".b.lock"], nil), (["sub/.app.lock"], nil),
      (["lock.json"], nil),
    ] as [([String], String?)])
  func `an empty file that is called a lock is the lock`(
    names: [String], expected: String?
  ) throws {
    var files = ["a/1.json": #"{"id": "\#(Self.ids[0])"}"#, "a/x.txt": ""]
    for name in names { files[name] = "" }
    let proposal = try #require(try proposal(files))
    #expect(proposal.profile.lock?.description == expected)
    #expect(proposal.comments.profile?.contains("lock") == (expected != nil))
    // What holds something is none.
    for name in names { files[name] = "{}" }
    #expect(try #require(try self.proposal(files)).profile.lock == nil)
  }

  @Test func `forms that no pattern tells apart are named one by one, or are one kind`() throws {
    var files = [
      "d/settings.json": #"{"theme": "dark"}"#, "d/list.json": #"{"rows": [{"id": "a"}]}"#,
      "top.json": "1",
    ]
    for index in 0..<16 { files["d/\(index).json"] = #"{"id": "\#(index)", "x": 1}"# }
    let few = try #require(try proposal(files)?.profile)
    #expect(few.kinds.map(\.name).sorted() == ["d", "row", "settings"])
    #expect(few.kind(named: "d")?.home?.paths.count == 16)
    #expect(few.kind(named: "d")?.identity == .string("id"))
    files["d/16.json"] = #"{"id": "16", "x": 1}"#
    let kind = try kind(files)
    #expect(kind.home?.paths.map(\.description) == ["d/*.json"] && kind.identity == .file)
    #expect(kind.home?.content == .entity)
  }

  @Test func `names that begin otherwise tell forms apart, and forms in one place are one kind`()
    throws
  {
    var files: [String: String] = [:]
    for index in 10..<40 {
      files["d/note-\(index).json"] = #"{"id": "\#(index)", "x": 1}"#
      files["d/task-\(index).json"] = #"{"key": "\#(index)", "done": true, "y": 1}"#
      files["e/2025-01-\(index).json"] = index % 3 == 0 ? #"{"mood": 1}"# : #"{"walk": 2}"#
    }
    let profile = try #require(try proposal(files)?.profile)
    let paths = profile.kinds.compactMap { $0.home?.paths.map(\.description) }
    #expect(paths == [["d/note-*.json"], ["d/task-*.json"], ["e/{year}-{month}-*.json"]])
    #expect(profile.kinds.map(\.identity) == [.string("id"), .string("key"), .file])
    #expect(Set(profile.kinds.map(\.name)).count == 3)
  }

  @Test func `hostile names and numbers of things stay within the rules`() throws {
    var files: [String: String] = [:]
    for index in 0..<40 { files["d\(index)/{x}.json"] = #"{"a\#(index)": 1}"# }
    for index in 0..<90 { files["e\(index)/x.json"] = #"{"b\#(index)": 1}"# }
    let long = String(repeating: "n", count: 100_000)
    let many = (0..<5000).map { "\"k\($0)\": \($0)" }.joined(separator: ",")
    files["many.json"] = "{\(many),\"\(long)\": 1}"
    files["conflict 2.json"] = "{}"
    files["conflict.json"] = "{}"
    let proposal = try #require(try proposal(files))
    #expect(proposal.profile.kinds.count == Profile.largestKindCount)
    #expect(proposal.file.count <= Profile.largestFile)
    #expect(!proposal.findings.isEmpty)
    #expect(proposal.profile.kinds.allSatisfy { $0.properties.count <= 400 })
  }

  @Test func `it stops where it is told to`() throws {
    let folder = try TestFolder(["a.json": #"{"x": 1}"#])
    var proposer = try ProfileProposer(of: folder.open(), while: { false })
    #expect(proposer.propose() == nil)
  }
}

import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// Conflict copies of the JSON files of apps that only a profile describes.
@Suite struct ProfiledLegacyMergeTests {
  private static let january = "log/2025/2025-01-30.json"
  private static let januaryCopy = "log/2025/2025-01-30 (conflicted copy 2026-01-06).json"

  private func merging(
    _ sample: String, _ path: String, _ base: String, copies: [(name: String, text: String)]
  ) throws -> (ProfiledFolder, MergeReport) {
    let folder = try ProfiledFolder(sample: sample)
    try folder.folder.write(base, to: path)
    for copy in copies { try folder.folder.write(copy.text, to: copy.name) }
    let before = try folder.files()
    let plan = try folder.merging(isDryRun: true)
    #expect(try folder.files() == before)
    let report = try folder.merging()
    #expect(plan.outcomes == report.outcomes)
    return (folder, report)
  }

  @Test func `an entity of a file is merged by what its properties mean`() throws {
    let path = "notes/plan.json"
    let copy = "notes/plan 2.json"
    let (folder, report) = try merging(
      "notes", path,
      """
      {
        "id": "00000001-0000-4000-8000-000000000001",
        "title": "Plan",
        "created": "2025-01-15T09:30:00Z",
        "edited": null,
        "notebook": "Inbox",
        "links": ["45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"],
        "tags": ["a"],
        "x": 1.50
      }

      """,
      copies: [
        (
          copy,
          """
          {"id":"{00000001-0000-4000-8000-000000000001}","created":"2025-01-15T10:30:00+01:00",\
          "title":"Plan B","edited":"2025-02-01T00:00:00Z","rating":4,"pinned":null,"x":1.50,\
          "links":{"45c48cce-2e2d-4fbd-aa1a-fc51c7c60303":true,\
          "8f14e45f-ceea-467a-9575-6f2b8d3a1c01":true},"tags":["b"],"extra":{"é":[1]}}
          """
        )
      ])
    #expect(report.outcomes == [copy: .merged])
    let note = MergeReport.Entity(kind: "note", identity: "00000001-0000-4000-8000-000000000001")
    #expect(
      report.bases[0].differences == [
        .init(
          entity: note, field: "title", kept: .string("Plan"), other: .string("Plan B"),
          source: copy),
        .init(
          entity: note, field: "tags", kept: .string("[\"a\"]"), other: .string("[\"b\"]"),
          source: copy),
      ])
    #expect(
      try folder.folder.text(path) == """
        {
          "id": "00000001-0000-4000-8000-000000000001",
          "title": "Plan",
          "created": "2025-01-15T09:30:00Z",
          "edited": "2025-02-01T00:00:00Z",
          "notebook": "Inbox",
          "links": ["45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303","8F14E45F-CEEA-467A-9575-6F2B8D3A1C01"],
          "tags": ["a"],
          "x": 1.50,
          "rating":4,
          "extra":{"é":[1]}
        }

        """)
    let finding = try #require(report.findings.first { $0.code == .conflict })
    #expect(finding.message == "2 values differ from those of copies; it kept its own")
    try folder.expectSettled()
  }

  @Test func `elements of a list are merged by identity, and what is around them keeps its place`()
    throws
  {
    let (folder, report) = try merging(
      "notes", "notebooks.json",
      #"{"version":3,"notebooks":[{"name":"Küche","color":"red"},{"name":"Inbox"}]}"#,
      copies: [
        (
          "notebooks 2.json",
          #"{"trash":[1],"version":4,"notebooks":[{"name":"Garden","order":7},"#
            + #"{"order":1,"name":"Inbox"},{"name":"K\u00fcche","color":"blue"}]}"#
        )
      ])
    #expect(report.outcomes == ["notebooks 2.json": .merged])
    #expect(
      try folder.folder.text("notebooks.json")
        == #"{"version":3,"notebooks":[{"name":"Küche","color":"red"},{"name":"Inbox","order":1},"#
        + #"{"name":"Garden","order":7}],"trash":[1]}"#)
    #expect(
      Set(report.bases[0].differences) == [
        .init(
          entity: .init(kind: "notebook", identity: "Küche"), field: "color",
          kept: .string("red"), other: .string("blue"), source: "notebooks 2.json"),
        .init(
          entity: .init(), field: "/version", kept: .integer(3), other: .integer(4),
          source: "notebooks 2.json"),
      ])
    try folder.expectSettled()
  }

  @Test func `members of a map are merged by name, and what stays in the file stays`() throws {
    let (folder, report) = try merging(
      "habits", "habits.json",
      """
      {
        "app": {"build": 412},
        "habits": {
          "run": {"goal": 5.5, "color": "green"},
          "água": {}
        }
      }
      """.replacing("\"água\": {}", with: "\"água\": {\"goal\": 1}"),
      copies: [
        (
          "habits (conflicted copy 2026-01-06).json",
          #"{"habits":{"\u00e1gua":{"goal":"1.0","unit":"l"},"sleep":{"goal":8},"#
            + #""run":{"goal":"5.50","schedule":{"mon":true}}},"app":{"build":413}}"#
        )
      ])
    #expect(report.outcomes == ["habits (conflicted copy 2026-01-06).json": .merged])
    #expect(
      try folder.folder.text("habits.json") == """
        {
          "app": {"build": 412},
          "habits": {
            "run": {"goal": 5.5, "color": "green","schedule":{"mon":true}},
            "água": {"goal": 1,"unit":"l"},
            "sleep":{"goal":8}
          }
        }
        """)
    #expect(report.bases[0].differences.map(\.field) == ["/app"])
    try folder.expectSettled()
    try folder.importing()
    let verification = try folder.verifying()
    #expect(verification.isSound)
    #expect(verification.counts.first { $0.kind == "habit" }?.proven == 3)
  }

  @Test(arguments: [
    (#"{"version":1,"notebooks":[]}"#, #"{"version":1,"notebooks":[{"name":"A"},{"name":"B"}]}"#),
    (#"{"version":1,"notebooks":[ ]}"#, #"{"version":1,"notebooks":[{"name":"A"},{"name":"B"}]}"#),
  ])
  func `a list without entities takes all of a copy`(_ example: (base: String, result: String))
    throws
  {
    let (folder, report) = try merging(
      "notes", "notebooks.json", example.base,
      copies: [
        ("notebooks.json.conflict1", #"{"version":1,"notebooks":[{"name":"A"},{"name":"B"}]}"#)
      ])
    #expect(report.outcomes == ["notebooks.json.conflict1": .merged])
    #expect(
      try folder.folder.text("notebooks.json").filter { $0 != " " } == example.result)
  }

  @Test func `there is one of a singleton, and an empty object takes all of a copy`() throws {
    let (folder, report) = try merging(
      "notes", "settings.json", "{}\n",
      copies: [("settings 2.json", #"{"theme":"light","windows":[{"x":0}]}"#)])
    #expect(report.outcomes == ["settings 2.json": .merged])
    #expect(
      try folder.folder.text("settings.json") == "{\"theme\":\"light\",\"windows\":[{\"x\":0}]}\n")
  }

  private static let reader = """
    {"profile":"reader","version":1,"kinds":[{"kind":"settings","identity":{"type":"singleton"},
    "files":{"paths":["state.json"],"value":"/user/settings","stays":["/device"]},
    "document":{"path":"settings.automerge"},"properties":{"theme":{"type":"string"}}}]}
    """

  @Test(
    arguments: [
      // There is no entity in the file, and one in its copy.
      (
        #"{"device":{"id":7}, "user":{"settings": null}}"#,
        #"{"device":{"id":7},"user":{"settings":{"theme":"dark","x":[1]}}}"#,
        #"{"device":{"id":7}, "user":{"settings": {"theme":"dark","x":[1]}}}"#, .merged
      ),
      // The other way about nobody knows that it was deleted, and so it stays.
      (
        #"{"user":{"settings":{"theme":"dark"}}}"#, #"{"user":{"settings":null}}"#,
        #"{"user":{"settings":{"theme":"dark"}}}"#, .redundant
      ),
      (
        #"{"user":{"settings":null}}"#, #"{"user":{"settings": null }}"#,
        #"{"user":{"settings":null}}"#, .redundant
      ),
      // What else is in the copy comes in, with an entity or without.
      (
        #"{"user":{"settings":null}}"#, #"{"device":{"id":8},"user":{"settings":null}}"#,
        #"{"user":{"settings":null},"device":{"id":8}}"#, .merged
      ),
      (
        #"{"user":{"settings":{"theme":"dark"}}}"#,
        #"{"device":{"id":8},"user":{"settings":null}}"#,
        #"{"user":{"settings":{"theme":"dark"}},"device":{"id":8}}"#, .merged
      ),
    ] as [(String, String, String, MergeReport.Copy.Outcome)])
  func `the one entity of a file that is null is none`(
    base: String, copy: String, result: String, outcome: MergeReport.Copy.Outcome
  ) throws {
    let app = try ProfiledFolder(Profile(parsing: Array(Self.reader.utf8), of: "profile.json"))
    try app.folder.write(base, to: "state.json")
    try app.folder.write(copy, to: "state 2.json")
    let report = try app.merging()
    #expect(report.outcomes == ["state 2.json": outcome], "\(report.findings)")
    #expect(try app.folder.text("state.json") == result)
    #expect(report.bases[0].differences.isEmpty, "\(report.bases[0].differences)")
    try app.expectSettled()
    #expect(try !app.importing().endsWithDifferences)
    #expect(try app.verifying().isSound == result.contains("dark"))
  }

  @Test func `a certain copy of a file whose path is its identity is a copy of that entity`() throws
  {
    let base = #"{"done":{"run":5},"mood":4}"#
    let other = #"{"done":{"run":6},"note":"new"}"#
    let (folder, report) = try merging(
      "habits", Self.january, base,
      copies: [(Self.januaryCopy, other), ("log/2025/2025-01-30 2.json", other)])
    // Nothing tells a number behind a name from a second entry of that day.
    #expect(
      report.outcomes == [Self.januaryCopy: .merged, "log/2025/2025-01-30 2.json": .kept])
    #expect(
      try folder.folder.text(Self.january) == #"{"done":{"run":5},"mood":4,"note":"new"}"#)
    let difference = try #require(report.bases[0].differences.first)
    #expect(difference.entity == .init(kind: "day", identity: "log/2025/2025-01-30"))
    let finding = try #require(report.findings.first { $0.code == .conflictCopy })
    #expect(finding.path == "log/2025/2025-01-30 2.json")
    #expect(finding.message.contains("its path is its identity"))
    #expect(finding.next?.contains("merge-conflicts FOLDER --profile profile.json") == true)
    try folder.expectSettled()

    // What the finding says.
    let name = "2025-01-30 (conflicted copy).json"
    #expect(finding.next?.contains("name it \"\(name)\"") == true)
    try folder.folder.write(
      folder.folder.bytes("log/2025/2025-01-30 2.json"), to: "log/2025/\(name)")
    try folder.folder.remove("log/2025/2025-01-30 2.json")
    #expect(try folder.merging().outcomes == ["log/2025/\(name)": .merged])
  }

  @Test func `an import takes a certain copy for the same entity, an uncertain one for another`()
    throws
  {
    let folder = try ProfiledFolder(sample: "habits")
    let text = try folder.folder.text(Self.january)
    try folder.folder.write(
      text.replacing("\"mood\": 4", with: "\"mood\": 1"), to: Self.januaryCopy)
    try folder.folder.write(#"{"mood":2}"#, to: "log/2025/2025-01-30 2.json")
    let report = try folder.importing()
    #expect(report.counts[1].imported == 6)
    let findings = report.findings.filter { $0.code == .duplicateID }
    #expect(findings.count == 1)
    let copies = report.findings.filter { $0.code == .conflictCopy }
    #expect(copies.map(\.path) == ["log/2025/2025-01-30 2.json"])
    let document = try Document(Data(folder.folder.bytes("log/2025-01.automerge")))
    #expect(
      document.keys(obj: .ROOT) == [
        "log/2025/2025-01-30", "log/2025/2025-01-30 2", "log/2025/2025-01-31",
      ])
    let moods = try document.getAll(obj: document.entity("log/2025/2025-01-30"), key: "mood")
    #expect(moods == [.Scalar(.Int(1)), .Scalar(.Int(4))])
    #expect(try folder.verifying().isSound)
    // Merged or not, what was imported stays proven.
    try folder.merging()
    #expect(try folder.verifying().isSound)
  }

  @Test func `another entity under the name of a copy stays`() throws {
    let (folder, report) = try merging(
      "notes", "notes/a.json",
      #"{"id":"00000001-0000-4000-8000-000000000001","title":"a","created":"2025-01-15T09:30:00Z"}"#,
      copies: [
        (
          "notes/a 2.json",
          #"{"id":"00000002-0000-4000-8000-000000000001","title":"b","created":"2025-01-15T09:30:00Z"}"#
        )
      ])
    #expect(report.outcomes == ["notes/a 2.json": .twoRecords])
    #expect(folder.folder.exists("notes/a 2.json"))
    #expect(!report.endsWithDifferences)
  }

  @Test(arguments: [
    "", "{", "[]", "{}", #"{"notebooks":{}}"#, #"{"notebooks":[{"order":1}]}"#,
    #"{"notebooks":[{"name":"A"},{"name":"A"}]}"#, #"{"notebooks":[{"name":7}]}"#,
    #"{"notebooks":[{"name":"A","n":1e999}]}"#, #"{"notebooks":[7]}"#,
  ])
  func `what is damaged or not understood takes no part`(text: String) throws {
    let whole = #"{"version":1,"notebooks":[{"name":"A"}]}"#
    for (base, copy) in [(whole, text), (text, whole)] {
      let (folder, report) = try merging(
        "notes", "notebooks.json", base, copies: [("notebooks 2.json", copy)])
      #expect(report.outcomes == ["notebooks 2.json": .kept])
      #expect(report.endsWithDifferences)
      #expect(try folder.folder.text("notebooks.json") == base)
      #expect(try folder.folder.text("notebooks 2.json") == copy)
    }
  }

  @Test func `a value of another type than declared is merged as it is`() throws {
    let (folder, report) = try merging(
      "notes", "settings.json", #"{"theme":7,"fontSize":"big"}"#,
      copies: [("settings 2.json", #"{"theme":7,"fontSize":"small"}"#)])
    #expect(report.outcomes == ["settings 2.json": .merged])
    #expect(report.bases[0].differences.map(\.field) == ["fontSize"])
    try folder.expectSettled()
  }

  @Test func `a file of a month is merged with the copy that no pattern knows`() throws {
    let folder = try ProfiledFolder(sample: "greenhouse")
    let path = "log/2025-03.json"
    let text = try folder.folder.text(path)
    try folder.folder.write(
      #"{"waterings":[{"key":"2025-03-30/new","when":"2025-03-30T06:45:00Z"}]}"#,
      to: "log/2025-03 2.json")
    try folder.folder.write(
      #"{"waterings":[{"key":"2025-05-01/x","when":"2025-05-01T06:45:00Z"}]}"#,
      to: "log/2025-05 (conflicted copy 2026-01-06).json")
    let report = try folder.merging()
    #expect(
      report.outcomes == [
        "log/2025-03 2.json": .merged, "log/2025-05 (conflicted copy 2026-01-06).json": .adopted,
      ])
    #expect(try folder.folder.bytes(path).count > text.utf8.count)
    try folder.expectSettled()
    try folder.importing()
    let verification = try folder.verifying()
    #expect(verification.isSound)
    #expect(
      verification.counts.filter { $0.kind == "watering" }.map(\.proven) == [3, 1, 1])
  }

  // MARK: Laws

  @Test(arguments: ["notes", "habits"], UInt64(1)...12)
  func `every value of every copy is in the base, in the report or in quarantine`(
    _ sample: String, seed: UInt64
  ) throws {
    var random = TestRandom(seed: seed)
    let isMap = sample == "habits"
    let stem = isMap ? "habits" : "notebooks"
    func entity(_ number: Int) -> String {
      var members = isMap ? ["\"goal\":\(number)"] : ["\"name\":\"n\(number)\""]
      for field in ["color", "order", "extra"] where random.number(below: 3) > 0 {
        let value = random.number(below: 3)
        members.append(
          field == "extra" ? "\"extra\":{\"n\":[\(value)]}" : "\"\(field)\":\"\(value)\"")
      }
      return (isMap ? "\"n\(number)\":" : "") + "{\(members.joined(separator: ","))}"
    }
    let folder = try ProfiledFolder(sample: sample)
    let names = ["", " 2", " 3", " (conflicted copy)"].map { "\(stem)\($0).json" }
    for name in names {
      let numbers = (1...5).filter { _ in random.number(below: 3) > 0 }.shuffled(using: &random)
      let list = numbers.map(entity).joined(separator: ", ")
      let others = random.number(below: 2) == 0 ? "\"version\": \(random.number(below: 2))," : ""
      try folder.folder.write(
        "{\(others) \"\(stem)\": \(isMap ? "{\(list)}" : "[\(list)]")}\n", to: name)
    }
    let before = try folder.files()
    let report = try folder.merging()
    #expect(report.count(.merged) + report.count(.redundant) == 3, "seed \(seed)")
    let merged = try Self.values(folder.folder.bytes(names[0]), stem)
    let differences = report.bases[0].differences
    for name in names {
      let bytes = try #require(before[name])
      for (place, value) in try Self.values(bytes, stem) {
        let isTold = differences.contains {
          "\($0.entity.identity) \($0.field)" == place && $0.source == name
        }
        #expect(merged[place] == value || isTold, "seed \(seed): \(name) \(place)")
        if name == names[0] { #expect(merged[place] == value, "seed \(seed): \(place)") }
      }
      if name != names[0] { #expect(try folder.folder.quarantined()[name] == bytes) }
    }
    // Nothing is there that no input has.
    let known = try Set(names.flatMap { try Self.values(#require(before[$0]), stem) }.map(\.key))
    #expect(Set(merged.keys).isSubset(of: known))
    try folder.expectSettled()
  }

  /// The values of a file as sorted JSON, by identity and field, or by pointer.
  private static func values(_ bytes: [UInt8], _ stem: String) throws -> [String: String] {
    var values: [String: String] = [:]
    for (name, value) in try JSONEquality.object(bytes) {
      guard name == stem else {
        values[" /\(name)"] = try text(value)
        continue
      }
      if let members = value as? [String: [String: Any]] {
        for (identity, entity) in members {
          for (field, value) in entity { values["\(identity) \(field)"] = try text(value) }
        }
      }
      for entity in value as? [[String: Any]] ?? [] {
        let identity = try #require(entity["name"] as? String)
        for (field, value) in entity { values["\(identity) \(field)"] = try text(value) }
      }
    }
    return values
  }

  private static func text(_ value: Any) throws -> String {
    String(
      decoding: try JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed]), as: UTF8.self)
  }
}

import Folders
import Foundation
import JSONSchemas
import SchemaMigrations
import Testing

/// The page about plan files, the JSON Schema and the shipped plans, against the reader.
@Suite struct PlanPageTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static let people = """
    {"profile": "people", "version": 2, "kinds": [
      {"kind": "person", "identity": {"type": "uuid", "property": "id"}, "properties": {
        "firstName": {"type": "string", "until": 2}, "lastName": {"type": "string", "until": 2},
        "fullName": {"type": "string", "since": 2}, "updatedAt": {"type": "date", "since": 2},
        "preferences": {"type": "map", "since": 2}}}]}
    """

  private static func example() throws -> String {
    let page = try text("Sources/Documentation/plan-files.md")
    let match = try #require(page.firstMatch(of: /(?s)<!-- example .*?```json\n(.*?)```\n<!-- end/))
    return String(match.1)
  }

  @Test func `the example is a plan`() throws {
    let profile = try Profile(parsing: Array(Self.people.utf8), of: "people.json")
    let plan = try Plan(parsing: Array(Self.example().utf8), of: "x.json") { _ in profile }
    #expect(plan.steps.map(\.id) == ["people-v2"])
    #expect(plan.steps[0].parameters == ["at"])
  }

  @Test func `the page names every member of the form and every conversion`() throws {
    let page = try Self.text("Sources/Documentation/plan-files.md")
    let known = Set(page.matches(of: /[`"]([A-Za-z]+)[`"]/).map { String($0.1) })
    var members: Set<String> = []
    func collect(_ value: MigrationValue) {
      switch value {
      case .object(let object):
        for member in object.members {
          if member.name == "properties", let properties = member.value.object {
            members.formUnion(properties.members.map(\.name.string))
          }
          collect(member.value)
        }
      case .list(let elements): for element in elements { collect(element) }
      case .null, .boolean, .number, .text: break
      }
    }
    collect(try MigrationValue(json: Plan.schema))
    #expect(members.count > 40)
    #expect(members.subtracting(known).subtracting(["comment"]) == [])
    #expect(Set(ValueConversion.allCases.map(\.rawValue)).subtracting(known) == [])
  }

  private static func json(_ bytes: [UInt8]) throws -> Any {
    try JSONDecoder().decode(PlainJSON.self, from: Data(bytes)).value
  }

  static let shipped = [
    "ritualist", "laundrytime", "local-data", "minuta-comments", "minuta-comments-as-texts",
    "minuta-months", "minuta-records",
  ]

  @Test(arguments: shipped)
  func `a shipped plan has the form of the JSON Schema, and is read`(name: String) throws {
    let text = try Self.text("plans/\(name).json")
    #expect(
      SchemaCheck.defects(of: try Self.json(Array(text.utf8)), by: try Self.json(Plan.schema)) == []
    )
    let plan = try Plan(parsing: Array(text.utf8), of: name) { Profile.builtIn(named: $0) }
    #expect(plan.name == name && plan.steps.count + plan.places.count >= 1)
    #expect(
      Set(
        try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "plans").path)
      )
        == Set(Self.shipped.map { $0 + ".json" }))
  }

  @Test func `the JSON Schema refuses what the reader refuses for its form`() throws {
    let schema = try Self.json(Plan.schema)
    let example = try Self.example()
    #expect(SchemaCheck.defects(of: try Self.json(Array(example.utf8)), by: schema) == [])
    let wrong = [
      example.replacing("\"risk\": \"transformative\",", with: ""),
      example.replacing("transformative", with: "harmless"),
      example.replacing("\"copy\": \"/firstName\"", with: "\"copy\": 1"),
      example.replacing("\"separator\"", with: "\"between\""),
      example.replacing("\"drop\"", with: "\"remove\""),
      example.replacing("\"present\"", with: "\"there\""),
    ]
    for text in wrong {
      #expect(text != example)
      #expect(SchemaCheck.defects(of: try Self.json(Array(text.utf8)), by: schema) != [], "\(text)")
      #expect(throws: PlanError.self) {
        let profile = try Profile(parsing: Array(Self.people.utf8), of: "people.json")
        _ = try Plan(parsing: Array(text.utf8), of: "x.json") { _ in profile }
      }
    }
  }
}

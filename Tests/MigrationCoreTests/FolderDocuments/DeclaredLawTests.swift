import Automerge
import FileFaults
import FolderDocuments
import Folders
import Foundation
import Testing

/// What devices that import entities of a declared kind separately can rely on when they merge.
@Suite struct DeclaredLawTests {
  /// A kind with three versions. All values are numbers or texts that no other variant has.
  private static let profile = """
    {"profile": "laws", "version": 3, "kinds": [{"kind": "item",
      "identity": {"type": "string", "property": "id"},
      "properties": {
        "alpha": {"type": "integer"}, "core": {"type": "integer", "required": true},
        "late": {"type": "integer", "since": 3}, "gone": {"type": "integer", "until": 3},
        "brief": {"type": "integer", "since": 2, "until": 3}, "second": {"type": "integer", "since": 2},
        "another": {"type": "integer", "since": 2}, "zeta": {"type": "number"},
        "body": {"type": "text"}, "list": {"type": "list"}, "see": {"type": "links"}}}]}
    """

  private static let scalars = [
    "alpha", "another", "brief", "core", "gone", "late", "second", "zeta",
  ]

  /// What an entity holds, as JSON by the names of its members.
  private typealias Fields = [String: String]

  private let kinds: Profile
  private let kind: EntityKindProfile

  init() throws {
    kinds = try Profile(parsing: Array(Self.profile.utf8), of: "laws.json")
    kind = try #require(kinds.kind(named: "item"))
  }

  private func document(_ variants: Fields...) throws -> Document {
    var chunks = Data()
    for fields in variants {
      let json = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
      var tape = JSONTape()
      try tape.parse("{\(json.joined(separator: ","))}".utf8)
      var builder = DeclaredChanges(kind, of: kinds)
      var built = ChangeChunks()
      try builder.build(0, on: tape, identity: Array("x".utf8), into: &built)
      chunks.append(contentsOf: built.bytes)
    }
    let document = Document()
    try document.applyEncodedChanges(encoded: chunks)
    return document
  }

  private func merged(_ left: Document, _ right: Document) throws -> Document {
    let one = left.fork()
    let other = right.fork()
    try one.merge(other: right)
    try other.merge(other: left)
    #expect(one.heads() == other.heads())
    return one
  }

  private func entity(of document: Document) throws -> ObjId {
    guard case .Object(let map, .Map) = try document.get(obj: .ROOT, key: "x") else {
      throw CocoaError(.featureUnsupported)
    }
    return map
  }

  private func object(_ key: String, of document: Document) throws -> ObjId {
    guard case .Object(let object, _) = try document.get(obj: entity(of: document), key: key) else {
      throw CocoaError(.featureUnsupported)
    }
    return object
  }

  /// An entity as a version of the app writes it; `numbers` are used up, so that no two are equal.
  private func variant(
    version: Int, _ generator: inout TestRandom, _ numbers: inout ClosedRange<Int>
  ) throws -> Fields {
    var fields: Fields = [:]
    for name in Self.scalars {
      let property = try #require(kind.properties[PropertyName(Array(name.utf8))])
      guard property.since <= version, property.until.map({ version < $0 }) ?? true else {
        continue
      }
      let choice = property.isRequired ? 9 : Int.random(in: 0...9, using: &generator)
      if choice == 0 { continue }
      fields[name] = choice == 1 ? "null" : String(numbers.lowerBound)
      numbers = numbers.lowerBound + 1...numbers.upperBound
    }
    return fields
  }

  @Test func `of two variants one wins in all declared scalars that both have`() throws {
    var generator = TestRandom(seed: 61)
    var numbers = 1...1_000_000
    var winners: Set<Bool> = []
    for round in 0..<150 {
      let versions = (1 + round % 3, 1 + round / 3 % 3)
      let left = try variant(version: versions.0, &generator, &numbers)
      let right = try variant(version: versions.1, &generator, &numbers)
      let both = try merged(document(left), document(right))
      let map = try entity(of: both)
      var leftWins: Set<Bool> = []
      for name in Self.scalars {
        let property = try #require(kind.properties[PropertyName(Array(name.utf8))])
        let isAlwaysPlaced = property.since == 1 && property.until == nil
        let mine = left[name] ?? (isAlwaysPlaced ? "null" : nil)
        let its = right[name] ?? (isAlwaysPlaced ? "null" : nil)
        let shown = try both.get(obj: map, key: name).map(text)
        switch (mine, its) {
        case (let mine?, let its?) where mine != its:
          leftWins.insert(shown == mine)
          #expect(shown == mine || shown == its, "\(name) of \(left) and \(right)")
        // What one has stands, and what both have alike.
        default: #expect(shown == mine ?? its, "\(name) of \(left) and \(right)")
        }
      }
      #expect(leftWins.count <= 1, "\(left) and \(right)")
      winners.formUnion(leftWins)
    }
    // Neither side wins always.
    #expect(winners.count == 2)
  }

  private func text(_ value: Value) -> String {
    switch value {
    case .Scalar(.Int(let number)): String(number)
    case .Scalar(.Null): "null"
    default: "\(value)"
    }
  }

  @Test func `a value that somebody puts is never lost to an import`() throws {
    var generator = TestRandom(seed: 62)
    var numbers = 1...1_000_000
    for round in 0..<40 {
      let version = 1 + round % 3
      let left = try document(variant(version: version, &generator, &numbers))
      let right = try document(variant(version: 3 - round % 2, &generator, &numbers))
      let name = try #require(Self.scalars.randomElement(using: &generator))
      try left.put(obj: entity(of: left), key: name, value: .Int(-7))
      let both = try merged(left, right)
      #expect(try both.get(obj: entity(of: both), key: name) == .Scalar(.Int(-7)), "\(name)")
      #expect(try both.getAll(obj: entity(of: both), key: name).contains(.Scalar(.Int(-7))))
    }
  }

  @Test func `a container that is the same is one object with the edits of all`() throws {
    let body = "\"hello\""
    let left = try document(["core": "1", "body": body, "list": "[1,{\"a\":2}]"])
    let right = try document(["core": "2", "alpha": "5", "body": body, "list": "[1,{\"a\":2}]"])
    try left.spliceText(obj: object("body", of: left), start: 0, delete: 0, value: "oh, ")
    try right.spliceText(obj: object("body", of: right), start: 5, delete: 0, value: "!")
    try left.insert(obj: object("list", of: left), index: 0, value: .Int(0))
    try right.insert(obj: object("list", of: right), index: 2, value: .Int(3))
    let both = try merged(left, right)
    let map = try entity(of: both)
    #expect(try both.text(obj: object("body", of: both)) == "oh, hello!")
    #expect(try both.length(obj: object("list", of: both)) == 4)
    #expect(try both.getAll(obj: map, key: "body").count == 1)
    #expect(try both.getAll(obj: map, key: "core").count == 2)
  }

  @Test func `links unite, and one that was removed stays removed`() throws {
    let left = try document(["core": "1", "see": "[\"a\",\"b\"]"])
    let right = try document(["core": "1", "see": "[\"c\",\"b\",\"c\"]"])
    #expect(try Set(merged(left, right).keys(obj: object("see", of: left))) == ["a", "b", "c"])
    try left.delete(obj: object("see", of: left), key: "b")
    let both = try merged(left, right)
    #expect(try Set(both.keys(obj: object("see", of: both))) == ["a", "c"])
    // Also when somebody imports once more.
    let again = try merged(both, document(["core": "1", "see": "[\"a\",\"b\"]"]))
    #expect(try Set(again.keys(obj: object("see", of: again))) == ["a", "c"])
    #expect(again.heads() == both.heads())
  }

  @Test func `an import that was made already changes nothing, and nothing deleted comes back`()
    throws
  {
    let fields = [
      "core": "1", "zeta": "2.5", "body": "\"t\"", "see": "[\"a\"]", "other": "{\"k\":[1]}",
    ]
    let first = try document(fields)
    let before = first.save()
    try first.merge(other: document(fields))
    #expect(first.save() == before)
    try first.delete(obj: .ROOT, key: "x")
    let both = try merged(first, document(fields, ["core": "3", "late": "4"]))
    #expect(try both.get(obj: .ROOT, key: "x") == nil)
  }
}

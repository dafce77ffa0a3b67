import Automerge
import FileFaults
import FolderDocuments
import Folders
import Testing

/// Entities of a kind with every declared type, in every spelling, made from a seed.
struct DeclaredSamples {
  /// What an entity holds, as JSON by the names of its members.
  typealias Fields = [PropertyName: String]

  static let identity = Array("00000001-0000-4000-8000-00000000000A".utf8)

  let profile: Profile
  let kind: EntityKindProfile
  var generator: TestRandom

  init(seed: UInt64) throws {
    profile = try Profile(parsing: Array(Self.file.utf8), of: "samples.json")
    kind = try #require(profile.kind(named: "item"))
    generator = TestRandom(seed: seed)
  }

  private static let file = """
    {"profile": "samples", "version": 3, "kinds": [
      {"kind": "item", "identity": {"type": "uuid", "property": "id"}, "properties": {
        "aBoolean": {"type": "boolean"}, "aDate": {"type": "date"}, "aDecimal": {"type": "decimal"},
        "aDouble": {"type": "double"}, "aJSON": {"type": "json"}, "aList": {"type": "list"},
        "aMap": {"type": "map"}, "aNumber": {"type": "number"}, "aString": {"type": "string"},
        "aText": {"type": "text"}, "aUUID": {"type": "uuid"}, "anInteger": {"type": "integer"},
        "bytes": {"type": "bytes"}, "core": {"type": "string", "required": true},
        "items": {"type": "links", "kind": "item"}, "labels": {"type": "links", "kind": "label"},
        "one": {"type": "reference", "kind": "item"}, "owner": {"type": "reference", "kind": "label"},
        "setting": {"type": "reference", "kind": "settings"}, "way": {"type": "reference"},
        "ways": {"type": "links"},
        "brief": {"type": "bytes", "since": 2, "until": 3}, "gone": {"type": "decimal", "until": 3},
        "late": {"type": "date", "since": 3}, "lateItems": {"type": "links", "kind": "item", "since": 2},
        "lateJSON": {"type": "json", "since": 3}, "lateText": {"type": "text", "since": 2},
        "second": {"type": "uuid", "since": 2}, "éclat": {"type": "double", "since": 2}}},
      {"kind": "label", "identity": {"type": "string", "property": "name"}, "properties": {}},
      {"kind": "settings", "identity": {"type": "singleton"}, "properties": {}}]}
    """

  /// Names that no kind declares, around those that it does.
  static let undeclared: [PropertyName] = [
    "", "a", "aDat", "aDate\u{0}", "core ", "zz", "é", "e\u{301}", "😀",
  ]

  /// Texts that look like values of other types, too.
  static let texts = [
    "", "a", "é", "e\u{301}", "line\r\nbreak \"quoted\" \u{0}", "👩‍👩‍👧", "AAE=", "AAE",
    "12.50", "12,5", "true", "2024-01-15T09:30:00Z", "yesterday", "singleton",
    "00000001-0000-4000-8000-00000000000a",
  ]

  private static let dates = [
    "2024-01-15T09:30:00.250Z", "2024-01-15t10:30:00.25+01:00", "2024-01-15T09:30:00Z",
    "1969-12-31T23:59:59.9996Z", "1970-01-01T00:00:00.000z", "0000-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59.999-23:59", "1950-06-30T12:00:00.001-05:30",
  ]

  private static let numbers = [
    "0", "-0", "5", "5.0", "-7", "0.1", "1e300", "2.50e-3", "9007199254740992", "9007199254740993",
    "9223372036854775807", "9223372036854775808", "18446744073709551615", "99.990", "1E2",
  ]

  private static let decimals = numbers + ["123456789012345678901234567890.10", "1e-30", "0.000"]

  // MARK: Entities

  /// An entity as a version of the app writes it; one of `wrongShare` values is of any type.
  mutating func fields(wrongShare: Int = 8) -> Fields {
    let version = random(1...3)
    var fields: Fields = [:]
    for property in kind.properties {
      guard property.since <= version, property.until.map({ version < $0 }) ?? true else {
        continue
      }
      let name = property.name
      switch random(0...9) {
      case 0...1: break
      case 2: fields[name] = "null"
      default: fields[name] = value(of: property, wrongShare: wrongShare)
      }
      if property.isRequired, fields[name] == nil || fields[name] == "null" {
        fields[name] = quoted(pick(Self.texts))
      }
    }
    for name in Self.undeclared where random(0...3) == 0 { fields[name] = anyValue(depth: 3) }
    return fields
  }

  /// The same entity with one member set to something else, taken away or added.
  mutating func changing(_ fields: Fields) -> Fields {
    let name = random(0...3) == 0 ? pick(Self.undeclared) : pick(kind.properties.map(\.name))
    var changed = fields
    switch random(0...4) {
    case 0: changed[name] = nil
    case 1: changed[name] = "null"
    default:
      changed[name] =
        kind.properties[name].map { value(of: $0, wrongShare: 4) } ?? anyValue(depth: 2)
    }
    return changed
  }

  mutating func value(of property: Property, wrongShare: Int) -> String {
    if !property.isRequired, wrongShare > 0, random(1...wrongShare) == 1 {
      return anyValue(depth: 2)
    }
    switch property.type {
    case .string, .text: return quoted(pick(Self.texts))
    case .uuid: return quoted(uuid())
    case .boolean: return pick(["true", "false"])
    case .integer: return pick(["0", "-1", "42", "-9223372036854775808", "18446744073709551615"])
    case .number: return pick(Self.numbers)
    case .double: return pick(Self.numbers)
    case .date: return quoted(pick(Self.dates))
    case .bytes:
      let bytes = (0..<random(0...4)).map { _ in UInt8(random(0...255)) }
      return quoted(String(decoding: Base64.encode(bytes.span), as: UTF8.self))
    case .decimal:
      let decimal = pick(Self.decimals)
      return random(0...1) == 0 ? decimal : quoted(decimal)
    case .json: return anyValue(depth: 3)
    case .list: return array(depth: 3)
    case .map: return object(depth: 3)
    case .reference(let target): return quoted(link(to: target))
    case .links(let target):
      let links = (0..<random(0...4)).map { _ in quoted(link(to: target)) }
      return random(0...2) == 0
        ? "{" + Set(links).sorted().map { "\($0):true" }.joined(separator: ",") + "}"
        : "[" + links.joined(separator: ",") + "]"
    }
  }

  private mutating func link(to target: ReferenceTarget) -> String {
    switch target.kind {
    case "item": uuid()
    case "settings": "singleton"
    default: pick(Self.texts.filter { !$0.isEmpty })
    }
  }

  private mutating func uuid() -> String {
    let text = "0000000\(random(1...4))-0000-4000-8000-00000000000a"
    switch random(0...3) {
    case 0: return text
    case 1: return text.uppercased()
    case 2: return "{\(text.uppercased())}"
    default: return text.filter { $0 != "-" }
    }
  }

  mutating func anyValue(depth: Int) -> String {
    switch random(0...(depth > 0 ? 9 : 7)) {
    case 0: "null"
    case 1...2: pick(["true", "false"])
    case 3...4: pick(Self.numbers)
    case 5...7: quoted(pick(Self.texts))
    case 8: array(depth: depth)
    default: object(depth: depth)
    }
  }

  private mutating func array(depth: Int) -> String {
    let elements = (0..<random(0...3)).map { _ in anyValue(depth: depth - 1) }
    return "[" + elements.joined(separator: ",") + "]"
  }

  private mutating func object(depth: Int) -> String {
    let names = Set((0..<random(0...3)).map { _ in quoted(pick(Self.texts)) })
    let members = names.sorted().map { "\($0):\(anyValue(depth: depth - 1))" }
    return "{" + members.joined(separator: ",") + "}"
  }

  mutating func random(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  mutating func pick<Item>(_ items: [Item]) -> Item { items[random(0...items.count - 1)] }

  private func quoted(_ text: String) -> String {
    var json = JSONWriter()
    json.string(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  // MARK: Tapes and documents

  /// An entity as JSON; members in an order that depends on their values.
  func json(of fields: Fields) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    for (name, value) in fields.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
      json.name(name.bytes.span)
      json.number(literal: Array(value.utf8).span)
    }
    json.endObject()
    return json.bytes
  }

  func tape(of fields: Fields) throws -> JSONTape {
    var tape = JSONTape()
    try tape.parse(json(of: fields))
    return tape
  }

  /// An entity for a message.
  func text(of fields: Fields) -> String { String(decoding: json(of: fields), as: UTF8.self) }

  /// The changes of an import of an entity; nil if it is refused.
  func chunks(of fields: Fields) throws -> [UInt8]? { try chunks(of: tape(of: fields)) }

  func chunks(of tape: JSONTape) throws -> [UInt8]? {
    var builder = DeclaredChanges(kind, of: profile)
    var chunks = ChangeChunks()
    do throws(EntityRefusal) {
      try builder.build(0, on: tape, identity: Self.identity, into: &chunks)
    } catch {
      return nil
    }
    return chunks.bytes
  }
}

/// The map of one entity in a document.
struct EntityState {
  let document: DocumentState
  let map: OpID

  /// What was ever done to a property.
  func group(_ name: PropertyName) -> ValueGroup? { document.group(of: map, key: name.bytes) }

  init(_ chunks: [UInt8], _ identity: [UInt8] = DeclaredSamples.identity) throws {
    document = try DocumentState(loading: chunks)
    map = try #require(document.value(of: .root, key: identity)).id
  }

  /// What readers see of each property, with its type, in one form for each value.
  func values() throws -> [PropertyName: [UInt8]] {
    var values: [PropertyName: [UInt8]] = [:]
    try document.forEachKey(of: map) { key, group throws in
      guard let value = document.winner(in: group) else { return }
      values[PropertyName(Array(document.pool[key]))] = try document.typedJSON(of: value)
    }
    return values
  }
}

import Automerge
import FolderDocuments
import Folders
import Foundation
import Testing

/// What a comparison of an entity of a declared kind finds, value by value.
@Suite struct DeclaredComparisonTests {
  private static let profile = """
    {"profile": "cases", "version": 2, "kinds": [
      {"kind": "item", "identity": {"type": "uuid", "property": "id"}, "properties": {
        "date": {"type": "date"}, "decimal": {"type": "decimal"}, "double": {"type": "double"},
        "integer": {"type": "integer"}, "json": {"type": "json"}, "late": {"type": "integer", "since": 2},
        "list": {"type": "list"}, "name": {"type": "string", "required": true},
        "see": {"type": "links", "kind": "item"}, "settings": {"type": "reference", "kind": "settings"},
        "text": {"type": "text"}, "uuid": {"type": "uuid"}, "bytes": {"type": "bytes"},
        "one": {"type": "reference", "kind": "item"}}},
      {"kind": "settings", "identity": {"type": "singleton"}, "properties": {}}]}
    """
  private static let a = "0000000A-0000-4000-8000-00000000000A"
  private static let b = "0000000B-0000-4000-8000-00000000000B"
  private static let c = "0000000C-0000-4000-8000-00000000000C"

  private static let moment = ScalarValue.Timestamp(Date(timeIntervalSince1970: 1_705_311_000))

  private let profile: Profile
  private let kind: EntityKindProfile

  init() throws {
    profile = try Profile(parsing: Array(Self.profile.utf8), of: "cases.json")
    kind = try #require(profile.kind(named: "item"))
  }

  /// A document whose entity an app wrote.
  private func state(_ write: (Document, ObjId) throws -> Void) throws -> EntityState {
    let document = Document()
    let map = try document.putObject(
      obj: .ROOT, key: String(decoding: DeclaredSamples.identity, as: UTF8.self), ty: .Map)
    try write(document, map)
    return try EntityState(Array(document.save()))
  }

  private func tape(_ json: String) throws -> JSONTape {
    var tape = JSONTape()
    try tape.parse(json.utf8)
    return tape
  }

  private func differences(_ json: String, _ state: EntityState) throws -> [String] {
    var comparison = DeclaredComparison(kind, of: profile)
    let isEqual = try comparison.compare(
      0, on: tape(json), identity: DeclaredSamples.identity, with: state.map, of: state.document)
    #expect(isEqual == comparison.differences.isEmpty)
    return comparison.differences
  }

  /// Whether a token and a value say the same.
  private func isEqual(_ name: String, _ token: String, _ value: ScalarValue) throws -> Bool {
    let state = try state { try $0.put(obj: $1, key: name, value: value) }
    let found = try differences("{\"\(name)\":\(token)}", state)
    #expect(found.isEmpty || found == [name])
    return found.isEmpty
  }

  @Test func `values are compared as their property's type`() throws {
    #expect(try isEqual("date", "\"2024-01-15T10:30:00+01:00\"", Self.moment))
    #expect(try !isEqual("date", "\"2024-01-15T10:30:00.001+01:00\"", Self.moment))
    #expect(try !isEqual("date", "1705311000000", Self.moment))
    #expect(try !isEqual("date", "\"2024-01-15T09:30:00Z\"", .String("2024-01-15T09:30:00Z")))
    #expect(try isEqual("decimal", "1.50", .String("1.5")))
    #expect(try isEqual("decimal", "\"150e-2\"", .String("1.50")))
    #expect(try !isEqual("decimal", "1.5", .F64(1.5)))
    #expect(try !isEqual("decimal", "1.5", .String("1.51")))
    #expect(try isEqual("double", "5", .F64(5)))
    #expect(try isEqual("double", "-0", .F64(-0.0)))
    #expect(try !isEqual("double", "0", .F64(-0.0)))
    #expect(try !isEqual("double", "5", .Int(5)))
    #expect(try isEqual("double", "9007199254740993", .Int(9_007_199_254_740_993)))
    #expect(try !isEqual("double", "9007199254740993", .F64(9_007_199_254_740_992)))
    #expect(try isEqual("integer", "5", .Int(5)))
    #expect(try !isEqual("integer", "5", .Uint(5)))
    #expect(try !isEqual("integer", "5", .Counter(5)))
    #expect(try isEqual("integer", "18446744073709551615", .Uint(.max)))
    #expect(try isEqual("uuid", "\"{0000000a00004000800000000000000A}\"", .String(Self.a)))
    #expect(try isEqual("uuid", "\"\(Self.a)\"", .String(Self.a.lowercased())))
    #expect(try !isEqual("uuid", "\"\(Self.a)\"", .String(Self.b)))
    #expect(try isEqual("one", "\"\(Self.a.lowercased())\"", .String(Self.a)))
    #expect(try isEqual("bytes", "\"AAE=\"", .Bytes(Data([0, 1]))))
    #expect(try !isEqual("bytes", "\"AAE=\"", .String("AAE=")))
    #expect(try !isEqual("text", "\"t\"", .String("t")))
  }

  @Test func `a value of another type is compared as what its JSON says`() throws {
    #expect(try isEqual("date", "\"yesterday\"", .String("yesterday")))
    #expect(try isEqual("date", "7", .Int(7)))
    #expect(try isEqual("decimal", "\"12,5\"", .String("12,5")))
    #expect(try isEqual("decimal", "true", .Boolean(true)))
    #expect(try isEqual("integer", "5.0", .F64(5)))
    #expect(try isEqual("uuid", "\"none\"", .String("none")))
    #expect(try !isEqual("uuid", "\"none\"", .String("None")))
    #expect(try isEqual("bytes", "\"AAE\"", .String("AAE")))
    #expect(try isEqual("text", "5", .Int(5)))
    #expect(try isEqual("see", "\"x\"", .String("x")))
    #expect(try isEqual("undeclared", "\"2024-01-15T09:30:00Z\"", .String("2024-01-15T09:30:00Z")))
  }

  @Test func `null and nothing are the same of an optional property only`() throws {
    let nothing = try state { _, _ in }
    let nulls = try state { document, map in
      for name in ["date", "json", "late", "list", "name", "see", "text", "undeclared"] {
        try document.put(obj: map, key: name, value: .Null)
      }
    }
    let optional = #""date":null,"late":null,"list":null,"see":null,"text":null"#
    #expect(try differences("{\(optional)}", nothing) == [])
    #expect(try differences("{\(optional)}", nulls) == ["json", "name", "undeclared"])
    #expect(try differences("{}", nulls) == ["json", "name", "undeclared"])
    let others = #""json":null,"name":null,"undeclared":null"#
    #expect(try differences("{\(others)}", nothing) == ["json", "name", "undeclared"])
    #expect(try differences("{\(others)}", nulls) == [])
    #expect(try differences(#"{"see":[]}"#, nothing) == [])
    #expect(try differences(#"{"see":{},"list":[]}"#, nothing) == ["list"])
  }

  @Test func `links are a set, in any order and any spelling`() throws {
    func shows(_ keys: [String: Bool]) throws -> EntityState {
      try state { document, map in
        let links = try document.putObject(obj: map, key: "see", ty: .Map)
        for (key, value) in keys { try document.put(obj: links, key: key, value: .Boolean(value)) }
      }
    }
    let both = try shows([Self.a: true, Self.b.lowercased(): true])
    #expect(try differences("{\"see\":[\"\(Self.b)\",\"{\(Self.a)}\",\"\(Self.b)\"]}", both) == [])
    #expect(try differences("{\"see\":{\"\(Self.b)\":true,\"\(Self.a)\":true}}", both) == [])
    #expect(try differences("{\"see\":[\"\(Self.a)\"]}", both) == ["see"])
    #expect(try differences("{\"see\":[\"\(Self.a)\",\"\(Self.c)\"]}", both) == ["see"])
    #expect(try differences("{}", both) == ["see"])
    #expect(try differences("{\"see\":[]}", shows([:])) == [])
    #expect(try differences("{}", shows([:])) == [])
    let unset = try shows([Self.a: true, Self.b: false])
    #expect(try differences("{\"see\":[\"\(Self.a)\"]}", unset) == ["see"])
    // What is no set of links is what it is.
    #expect(try differences("{\"see\":{\"\(Self.a)\":true,\"\(Self.b)\":false}}", unset) == [])
  }

  @Test func `the links of one side only are told`() throws {
    let state = try state { document, map in
      let links = try document.putObject(obj: map, key: "see", ty: .Map)
      for key in [Self.a, Self.b.lowercased()] {
        try document.put(obj: links, key: key, value: .Boolean(true))
      }
      try document.put(obj: links, key: Self.c, value: .Boolean(true))
      try document.delete(obj: links, key: Self.c)
      try document.put(obj: map, key: "name", value: .String("n"))
    }
    func difference(_ json: String, _ name: String = "see") throws -> LinkDifference? {
      let comparison = DeclaredComparison(kind, of: profile)
      let tape = try tape(json)
      return comparison.linkDifference(
        tape.member(name, of: 0).map { $0 - 1 }, named: Array(name.utf8).span, on: tape,
        with: state.document.group(of: state.map, key: Array(name.utf8)), of: state.document)
    }
    let found = try #require(try difference("{\"see\":[\"\(Self.c.lowercased())\",\"\(Self.a)\"]}"))
    #expect(found.missing == [Array(Self.c.utf8)])
    #expect(found.additional == [Array(Self.b.lowercased().utf8)])
    #expect(state.document.kind(of: found.map) == .map)
    for none in ["{}", #"{"see":null}"#, #"{"see":[]}"#] {
      let all = try #require(try difference(none))
      #expect(all.missing.isEmpty && all.additional.count == 2)
    }
    #expect(try difference(#"{"see":"x"}"#) == nil)
    #expect(try difference(#"{"see":["x"]}"#) == nil)
    #expect(try difference(#"{"name":[]}"#, "name") == nil)
    #expect(try difference(#"{"list":[]}"#, "list") == nil)
  }

  @Test func `the identity is no field, wherever it stands`() throws {
    let identity = String(decoding: DeclaredSamples.identity, as: UTF8.self)
    let without = try state { try $0.put(obj: $1, key: "name", value: .String("n")) }
    let with = try state {
      try $0.put(obj: $1, key: "name", value: .String("n"))
      try $0.put(obj: $1, key: "id", value: .String(identity.lowercased()))
    }
    let other = try state {
      try $0.put(obj: $1, key: "name", value: .String("n"))
      try $0.put(obj: $1, key: "id", value: .String(Self.b))
    }
    for json in [#"{"name":"n"}"#, "{\"id\":\"{\(identity)}\",\"name\":\"n\"}"] {
      #expect(try differences(json, without) == [])
      #expect(try differences(json, with) == [])
      #expect(try differences(json, other) == ["id"])
    }
    #expect(try differences("{\"id\":\"\(Self.b)\",\"name\":\"n\"}", without) == ["id"])
    #expect(try differences(#"{"id":null,"name":"n"}"#, with) == ["id"])
  }

  @Test func `conflicts are told, and values that readers do not see`() throws {
    let first = Document()
    let map = try first.putObject(
      obj: .ROOT, key: String(decoding: DeclaredSamples.identity, as: UTF8.self), ty: .Map)
    let second = first.fork()
    for (document, number) in [(first, Int64(1)), (second, 2)] {
      try document.put(obj: map, key: "integer", value: .Int(number))
      try document.put(obj: map, key: "name", value: .String("same"))
      try document.put(obj: map, key: "late", value: .Int(number))
    }
    try first.merge(other: second)
    let state = try EntityState(Array(first.save()))
    guard case .Scalar(.Int(let seen))? = try first.get(obj: map, key: "integer") else {
      Issue.record("no number")
      return
    }
    var comparison = DeclaredComparison(kind, of: profile)
    let json = try tape("{\"integer\":\(3 - seen),\"name\":\"same\",\"late\":7}")
    let isEqual = comparison.compare(
      0, on: json, identity: DeclaredSamples.identity, with: state.map, of: state.document)
    #expect(!isEqual)
    #expect(comparison.conflicts == ["integer", "late"])
    #expect(comparison.differences == ["integer", "late"])
    #expect(comparison.besideCount == 1)
    #expect(comparison.fieldCount == 3)
  }

  @Test func `a property is compared with what readers saw at a point of history`() throws {
    var parts: [[ChangeHash]] = []
    let state = try state { document, map in
      let text = try document.putObject(obj: map, key: "text", ty: .Text)
      let links = try document.putObject(obj: map, key: "see", ty: .Map)
      try document.spliceText(obj: text, start: 0, delete: 0, value: "old")
      try document.put(obj: links, key: Self.a, value: .Boolean(true))
      parts.append(Array(document.heads()))
      try document.spliceText(obj: text, start: 0, delete: 3, value: "new")
      try document.put(obj: links, key: Self.b, value: .Boolean(true))
      parts.append(Array(document.heads()))
    }
    var comparison = DeclaredComparison(kind, of: profile)
    for (number, (text, links)) in [("old", [Self.a]), ("new", [Self.a, Self.b])].enumerated() {
      let list = links.map { "\"\($0)\"" }.joined(separator: ",")
      let tape = try tape("{\"text\":\"\(text)\",\"see\":[\(list)]}")
      for name in ["text", "see"] {
        let group = state.document.group(of: state.map, key: Array(name.utf8))
        for (point, heads) in parts.enumerated() {
          let isEqual = comparison.isEqual(
            tape.member(name, of: 0).map { $0 - 1 }, named: Array(name.utf8).span, on: tape,
            with: group, of: state.document, at: state.document.view(at: heads))
          #expect(isEqual == (point == number), "\(name) at \(point)")
        }
      }
    }
  }
}

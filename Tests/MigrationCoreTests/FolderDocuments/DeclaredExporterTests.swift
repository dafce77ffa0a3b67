import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Foundation
import Testing

/// What an export of entities of declared kinds writes, and what comes of it when it is imported again.
@Suite struct DeclaredExporterTests {
  private func export(
    _ state: EntityState, _ kind: EntityKindProfile, of profile: Profile,
    _ identity: [UInt8] = DeclaredSamples.identity, hasIdentity: Bool = true, level: Int = 1
  ) -> (json: [UInt8], exporter: DeclaredExporter) {
    var exporter = DeclaredExporter(kind, of: profile)
    var json = JSONWriter()
    json.beginObject()
    exporter.writeMembers(
      of: state.map, identity: identity.span, in: state.document, hasIdentity: hasIdentity,
      level: level, to: &json)
    json.endObject()
    return (json.bytes, exporter)
  }

  private func tape(_ json: [UInt8], depthLimit: Int = JSONTape.standardDepth) throws -> JSONTape {
    var tape = JSONTape()
    try tape.parse(json, depthLimit: depthLimit)
    return tape
  }

  // MARK: Generated entities

  @Test(arguments: [81, 82] as [UInt64])
  func `an export of an import imports again as the same changes`(seed: UInt64) throws {
    var samples = try DeclaredSamples(seed: seed)
    var count = 0
    for step in 0..<60 {
      let fields = samples.fields(wrongShare: step.isMultiple(of: 2) ? 0 : 4)
      guard let chunks = try samples.chunks(of: fields) else { continue }
      let state = try EntityState(chunks)
      let (json, exporter) = export(state, samples.kind, of: samples.profile)
      let text = String(decoding: json, as: UTF8.self)
      let back = try tape(json)
      #expect(exporter.types.isEmpty && exporter.findings.isEmpty, "\(text)")
      #expect(exporter.conflictCount == 0)
      var comparison = DeclaredComparison(samples.kind, of: samples.profile)
      let isEqual = comparison.compare(
        0, on: back, identity: DeclaredSamples.identity, with: state.map, of: state.document)
      #expect(isEqual, "seed \(seed) step \(step): \(comparison.differences) of \(text)")
      #expect(
        try samples.chunks(of: back) == chunks,
        "seed \(seed) step \(step): \(samples.text(of: fields)) is \(text)")
      count += 1
    }
    #expect(count > 30)
  }

  @Test func `what the JSON does not show of what an app wrote is a type or a finding`() throws {
    let samples = try DeclaredSamples(seed: 83)
    let values: [ScalarValue] = [
      .Null, .Int(5), .Int(9_007_199_254_740_993), .Uint(5), .Uint(.max), .F64(5), .F64(-0.0),
      .F64(.nan), .Counter(5), .String("5"), .String("x"), .String("AAE="), .Boolean(true),
      .String("2024-01-15T09:30:00+01:00"), .String("0000000a00004000800000000000000a"),
      .Timestamp(Date(timeIntervalSince1970: 5)), .Timestamp(Date(timeIntervalSince1970: 1e12)),
      .Bytes(Data([5])), .Unknown(typeCode: 12, data: Data([5])),
    ]
    var counts = (shown: 0, told: 0)
    for property in samples.kind.properties where !property.isRequired {
      for choice in 0..<values.count + 5 {
        let document = Document()
        let map = try document.putObject(
          obj: .ROOT, key: String(decoding: DeclaredSamples.identity, as: UTF8.self), ty: .Map)
        try document.put(obj: map, key: "core", value: .String("c"))
        let name = property.name.description
        switch choice - values.count {
        case 0: _ = try document.putObject(obj: map, key: name, ty: .Text)
        case 1: _ = try document.putObject(obj: map, key: name, ty: .List)
        case 2:
          let list = try document.putObject(obj: map, key: name, ty: .List)
          try document.insert(
            obj: list, index: 0, value: .String("0000000A-0000-4000-8000-00000000000A"))
        case 3, 4:
          let links = try document.putObject(obj: map, key: name, ty: .Map)
          try document.put(
            obj: links, key: "0000000A-0000-4000-8000-00000000000A",
            value: .Boolean(choice == values.count + 3))
        default: try document.put(obj: map, key: name, value: values[choice])
        }
        let state = try EntityState(Array(document.save()))
        let (json, exporter) = export(state, samples.kind, of: samples.profile)
        let text = String(decoding: json, as: UTF8.self)
        var comparison = DeclaredComparison(samples.kind, of: samples.profile)
        let isShown = try comparison.compare(
          0, on: tape(json), identity: DeclaredSamples.identity, with: state.map,
          of: state.document)
        let isTold = !exporter.types.isEmpty || !exporter.findings.isEmpty
        #expect(isShown != isTold, "\(property.type) as \(text)")
        #expect(exporter.types.allSatisfy { $0.pointer.starts(with: Array("/\(name)".utf8)) })
        // What is shown comes back the same when it is imported.
        if isShown, let chunks = try samples.chunks(of: tape(json)) {
          let again = try export(EntityState(chunks), samples.kind, of: samples.profile).json
          let members = try members(of: again)
          for (name, value) in try self.members(of: json) { #expect(members[name] == value) }
        }
        if isShown { counts.shown += 1 } else { counts.told += 1 }
      }
    }
    #expect(counts.shown > 200 && counts.told > 200, "\(counts)")
  }

  /// The values of an object's members, as they are written.
  private func members(of json: [UInt8]) throws -> [[UInt8]: [UInt8]] {
    let tape = try tape(json)
    var names: [UInt32] = []
    tape.appendMembers(of: 0, to: &names)
    var members: [[UInt8]: [UInt8]] = [:]
    for name in names.map(Int.init) {
      members[tape.bytes(of: name)] = Array(json[tape.sourceRange(of: name + 1)])
    }
    return members
  }

  // MARK: Vectors

  @Test(arguments: DeclaredGoldenTests.cases)
  func `what is exported of a case imports again as the vectors`(name: String) throws {
    let place = "convergent-2/\(name)"
    let profile = try Profile(parsing: Fixtures.bytes("\(place)/profile.json"), of: "profile.json")
    for kind in profile.kinds {
      guard let bytes = try? Fixtures.bytes("\(place)/\(kind.name).automerge") else { continue }
      let document = try DocumentState(loading: bytes)
      var identities: [[UInt8]] = []
      document.forEachKey(of: .root) { key, _ in identities.append(Array(document.pool[key])) }
      for identity in identities {
        let state = try EntityState(bytes, identity)
        let (json, exporter) = export(state, kind, of: profile, identity)
        if exporter.conflictCount > 0 { continue }
        #expect(exporter.types.isEmpty && exporter.findings.isEmpty)
        var builder = DeclaredChanges(kind, of: profile)
        var chunks = ChangeChunks()
        try builder.build(0, on: tape(json), identity: identity, into: &chunks)
        for change in builder.changes {
          let isThere = document.contains(change.hash)
          #expect(isThere, "\(change.label) of \(String(decoding: json, as: UTF8.self))")
        }
      }
    }
  }

  @Test func `every declared type has its form`() throws {
    let place = "convergent-2/every-type"
    let profile = try Profile(parsing: Fixtures.bytes("\(place)/profile.json"), of: "profile.json")
    let kind = try #require(profile.kind(named: "thing"))
    let identity = Array("6F9619FF-8B86-D011-B42D-00C04FC964FF".utf8)
    let state = try EntityState(Fixtures.bytes("\(place)/thing.automerge"), identity)
    let expected =
      #"{"id":"6F9619FF-8B86-D011-B42D-00C04FC964FF","aBool":false,"aBytes":"AAEC/v8=","#
      + #""aDate":"2024-01-15T09:30:00.250Z","aDecimal":"99.99","aDouble":5.0,"#
      + #""aJson":{"a":1,"b":[null]},"aLink":["550E8400-E29B-41D4-A716-446655440000"],"#
      + #""aList":["x",2,null],"aMap":{"a":{},"z":true},"aNumber":-7,"#
      + #""aReference":"550E8400-E29B-41D4-A716-446655440000","aString":"Café ☕","aText":"hé","#
      + #""aUuid":"7C9E6679-7425-40DE-944B-E07FC1F90AE7","anInteger":42}"#
    let (json, exporter) = export(state, kind, of: profile, identity)
    #expect(String(decoding: json, as: UTF8.self) == expected)
    #expect(exporter.types.isEmpty && exporter.findings.isEmpty)
    let fields = export(state, kind, of: profile, identity, hasIdentity: false).json
    #expect(
      String(decoding: fields, as: UTF8.self)
        == expected.replacing(#""id":"6F9619FF-8B86-D011-B42D-00C04FC964FF","#, with: ""))
  }

  // MARK: What is told

  private static let kinds = """
    {"profile": "told", "version": 2, "kinds": [{"kind": "item",
      "identity": {"type": "string", "property": "name"},
      "properties": {"due": {"type": "date", "required": true}, "late": {"type": "string", "since": 2},
        "see": {"type": "links"}, "title": {"type": "string"}}}]}
    """

  private func exported(
    level: Int = 1, _ write: (Document, ObjId) throws -> Void
  ) throws -> (json: String, exporter: DeclaredExporter) {
    let profile = try Profile(parsing: Array(Self.kinds.utf8), of: "told.json")
    let kind = try #require(profile.kind(named: "item"))
    let document = Document()
    try write(document, document.putObject(obj: .ROOT, key: "x", ty: .Map))
    let state = try EntityState(Array(document.save()), Array("x".utf8))
    let found = export(state, kind, of: profile, Array("x".utf8), level: level)
    return (String(decoding: found.json, as: UTF8.self), found.exporter)
  }

  @Test func `a required property that is missing or of another type is a finding`() throws {
    let missing = try exported { _, _ in }
    #expect(missing.json == #"{"name":"x"}"#)
    #expect(missing.exporter.findings.map(\.code) == [.missingField])
    let null = try exported { try $0.put(obj: $1, key: "due", value: .Null) }
    #expect(null.json == #"{"name":"x","due":null}"#)
    #expect(null.exporter.findings.map(\.code) == [.missingField])
    let wrong = try exported { try $0.put(obj: $1, key: "due", value: .String("soon")) }
    #expect(wrong.json == #"{"name":"x","due":"soon"}"#)
    #expect(wrong.exporter.findings.map(\.code) == [.wrongType])
    let date = try exported {
      try $0.put(obj: $1, key: "due", value: .Timestamp(Date(timeIntervalSince1970: 0)))
    }
    #expect(date.json == #"{"name":"x","due":"1970-01-01T00:00:00Z"}"#)
    #expect(date.exporter.findings.isEmpty)
  }

  @Test func `null comes back where it is another thing than nothing`() throws {
    let found = try exported { document, map in
      try document.put(obj: map, key: "due", value: .Timestamp(Date(timeIntervalSince1970: 0)))
      for name in ["late", "see", "title", "undeclared"] {
        try document.put(obj: map, key: name, value: .Null)
      }
    }
    #expect(
      found.json
        == #"{"name":"x","due":"1970-01-01T00:00:00Z","late":null,"undeclared":null}"#)
    #expect(found.exporter.findings.isEmpty)
  }

  @Test func `an identity in the entity is not written twice`() throws {
    for (name, count) in [("x", 0), ("y", 1)] {
      let found = try exported {
        try $0.put(obj: $1, key: "due", value: .Timestamp(Date(timeIntervalSince1970: 0)))
        try $0.put(obj: $1, key: "name", value: .String(name))
      }
      #expect(found.json == #"{"name":"x","due":"1970-01-01T00:00:00Z"}"#)
      #expect(found.exporter.findings.map(\.code) == Array(repeating: .notExported, count: count))
    }
  }

  @Test func `values of conflicts that JSON cannot hold are counted`() throws {
    let found = try exported { document, map in
      try document.put(obj: map, key: "due", value: .Timestamp(Date(timeIntervalSince1970: 0)))
      let links = try document.putObject(obj: map, key: "see", ty: .Map)
      try document.put(obj: links, key: "b", value: .Boolean(true))
      let other = document.fork()
      for (document, title) in [(document, "one"), (other, "two")] {
        try document.put(obj: map, key: "title", value: .String(title))
        try document.put(obj: links, key: "a", value: .Boolean(true))
        try document.put(obj: map, key: "late", value: .String("same"))
      }
      try document.merge(other: other)
    }
    #expect(found.exporter.conflictCount == 1)
    #expect(found.json.contains(#""see":["a","b"]"#))
  }

  @Test func `what nobody could read again is left out, with a finding`() throws {
    func nested(_ depth: Int, level: Int) throws -> (json: String, exporter: DeclaredExporter) {
      try exported(level: level) { document, map in
        try document.put(obj: map, key: "due", value: .Timestamp(Date(timeIntervalSince1970: 0)))
        var object = map
        for _ in 0..<depth { object = try document.putObject(obj: object, key: "deep", ty: .Map) }
        try document.put(obj: object, key: "n", value: .Counter(1))
      }
    }
    for level in [1, 3] {
      let room = JSONTape.standardDepth - level
      let kept = try nested(room, level: level)
      #expect(kept.exporter.findings.isEmpty && kept.exporter.types.map(\.type) == [.counter])
      _ = try tape(Array(kept.json.utf8))
      let lost = try nested(room + 1, level: level)
      #expect(lost.exporter.findings.map(\.code) == [.notExported])
      #expect(lost.exporter.types.isEmpty)
      #expect(lost.json == #"{"name":"x","due":"1970-01-01T00:00:00Z"}"#)
    }
  }
}

import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

@testable import Folders

/// Interchange streams of an app that only a profile describes: lines, places and what is refused.
@Suite struct DeclaredStreamTests {
  private static let profile = """
    {"profile": "shop", "version": 2, "kinds": [
      {"kind": "item", "identity": {"type": "uuid", "property": "id"},
       "files": {"paths": ["items/**/*.json"]}, "document": {"path": "items.automerge"},
       "properties": {"name": {"type": "string", "required": true}, "note": {"type": "text"},
         "count": {"type": "integer"}, "made": {"type": "date"}, "more": {"type": "map"},
         "new": {"type": "boolean", "since": 2}}},
      {"kind": "shelf", "identity": {"type": "member"},
       "files": {"paths": ["shelves.json"], "members": "/a~1b/shelves", "stays": ["/a~1b/shelves/top"]},
       "document": {"path": "shelves.automerge"}, "properties": {}},
      {"kind": "sale", "identity": {"type": "string", "property": "key"},
       "files": {"paths": ["sales/{year}-{month}.json"], "elements": ""},
       "document": {"path": "sales/{year}-{month}.automerge"}, "properties": {}},
      {"kind": "day", "identity": {"type": "file"}, "files": {"paths": ["days/*.json"]},
       "document": {"path": "days.automerge"}, "properties": {}},
      {"kind": "shop", "identity": {"type": "singleton"},
       "files": {"paths": ["shop.json"], "value": "/shop"},
       "document": {"path": "shop.automerge"}, "properties": {}}]}
    """
  private static let header =
    #"{"stream":"automerge-migrate","version":1,"profile":"shop","types":{"#
    + #""item":{"count":"integer","made":"date","more":"map","name":"string","new":"boolean","note":"text"},"#
    + #""shelf":{},"sale":{},"day":{},"shop":{}}}"#
  private static let id = "6F9619FF-8B86-D011-B42D-00C04FC964FF"

  private static func kinds(_ text: String = profile) throws -> EntityKinds {
    EntityKinds(try Profile(parsing: Array(text.utf8), of: "shop.json"), givenAs: "shop.json")
  }

  private func line(
    _ kind: String, _ id: String, _ place: String, _ fields: String = "{}", _ rest: String = ""
  ) -> String {
    #"{"kind":"\#(kind)","id":"\#(id)","place":"\#(place)","fields":\#(fields)\#(rest)}"#
  }

  private func item(_ fields: String, _ rest: String = "") -> String {
    line("item", Self.id, "items/a.json", fields, rest)
  }

  private func reader(
    _ lines: [String], header: String = header, count: Int? = nil
  ) throws -> InterchangeReader {
    let end = #"{"end":true,"entities":\#(count ?? lines.count)}"#
    let text = ([header] + lines + [end]).joined(separator: "\n") + "\n"
    return try InterchangeReader(Array(text.utf8), name: "stream", of: Self.kinds())
  }

  private func failure(_ lines: [String], header: String = header) throws -> FolderError? {
    do {
      var reader = try reader(lines, header: header)
      while try reader.next() {}
      return nil
    } catch let error as FolderError {
      return error
    }
  }

  private func defect(_ lines: String...) throws -> StreamDefect? {
    guard case .damagedStream(_, _, _, let defect)? = try failure(lines) else { return nil }
    return defect
  }

  private func only(_ line: String) throws -> EntityBatch {
    var reader = try reader([line])
    #expect(try reader.next())
    let batch = reader.batch
    #expect(try !reader.next())
    return batch
  }

  // MARK: First line

  @Test func `the first line says the declared types, in the order of the profile`() throws {
    var writer = InterchangeWriter(try Self.kinds())
    writer.end()
    #expect(
      String(decoding: writer.json.bytes, as: UTF8.self)
        == Self.header + "\n" + #"{"end":true,"entities":0}"# + "\n")
  }

  @Test func `a stream of an older version of the profile is read`() throws {
    let older = Self.header.replacing(#","new":"boolean""#, with: "")
      .replacing(#""sale":{},"#, with: "")
    var reader = try reader([item(#"{"name":"x"}"#)], header: older)
    #expect(try reader.next())
    #expect(reader.batch.entities.count == 1)
  }

  @Test(arguments: [
    // Another app, a kind or property that the profile lacks, another type.
    (#""profile":"shop""#, #""profile":"minuta""#, "profile \"minuta\", expected shop"),
    (#""profile":"shop""#, #""profile":"Shop""#, "profile \"Shop\", expected shop"),
    (#""shelf":{}"#, #""shelf":{},"bag":{}"#, "has the kind \"bag\", which the profile"),
    (#""shelf":{}"#, #""shelf":{"w":"list"}"#, "has \"w\" of kind shelf, which the profile"),
    (
      #""count":"integer""#, #""count":"number""#,
      "\"count\" of kind item is number in the stream, and integer in the profile"
    ),
    (#""count":"integer""#, #""count":"quantum""#, "\"count\" of kind item is quantum"),
  ])
  func `a first line that contradicts the profile is a conflict, with what to do`(
    _ change: (from: String, to: String, problem: String)
  ) throws {
    let error = try #require(
      try failure([], header: Self.header.replacing(change.from, with: change.to)))
    let diagnostic = error.diagnostic
    #expect(diagnostic.kind == .conflictsWithData)
    #expect(diagnostic.problem.hasPrefix("line 1: "))
    #expect(diagnostic.problem.contains(change.problem), "\(diagnostic.problem)")
    #expect(diagnostic.remedy?.contains("--profile") == true)
  }

  @Test(arguments: [
    #""types":[]"#, #""types":{"item":[]}"#, #""types":{"item":{"name":7}}"#, #""typos":{}"#,
  ])
  func `a first line without types is damaged`(_ types: String) throws {
    let header = #"{"stream":"automerge-migrate","version":1,"profile":"shop",\#(types)}"#
    let error = try #require(try failure([], header: header))
    #expect(error.diagnostic.kind == .damagedInput)
    #expect(error.diagnostic.problem == "line 1: \"types\" is missing or not what it should be")
  }

  @Test func `a stream of another app needs its profile`() throws {
    do {
      _ = try InterchangeReader(Array(Self.header.utf8), name: "stream")
      Issue.record("read as Minuta's")
    } catch {
      #expect(error.diagnostic.kind == .conflictsWithData)
      #expect(error.diagnostic.problem == "line 1: profile \"shop\", expected minuta")
      #expect(
        error.diagnostic.remedy
          == "run the command again with --profile FILE, the profile file of \"shop\"")
    }
  }

  @Test func `a stream of an app that is built in needs nothing but its name`() throws {
    let header = #"{"stream":"automerge-migrate","version":1,"profile":"laundrytime","types":{}}"#
    do {
      _ = try InterchangeReader(Array(header.utf8), name: "stream")
      Issue.record("read as Minuta's")
    } catch {
      #expect(error.diagnostic.remedy == "run the command again with --profile laundrytime")
    }
  }

  // MARK: Places

  @Test(arguments: [
    ("item", id, "items/a.json"), ("item", id, "items/b c/#/x.json"),
    ("shelf", "x", "shelves.json#/a~1b/shelves/x"),
    ("shelf", "a/b~c", "shelves.json#/a~1b/shelves/a~1b~0c"),
    ("shelf", "..", "shelves.json#/a~1b/shelves/.."),
    ("sale", "k", "sales/2024-01.json#/0"), ("sale", "k", "sales/2024-01.json#/12"),
    ("sale", "k", "sales/2024-01.json#/-"), ("day", "days/mon", "days/mon.json"),
    ("day", "days/caf\u{e9}", "days/cafe\u{301}.json"), ("shop", "singleton", "shop.json"),
    ("other", "version", "items.automerge"), ("other", "version", "sales/2024-01.automerge"),
  ])
  func `a place is a file of the kind and a pointer, and is written again`(
    _ example: (kind: String, id: String, place: String)
  ) throws {
    var reader = try reader([
      line(
        example.kind, example.id, example.place, example.kind == "item" ? #"{"name":"x"}"# : "{}")
    ])
    #expect(try reader.next())
    let entity = try #require(reader.batch.entities.first)
    guard case .file(let place) = reader.place else {
      Issue.record("\(reader.place)")
      return
    }
    #expect((place.month == nil) == (example.kind != "sale"))
    var writer = InterchangeWriter(reader.batch.kinds)
    writer.json.removeAll()
    writer.entity(entity, of: reader.batch, place: reader.place)
    let written = String(decoding: writer.json.bytes, as: UTF8.self)
    #expect(written.contains(#""place":"\#(example.place)""#))
    #expect(written.contains(#""id":"\#(example.id)""#))
  }

  @Test(arguments: [
    ("item", "../items/a.json"), ("item", "items/../../a.json"), ("item", "/items/a.json"),
    ("item", #"items/a\u0000.json"#), ("item", "items/.a.json"), ("item", "items/.x/a.json"),
    ("item", "items/a.json/"), ("item", "items//a.json"), ("item", "items/./a.json"),
    ("item", "items/a.txt"), ("item", "items.automerge"), ("item", "shop.json"), ("item", ""),
    ("item", "items/a.json#/x"), ("item", ".automerge-migrate.nosync/quarantine/1/items/a.json"),
    ("shelf", "shelves.json"), ("shelf", "shelves.json#"), ("shelf", "shelves.json#/a/b/shelves/x"),
    ("shelf", "shelves.json#/a~1b/shelves/"), ("shelf", "shelves.json#/a~1b/shelves/x/y"),
    ("shelf", "shelves.json#/a~1b/shelves/x~2"), ("shelf", "../shelves.json#/a~1b/shelves/x"),
    ("shelf", "shelves.json#/a~1b/shelves/top"), ("shelf", "shelves 2.json#/a~1b/shelves/x"),
    ("sale", "sales/2024-01.json"), ("sale", "sales/2024-01.json#/01"),
    ("sale", "sales/2024-01.json#/-1"), ("sale", "sales/2024-01.json#/x"),
    ("sale", "sales/2024-01.json#/9999999999"), ("sale", "sales/2024-13.json#/0"),
    ("sale", "sales/2024-01.json#/a/0"), ("day", "days/a/b.json"), ("shop", "shop.json#/shop"),
    ("shop", "shop 2.json"), ("other", "../items.automerge"), ("other", "/etc/passwd"),
    ("other", ".x/y"), ("other", ""),
  ])
  func `a place that is none of the kind is damaged`(_ example: (kind: String, place: String))
    throws
  {
    guard case .wrongPlace? = try defect(line(example.kind, "x", example.place)) else {
      Issue.record("\(example.kind) at \(example.place) was accepted")
      return
    }
  }

  @Test(arguments: [
    ("shelf", "shelves.json#/a~1b/shelves/"), ("shelf", "shelves.json#/a~1b/shelves"),
    ("shelf", "shelves.json#/a~1b/shelves/x/y"), ("shelf", "shelves.json#/a~1b/shelves/x~2"),
    ("shelf", "shelves.json#/a~1b/shelves/top"), ("shelf", "shelves.json#/a~1b/shelve/x"),
    ("sale", "sales/2024-01.json#/01"), ("sale", "sales/2024-01.json#/-1"),
    ("sale", "sales/2024-01.json#/"), ("sale", "sales/2024-01.json#"),
    ("sale", "sales/2024-01.json#/9999999999"), ("sale", "sales/2024-13.json#/0"),
    ("sale", "shelves.json#/a~1b/shelves/x"), ("shelf", "sales/2024-01.json#/0"),
  ])
  func `a wrong place is damaged behind right ones, too`(
    _ example: (kind: String, place: String)
  ) throws {
    let right = [
      line("sale", "k", "sales/2024-01.json#/0"),
      line("shelf", "x", "shelves.json#/a~1b/shelves/x"),
    ]
    for before in [right, right.reversed()] {
      let lines = before + [line(example.kind, "x", example.place)]
      guard case .damagedStream(_, line: 4, _, .wrongPlace)? = try failure(lines) else {
        Issue.record("\(example.kind) at \(example.place) was accepted")
        return
      }
    }
  }

  @Test func `places that lie beside each other are each their own`() throws {
    let places = [
      "sales/2024-01.json#/0", "sales/2024-01.json#/11", "sales/2024-01.json#/-",
      "sales/2024-02.json#/1", "sales/2024-01.json#/12",
    ]
    var reader = try reader(places.enumerated().map { line("sale", "k\($0)", $1) })
    for text in places {
      #expect(try reader.next())
      var bytes: [UInt8] = []
      reader.place.append(to: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == text)
      #expect(reader.place.month?.description == String(text.dropFirst(6).prefix(7)))
    }
    #expect(try !reader.next())
  }

  @Test func `what a place should be is said`() throws {
    func problem(_ kind: String) throws -> String? {
      try defect(line(kind, "x", "nowhere"))?.problem
    }
    #expect(try problem("item") == "place \"nowhere\", expected items/**/*.json")
    #expect(
      try problem("shelf") == "place \"nowhere\", expected shelves.json, then #/a~1b/shelves/NAME")
    #expect(
      try problem("sale") == "place \"nowhere\", expected sales/{year}-{month}.json, then #/INDEX")
  }

  @Test func `places are in order by file, index and name`() throws {
    let kinds = try Self.kinds()
    let name = Array("sale".utf8)
    let found = kinds.kind(named: name.span)
    let sale = try #require(found)
    let texts = ["2", "10", "-"].map { "sales/2024-01.json#/\($0)" } + ["sales/2024-02.json#/0"]
    let places = try texts.map { try #require(kinds.place(Array($0.utf8), of: sale)) }
    #expect(places.sorted() == places && places.reversed().sorted() == places)
  }

  // MARK: Lines

  @Test func `an identity that its place does not say is damaged`() throws {
    #expect(
      try defect(line("shelf", "y", "shelves.json#/a~1b/shelves/x"))
        == .wrongIdentity("y", expected: "x"))
    #expect(
      try defect(line("day", "mon", "days/mon.json")) == .wrongIdentity("mon", expected: "days/mon")
    )
    #expect(
      try defect(line("shelf", "", "shelves.json#/a~1b/shelves/x"))
        == .wrongIdentity("", expected: "x"))
  }

  @Test func `kinds that the profile does not have and members that are double are damaged`() throws
  {
    #expect(
      try defect(line("bag", "x", "items/a.json"))?.problem
        == "kind \"bag\", expected item, shelf, sale, day, shop or other")
    guard case .json? = try defect(item(#"{"name":"x","name":"y"}"#)) else {
      Issue.record("a member that is there twice was accepted")
      return
    }
    guard case .json? = try defect(item(#"{"name":"x"}"#, #","id":"y""#)) else {
      Issue.record("an identity that is there twice was accepted")
      return
    }
  }

  @Test func `a stream cut at any byte is damaged`() throws {
    let text = [Self.header, item(#"{"name":"x"}"#), #"{"end":true,"entities":1}"#]
      .joined(separator: "\n")
    let bytes = Array(text.utf8)
    let kinds = try Self.kinds()
    for count in 0..<bytes.count {
      #expect(throws: FolderError.self, "\(count)") {
        var reader = try InterchangeReader(Array(bytes[..<count]), name: "stream", of: kinds)
        while try reader.next() {}
      }
    }
  }

  @Test(arguments: 0..<6)
  func `no mutation of a stream traps`(seed: Int) throws {
    var random = TestRandom(seed: UInt64(seed))
    let text = [
      Self.header,
      item(#"{"name":"x","more":{"n":[1,"AAAA"]}}"#, #","types":{"/more/n/1":"bytes"}"#),
      line("shelf", "x", "shelves.json#/a~1b/shelves/x"),
      line("sale", "k", "sales/2024-01.json#/3"),
      line("day", "days/mon", "days/mon.json"), #"{"end":true,"entities":4}"#,
    ].joined(separator: "\n")
    let alphabet = Array("{}[]\":,\\un0123456789/~#.*eE+-tf \n".utf8) + [0, 0xff]
    for _ in 0..<100 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let position = Int.random(in: Self.header.utf8.count..<bytes.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: bytes[position] = alphabet.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: position)
        default: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: position)
        }
      }
      do {
        var reader = try InterchangeReader(bytes, name: "stream", of: Self.kinds())
        while try reader.next() {
          #expect(reader.batch.entities.count + reader.batch.refusedCount == 1)
        }
      } catch is FolderError {}
    }
  }

  @Test func `an entity that breaks a rule is refused and the stream goes on`() throws {
    var reader = try reader([
      line("item", "x", "items/a.json", #"{"name":"x"}"#), item("[]"), item("{}"),
      item(#"{"name":7}"#), item(#"{"name":"x","id":"\#(Self.id)"}"#),
      line("sale", "", "sales/2024-01.json#/0"), line("shop", "one", "shop.json"),
      item(#"{"name":"x","more":{"n":1e400}}"#), item(#"{"name":"x"}"#),
    ])
    var messages: [[String]] = []
    while try reader.next() { messages.append(reader.batch.findings.map(\.message)) }
    #expect(
      messages == [
        ["line 2: id is no UUID: \"x\""], ["line 3: a item is an object, found a list"],
        ["line 4: name is missing"], ["line 5: name is a number, and no string"],
        ["line 6: id stands in the line as id, not among the fields"],
        ["line 7: id is empty: \"\""], ["line 8: id is not \"singleton\": \"one\""],
        ["line 9: a number in more has no exact Automerge form: 1e400"], [],
      ])
    #expect(reader.entityCount == 9)
  }

  // MARK: Types

  @Test func `types give values what JSON cannot show, declared or not`() throws {
    let batch = try only(
      item(
        #"{"name":"x","count":5,"made":8640000000000000,"more":{"n":[1]},"free":"AQID"}"#,
        #","types":{"/count":"uint","/made":"timestamp","/more/n/0":"counter","/free":"bytes"}"#))
    let entity = try #require(batch.entities.first)
    #expect(batch.findings.isEmpty && batch.isComplete)
    #expect(batch.unknownMembers(of: entity).map(\.json) == [#""AQID""#])
    #expect(batch.types.count == 4)
  }

  @Test func `a declared property of another type is carried, a required one is refused`() throws {
    let carried = try only(
      item(#"{"name":"x","count":5}"#, #","types":{"/count":"counter"}"#))
    #expect(carried.entities.count == 1)
    #expect(
      carried.findings.map(\.message) == [
        "line 2: count is of type counter, and no integer; it is carried as it is"
      ])
    let refused = try only(item(#"{"name":"x"}"#, #","types":{"/name":"text"}"#))
    #expect(refused.entities.isEmpty && refused.codes == [.wrongType])
  }

  @Test(arguments: [
    (#""count":null"#, "/count", "uint"), (#""count":{}"#, "/count", "bytes"),
    (#""more":{"n":1.5}"#, "/more/n", "counter"), (#""free":[]"#, "/free", "text"),
    (#""note":7"#, "/note", "text"), (#""made":"soon""#, "/made", "timestamp"),
  ])
  func `a value that does not have its type refuses the entity`(
    _ example: (member: String, pointer: String, type: String)
  ) throws {
    let batch = try only(
      item(
        #"{"name":"x",\#(example.member)}"#,
        #","types":{"\#(example.pointer)":"\#(example.type)"}"#))
    #expect(batch.entities.isEmpty && batch.refusedCount == 1)
    #expect(batch.codes == [.wrongType])
    #expect(batch.findings.first?.message.contains("cannot be of type \(example.type)") == true)
  }
}

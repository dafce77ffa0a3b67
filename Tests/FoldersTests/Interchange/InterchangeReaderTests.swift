import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing

@testable import Folders

@Suite struct InterchangeReaderTests {
  static let header = #"{"stream":"automerge-migrate","version":1,"profile":"minuta"}"#

  private func line(
    _ fields: String = #"{"startTime":"2024-01-15T09:30:00Z"}"#, kind: String = "record",
    id: String = Samples.recordID, place: String = "records/2024/01/2024-01-15_093000",
    _ rest: String = ""
  ) -> String {
    #"{"kind":"\#(kind)","id":"\#(id)","place":"\#(place)","fields":\#(fields)\#(rest)}"#
  }

  private func end(_ count: Int) -> String { #"{"end":true,"entities":\#(count)}"# }

  private func reader(
    _ text: String, rules: EntityRules = EntityRules()
  ) throws -> InterchangeReader {
    let folder = try TestFolder(["stream": text])
    let source = try FileReader.open(path: folder.url.appending(path: "stream").path)
    return try InterchangeReader(source, rules: rules)
  }

  private func stream(_ lines: String...) -> String { lines.joined(separator: "\n") + "\n" }

  /// Reads a whole stream and returns the defect that stopped it.
  private func defect(_ text: String) throws -> (line: Int, offset: Int, defect: StreamDefect)? {
    do {
      var reader = try reader(text)
      while try reader.next() {}
      return nil
    } catch let error as FolderError {
      guard case .damagedStream(_, let line, let offset, let defect) = error else { throw error }
      // A stream of another app may be sound.
      let isOther = if case .unsupportedProfile = defect { true } else { false }
      #expect(error.diagnostic.kind == (isOther ? .conflictsWithData : .damagedInput))
      return (line, offset, defect)
    }
  }

  private func only(_ line: String) throws -> EntityBatch {
    var reader = try reader(stream(Self.header, line, end(1)))
    #expect(try reader.next())
    let batch = reader.batch
    #expect(try !reader.next())
    return batch
  }

  @Test func `an entity of a stream reads as that of a file`() throws {
    var reader = try reader(
      stream(
        Self.header,
        line(#"{"startTime":"2024-01-15T09:30:00Z","comment":null,"images":["a"],"z":1.50}"#),
        line(
          ##"{"name":"Work","color":"#FF8800","createdAt":"2023-01-01T08:00:00Z"}"##, kind: "tag",
          id: Samples.tagID.lowercased(), place: "tags"), end(2)))
    #expect(try reader.next())
    let record = try #require(reader.batch.entities.first)
    #expect(record.kind == .record && record.identity.description == Samples.recordID)
    #expect(reader.place.month?.description == "2024-01")
    #expect(record.milliseconds(of: .startTime) == 1_705_311_000_000)
    #expect(record.node(of: .comment).map(reader.batch.tape.kind(of:)) == .null)
    #expect(record.imagesNode != nil)
    #expect(reader.batch.unknownMembers(of: record).map(\.json) == ["1.50"])
    #expect(try reader.next())
    let tag = try #require(reader.batch.entities.first)
    #expect(tag.kind == .tag && tag.identity.description == Samples.tagID)
    #expect(reader.place == .common && reader.batch.isComplete)
    #expect(try !reader.next())
    #expect(try !reader.next())
    #expect(reader.promisedCount == 2 && reader.countFinding == nil)
  }

  @Test func `members may come in any order and lines may end as on Windows`() throws {
    let shuffled =
      #"{"types":{},"fields":{"startTime":"2024-01-15T09:30:00Z"},"place":"records/2024/01/a","id":"\#(Samples.recordID)","kind":"record"}"#
    var reader = try reader(
      "\u{feff}\(Self.header)\r\n\r\n\(shuffled)\r\n  \n\(end(1))\r\n\n")
    #expect(try reader.next())
    #expect(reader.batch.entities.count == 1)
    #expect(try !reader.next())
  }

  @Test func `a last line without a line feed is a line`() throws {
    var reader = try reader(Self.header + "\n" + end(0))
    #expect(try !reader.next())
  }

  @Test func `another number of entities is a warning`() throws {
    var reader = try reader(stream(Self.header, line(), end(5)))
    while try reader.next() {}
    #expect(reader.countFinding?.code == .filtered)
    #expect(reader.countFinding?.severity == .warning)
  }

  // MARK: Damage

  @Test func `a stream without its first line is damaged`() throws {
    #expect(try defect("")?.defect == .noHeader)
    #expect(try defect("\n\n")?.defect == .noHeader)
    #expect(try defect(stream(line(), end(1)))?.defect == .noHeader)
    #expect(try defect("hello\n")?.defect == .noHeader)
    #expect(try defect("[]\n")?.defect == .noHeader)
    #expect(
      try defect(stream(#"{"stream":"automerge-migrate","version":2,"profile":"minuta"}"#))?.defect
        == .unsupportedVersion("2"))
    #expect(
      try defect(stream(#"{"stream":"automerge-migrate","version":1,"profile":"ritualist"}"#))?
        .defect == .unsupportedProfile("ritualist", isBuiltIn: true))
    #expect(
      try defect(stream(#"{"stream":"automerge-migrate","version":1}"#))?.defect
        == .wrongMember("profile"))
  }

  @Test func `a stream cut at any byte is damaged`() throws {
    let text = stream(Self.header, line(), end(1))
    let whole = text.utf8.count
    for count in 0..<whole - 1 {
      #expect(
        try defect(String(decoding: Array(text.utf8)[..<count], as: UTF8.self)) != nil, "\(count)")
    }
    #expect(try defect(stream(Self.header, line()))?.defect == .noEnd)
    #expect(try defect(stream(Self.header))?.line == 2)
  }

  @Test func `nothing may follow the last line`() throws {
    let found = try #require(try defect(stream(Self.header, end(0), line())))
    #expect(found.defect == .contentAfterEnd && found.line == 3)
    #expect(try defect(stream(Self.header, end(0), end(0)))?.defect == .contentAfterEnd)
  }

  @Test func `damaged JSON is located in the stream`() throws {
    let found = try #require(try defect(stream(Self.header, line(), line("{"), end(2))))
    #expect(found.line == 3)
    guard case .json = found.defect else {
      Issue.record("\(found.defect)")
      return
    }
    let start = Self.header.utf8.count + line().utf8.count + 2
    #expect(found.offset > start && found.offset <= start + line("{").utf8.count)
  }

  @Test(arguments: [
    (#"{"kind":!}"#, 8), (#"{"kind":"habit","id":"","place":"tags","fields":{}}"#, 8),
    (#"{"kind":"tag","id":"","place":"nowhere","fields":{}}"#, 30),
  ])
  func `what is wrong with a line is found where the stream has it`(
    line wrong: String, column: Int
  ) throws {
    let before = Self.header.utf8.count + 5 * (line().utf8.count + 1) + 1
    let lines = [Self.header] + Array(repeating: line(), count: 5) + [wrong, end(6)]
    let found = try #require(try defect(lines.joined(separator: "\n") + "\n"))
    #expect(found.line == 7 && found.offset == before + column, "\(found)")
  }

  @Test(arguments: [
    ("", "kind"), ("kind", "id"), ("kind,id", "place"), ("kind,id,place", "fields"),
  ])
  func `a line without one of its members is damaged`(present: String, missing: String) throws {
    let values = [
      "kind": #""kind":"tag""#, "id": #""id":"\#(Samples.tagID)""#, "place": #""place":"tags""#,
    ]
    let line =
      "{"
      + present.split(separator: ",").compactMap { values[String($0)] }
      .joined(separator: ",") + "}"
    #expect(try defect(stream(Self.header, line, end(1)))?.defect == .wrongMember(missing))
  }

  @Test(arguments: [
    ("record", "tags"), ("tag", "records/2024/01/a"), ("record", "records/2024/01/../../../x"),
    ("record", "/etc/passwd"), ("record", "records/2024/01/a/b"), ("record", "records/2024/1/a"),
    ("record", "records/2024/01/.a"), ("record", ""), ("tag", "tags/.."), ("other", "elsewhere"),
    ("record", #"records/2024/01/a\u0000"#), ("record", "records/2024/01/.."),
  ])
  func `a place outside the layout is damaged`(kind: String, place: String) throws {
    guard
      case .wrongPlace? = try defect(
        stream(Self.header, line(kind: kind, place: place), end(1)))?.defect
    else {
      Issue.record("\(kind) at \(place) was accepted")
      return
    }
  }

  @Test func `an unknown kind is damaged`() throws {
    #expect(
      try defect(stream(Self.header, line(kind: "habit"), end(1)))?.defect == .unknownKind("habit"))
  }

  @Test func `a line longer than the limit costs no memory beyond it`() throws {
    let folder = try TestFolder(["stream": Self.header + "\n"])
    let path = folder.url.appending(path: "stream").path
    try folder.extend("stream", to: 1_000_000)
    var reader = try InterchangeReader(
      FileReader.open(path: path), rules: EntityRules(), longestLine: 200_000)
    #expect {
      try reader.next()
    } throws: { error in
      error as? FolderError
        == .damagedStream(
          stream: path, line: 2, offset: Self.header.utf8.count + 1, .lineTooLong(limit: 200_000))
    }
  }

  @Test(arguments: 0..<10)
  func `no mutation of a stream traps`(seed: Int) throws {
    var random = TestRandom(seed: UInt64(seed))
    let fields = #"{"startTime":"2024-01-15T09:30:00Z","u":[1,{"a":"AAAA"}]}"#
    let types = #","types":{"/u/0":"counter","/u/1/a":"bytes"}"#
    let original = Array(stream(Self.header, line(fields, types), end(1)).utf8)
    let alphabet = Array("{}[]\":,\\un0123456789/~.eE+-tf \n".utf8) + [0, 0xff]
    for _ in 0..<100 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: bytes[position] = alphabet.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: position)
        default: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: position)
        }
      }
      _ = try defect(String(decoding: bytes, as: UTF8.self))
    }
  }

  // MARK: Rules of entities

  @Test func `an entity that breaks a rule is refused and the stream goes on`() throws {
    var reader = try reader(
      stream(
        Self.header, line("{}"), line(id: "x"),
        line(#"{"id":"x","startTime":"2024-01-15T09:30:00Z"}"#),
        line("[]"), line(), end(5)))
    var codes: [[Finding.Code]] = []
    while try reader.next() {
      codes.append(reader.batch.codes)
      #expect(reader.batch.entities.count + reader.batch.refusedCount == 1)
    }
    #expect(codes == [[.missingField], [.invalidValue], [.invalidValue], [.wrongType], []])
    #expect(reader.entityCount == 5 && reader.countFinding == nil)
  }

  @Test func `findings of a stream name the line`() throws {
    let batch = try only(line("{}"))
    #expect(batch.findings.first?.message.hasPrefix("line 2: ") == true)
    #expect((batch.findings.first?.offset ?? 0) > Self.header.utf8.count)
  }

  @Test func `an unknown member of a line is not dropped silently`() throws {
    let batch = try only(line(#"{"startTime":"2024-01-15T09:30:00Z"}"#, #","extra":1"#))
    #expect(batch.entities.count == 1 && batch.codes == [.unknownMember] && !batch.isComplete)
  }

  @Test func `fields may lie as deep as in a file`() throws {
    let deep = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
    let batch = try only(line(#"{"startTime":"2024-01-15T09:30:00Z","x":\#(deep)}"#))
    #expect(batch.entities.count == 1)
    let deeper = line(#"{"startTime":"2024-01-15T09:30:00Z","x":[\#(deep)]}"#)
    #expect(try defect(stream(Self.header, deeper, end(1))) != nil)
  }

  @Test func `keys that are no entities are carried whole`() throws {
    let batch = try only(line("[1,{}]", kind: "other", id: "schemaVersion", place: "tags"))
    let other = try #require(batch.entities.first)
    #expect(other.kind == .other)
    #expect(batch.text(of: other.idNode) == "schemaVersion")
    #expect(batch.tape.kind(of: other.node) == .array)
  }

  // MARK: Types

  private func typed(_ value: String, _ type: String) throws -> FieldValue? {
    let batch = try only(
      line(
        #"{"startTime":"2024-01-15T09:30:00Z","a":{"b/c~d":[0,\#(value)]}}"#,
        #","types":{"/a/b~1c~0d/1":"\#(type)"}"#))
    guard let entity = batch.entities.first else { return nil }
    var names: [UInt32] = []
    batch.appendUnknownMembers(of: entity, to: &names)
    let map = Int(try #require(names.first)) + 1
    return batch.value(of: map + 4)
  }

  @Test func `types give values what JSON cannot show`() throws {
    #expect(try typed(#""2024-01-15T09:30:00.5Z""#, "timestamp") == .timestamp(1_705_311_000_500))
    #expect(try typed("-9223372036854775808", "timestamp") == .timestamp(.min))
    #expect(try typed(#""AQID""#, "bytes") == .bytes([1, 2, 3]))
    #expect(try typed("-5", "counter") == .counter(-5))
    #expect(try typed("5", "uint") == .uint(5))
    #expect(try typed("5", "f64") == .double(5))
    #expect(try typed(#""-Infinity""#, "f64") == .double(-.infinity))
    #expect(try typed(#""x""#, "text") == .text)
    #expect(try typed(#""/w==""#, "unknown:15") == .unknown(code: 15, bytes: [255]))
    guard case .double(let nan)? = try typed(#""NaN""#, "f64") else {
      Issue.record("NaN is no double")
      return
    }
    #expect(nan.isNaN)
  }

  @Test(arguments: [
    ("1", "text"), (#""x""#, "timestamp"), ("1.5", "timestamp"), (#""x""#, "bytes"),
    ("1.5", "counter"),
    ("9223372036854775808", "counter"), ("-1", "uint"), (#""x""#, "f64"),
    ("9007199254740993", "f64"),
    ("{}", "text"), ("null", "uint"), ("[]", "bytes"),
  ])
  func `a value that does not have its type refuses the entity`(value: String, type: String) throws
  {
    #expect(try typed(value, type) == nil)
  }

  @Test(arguments: [
    #"{"/nope":"text"}"#, #"{"a":"text"}"#, #"{"/a/0":"text"}"#, #"{"/l/2":"uint"}"#,
    #"{"/l/01":"uint"}"#, #"{"/l/-":"uint"}"#, #"{"/l/":"uint"}"#, #"{"/l":"strange"}"#,
    #"{"/l":5}"#,
    #"{"/~2":"text"}"#, #"{"/a~":"text"}"#, #"{"/l/99999999999999999999":"uint"}"#,
    #"{"/a":"unknown:9"}"#, #"{"/a":"unknown:010"}"#, #"{"/a":"unknown:16"}"#, "[]",
  ])
  func `a pointer that leads nowhere and a type nobody knows are damage`(types: String) throws {
    let text = stream(
      Self.header,
      line(
        #"{"startTime":"2024-01-15T09:30:00Z","a":"x","l":[1,2]}"#, #","types":\#(types)"#), end(1))
    #expect(try defect(text) != nil)
  }

  @Test func `a comment may be text and a date may be a timestamp`() throws {
    let batch = try only(
      line(
        #"{"startTime":1705311000000,"comment":"x"}"#,
        #","types":{"/startTime":"timestamp","/comment":"text"}"#))
    let record = try #require(batch.entities.first)
    #expect(record.milliseconds(of: .startTime) == 1_705_311_000_000)
    #expect(batch.value(of: try #require(record.node(of: .comment))) == .text)
  }

  @Test(arguments: [
    #"{"/startTime":"text"}"#, #"{"/comment":"bytes"}"#, #"{"/images/0":"text"}"#,
    #"{"/endTime":"timestamp"}"#,
  ])
  func `a known field of another type refuses the entity`(types: String) throws {
    let batch = try only(
      line(
        #"{"startTime":"2024-01-15T09:30:00Z","comment":"AAAA","images":["a"],"endTime":null}"#,
        #","types":\#(types)"#))
    #expect(batch.entities.isEmpty && batch.refusedCount == 1)
  }

  @Test func `ten thousand types in the order of the text are resolved in no time`() throws {
    let count = 10_000
    let numbers = (0..<count).map { "[\($0)]" }.joined(separator: ",")
    let types = (0..<count).map { #""/n/\#($0)/0":"uint""# }.joined(separator: ",")
    let batch = try only(
      line(
        #"{"startTime":"2024-01-15T09:30:00Z","n":[\#(numbers)]}"#, #","types":{\#(types)}"#))
    #expect(batch.entities.count == 1)
    #expect(batch.types.count == count)
  }
}

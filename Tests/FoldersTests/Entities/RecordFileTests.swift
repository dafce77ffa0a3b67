import Diagnostics
import FileFaults
import Folders
import SafeFiles
import Testing

@Suite struct RecordFileTests {
  @Test func `a full record keeps everything it has`() throws {
    let batch = loadRecord(
      #"{"id":"6f9619ff-8b86-d011-b42d-00c04fc964ff","startTime":"2024-01-15T09:30:00Z","endTime":"2024-01-15T10:15:30.250+00:00","tagId":"550e8400-e29b-41d4-a716-446655440000","comment":"Café ☕","images":["A_0.jpg","A_1.png"]}"#
    )
    #expect(batch.findings.isEmpty && batch.isComplete && batch.refusedCount == 0)
    let entity = try #require(batch.entities.first)
    #expect(entity.kind == .record)
    #expect(entity.identity.description == Samples.recordID)
    #expect(entity.milliseconds(of: .startTime) == 1_705_311_000_000)
    #expect(entity.milliseconds(of: .endTime) == 1_705_313_730_250)
    // Values stay as they were found, dates and ids included.
    #expect(batch.text(of: entity.node(of: .endTime)) == "2024-01-15T10:15:30.250+00:00")
    #expect(batch.text(of: entity.node(of: .tagId)) == "550e8400-e29b-41d4-a716-446655440000")
    #expect(batch.text(of: entity.node(of: .comment)) == "Café ☕")
    let images = try #require(entity.imagesNode)
    #expect(batch.tape.childCount(of: images) == 2)
    #expect(batch.text(of: images + 2) == "A_1.png")
    #expect(entity.unknownMemberCount == 0)
  }

  @Test func `a record needs no more than an id and a start`() throws {
    let batch = loadRecord(Samples.record())
    let entity = try #require(batch.entities.first)
    #expect(batch.findings.isEmpty)
    for field in [KnownField.endTime, .tagId, .comment] { #expect(entity.node(of: field) == nil) }
    #expect(entity.imagesNode == nil)
  }

  @Test func `null and absent and empty are three states`() throws {
    let absent = try #require(loadRecord(Samples.record()).entities.first)
    #expect(absent.node(of: .comment) == nil)
    let null = loadRecord(Samples.record(#""comment":null,"endTime":null,"tagId":null"#))
    for field in [KnownField.comment, .endTime, .tagId] {
      let node = try #require(null.entities.first?.node(of: field))
      #expect(null.tape.kind(of: node) == .null)
    }
    let empty = loadRecord(Samples.record(#""comment":"""#))
    let node = try #require(empty.entities.first?.node(of: .comment))
    #expect(empty.tape.kind(of: node) == .string && empty.tape.bytes(of: node).isEmpty)
  }

  @Test func `images may be absent, null or a list of names`() throws {
    #expect(loadRecord(Samples.record()).entities.first?.imagesNode == nil)
    #expect(loadRecord(Samples.record(#""images":null"#)).entities.first?.imagesNode == nil)
    let empty = loadRecord(Samples.record(#""images":[]"#))
    #expect(try empty.tape.childCount(of: #require(empty.entities.first?.imagesNode)) == 0)
  }

  @Test(arguments: [
    (#"{"startTime":"2024-01-15T09:30:00Z"}"#, Finding.Code.missingField, 0),
    (#"{"id":5,"startTime":"2024-01-15T09:30:00Z"}"#, .wrongType, 6),
    (#"{"id":null,"startTime":"2024-01-15T09:30:00Z"}"#, .wrongType, 6),
    (#"{"id":"none","startTime":"2024-01-15T09:30:00Z"}"#, .invalidValue, 6),
    (#"{"id":"550e8400-e29b-41d4-a716-446655440000"}"#, .missingField, 0),
    (#"{"id":"550e8400-e29b-41d4-a716-446655440000","startTime":null}"#, .missingField, 57),
    (#"{"id":"550e8400-e29b-41d4-a716-446655440000","startTime":"today"}"#, .invalidValue, 57),
    (#"{"id":"550e8400-e29b-41d4-a716-446655440000","startTime":17}"#, .numericDate, 57),
    (#"{"id":"550e8400-e29b-41d4-a716-446655440000","startTime":true}"#, .wrongType, 57),
    (#"{"id":"550e8400-e29b-41d4-a716-446655440000","startTime":{}}"#, .wrongType, 57),
    ("[]", .wrongType, 0), ("null", .wrongType, 0), (#""x""#, .wrongType, 0),
  ])
  func `a record without its required fields is refused`(
    json: String, code: Finding.Code, offset: Int
  ) {
    let batch = loadRecord(json)
    #expect(batch.entities.isEmpty)
    #expect(batch.refusedCount == 1 && !batch.isComplete)
    #expect(batch.codes == [code])
    #expect(batch.findings.first?.severity == .error)
    #expect(batch.findings.first?.offset == offset)
    #expect(batch.findings.first?.path == "records/2024/01/x.json")
  }

  @Test(arguments: [
    #""endTime":"later""#, #""endTime":5"#, #""endTime":[]"#, #""endTime":false"#, #""tagId":5"#,
    #""tagId":{}"#, #""comment":5"#, #""comment":["a"]"#, #""comment":false"#, #""images":"a.jpg""#,
    #""images":{}"#, #""images":[1]"#, #""images":["a",null]"#, #""images":[["a"]]"#,
    #""images":0"#,
  ])
  func `a known field of another type refuses the record`(member: String) {
    let batch = loadRecord(Samples.record(member))
    #expect(batch.entities.isEmpty && batch.refusedCount == 1)
    #expect(batch.findings.map(\.severity) == [.error])
  }

  @Test func `every broken rule of a record is reported at once`() {
    let batch = loadRecord(#"{"id":"550e8400-e29b-41d4-a716-446655440000","comment":5,"tagId":6}"#)
    #expect(batch.codes == [.wrongType, .wrongType, .missingField])
    #expect(batch.refusedCount == 1)
  }

  @Test func `a tag id that is no UUID stays as it is`() throws {
    let batch = loadRecord(Samples.record(#""tagId":"none""#))
    #expect(batch.findings.isEmpty)
    #expect(batch.text(of: try #require(batch.entities.first).node(of: .tagId)) == "none")
  }

  @Test(arguments: [
    ("2024-01-15T09:30:00.123456Z", 1_705_311_000_123 as Int64, [Finding.Code.precisionReduced]),
    ("2024-01-15T09:30:00.123Z", 1_705_311_000_123, []),
    ("2024-01-15t11:30:00+02:00", 1_705_311_000_000, []),
    ("2024-01-15T09:30:00z", 1_705_311_000_000, []),
  ])
  func `dates with fractions, offsets and small letters are accepted`(
    date: String, expected: Int64, codes: [Finding.Code]
  ) throws {
    let batch = loadRecord(#"{"id":"\#(Samples.recordID)","startTime":"\#(date)"}"#)
    #expect(try #require(batch.entities.first).milliseconds(of: .startTime) == expected)
    #expect(batch.codes == codes)
    #expect(batch.findings.allSatisfy { $0.severity == .info })
  }

  @Test func `dates as numbers need to be told what they count`() throws {
    let json = #"{"id":"\#(Samples.recordID)","startTime":1705311000.5,"endTime":1705311001}"#
    #expect(loadRecord(json).codes == [.numericDate, .numericDate])
    #expect(loadRecord(json).findings.first?.next?.contains("--numeric-dates") == true)
    let batch = loadRecord(json, EntityRules(numericDates: .unix))
    let entity = try #require(batch.entities.first)
    #expect(batch.findings.isEmpty)
    #expect(entity.milliseconds(of: .startTime) == 1_705_311_000_500)
    #expect(entity.milliseconds(of: .endTime) == 1_705_311_001_000)
    #expect(
      loadRecord(json, EntityRules(numericDates: .unixMilliseconds)).codes.contains(
        .precisionReduced))
  }

  @Test func `what is unusual about times is carried and noted`() {
    func codes(_ start: String, _ end: String, now: Int64? = nil) -> [Finding.Code] {
      let batch = loadRecord(
        #"{"id":"\#(Samples.recordID)","startTime":"\#(start)","endTime":"\#(end)"}"#,
        EntityRules(now: now))
      #expect(batch.entities.count == 1)
      #expect(batch.findings.allSatisfy { $0.severity == .warning })
      return batch.codes
    }
    #expect(codes("2024-01-15T09:30:00Z", "2024-01-15T09:29:59.999Z") == [.endBeforeStart])
    #expect(codes("2024-01-15T09:30:00Z", "2024-01-15T09:30:00Z").isEmpty)
    #expect(codes("1970-01-01T00:00:00Z", "2024-01-15T09:30:00Z") == [.invalidValue])
    #expect(codes("2024-01-15T09:30:00Z", "9999-12-31T00:00:00Z") == [.invalidValue])
    #expect(
      codes("2024-01-15T09:30:00Z", "2024-01-16T09:30:00Z", now: 1_705_311_000_000) == [
        .invalidValue
      ])
    #expect(codes("2024-01-15T09:30:00Z", "2024-01-15T09:30:00Z", now: 1_705_311_000_000).isEmpty)
  }

  // MARK: Unknown fields

  @Test func `unknown fields keep their digits and come in the order of their bytes`() throws {
    let batch = loadRecord(
      Samples.record(
        #""zz":[1,-2,18446744073709551615,0.50,[true,{"b":"","a":null}],"x"],"Meta":{"ä":1e2,"z":{},"a":[]},"":false,"name":"no field of a record","isArchived":1"#
      ))
    let entity = try #require(batch.entities.first)
    #expect(batch.findings.isEmpty)
    #expect(entity.unknownMemberCount == 5)
    let found = batch.unknownMembers(of: entity)
    #expect(found.map(\.name) == ["", "Meta", "isArchived", "name", "zz"])
    #expect(
      found.map(\.json) == [
        "false", #"{"ä":1e2,"z":{},"a":[]}"#, "1", #""no field of a record""#,
        #"[1,-2,18446744073709551615,0.50,[true,{"b":"","a":null}],"x"]"#,
      ])
  }

  @Test func `the values of unknown fields have one exact type each`() throws {
    let batch = loadRecord(
      Samples.record(#""x":[null,true,false,"s",1,-0,18446744073709551615,1.5,[],{}]"#))
    let entity = try #require(batch.entities.first)
    var names: [UInt32] = []
    batch.appendUnknownMembers(of: entity, to: &names)
    let list = Int(try #require(names.first)) + 1
    let values = (1...10).map { batch.value(of: list + $0) }
    #expect(
      values == [
        .null, .boolean(true), .boolean(false), .string, .int(1), .double(-0.0), .uint(.max),
        .double(1.5), .list, .map,
      ])
    #expect(batch.value(of: list) == .list)
  }

  @Test(arguments: [
    "0.10000000000000001", "1e400", "123456789012345678901234567890", "[[{\"a\":1e999}]]",
  ])
  func `a number that nothing holds exactly refuses the record`(value: String) {
    let batch = loadRecord(Samples.record(#""precise":\#(value)"#))
    #expect(batch.entities.isEmpty)
    #expect(batch.codes == [.numberNotRepresentable])
  }

  // MARK: Damage

  @Test(arguments: [
    ("", 0), (#"{"id":"6F9619FF"#, 15), ("{]", 1), (#"{"id":1,"id":2}"#, 8), ("\u{feff}", 3),
    (#"{"id":"\ud800"}"#, 7), ("\0\0", 0), (#"{"a":1,}"#, 7),
  ])
  func `a damaged file is one finding with the offset of the damage`(json: String, offset: Int) {
    let batch = loadRecord(json)
    #expect(batch.codes == [.damaged])
    #expect(batch.findings.first?.severity == .error)
    #expect(batch.findings.first?.offset == offset)
    #expect(batch.entities.isEmpty && !batch.isComplete)
  }

  @Test func `a byte order mark does no harm`() {
    #expect(loadRecord("\u{feff}" + Samples.record() + "\n").entities.count == 1)
  }

  @Test func `a batch forgets the file before`() {
    var batch = loadTags("[\(Samples.tag()),\(Samples.tag(#""isArchived":5"#))]")
    #expect(batch.entities.count == 1 && batch.refusedCount == 1)
    batch.load(Samples.record().utf8, as: .record, path: "x")
    #expect(batch.entities.map(\.kind) == [.record])
    #expect(batch.findings.isEmpty && batch.refusedCount == 0 && batch.isComplete)
  }

  @Test(arguments: 0..<10)
  func `no mutation of a record traps`(seed: Int) {
    var random = TestRandom(seed: UInt64(seed))
    let original = Array(
      Samples.record(
        #""endTime":null,"tagId":"x","comment":"é\n\ud83d\ude00","images":["a"],"u":{"n":[1.5e3]}"#
      ).utf8)
    let alphabet = Array("{}[]\":,\\un0123456789.eE+-tf ".utf8) + [0, 0xc3, 0xff]
    var batch = EntityBatch()
    for _ in 0..<500 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: bytes[position] = alphabet.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: position)
        default: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: position)
        }
      }
      batch.load(bytes, as: .record, path: "x", rules: EntityRules(numericDates: .unix))
      // Never neither: an entity, or an error that says why not.
      #expect(batch.entities.count == 1 || batch.findings.contains { $0.severity == .error })
      #expect(batch.isComplete == (batch.entities.count == 1))
    }
  }
}

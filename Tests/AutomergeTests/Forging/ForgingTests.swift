import Testing

/// The forger is trusted only as far as it reproduces the specification's worked examples.
@Suite struct ForgingTests {
  /// `{"a": 1}` by actor 12 34.
  static let smallChange: ForgedChange = {
    var change = ForgedChange(.set("a", .signed(1)))
    change.author = [0x12, 0x34]
    return change
  }()

  /// Two records with their fields and tags in level order, by actor ab cd.
  static let twoRecords: ForgedChange = {
    let author: [UInt8] = [0xab, 0xcd]
    func id(_ counter: UInt64) -> ForgedOperation.ID {
      ForgedOperation.ID(counter: counter, actor: author)
    }
    var change = ForgedChange(
      .make(.makeMap, "r1"), .make(.makeMap, "r2"),
      .set("age", .signed(30), in: id(1)), .set("name", .string("Ann"), in: id(1)),
      .make(.makeList, "tags", in: id(1)),
      .set("age", .signed(41), in: id(2)), .set("name", .string("Bob"), in: id(2)),
      .make(.makeList, "tags", in: id(2)),
      .insert(.string("x"), in: id(5)), .insert(.string("y"), in: id(5), after: id(9)),
      .insert(.string("z"), in: id(8)))
    change.author = author
    change.time = 1_700_000_000
    change.message = Array("import".utf8)
    return change
  }()

  static let smallChangeBytes = hex(
    """
    856f4a83 944cf259 01 21 00 021234 01010000 00 06
    1503 3401 4202 5602 5701 7002 7f0161 01 7f01 7f14 01 7f00
    """)

  static let twoRecordsBytes = hex(
    """
    856f4a83 b0763f23 01 8d01
    00 02abcd 01 01 80e2cfaa06 06696d706f7274 00
    0a 0104 020a 1106 1306 1525 3402 420c 560b 570b 7002
    00020900 00020301030202057f08 00097f000001 00087d000977
    7802723102723203616765046e616d65047461677303616765046e616d6504746167730003
    0803 020002017f0202017f020301 02007a1436001436000316 1e416e6e29426f6278797a 0b00
    """)

  static let twoRecordsDocumentBytes = hex(
    """
    856f4a83 93d3a0e3 00 d001
    01 02abcd 01 b0763f23095387073a859a284926c379c732bd239c86d79ec42ce46917dbe6fc
    07 0102 0302 1302 2306 3508 4002 5602
    0c 0104 020a 1106 1306 1525 2102 2302 3402 420c 560b 570b 800102
    7f00 7f01 7f0b 7f80e2cfaa06 7f06696d706f7274 7f00 7f07
    00020900 00020301030202057f08 00097f000001 00087d000977
    7802723102723203616765046e616d65047461677303616765046e616d6504746167730003
    0b00 0b01 0803 020002017f0202017f020301 02007a1436001436000316 1e416e6e29426f6278797a
    0b00 00
    """)

  @Test func `the forger writes the worked example of a change`() {
    #expect(Self.smallChange.bytes == Self.smallChangeBytes)
    #expect(
      hexadecimal(Self.smallChange.hash)
        == "944cf2599799153bc46171e00d291e80a94857f75c1633c3ae4ec13853ff3fff")
  }

  @Test func `the forger writes the worked example of an import`() {
    #expect(Self.twoRecords.bytes == Self.twoRecordsBytes)
    #expect(
      hexadecimal(Self.twoRecords.hash)
        == "b0763f23095387073a859a284926c379c732bd239c86d79ec42ce46917dbe6fc")
  }

  @Test func `the forger writes the worked examples of documents`() {
    #expect(ForgedDocument([]).bytes == hex("85 6f 4a 83 b8 1a 95 44 00 04 00 00 00 00"))
    #expect(ForgedDocument([Self.smallChange]).bytes.count == 106)
    #expect(Array(ForgedDocument([Self.smallChange]).bytes[4..<8]) == hex("d31e8601"))
    #expect(ForgedDocument([Self.twoRecords]).bytes == Self.twoRecordsDocumentBytes)
  }

  @Test func `the digest agrees with the published vectors`() {
    #expect(
      hexadecimal(SHA256Digest.of([]))
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      hexadecimal(
        SHA256Digest.of(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  }

  @Test func `forged deflate streams inflate to what they were made from`() throws {
    let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(try PlainInflater.inflate(ForgedDeflate.stored(bytes)) == bytes)
    #expect(try PlainInflater.inflate(ForgedDeflate.stored([])) == [])
    let bomb = try PlainInflater.inflate(ForgedDeflate.bomb(of: 7, count: 10_000))
    #expect(bomb.count >= 10_000 && bomb.allSatisfy { $0 == 7 })
  }

  @Test func `inflating the golden columns gives the reference's uncompressed save`() throws {
    let deflated = try Fixtures.bytes("deflate-columns/doc.automerge")
    let plain = try Fixtures.bytes("no-compress/doc.automerge")
    #expect(try ChunkList.inflated(deflated) == plain)
  }
}

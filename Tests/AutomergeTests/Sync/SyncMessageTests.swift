@testable import Automerge
import Testing

@Suite struct SyncMessageTests {
  /// The paths of all messages of the reference.
  static let golden: [String] = GoldenCase.sync.flatMap { golden in
    ((try? Fixtures.names(in: "\(golden.name)/messages")) ?? [])
      .map { "\(golden.name)/messages/\($0)" }
  }

  private static let hash = [UInt8](repeating: 7, count: 32)

  @Test func `the corpus has messages`() {
    #expect(Self.golden.count == 22)
  }

  @Test(arguments: golden)
  func `a message of the reference is read and written to the same bytes`(path: String) throws {
    let bytes = try Fixtures.bytes(path)
    #expect(try SyncMessage(parsing: bytes).encoded == bytes)
  }

  @Test func `a message says what the reference's transcript says`() throws {
    for golden in GoldenCase.sync {
      for line in try Fixtures.lines("\(golden.name)/transcript.jsonl") {
        let entry = try JSONTree(parsing: Array(line.utf8))
        let file = try #require(entry["file"]?.text)
        let message = try SyncMessage(
          parsing: Fixtures.bytes("\(golden.name)/messages/\(file)"))
        #expect(entry["version"]?.text == "\(message.version)".uppercased())
        #expect(message.heads.map(\.hex) == entry["heads"]?.elements.compactMap(\.text))
        #expect(message.need.map(\.hex) == entry["need"]?.elements.compactMap(\.text))
        let sizes = entry["changeBytes"]?.elements.map { "\($0)" }
        #expect(message.items.map { "\($0.count)" } == sizes)
        let have = try #require(entry["have"]?.elements)
        #expect(message.have.count == have.count)
        for (summary, expected) in zip(message.have, have) {
          let lastSync = expected["lastSync"]?.elements.compactMap(\.text)
          #expect(summary.lastSync.map(\.hex) == lastSync)
          #expect(hexadecimal(summary.bloom.encoded) == expected["bloom"]?.text)
        }
        #expect((message.flags != nil) == (entry["flags"] == .boolean(true)))
      }
    }
  }

  @Test(arguments: golden)
  func `a message that is cut off is refused at every length`(path: String) throws {
    let bytes = try Fixtures.bytes(path)
    // Without its flags, a message is whole.
    let flags = try SyncMessage(parsing: bytes).flags
    let whole = flags.map { bytes.count - $0.count - 1 }
    for count in bytes.indices where count != whole {
      #expect(throws: FormatError.self, "\(count) bytes") {
        try SyncMessage(parsing: Array(bytes.prefix(count)))
      }
    }
  }

  @Test(arguments: golden)
  func `a flipped bit is refused or read, and what is read is written and read alike`(
    path: String
  ) throws {
    let bytes = try Fixtures.bytes(path)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        guard let message = try? SyncMessage(parsing: damaged) else { continue }
        let written = message.encoded
        #expect(try SyncMessage(parsing: written).encoded == written)
      }
    }
  }

  @Test func `bytes behind the flags are ignored`() throws {
    let message = try SyncMessage(parsing: [0x42, 0, 0, 0, 0, 2, 1, 2, 0xff, 0xff, 0xff])
    #expect(message.flags == [1, 2])
    #expect(message.encoded == [0x42, 0, 0, 0, 0, 2, 1, 2])
  }

  @Test(
    arguments: [
      (nil, false), ([], false), ([1], false), ([2], true), ([1, 2], true), ([2, 0x84], true),
      ([0x82], false), ([0x84, 2, 9], true),
    ] as [([UInt8]?, Bool)])
  func `only a flag of its own offers version 2`(flags: [UInt8]?, isOffered: Bool) throws {
    var message = SyncMessage(.v1)
    message.flags = flags
    let read = try SyncMessage(parsing: message.encoded)
    #expect(read.flags == flags)
    #expect(read.offersVersion2 == isOffered)
  }

  @Test func `a first byte other than 42 and 43 is refused`() {
    for tag in UInt8.min...UInt8.max where tag != 0x42 && tag != 0x43 {
      #expect(throws: FormatError(.notSyncMessage(tag: tag), at: 0)) {
        try SyncMessage(parsing: [tag, 0, 0, 0, 0])
      }
    }
    #expect(throws: FormatError(.truncated(missing: 1), at: 0)) { try SyncMessage(parsing: []) }
  }

  /// 2^63 - 1 as an unsigned LEB128 number, and 2^64 - 1.
  @Test(arguments: [
    hex("ff ff ff ff ff ff ff ff 7f"), hex("ff ff ff ff ff ff ff ff ff 01"), [0x7f],
  ])
  func `a count of more than there is is refused before anything is made for it`(
    count: [UInt8]
  ) {
    let tail = Self.hash + Self.hash
    let heads: [[UInt8]] = [
      [], [0], [0, 0], [0, 0, 1], [0, 0, 1, 0], [0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0],
    ]
    for head in heads {
      #expect(throws: FormatError.self, "behind \(head)") {
        try SyncMessage(parsing: [0x43] + head + count + tail)
      }
    }
  }

  @Test func `a defect is reported where it stands in the message`() {
    #expect(throws: FormatError(.truncated(missing: 32), at: 2)) {
      try SyncMessage(parsing: [0x42, 0, 1])
    }
    #expect(throws: FormatError(.malformedBloomFilter, at: 6)) {
      try SyncMessage(parsing: [0x42, 0, 0, 1, 0, 3, 1, 0, 7, 0])
    }
  }

  @Test func `a message with seventeen summaries is refused`() throws {
    let summaries = { (count: UInt8) in [0x42, 0, 0, count] + [UInt8](repeating: 0, count: 99) }
    #expect(try SyncMessage(parsing: summaries(16)).have.count == 16)
    #expect(throws: FormatError(.limitExceeded(.syncSummaries, 16), at: 3)) {
      try SyncMessage(parsing: summaries(17))
    }
  }

  @Test func `lists of hashes are written as they were read`() throws {
    // Not ascending and with a repetition: no one of ours, but a message.
    let other = [UInt8](repeating: 3, count: 32)
    let list = [3] + Self.hash + other + Self.hash
    let bytes = [0x42] + list + list + [1] + list + [0, 0]
    #expect(try SyncMessage(parsing: bytes).encoded == bytes)
  }
}

/// The frame around every chunk: `[4 magic][4 checksum][1 type][leb128 length][body]`
/// (format.md 1.1).
struct ChunkHeader {
  static let magic: [UInt8] = [0x85, 0x6f, 0x4a, 0x83]

  enum Kind: UInt8 {
    case document = 0
    case change = 1
    case compressedChange = 2
    case bundle = 3
  }

  let kind: Kind
  /// Where the chunk begins in the input.
  let offset: Int
  let checksum: UInt32
  /// Where the checksum stands in the input.
  let checksumOffset: Int
  /// From the type byte to the end of the body: what the checksum covers, but for compressed
  /// changes.
  let hashed: Range<Int>
  let body: ByteReader

  /// Reads the header and steps over the body, which is not looked at yet.
  ///
  /// - Parameter isMagicNeeded: whether a chunk must begin with the magic bytes; without them its
  ///   checksum has to prove that it is one.
  init(_ reader: inout ByteReader, isMagicNeeded: Bool = true) throws(FormatError) {
    let start = reader
    offset = start.offset
    let magic = try reader.readRange(4)
    guard !isMagicNeeded || reader.bytes[magic].elementsEqual(Self.magic) else {
      throw start.error(.invalidMagic)
    }
    checksumOffset = reader.offset
    let stored = try reader.readRange(4)
    checksum = reader.bytes[stored].reduce(0) { $0 &<< 8 | UInt32($1) }
    let typeReader = reader
    let type = try reader.readByte()
    guard let kind = Kind(rawValue: type) else { throw typeReader.error(.unknownChunkType(type)) }
    self.kind = kind
    let length = try reader.readCount()
    body = try reader.readPart(length)
    hashed = typeReader.position..<reader.position
  }

  /// Takes apart a chunk whose length cannot be trusted: its body is all that is left of `reader`.
  init(damaged reader: ByteReader) throws(FormatError) {
    var reader = reader
    offset = reader.offset
    _ = try reader.readRange(4)
    checksumOffset = reader.offset
    checksum = reader.bytes[try reader.readRange(4)].reduce(0) { $0 &<< 8 | UInt32($1) }
    let typeReader = reader
    let type = try reader.readByte()
    guard let kind = Kind(rawValue: type) else { throw typeReader.error(.unknownChunkType(type)) }
    self.kind = kind
    _ = try reader.readULEB()
    hashed = typeReader.position..<reader.end
    body = reader
  }

  /// The same chunk with another checksum.
  func withChecksum(_ checksum: UInt32) -> ChunkHeader {
    ChunkHeader(
      kind: kind, offset: offset, checksum: checksum, checksumOffset: checksumOffset,
      hashed: hashed, body: body)
  }

  init(
    kind: Kind, offset: Int, checksum: UInt32, checksumOffset: Int, hashed: Range<Int>,
    body: ByteReader
  ) {
    self.kind = kind
    self.offset = offset
    self.checksum = checksum
    self.checksumOffset = checksumOffset
    self.hashed = hashed
    self.body = body
  }

  func verifyChecksum(of hash: ChangeHash) throws(FormatError) {
    guard hash.checksum == checksum else {
      throw FormatError(
        .checksumMismatch(stored: checksum, computed: hash.checksum), at: checksumOffset)
    }
  }

  /// Appends the `[type][length][body]` part of a chunk: what its hash covers.
  static func appendHashedPart(_ kind: Kind, body: [UInt8], to output: inout [UInt8]) {
    // Otherwise growing would double the room for one great chunk. A little more is for the next.
    if output.count < body.count {
      output.reserveCapacity(output.count + body.count + body.count / 16 + 16)
    }
    appendDescription(kind, bodyByteCount: body.count, to: &output)
    output.append(contentsOf: body)
  }

  /// Appends what stands before the body in the hashed part.
  static func appendDescription(_ kind: Kind, bodyByteCount: Int, to output: inout [UInt8]) {
    output.append(kind.rawValue)
    output.appendULEB(bodyByteCount)
  }

  /// Appends magic and checksum, which stand before the hashed part.
  static func appendFrame(checksum: UInt32, to output: inout [UInt8]) {
    output.append(contentsOf: magic)
    for shift: UInt32 in [24, 16, 8, 0] {
      output.append(UInt8(truncatingIfNeeded: checksum >> shift))
    }
  }

  /// Appends magic and room for the checksum; returns where that is.
  static func appendFrame(to output: inout [UInt8]) -> Int {
    appendFrame(checksum: 0, to: &output)
    return output.count - 4
  }

  static func setChecksum(_ checksum: UInt32, at index: Int, of output: inout [UInt8]) {
    for byte in 0..<4 {
      output[index + byte] = UInt8(truncatingIfNeeded: checksum >> UInt32(24 - 8 * byte))
    }
  }

  /// The most bytes that stand before a body.
  static let mostByteCount = 8 + 1 + 10
}

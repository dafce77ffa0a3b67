/// A bounds-checked cursor over part of a byte array.
///
/// Readers made from one another share the array. `base` turns positions into offsets of the whole
/// input, so that an error deep inside a column still says where in the file it is.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var position: Int
  let end: Int
  private let base: Int
  /// 1 where a position is an offset, 0 where all positions stand for one place.
  private let scale: Int

  init(_ bytes: [UInt8], base: Int = 0) {
    self.init(bytes, 0..<bytes.count, base: base)
  }

  /// Reads bytes that were made from what stands at `offset` of the input, so that every error in
  /// them points there.
  init(_ bytes: [UInt8], standingAt offset: Int) {
    self.init(bytes, 0..<bytes.count, base: offset, scale: 0)
  }

  /// The caller guarantees that `range` lies inside `bytes`.
  init(_ bytes: [UInt8], _ range: Range<Int>, base: Int = 0, scale: Int = 1) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    self.bytes = bytes
    self.position = range.lowerBound
    self.end = range.upperBound
    self.base = base
    self.scale = scale
  }

  var isAtEnd: Bool { position >= end }
  var remaining: Int { end - position }
  var offset: Int { base + position &* scale }

  func error(_ fact: FormatError.Fact) -> FormatError { FormatError(fact, at: offset) }

  /// The offset in the whole input of a position in `bytes`.
  func offset(of position: Int) -> Int { base + position &* scale }

  @inline(__always)
  mutating func readByte() throws(FormatError) -> UInt8 {
    guard position < end else { throw error(.truncated(missing: 1)) }
    let byte = bytes[position]
    position &+= 1
    return byte
  }

  /// Steps over a byte below 0x80 and returns where it stands; nil if the next one is none.
  @inline(__always)
  mutating func skipASCII() -> Int? {
    guard position < end, bytes[position] < 0x80 else { return nil }
    position &+= 1
    return position &- 1
  }

  /// Reads an unsigned LEB128 number of at most 64 bits in its shortest form (format.md 2.1).
  @inline(__always)
  mutating func readULEB() throws(FormatError) -> UInt64 {
    guard position < end else { throw error(.truncated(missing: 1)) }
    let first = bytes[position]
    if first < 0x80 {
      position &+= 1
      return UInt64(first)
    }
    return try readLongULEB()
  }

  private mutating func readLongULEB() throws(FormatError) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    var index = position
    while index < end {
      let byte = bytes[index]
      index &+= 1
      if shift == 63, byte > 1 { throw error(.integerTooLarge) }
      result |= UInt64(byte & 0x7f) &<< shift
      if byte < 0x80 {
        guard byte != 0 else { throw error(.overlongInteger) }
        position = index
        return result
      }
      shift &+= 7
    }
    throw FormatError(.truncated(missing: 1), at: offset(of: index))
  }

  /// Reads a signed LEB128 number of at most 64 bits in its shortest form (format.md 2.1).
  @inline(__always)
  mutating func readSLEB() throws(FormatError) -> Int64 {
    guard position < end else { throw error(.truncated(missing: 1)) }
    let first = bytes[position]
    if first < 0x80 {
      position &+= 1
      return Int64(Int8(bitPattern: first << 1) >> 1)
    }
    return try readLongSLEB()
  }

  private mutating func readLongSLEB() throws(FormatError) -> Int64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    var index = position
    var previous: UInt8 = 0
    while index < end {
      let byte = bytes[index]
      index &+= 1
      if shift == 63, byte != 0, byte != 0x7f { throw error(.integerTooLarge) }
      result |= UInt64(byte & 0x7f) &<< shift
      shift &+= 7
      if byte < 0x80 {
        let isNegative = byte & 0x40 != 0
        let repeatsSign =
          (byte == 0 && previous & 0x40 == 0) || (byte == 0x7f && previous & 0x40 != 0)
        guard !repeatsSign else { throw error(.overlongInteger) }
        if isNegative, shift < 64 { result |= ~0 &<< shift }
        position = index
        return Int64(bitPattern: result)
      }
      previous = byte
    }
    throw FormatError(.truncated(missing: 1), at: offset(of: index))
  }

  /// Reads a number that counts things of at least `unit` bytes each, so that it cannot promise
  /// more than the rest of the input holds.
  mutating func readCount(unit: Int = 1) throws(FormatError) -> Int {
    let start = offset
    let count = try readULEB()
    guard count <= UInt64(remaining / unit) else {
      let missing = count.multipliedReportingOverflow(by: UInt64(unit))
      let wanted = missing.overflow ? Int.max : Int(clamping: missing.partialValue)
      throw FormatError(.truncated(missing: wanted - remaining), at: start)
    }
    return Int(count)
  }

  /// Reads a number of at most 32 bits.
  mutating func readUInt32() throws(FormatError) -> UInt32 {
    let start = offset
    guard let value = UInt32(exactly: try readULEB()) else {
      throw FormatError(.integerTooLarge, at: start)
    }
    return value
  }

  /// Steps over `count` bytes and returns where they stand in `bytes`.
  @inline(__always)
  mutating func readRange(_ count: Int) throws(FormatError) -> Range<Int> {
    guard count <= end &- position else { throw error(.truncated(missing: count - remaining)) }
    let start = position
    position &+= count
    return start..<position
  }

  /// Steps over bytes with their length in front (format.md 2.2).
  mutating func readPrefixedRange() throws(FormatError) -> Range<Int> {
    try readRange(try readCount())
  }

  /// Splits off a reader for the next `count` bytes.
  mutating func readPart(_ count: Int) throws(FormatError) -> ByteReader {
    ByteReader(bytes, try readRange(count), base: base, scale: scale)
  }

  mutating func expectEnd() throws(FormatError) {
    guard isAtEnd else { throw error(.leftoverBytes(count: remaining)) }
  }

  /// Throws unless the bytes in `range` are UTF-8.
  func validateUTF8(_ range: Range<Int>) throws(FormatError) {
    guard bytes.isValidUTF8(in: range) else {
      throw FormatError(.invalidUTF8, at: offset(of: range.lowerBound))
    }
  }
}

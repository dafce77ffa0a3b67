/// Reads binary property lists:
/// `[8 "bplist00"][objects][offset table][5 unused][1 sort version][1 offset size][1 reference size]`
/// `[8 object count][8 root][8 where the table begins]`.
struct BinaryPropertyListReader {
  private static let magic = Array("bplist00".utf8)
  private static let trailerSize = 32

  private let bytes: [UInt8]
  private let referenceSize: Int
  private let count: Int
  private let table: Range<Int>
  private var list: PropertyList
  /// How many bytes of strings, data and references objects may still claim: where no two share any,
  /// all together claim no more than there are.
  private var unclaimed: Int

  static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

  static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
    var reader = try BinaryPropertyListReader(bytes)
    try reader.readObjects()
    return reader.list
  }

  private init(_ bytes: [UInt8]) throws(PropertyListError) {
    let trailer = bytes.count - Self.trailerSize
    guard trailer > Self.magic.count else { throw PropertyListError(.truncated, at: bytes.count) }
    let offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize) else {
      throw PropertyListError(.malformed("the size of offsets"), at: trailer + 6)
    }
    guard (1...8).contains(referenceSize) else {
      throw PropertyListError(.malformed("the size of references"), at: trailer + 7)
    }
    func number(_ position: Int, _ what: String) throws(PropertyListError) -> Int {
      guard let value = Int(exactly: Self.bigEndian(bytes, position, 8)) else {
        throw PropertyListError(.malformed(what), at: position)
      }
      return value
    }
    count = try number(trailer + 8, "the number of objects")
    let root = try number(trailer + 16, "the root")
    let start = try number(trailer + 24, "the place of the table")
    guard count <= PropertyList.maximumCount else {
      throw PropertyListError(.limitExceeded("objects"), at: trailer + 8)
    }
    guard root < count else { throw PropertyListError(.malformed("the root"), at: trailer + 16) }
    // The count is bounded, so the product is, too.
    guard start > Self.magic.count, start <= trailer, count * offsetSize <= trailer - start else {
      throw PropertyListError(.malformed("the place of the table"), at: trailer + 24)
    }
    table = start..<start + count * offsetSize
    self.bytes = bytes
    list = PropertyList(bytesOf: bytes)
    list.rootNode = root
    unclaimed = bytes.count
    list.nodes.reserveCapacity(count)
    list.offsets.reserveCapacity(count)
    for position in stride(from: start, to: table.upperBound, by: offsetSize) {
      guard let offset = Int(exactly: Self.bigEndian(bytes, position, offsetSize)),
        (Self.magic.count..<start).contains(offset)
      else { throw PropertyListError(.malformed("the offset of an object"), at: position) }
      list.offsets.append(offset)
    }
  }

  private mutating func readObjects() throws(PropertyListError) {
    for offset in list.offsets { try list.nodes.append(object(at: offset)) }
  }

  /// Reads `[4 bits kind][4 bits size or 15, then an integer object][content]`.
  private mutating func object(at offset: Int) throws(PropertyListError) -> PropertyList.Node {
    let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
    switch (kind, low) {
    case (0, 0): return .null
    case (0, 8): return .boolean(false)
    case (0, 9): return .boolean(true)
    case (1, 0...4): return try integer(at: offset + 1, size: 1 << low)
    case (2, 2):
      return .real(Double(Float(bitPattern: UInt32(try number(at: offset + 1, size: 4)))))
    case (2, 3): return .real(Double(bitPattern: try number(at: offset + 1, size: 8)))
    case (3, 3): return .date(Double(bitPattern: try number(at: offset + 1, size: 8)))
    case (8, 0...7): return .identifier(try number(at: offset + 1, size: low + 1))
    case (4, _):
      let (start, count) = try size(at: offset, low)
      return .data(try claim(start, count, 1))
    case (5, _):
      let (start, count) = try size(at: offset, low)
      let range = try claim(start, count, 1)
      guard let wrong = bytes[range].firstIndex(where: { $0 >= 0x80 }) else { return .utf8(range) }
      throw PropertyListError(.malformed("a string in ASCII"), at: wrong)
    case (6, _):
      let (start, count) = try size(at: offset, low)
      return .utf16(try claim(start, count, 2))
    case (7, _):
      let (start, count) = try size(at: offset, low)
      return .utf8(try claim(start, count, 1))
    case (0xa, _), (0xb, _), (0xc, _):
      let (start, count) = try size(at: offset, low)
      return .array(try readReferences(in: claim(start, count, referenceSize)))
    case (0xd, _):
      let (start, count) = try size(at: offset, low)
      return .dictionary(try readReferences(in: claim(start, count, 2 * referenceSize)))
    default: throw PropertyListError(.malformed("the kind of an object"), at: offset)
    }
  }

  /// Reads a signed integer: those of less than eight bytes are never negative.
  private func integer(at position: Int, size: Int) throws(PropertyListError) -> PropertyList.Node {
    guard size == 16 else {
      let value = try number(at: position, size: size)
      return .integer(Int64(bitPattern: value))
    }
    let (high, low) = (try number(at: position, size: 8), try number(at: position + 8, size: 8))
    if high == 0 { return low <= UInt64(Int64.max) ? .integer(Int64(low)) : .unsigned(low) }
    if high == .max, low > UInt64(Int64.max) { return .integer(Int64(bitPattern: low)) }
    throw PropertyListError(.malformed("a number of more than 64 bits"), at: position)
  }

  /// Returns where the content of an object begins and how many elements it has.
  private func size(at offset: Int, _ low: Int) throws(PropertyListError) -> (
    start: Int, count: Int
  ) {
    guard low == 15 else { return (offset + 1, low) }
    guard offset + 1 < table.lowerBound else { throw PropertyListError(.truncated, at: offset + 1) }
    let marker = bytes[offset + 1]
    guard marker >> 4 == 1, marker & 15 <= 3 else {
      throw PropertyListError(.malformed("the size of an object"), at: offset + 1)
    }
    let size = 1 << Int(marker & 15)
    guard let count = Int(exactly: try number(at: offset + 2, size: size)) else {
      throw PropertyListError(.truncated, at: offset + 2)
    }
    return (offset + 2 + size, count)
  }

  /// Returns the range of some elements, if it lies before the table and is not claimed already.
  private mutating func claim(
    _ start: Int, _ count: Int, _ size: Int
  ) throws(PropertyListError) -> Range<Int> {
    let (length, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow, length <= table.lowerBound - start else {
      throw PropertyListError(.truncated, at: start)
    }
    guard length <= unclaimed else {
      throw PropertyListError(.limitExceeded("bytes in objects"), at: start)
    }
    unclaimed -= length
    return start..<start + length
  }

  private mutating func readReferences(in range: Range<Int>) throws(PropertyListError) -> Range<Int>
  {
    let start = list.references.count
    for position in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
      let reference = Self.bigEndian(bytes, position, referenceSize)
      guard let reference = Int(exactly: reference), reference < count else {
        throw PropertyListError(.malformed("a reference"), at: position)
      }
      list.references.append(reference)
    }
    return start..<list.references.count
  }

  private func number(at position: Int, size: Int) throws(PropertyListError) -> UInt64 {
    guard size <= table.lowerBound - position else {
      throw PropertyListError(.truncated, at: position)
    }
    return Self.bigEndian(bytes, position, size)
  }

  private static func bigEndian(_ bytes: [UInt8], _ position: Int, _ size: Int) -> UInt64 {
    var value: UInt64 = 0
    for byte in bytes[position..<position + size] { value = value << 8 | UInt64(byte) }
    return value
  }
}

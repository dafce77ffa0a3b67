/// A binary property list that is written as Apple's frameworks write it: equal texts and numbers stand
/// in it once, and references have as many bytes as they need.
package indirect enum SamplePropertyList {
  case string(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  /// Seconds since 2001.
  case date(Double)
  case data([UInt8])
  case identifier(Int)
  case array([SamplePropertyList])
  case dictionary([(String, SamplePropertyList)])

  /// The list as a file.
  package var bytes: [UInt8] {
    var writer = PropertyListWriter()
    let root = writer.add(self)
    return writer.file(root: root)
  }
}

/// `bplist00[objects][offset of each object][6 zeros][1 size of an offset][1 size of a reference]`
/// `[8 objects][8 root][8 offset of the offsets]`, big-endian.
private struct PropertyListWriter {
  /// An object that has others names them by their numbers, whose size shows at the end.
  private enum Object {
    case scalar([UInt8])
    case container(marker: [UInt8], [Int])
  }

  private var objects: [Object] = []
  private var known: [[UInt8]: Int] = [:]

  mutating func add(_ value: SamplePropertyList) -> Int {
    switch value {
    case .string(let text): return addOnce(encoded(text))
    case .integer(let number): return addOnce(encoded(number))
    case .real(let number): return addOnce([0x23] + Self.number(number.bitPattern, 8))
    case .boolean(let value): return addOnce([value ? 9 : 8])
    case .date(let seconds): return addOnce([0x33] + Self.number(seconds.bitPattern, 8))
    case .data(let bytes): return addOnce(marker(0x40, bytes.count) + bytes)
    case .identifier(let id):
      let size = id < 256 ? 1 : 2
      return append(.scalar([0x80 | UInt8(size - 1)] + Self.number(UInt64(id), size)))
    case .array(let elements):
      let place = append(.scalar([]))
      let members = elements.map { add($0) }
      objects[place] = .container(marker: marker(0xa0, elements.count), members)
      return place
    case .dictionary(let members):
      let place = append(.scalar([]))
      let keys = members.map { add(.string($0.0)) }
      let values = members.map { add($0.1) }
      objects[place] = .container(marker: marker(0xd0, members.count), keys + values)
      return place
    }
  }

  private mutating func append(_ object: Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  private mutating func addOnce(_ bytes: [UInt8]) -> Int {
    if let known = known[bytes] { return known }
    let place = append(.scalar(bytes))
    known[bytes] = place
    return place
  }

  private func encoded(_ text: String) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return marker(0x50, text.utf8.count) + text.utf8 }
    return marker(0x60, text.utf16.count) + text.utf16.flatMap { Self.number(UInt64($0), 2) }
  }

  private func encoded(_ number: Int64) -> [UInt8] {
    switch number {
    case 0..<1 << 8: [0x10] + Self.number(UInt64(number), 1)
    case 0..<1 << 16: [0x11] + Self.number(UInt64(number), 2)
    case 0..<1 << 32: [0x12] + Self.number(UInt64(number), 4)
    default: [0x13] + Self.number(UInt64(bitPattern: number), 8)
    }
  }

  private func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 15] + encoded(Int64(count))
  }

  func file(root: Int) -> [UInt8] {
    let referenceSize = Self.size(of: objects.count)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      switch object {
      case .scalar(let content): bytes += content
      case .container(let marker, let members):
        bytes += marker
        for member in members { bytes += Self.number(UInt64(member), referenceSize) }
      }
    }
    let table = bytes.count
    let offsetSize = Self.size(of: table)
    for offset in offsets { bytes += Self.number(UInt64(offset), offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for value in [objects.count, root, table] { bytes += Self.number(UInt64(value), 8) }
    return bytes
  }

  private static func size(of number: Int) -> Int {
    number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : 4
  }

  private static func number(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }
}

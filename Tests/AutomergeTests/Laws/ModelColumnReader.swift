/// Reads the column encodings of the format (format.md 2.3 to 2.5) plainly, item by item.
struct ModelColumnReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func unsigned() throws(PlainReader.Malformed) -> Int {
    let (value, _, _) = try leb128()
    return value
  }

  mutating func signed() throws(PlainReader.Malformed) -> Int {
    let (value, bits, isNegative) = try leb128()
    return isNegative && bits < 64 ? value | ~0 << bits : value
  }

  private mutating func leb128() throws(PlainReader.Malformed) -> (Int, Int, Bool) {
    var value = 0
    var bits = 0
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      value |= Int(byte & 0x7f) << bits
      bits += 7
      if byte < 0x80 { return (value, bits, byte & 0x40 != 0) }
    }
    throw PlainReader.Malformed()
  }

  /// Returns the items of a run-length column.
  private func items<Item>(
    _ read: (inout ModelColumnReader) throws(PlainReader.Malformed) -> Item
  ) throws(PlainReader.Malformed) -> [Item?] {
    var reader = self
    var items: [Item?] = []
    while reader.position < bytes.count {
      let count = try reader.signed()
      if count == 0 {
        items += [Item?](repeating: nil, count: try reader.unsigned())
      } else if count > 0 {
        items += [Item?](repeating: try read(&reader), count: count)
      } else {
        for _ in 0..<(-count) { items.append(try read(&reader)) }
      }
    }
    return items
  }

  func numbers() throws(PlainReader.Malformed) -> [Int?] {
    try items { reader throws(PlainReader.Malformed) in try reader.unsigned() }
  }

  /// Returns the items of a delta column: the sums of the differences before them.
  func sums() throws(PlainReader.Malformed) -> [Int?] {
    let differences = try items { reader throws(PlainReader.Malformed) in try reader.signed() }
    var sum = 0
    return differences.map { difference in
      guard let difference else { return nil }
      sum += difference
      return sum
    }
  }

  func strings() throws(PlainReader.Malformed) -> [[UInt8]?] {
    try items { reader throws(PlainReader.Malformed) in
      let count = try reader.unsigned()
      guard (0...reader.bytes.count - reader.position).contains(count) else {
        throw PlainReader.Malformed()
      }
      reader.position += count
      return Array(reader.bytes[reader.position - count..<reader.position])
    }
  }

  func booleans() throws(PlainReader.Malformed) -> [Bool] {
    var reader = self
    var values: [Bool] = []
    var current = false
    while reader.position < bytes.count {
      values += [Bool](repeating: current, count: try reader.unsigned())
      current.toggle()
    }
    return values
  }
}

/// Writes binary property lists as Core Data does: references of two bytes, no two objects unified.
package enum TestPropertyList {
  case string(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  /// Seconds since 2001.
  case date(Double)
  case data([UInt8])
  case identifier(Int)
  case array([TestPropertyList])
  case dictionary([(String, TestPropertyList)])

  /// The list as a file.
  package var bytes: [UInt8] {
    var writer = Writer()
    let root = writer.add(self)
    return writer.finish(root: root)
  }

  private struct Writer {
    private var objects: [[UInt8]] = []

    mutating func add(_ value: TestPropertyList) -> Int {
      let position = objects.count
      objects.append([])
      objects[position] = encoded(value)
      return position
    }

    private mutating func encoded(_ value: TestPropertyList) -> [UInt8] {
      switch value {
      case .string(let text):
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
          return marker(0x50, text.utf8.count) + Array(text.utf8)
        }
        return marker(0x60, text.utf16.count) + text.utf16.flatMap { number(UInt64($0), 2) }
      case .integer(let number):
        return number >= 0 && number < 256
          ? [0x10, UInt8(number)] : [0x13] + self.number(UInt64(bitPattern: number), 8)
      case .real(let number): return [0x23] + self.number(number.bitPattern, 8)
      case .boolean(let value): return [value ? 9 : 8]
      case .date(let seconds): return [0x33] + number(seconds.bitPattern, 8)
      case .data(let bytes): return marker(0x40, bytes.count) + bytes
      case .identifier(let id): return [0x81] + number(UInt64(id), 2)
      case .array(let elements):
        return marker(0xa0, elements.count) + elements.flatMap { number(UInt64(add($0)), 2) }
      case .dictionary(let members):
        let keys = members.flatMap { number(UInt64(add(.string($0.0))), 2) }
        return marker(0xd0, members.count) + keys
          + members.flatMap { number(UInt64(add($0.1)), 2) }
      }
    }

    private func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
      count < 15 ? [kind | UInt8(count)] : [kind | 15, 0x12] + number(UInt64(count), 4)
    }

    private func number(_ value: UInt64, _ size: Int) -> [UInt8] {
      (0..<size).reversed().map { UInt8(value >> (8 * UInt64($0)) & 255) }
    }

    func finish(root: Int) -> [UInt8] {
      var bytes = Array("bplist00".utf8)
      var table: [UInt8] = []
      for object in objects {
        table += number(UInt64(bytes.count), 4)
        bytes += object
      }
      let start = bytes.count
      bytes += table + [0, 0, 0, 0, 0, 0, 4, 2]
      for value in [objects.count, root, start] { bytes += number(UInt64(value), 8) }
      return bytes
    }
  }
}

/// LEB128 numbers written without the engine, also longer than a writer may make them.
enum ForgedNumber {
  /// Returns an unsigned number; `padding` adds that many bytes that carry nothing.
  static func uleb(_ value: UInt64, padding: Int = 0) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    repeat {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    } while rest != 0
    bytes.append(contentsOf: [UInt8](repeating: 0x80, count: padding))
    bytes[bytes.count - 1] &= 0x7f
    return bytes
  }

  /// Returns a signed number; `padding` adds that many bytes that carry nothing but the sign.
  static func sleb(_ value: Int64, padding: Int = 0) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while true {
      let byte = UInt8(truncatingIfNeeded: rest & 0x7f)
      rest >>= 7
      bytes.append(byte | 0x80)
      if (rest == 0 && byte & 0x40 == 0) || (rest == -1 && byte & 0x40 != 0) { break }
    }
    bytes.append(contentsOf: [UInt8](repeating: value < 0 ? 0xff : 0x80, count: padding))
    bytes[bytes.count - 1] &= 0x7f
    return bytes
  }

  /// Returns bytes behind their length, as the format stores strings and actor ids.
  static func prefixed(_ bytes: [UInt8]) -> [UInt8] { uleb(UInt64(bytes.count)) + bytes }
}

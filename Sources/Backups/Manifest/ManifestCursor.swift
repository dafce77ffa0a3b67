import Diagnostics
import SafeFiles

/// A position in one line of a manifest; each method takes one thing or returns nil.
struct ManifestCursor {
  private let line: [UInt8]
  private(set) var position = 0

  init(_ line: [UInt8]) { self.line = line }

  var isAtEnd: Bool { position == line.count }

  static func escaped(_ bytes: [UInt8]) -> String { DisplayText.escaping(bytes) }

  /// Takes exactly this text.
  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard line.count - position >= count else { return false }
    for offset in 0..<count {
      // SAFETY: the offset is inside the static string.
      guard unsafe line[position + offset] == text.utf8Start[offset] else { return false }
    }
    position += count
    return true
  }

  /// Takes a number of at least 0 that fits, without leading zeros.
  mutating func number() -> Int? {
    let start = position
    var value = 0
    while position < line.count, let digit = Self.digit(line[position]) {
      let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowedToo) = product.addingReportingOverflow(digit)
      if overflowed || overflowedToo { return nil }
      value = sum
      position += 1
    }
    let count = position - start
    return count == 0 || (count > 1 && line[start] == UInt8(ascii: "0")) ? nil : value
  }

  mutating func octal() -> UInt16? {
    var value: UInt16 = 0
    let start = position
    while position < line.count, let digit = Self.digit(line[position]), digit < 8 {
      guard position - start < 4 else { return nil }
      value = value << 3 | UInt16(digit)
      position += 1
    }
    return position == start ? nil : value
  }

  mutating func boolean() -> Bool? {
    if skip("true") { return true }
    return skip("false") ? false : nil
  }

  mutating func kind() -> BackupEntry.Kind? {
    if skip("file\"") { return .file }
    if skip("directory\"") { return .directory }
    if skip("link\"") { return .link }
    return skip("special\"") ? .special : nil
  }

  /// Takes seconds, a point and nine digits.
  mutating func time() -> FileTime? {
    let isNegative = skip("-")
    guard let seconds = number(), skip("."), line.count - position >= 9 else { return nil }
    var nanoseconds: Int32 = 0
    for _ in 0..<9 {
      guard let digit = Self.digit(line[position]) else { return nil }
      nanoseconds = nanoseconds * 10 + Int32(digit)
      position += 1
    }
    return FileTime(seconds: Int64(isNegative ? -seconds : seconds), nanoseconds: nanoseconds)
  }

  mutating func hash() -> ContentHash? {
    guard line.count - position >= 64 else { return nil }
    defer { position += 64 }
    return ContentHash(hexDigits: line[position..<position + 64])
  }

  /// Takes `":"TEXT"` or `Bytes":"HEX"`, what follows the name of a member that holds bytes.
  mutating func bytesMember() -> [UInt8]? {
    if skip("\":") {
      guard let bytes = string() else { return nil }
      return bytes
    }
    guard skip("Bytes\":\"") else { return nil }
    var bytes: [UInt8] = []
    while position + 1 < line.count, let high = Self.hexDigit(line[position]),
      let low = Self.hexDigit(line[position + 1])
    {
      bytes.append(high << 4 | low)
      position += 2
    }
    // Bytes that are valid UTF-8 have one form only, the other.
    guard skip("\""), String(validating: bytes, as: UTF8.self) == nil else { return nil }
    return bytes
  }

  /// Takes a JSON string with the escapes `ManifestWriter` writes; it must be valid UTF-8.
  mutating func string() -> [UInt8]? {
    guard skip("\"") else { return nil }
    var bytes: [UInt8] = []
    while position < line.count {
      let byte = line[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        return bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
          ? bytes : nil
      case 0..<0x20: return nil
      case UInt8(ascii: "\\"):
        if skip("\\") {
          bytes.append(UInt8(ascii: "\\"))
        } else if skip("\"") {
          bytes.append(UInt8(ascii: "\""))
        } else if skip("u00"), position + 1 < line.count,
          let high = Self.hexDigit(line[position]), let low = Self.hexDigit(line[position + 1]),
          high < 2
        {
          bytes.append(high << 4 | low)
          position += 2
        } else {
          return nil
        }
      default: bytes.append(byte)
      }
    }
    return nil
  }

  private static func digit(_ byte: UInt8) -> Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

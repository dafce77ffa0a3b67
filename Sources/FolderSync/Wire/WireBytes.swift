import Runs
import SafeFiles

/// Writes the parts of a frame, one behind the other.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  /// Appends a number in LEB128: seven bits a byte, the lowest first.
  mutating func number(_ value: Int) {
    var rest = UInt64(clamping: value)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a number in eight bytes, the lowest first.
  mutating func word(_ value: UInt64) {
    for shift in stride(from: 0 as UInt64, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends bytes whose count both sides know.
  mutating func raw(_ part: [UInt8]) { bytes += part }

  /// Appends bytes with their count in front.
  mutating func data(_ part: [UInt8]) {
    number(part.count)
    bytes += part
  }

  /// Appends a text as UTF-8.
  mutating func text(_ text: String) { data(Array(text.utf8)) }
}

/// Reads the parts of a frame that nobody can trust.
struct WireReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  private var left: Int { bytes.count - position }

  mutating func number() throws(WireDefect) -> Int {
    let start = position
    var value: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 63, by: 7) {
      guard position < bytes.count else {
        throw WireDefect("ends in the middle of a number", start)
      }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return Int(clamping: value) }
    }
    throw WireDefect("holds a number that is too large", start)
  }

  /// Reads the count of parts that take so many bytes each, at least: there are no more than fit.
  mutating func count(of unit: Int) throws(WireDefect) -> Int {
    let start = position
    let count = try number()
    guard count <= left / unit else { throw WireDefect("promises more than it holds", start) }
    return count
  }

  mutating func raw(_ count: Int) throws(WireDefect) -> [UInt8] {
    guard count >= 0, count <= left else { throw WireDefect("is too short", position) }
    position += count
    return Array(bytes[position - count..<position])
  }

  mutating func word() throws(WireDefect) -> UInt64 {
    guard left >= 8 else { throw WireDefect("is too short", position) }
    var value: UInt64 = 0
    for place in (position..<position + 8).reversed() {
      value = value << 8 | UInt64(bytes[place])
    }
    position += 8
    return value
  }

  mutating func data() throws(WireDefect) -> [UInt8] { try raw(try count(of: 1)) }

  mutating func text() throws(WireDefect) -> String {
    String(decoding: try data(), as: UTF8.self)
  }

  /// Reads a text that is shown: whatever ends a line in it would let it look like one of this program.
  mutating func line() throws(WireDefect) -> String {
    String(try text().flatMap { $0.isNewline ? ["\\", "n"] : [$0] })
  }

  /// Everything that was not read.
  mutating func rest() -> [UInt8] {
    defer { position = bytes.count }
    return Array(bytes[position...])
  }

  mutating func path() throws(WireDefect) -> RelativePath {
    let start = position
    let bytes = try data()
    guard bytes.count <= Self.longestPath, let path = RelativePath(bytes), !path.isFolder else {
      throw WireDefect("holds a path that is none inside of a folder", start)
    }
    return path
  }

  private static let longestPath = 4096

  /// Throws if there is more.
  func requireEnd() throws(WireDefect) {
    guard isAtEnd else { throw WireDefect("holds more than it should", position) }
  }
}

/// What is wrong with bytes that came from the other side.
struct WireDefect: Error, Hashable {
  var problem: String
  /// Where in the frame.
  var offset: Int

  init(_ problem: String, _ offset: Int) {
    self.problem = problem
    self.offset = offset
  }
}

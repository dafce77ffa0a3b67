import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One component of a path: bytes, never a separator, never `.` or `..`.
///
/// Names are compared by their bytes. A literal is a name the programmer vouches for.
package struct FileName: Comparable, CustomStringConvertible, ExpressibleByStringLiteral, Hashable,
  Sendable
{
  /// The bytes of the name, without a terminating zero.
  package let bytes: [UInt8]

  /// Creates a name, or nil if the bytes are empty, `.`, `..`, or hold a slash or a zero.
  package init?(_ bytes: [UInt8]) {
    guard FileName.isValid(bytes[...]) else { return nil }
    self.bytes = bytes
  }

  /// Creates a name from the UTF-8 bytes of a string, by the same rules.
  package init?(_ string: String) { self.init(Array(string.utf8)) }

  package init(stringLiteral value: StaticString) {
    let bytes = Array(value.description.utf8)
    precondition(FileName.isValid(bytes[...]), "not a file name: \(value)")
    self.bytes = bytes
  }

  /// For bytes that came from the file system or from checked parts.
  init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// The name in display form; see `DisplayText`.
  package var description: String { DisplayText.escaping(bytes) }

  /// Returns whether the name ends with these bytes.
  package func hasSuffix(_ suffix: StaticString) -> Bool {
    bytes.count >= suffix.utf8CodeUnitCount
      && bytes[(bytes.count - suffix.utf8CodeUnitCount)...].elementsEqual(
        suffix.description.utf8)
  }

  /// Returns whether the name starts with these bytes.
  package func hasPrefix(_ prefix: StaticString) -> Bool {
    bytes.starts(with: prefix.description.utf8)
  }

  /// The bytes of the longest name that file systems take.
  package static let longest = 255

  /// Returns at most so many bytes of the name, never a part of a UTF-8 scalar: APFS takes valid UTF-8
  /// only.
  package func prefix(_ longest: Int) -> ArraySlice<UInt8> {
    var stem = bytes.prefix(max(0, longest))
    if stem.count < bytes.count {
      while let last = stem.last, last & 0xc0 == 0x80 { stem.removeLast() }
      if let last = stem.last, last >= 0xc0 { stem.removeLast() }
    }
    return stem
  }

  package static func < (left: FileName, right: FileName) -> Bool {
    ByteOrder.precedes(left.bytes, right.bytes)
  }

  package static func == (left: FileName, right: FileName) -> Bool {
    ByteOrder.areEqual(left.bytes, right.bytes)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(whole: bytes) }

  /// Returns whether bytes are a name.
  package static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
    RelativePath.isComponent(bytes) && !bytes.contains(UInt8(ascii: "/"))
  }
}

/// A path below a folder: names joined by `/`, never absolute, without `.` or `..`.
///
/// The empty path is the folder itself. Paths are compared by their bytes.
package struct RelativePath: Comparable, CustomStringConvertible, ExpressibleByStringLiteral,
  Hashable, Sendable
{
  /// The names joined by `/`; empty for the folder itself.
  package let bytes: [UInt8]

  /// The folder itself.
  package static let folder = RelativePath(trusted: [])

  /// Creates a path, or nil if the bytes are empty, absolute, hold a zero byte, or an empty, `.`
  /// or `..` component.
  package init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return nil }
    var start = 0
    for position in 0...bytes.count
    where position == bytes.count || bytes[position] == UInt8(ascii: "/") {
      guard RelativePath.isComponent(bytes[start..<position]) else { return nil }
      start = position + 1
    }
    self.bytes = bytes
  }

  /// Creates a path from the UTF-8 bytes of a string, by the same rules.
  package init?(_ string: String) { self.init(Array(string.utf8)) }

  /// Creates a path of one name.
  package init(_ name: FileName) { bytes = name.bytes }

  package init(stringLiteral value: StaticString) {
    guard let path = RelativePath(value.description) else {
      preconditionFailure("not a relative path: \(value)")
    }
    self = path
  }

  init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// Whether this is the folder itself.
  package var isFolder: Bool { bytes.isEmpty }

  /// The path in display form; see `DisplayText`.
  package var description: String { isFolder ? "." : DisplayText.escaping(bytes) }

  /// Returns the path of `name` inside this one.
  package func appending(_ name: FileName) -> RelativePath {
    isFolder
      ? RelativePath(name) : RelativePath(trusted: bytes + [UInt8(ascii: "/")] + name.bytes)
  }

  /// Returns the path of `path` inside this one.
  package func appending(_ path: RelativePath) -> RelativePath {
    if isFolder { return path }
    if path.isFolder { return self }
    return RelativePath(trusted: bytes + [UInt8(ascii: "/")] + path.bytes)
  }

  /// The path without its last name; nil for the folder itself.
  package var parent: RelativePath? {
    if isFolder { return nil }
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return .folder }
    return RelativePath(trusted: Array(bytes[..<slash]))
  }

  /// Returns whether both have the same parent.
  package func isBeside(_ other: RelativePath) -> Bool {
    let slash = UInt8(ascii: "/")
    let end = bytes.lastIndex(of: slash)
    guard end == other.bytes.lastIndex(of: slash) else { return false }
    return bytes[..<(end ?? 0)] == other.bytes[..<(end ?? 0)] && isFolder == other.isFolder
  }

  /// The last name; nil for the folder itself.
  package var lastComponent: FileName? {
    if isFolder { return nil }
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return FileName(trusted: Array(bytes[start...]))
  }

  /// The names of the path, outermost first.
  package var components: [FileName] {
    bytes.split(separator: UInt8(ascii: "/")).map { FileName(trusted: Array($0)) }
  }

  /// Returns whether `path` is this one or lies below it.
  package func contains(_ path: RelativePath) -> Bool {
    if isFolder { return true }
    guard path.bytes.starts(with: bytes) else { return false }
    return path.bytes.count == bytes.count || path.bytes[bytes.count] == UInt8(ascii: "/")
  }

  package static func < (left: RelativePath, right: RelativePath) -> Bool {
    ByteOrder.precedes(left.bytes, right.bytes)
  }

  package static func == (left: RelativePath, right: RelativePath) -> Bool {
    ByteOrder.areEqual(left.bytes, right.bytes)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(whole: bytes) }

  fileprivate static func isComponent(_ bytes: ArraySlice<UInt8>) -> Bool {
    switch bytes.count {
    case 0: return false
    case 1 where bytes.allSatisfy { $0 == UInt8(ascii: ".") }: return false
    case 2 where bytes.allSatisfy { $0 == UInt8(ascii: ".") }: return false
    default: return !bytes.contains(0)
    }
  }
}

extension Hasher {
  /// Takes bytes in at once; an array gives them one by one.
  fileprivate mutating func combine(whole bytes: [UInt8]) {
    combine(bytes.count)
    // SAFETY: the hasher reads the bytes that the array has.
    unsafe bytes.withUnsafeBytes { bytes in unsafe combine(bytes: bytes) }
  }
}

/// The one order of names and paths: unsigned bytes, a prefix before what it starts.
package enum ByteOrder {
  /// Returns whether both have the same bytes.
  fileprivate static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    // SAFETY: memcmp reads as many bytes as both arrays have.
    return unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        guard let one = left.baseAddress, let other = right.baseAddress else { return true }
        return unsafe memcmp(one, other, left.count) == 0
      }
    }
  }

  /// Returns whether `left` sorts before `right`.
  package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    let shared = min(left.count, right.count)
    // SAFETY: memcmp reads `shared` bytes, which both arrays have.
    let order = unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        guard shared > 0, let left = left.baseAddress, let right = right.baseAddress else {
          return Int32(0)
        }
        return unsafe memcmp(left, right, shared)
      }
    }
    return order != 0 ? order < 0 : left.count < right.count
  }
}

/// Bytes as lower-case hexadecimal digits in ASCII.
package enum HexDigits {
  /// Returns the digit of a value below 16.
  package static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &+ (value &- 10)
  }

  /// Returns the value of a lower-case digit, and of any other byte something above 15. Digits of hashes
  /// are letters or not by chance, so no branch tells the two apart.
  static func value(of digit: UInt8) -> UInt8 {
    let (number, letter) = (digit &- UInt8(ascii: "0"), digit &- UInt8(ascii: "a"))
    return number < 10 ? number : letter < 6 ? letter &+ 10 : .max
  }

  /// Appends the two digits of a byte.
  package static func append(_ byte: UInt8, to text: inout [UInt8]) {
    text.append(digit(byte >> 4))
    text.append(digit(byte & 15))
  }
}

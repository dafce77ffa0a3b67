import Diagnostics

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
    guard FileName.isValid(bytes) else { return nil }
    self.bytes = bytes
  }

  /// Creates a name from the UTF-8 bytes of a string, by the same rules.
  package init?(_ string: String) { self.init(Array(string.utf8)) }

  package init(stringLiteral value: StaticString) {
    let bytes = Array(value.description.utf8)
    precondition(FileName.isValid(bytes), "not a file name: \(value)")
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

  static func isValid(_ bytes: [UInt8]) -> Bool {
    let dot = UInt8(ascii: ".")
    guard !bytes.isEmpty, bytes != [dot], bytes != [dot, dot] else { return false }
    return !bytes.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
  }
}

/// The names of files that are being written: `.NAME.RANDOM.tmp.nosync`.
///
/// The dot hides them from people, `.nosync` from iCloud; the random part tells two runs apart.
package enum TemporaryName {
  static let suffix: StaticString = ".tmp.nosync"
  static let randomDigits = 16
  /// The longest name that file systems take.
  static let longestName = 255

  /// Returns a new temporary name for `name`, cut between UTF-8 scalars where it would be too long.
  static func make(for name: FileName) -> FileName {
    let room = longestName - randomDigits - suffix.utf8CodeUnitCount - 2
    return FileName(
      trusted: [UInt8(ascii: ".")] + name.prefix(room) + [UInt8(ascii: ".")]
        + Entropy.hexDigits(randomDigits)
        + suffix.description.utf8)
  }

  /// Returns whether a name has exactly the form `make(for:)` gives.
  package static func matches(_ name: FileName) -> Bool {
    let bytes = name.bytes
    let tail = randomDigits + suffix.utf8CodeUnitCount + 1
    guard bytes.first == UInt8(ascii: "."), bytes.count > tail, name.hasSuffix(suffix),
      bytes[bytes.count - tail] == UInt8(ascii: ".")
    else { return false }
    let random = bytes[(bytes.count - tail + 1)...].prefix(randomDigits)
    return random.allSatisfy(isDigit)
  }

  /// Returns the name that a file with a temporary name is to get, cut where it was too long; nil if
  /// the name is none that `make(for:)` gives.
  static func target(of name: FileName) -> FileName? {
    guard matches(name) else { return nil }
    return FileName(
      Array(name.bytes.dropFirst().dropLast(randomDigits + suffix.utf8CodeUnitCount + 1)))
  }

  /// Returns whether a byte is a digit of the random part.
  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }
}

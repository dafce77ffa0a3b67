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
    var stem = name.bytes.prefix(room)
    if stem.count < name.bytes.count {
      // Never between the bytes of one scalar: APFS takes valid UTF-8 only.
      while let last = stem.last, last & 0xc0 == 0x80 { stem.removeLast() }
      if let last = stem.last, last >= 0xc0 { stem.removeLast() }
    }
    return FileName(
      trusted: [UInt8(ascii: ".")] + stem + [UInt8(ascii: ".")] + Entropy.hexDigits(randomDigits)
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
    return random.allSatisfy { byte in
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
  }
}

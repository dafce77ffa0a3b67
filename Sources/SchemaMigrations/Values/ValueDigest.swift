import SafeFiles

/// What tells a value from every other one: the SHA-256 of its only written form.
///
/// Members are ordered by the bytes of their names and numbers have one form, so equal values have equal
/// digests.
public struct ValueDigest: Hashable, Sendable, CustomStringConvertible {
  private let hash: ContentHash

  /// Creates the digest of a value.
  public init(of value: MigrationValue) {
    var bytes: [UInt8] = []
    Self.write(value, to: &bytes)
    hash = ContentHash(of: bytes)
  }

  /// Reads a digest; nil for what none can be.
  public init?(_ text: String) {
    // A digest has one written form, in lower case.
    guard let hash = ContentHash(hexDigits: Array(text.utf8)[...]), hash.description == text
    else { return nil }
    self.hash = hash
  }

  /// In lower-case hexadecimal digits.
  public var description: String { hash.description }

  /// `[tag][length of what follows, 8 bytes][what follows]`
  private static func write(_ value: MigrationValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(UInt8(ascii: "z"))
    case .boolean(let isTrue): bytes.append(UInt8(ascii: isTrue ? "t" : "f"))
    case .number(let number): write("n", number.normalForm, to: &bytes)
    case .text(let text): write("s", Array(text.string.utf8), to: &bytes)
    case .list(let elements):
      write(UInt8(ascii: "l"), count: elements.count, to: &bytes)
      for element in elements { write(element, to: &bytes) }
    case .object(let object):
      write(UInt8(ascii: "o"), count: object.members.count, to: &bytes)
      for member in object.sortedMembers {
        write("s", Array(member.name.string.utf8), to: &bytes)
        write(member.value, to: &bytes)
      }
    }
  }

  private static func write(_ tag: Unicode.Scalar, _ content: [UInt8], to bytes: inout [UInt8]) {
    write(UInt8(ascii: tag), count: content.count, to: &bytes)
    bytes += content
  }

  private static func write(_ tag: UInt8, count: Int, to bytes: inout [UInt8]) {
    bytes.append(tag)
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: count >> shift))
    }
  }
}

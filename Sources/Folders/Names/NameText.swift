/// Comparing names with ASCII text, byte by byte.
enum NameText {
  /// Returns whether the name is exactly this text.
  static func isEqual(_ name: Span<UInt8>, _ text: String) -> Bool {
    name.count == text.utf8.count && hasSuffix(name, text)
  }

  /// Returns whether the name ends with this text, which is in lower case, in any ASCII case.
  static func hasSuffix(_ name: Span<UInt8>, ignoringCaseOf text: String) -> Bool {
    matchesSuffix(name, text) { lowerCase($0) == $1 }
  }

  /// Returns whether the name ends with exactly this text.
  static func hasSuffix(_ name: Span<UInt8>, _ text: String) -> Bool {
    matchesSuffix(name, text) { $0 == $1 }
  }

  private static func matchesSuffix(
    _ name: Span<UInt8>, _ text: String, _ isMatch: (UInt8, UInt8) -> Bool
  ) -> Bool {
    var position = name.count - text.utf8.count
    guard position >= 0 else { return false }
    for byte in text.utf8 {
      guard isMatch(name[position], byte) else { return false }
      position += 1
    }
    return true
  }

  /// Returns the number that a run of digits names, or `nil` for anything else.
  static func number(_ name: Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count <= 9 else { return nil }
    var value = 0
    for position in range {
      let digit = name[position] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }

  static func lowerCase(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
  }
}

// What is asked of text where it lies, without a copy of it.
extension Span<UInt8> {
  /// Returns whether both have the same bytes.
  package func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var position = 0
    while position < count {
      if self[position] != other[position] { return false }
      position &+= 1
    }
    return true
  }

  /// Returns whether the bytes come before those of the other.
  package func precedes(_ other: Span<UInt8>) -> Bool {
    var position = 0
    while position < count, position < other.count {
      if self[position] != other[position] { return self[position] < other[position] }
      position &+= 1
    }
    return count < other.count
  }

  /// Returns where a byte stands first; nil if it stands nowhere.
  func position(of byte: UInt8) -> Int? {
    var position = 0
    while position < count {
      if self[position] == byte { return position }
      position &+= 1
    }
    return nil
  }

  /// The number that the bytes write in its only form: digits without a zero in front, or with `-`;
  /// nil for anything else.
  var wholeNumber: Int64? {
    let isNegative = count > 0 && self[0] == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    guard count > start, count - start <= 19 else { return nil }
    if self[start] == UInt8(ascii: "0"), count > 1 { return nil }
    var magnitude: UInt64 = 0
    for position in start..<count {
      let digit = self[position] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      // Nineteen digits are less than 2^64.
      magnitude = magnitude &* 10 &+ UInt64(digit)
    }
    return isNegative
      ? magnitude <= UInt64(Int64.max) + 1 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
      : Int64(exactly: magnitude)
  }
}

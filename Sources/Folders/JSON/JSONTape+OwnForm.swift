// Reading strictly what `JSONWriter` wrote: members in their order, each value in its one form.
extension JSONTape {
  /// The first member of the outermost object; nil if something is before it, or it is no object.
  package var firstMember: Int? {
    guard let first = nodes.first, first.kind == .object, first.offset == 0 else { return nil }
    return 1
  }

  /// Whether all members of the outermost object were taken, and nothing is behind them.
  package func isEnd(_ member: Int) -> Bool {
    member == nodes.count && sourceByteCount >= 2
      && text[sourceByteCount - 1] == UInt8(ascii: "}")
      && !Self.isWhitespace(text[sourceByteCount - 2])
  }

  /// Returns the value of the member at `member` and steps to the next one; nil if it has another
  /// name, or if white space stands around it.
  package func take(_ name: StaticString, at member: inout Int) -> Int? {
    guard member + 1 < nodes.count else { return nil }
    let (found, value) = (nodes[member], nodes[member + 1])
    let start = Int(found.offset)
    guard text.isEqual(in: range(of: member), to: name), isPlain(member),
      Int(value.offset) == start + Int(found.length) + 3,
      start == 1
        || text[start - 1] == UInt8(ascii: ",") && !Self.isWhitespace(text[start - 2])
    else { return nil }
    defer { member = Int(value.end) }
    return member + 1
  }

  /// Takes a string without escapes.
  package func takeText(_ name: StaticString, at member: inout Int) -> ArraySlice<UInt8>? {
    guard let node = take(name, at: &member), nodes[node].kind == .string, isPlain(node) else {
      return nil
    }
    return text[range(of: node)]
  }

  /// Takes a number of at least 0 that has only digits.
  package func takeCount(_ name: StaticString, at member: inout Int) -> Int? {
    guard let node = take(name, at: &member), nodes[node].kind == .number else { return nil }
    return DecimalDigits.value(of: text[range(of: node)])
  }

  /// Takes a member as `JSONWriter.member(_:anyBytes:)` writes it.
  package func takeAnyBytes(
    _ name: StaticString, orInHexadecimal other: StaticString, at member: inout Int
  ) -> [UInt8]? {
    let start = offset(of: member)
    var bytes: [UInt8]
    if let node = take(name, at: &member) {
      guard nodes[node].kind == .string else { return nil }
      bytes = self.bytes(of: node)
      if isPlain(node) { return bytes }
    } else {
      guard let digits = takeText(other, at: &member), let decoded = HexDigit.bytes(digits) else {
        return nil
      }
      bytes = decoded
    }
    var writer = JSONWriter(hasShortEscapes: false)
    writer.member(name, anyBytes: bytes[...])
    return text[start..<sourceByteCount].starts(with: writer.bytes) ? bytes : nil
  }

  /// Whether a string has no escapes.
  private func isPlain(_ node: Int) -> Bool { nodes[node].start == nodes[node].offset + 1 }

  private static func isWhitespace(_ byte: UInt8) -> Bool { byte <= 0x20 }
}

/// Digits of numbers that have one form.
package enum DecimalDigits {
  /// Returns the number that digits without zeros in front are; nil if they are not that, or too many.
  package static func value(of digits: ArraySlice<UInt8>, radix: UInt8 = 10) -> Int? {
    guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0") else {
      return nil
    }
    var value = 0
    for byte in digits {
      let digit = byte &- UInt8(ascii: "0")
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: Int(radix))
      let (sum, overflows) = product.addingReportingOverflow(Int(digit))
      guard digit < radix, !isTooLarge, !overflows else { return nil }
      value = sum
    }
    return value
  }
}

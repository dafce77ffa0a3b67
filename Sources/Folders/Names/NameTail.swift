/// The end of a name, taken off piece by piece from right to left.
///
/// Words are compared in any ASCII case. A piece that is not there leaves the rest as it was.
struct NameTail {
  /// What is left of the name.
  private(set) var rest: ArraySlice<UInt8>

  init(_ name: some Sequence<UInt8>) { rest = ArraySlice(name) }

  /// The rest without its last extension.
  var stem: ArraySlice<UInt8> {
    guard let dot = rest.lastIndex(of: UInt8(ascii: ".")), dot > rest.startIndex else {
      return rest
    }
    return rest[..<dot]
  }

  /// Takes off a text, which is in lower case.
  mutating func take(_ text: StaticString) -> Bool {
    let text = text.description.utf8
    guard rest.count >= text.count,
      zip(rest.suffix(text.count), text).allSatisfy({ NameText.lowerCase($0) == $1 })
    else { return false }
    rest.removeLast(text.count)
    return true
  }

  /// Takes off a run of digits if it is as long as this.
  mutating func takeDigits(_ count: ClosedRange<Int>) -> Bool {
    take(count) { $0 &- UInt8(ascii: "0") < 10 }
  }

  /// Takes off a run of bytes if it is as long as this.
  mutating func take(_ count: ClosedRange<Int>, of isMember: (UInt8) -> Bool) -> Bool {
    var length = 0
    while length < rest.count, isMember(rest[rest.endIndex - 1 - length]) { length += 1 }
    guard count.contains(length) else { return false }
    rest.removeLast(length)
    return true
  }

  /// Takes off a number without zeros in front.
  mutating func takeNumber(_ range: ClosedRange<Int>) -> Bool {
    var tail = self
    guard tail.takeDigits(1...9) else { return false }
    let digits = rest[tail.rest.endIndex...]
    guard digits.first != UInt8(ascii: "0"),
      let value = Int(String(decoding: digits, as: UTF8.self)), range.contains(value)
    else { return false }
    self = tail
    return true
  }

  /// Takes off `OPENING...CLOSING`, brackets of one kind in pairs, and returns what stood inside.
  mutating func takeGroup(_ opening: Unicode.Scalar, _ closing: Unicode.Scalar) -> ArraySlice<
    UInt8
  >? {
    guard rest.last == UInt8(ascii: closing) else { return nil }
    var level = 0
    for index in rest.indices.reversed() {
      if rest[index] == UInt8(ascii: closing) { level += 1 }
      if rest[index] == UInt8(ascii: opening) { level -= 1 }
      guard level == 0 else { continue }
      let inside = rest[(index + 1)..<(rest.endIndex - 1)]
      rest = rest[..<index]
      return inside
    }
    return nil
  }
}

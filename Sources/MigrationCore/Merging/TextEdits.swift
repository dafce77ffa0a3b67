/// Insertions and replacements in a text, which leave all other bytes as they are.
struct TextEdits {
  private struct Edit {
    var range: Range<Int>
    var bytes: [UInt8]
  }

  private var edits: [Edit] = []

  init() {}

  /// Whether the edits leave a text as it is.
  var isEmpty: Bool { edits.isEmpty }

  /// Inserts bytes in front of an offset, behind what is inserted there already.
  mutating func insert(_ bytes: [UInt8], at offset: Int) {
    edits.append(Edit(range: offset..<offset, bytes: bytes))
  }

  /// Replaces bytes.
  mutating func replace(_ range: Range<Int>, by bytes: [UInt8]) {
    edits.append(Edit(range: range, bytes: bytes))
  }

  /// Returns a text with the edits, which do not overlap.
  func applied(to text: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(text.count)
    var position = 0
    // A stable order: insertions at one offset stay in the order they came.
    let sorted = edits.enumerated().sorted { left, right in
      let (one, other) = (left.element.range, right.element.range)
      if one.lowerBound != other.lowerBound { return one.lowerBound < other.lowerBound }
      if one.isEmpty != other.isEmpty { return one.isEmpty }
      return left.offset < right.offset
    }
    for (_, edit) in sorted {
      output += text[position..<edit.range.lowerBound]
      output += edit.bytes
      position = edit.range.upperBound
    }
    return output + text[position...]
  }
}

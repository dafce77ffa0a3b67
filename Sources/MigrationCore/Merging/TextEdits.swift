/// Insertions and replacements in a text, which leave all other bytes as they are.
struct TextEdits {
  private struct Edit {
    var range: Range<Int>
    var bytes: [UInt8]
  }

  private var edits: [Edit] = []
  /// How many things the edits bring in.
  private(set) var count = 0

  init() {}

  /// Inserts bytes in front of an offset, behind what is inserted there already.
  mutating func insert(_ bytes: [UInt8], at offset: Int, count: Int) {
    edits.append(Edit(range: offset..<offset, bytes: bytes))
    self.count += count
  }

  /// Replaces bytes.
  mutating func replace(_ range: Range<Int>, by bytes: [UInt8]) {
    edits.append(Edit(range: range, bytes: bytes))
    count += 1
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

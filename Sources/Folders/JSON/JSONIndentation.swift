/// JSON laid out for people.
package enum JSONIndentation {
  /// Returns what a `JSONWriter` wrote with a member or element a line, two spaces a level, and a line
  /// end after the last.
  package static func lines(of compact: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(compact.count * 2)
    var depth = 0
    var isString = false
    for (place, byte) in compact.enumerated() {
      if isString {
        text.append(byte)
        if byte == UInt8(ascii: "\""), !isEscaped(place, in: compact) { isString = false }
        continue
      }
      let previous = place > 0 ? compact[place - 1] : 0
      switch byte {
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if previous != UInt8(ascii: "{"), previous != UInt8(ascii: "[") { newLine(depth, &text) }
      default:
        let isFirst = previous == UInt8(ascii: "{") || previous == UInt8(ascii: "[")
        if isFirst || previous == UInt8(ascii: ",") { newLine(depth, &text) }
      }
      text.append(byte)
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ":"): text.append(UInt8(ascii: " "))
      case UInt8(ascii: "\""): isString = true
      default: break
      }
    }
    text.append(UInt8(ascii: "\n"))
    return text
  }

  private static func newLine(_ depth: Int, _ text: inout [UInt8]) {
    text.append(UInt8(ascii: "\n"))
    text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  /// Whether a quote has an odd number of backslashes in front.
  private static func isEscaped(_ quote: Int, in text: [UInt8]) -> Bool {
    var start = quote
    while start > 0, text[start - 1] == UInt8(ascii: "\\") { start -= 1 }
    return !(quote - start).isMultiple(of: 2)
  }
}

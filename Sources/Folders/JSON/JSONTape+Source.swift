// Where values stand in the source, for programs that edit a file and leave the rest as it is.
extension JSONTape {
  /// Returns the bytes of the source that a value or a member's name takes, quotes and brackets
  /// included.
  package func sourceRange(of node: Int) -> Range<Int> {
    // An object's or array's end is the first closing bracket behind what it holds, so the way goes
    // down to the innermost last value and back.
    var open = [node]
    while nodes[open[open.count - 1]].isContainer, childCount(of: open[open.count - 1]) > 0 {
      open.append(lastChild(of: open[open.count - 1]))
    }
    var end = offset(of: node)
    while let value = open.popLast() {
      switch kind(of: value) {
      case .string: end = endOfString(at: offset(of: value))
      case .object, .array:
        end = childCount(of: value) > 0 ? end : offset(of: value) + 1
        end = endOfContainer(from: end)
      default: end = offset(of: value) + range(of: value).count
      }
    }
    return offset(of: node)..<end
  }

  /// Returns the last value that lies directly in a container which is not empty.
  package func lastChild(of container: Int) -> Int {
    let end = node(after: container)
    var child = container + 1
    let isObject = kind(of: container) == .object
    while true {
      let value = isObject ? child + 1 : child
      if node(after: value) == end { return value }
      child = node(after: value)
    }
  }

  private func endOfString(at quote: Int) -> Int {
    var position = quote + 1
    while position < sourceByteCount, text[position] != UInt8(ascii: "\"") {
      position += text[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position + 1, sourceByteCount)
  }

  /// Only spaces stand between the last value and the bracket.
  private func endOfContainer(from start: Int) -> Int {
    var position = start
    while position < sourceByteCount,
      text[position] != UInt8(ascii: "}"), text[position] != UInt8(ascii: "]")
    {
      position += 1
    }
    return min(position + 1, sourceByteCount)
  }
}

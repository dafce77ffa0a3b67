// The grammar of RFC 8259, strictly: no comments, no trailing commas, no repair by guess.
extension JSONTape {
  /// Parses the whole source: one value, with white space around it.
  mutating func parseSource() throws(JSONDefect) {
    guard sourceByteCount <= Self.largestSource else {
      throw JSONDefect(.tooLarge(limit: Self.largestSource), at: Self.largestSource)
    }
    try skipByteOrderMark()
    skipWhitespace()
    guard position < sourceByteCount else {
      throw JSONDefect(sourceByteCount == 0 ? .empty : .truncated, at: position)
    }
    try parseValue(depth: 1)
    skipWhitespace()
    if position < sourceByteCount { throw JSONDefect(.trailingContent, at: position) }
  }

  /// UTF-8 may begin with its mark; the marks and the zero bytes of other encodings name them.
  private mutating func skipByteOrderMark() throws(JSONDefect) {
    guard sourceByteCount >= 2 else { return }
    let first = text[0]
    let second = text[1]
    if first == 0xef, second == 0xbb, sourceByteCount >= 3, text[2] == 0xbf {
      position = 3
      if sourceByteCount == 3 { throw JSONDefect(.empty, at: 3) }
    } else if first == 0xfe && second == 0xff || first == 0xff && second == 0xfe
      || first == 0 || second == 0
    {
      throw JSONDefect(.otherEncoding("UTF-16 or UTF-32"), at: 0)
    }
  }

  private mutating func skipWhitespace() {
    while position < sourceByteCount {
      switch text[position] {
      case 0x20, 0x0a, 0x0d, 0x09: position &+= 1
      default: return
      }
    }
  }

  private mutating func parseValue(depth: Int) throws(JSONDefect) {
    guard position < sourceByteCount else { throw JSONDefect(.truncated, at: position) }
    switch text[position] {
    case UInt8(ascii: "\""): try parseString()
    case UInt8(ascii: "{"): try parseObject(depth: depth)
    case UInt8(ascii: "["): try parseArray(depth: depth)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber()
    case UInt8(ascii: "t"): try parseWord("true", .true)
    case UInt8(ascii: "f"): try parseWord("false", .false)
    case UInt8(ascii: "n"): try parseWord("null", .null)
    case let byte: throw JSONDefect(.unexpectedByte(byte, expected: .value), at: position)
    }
  }

  private mutating func parseObject(depth: Int) throws(JSONDefect) {
    let object = try open(.object, depth: depth)
    var count = 0
    skipWhitespace()
    if position < sourceByteCount, text[position] == UInt8(ascii: "}") {
      position += 1
      return close(object, children: 0)
    }
    while true {
      guard position < sourceByteCount else { throw JSONDefect(.truncated, at: position) }
      guard text[position] == UInt8(ascii: "\"") else {
        throw JSONDefect(
          .unexpectedByte(text[position], expected: count == 0 ? .memberNameOrEnd : .memberName),
          at: position)
      }
      try parseString()
      skipWhitespace()
      try expect(UInt8(ascii: ":"), .colon)
      skipWhitespace()
      try parseValue(depth: depth + 1)
      count += 1
      skipWhitespace()
      if try isAtEnd(UInt8(ascii: "}"), .commaOrObjectEnd) { break }
      skipWhitespace()
    }
    close(object, children: count)
    try refuseDuplicateMembers(of: object)
  }

  private mutating func parseArray(depth: Int) throws(JSONDefect) {
    let array = try open(.array, depth: depth)
    var count = 0
    skipWhitespace()
    if position < sourceByteCount, text[position] == UInt8(ascii: "]") {
      position += 1
      return close(array, children: 0)
    }
    while true {
      try parseValue(depth: depth + 1)
      count += 1
      skipWhitespace()
      if try isAtEnd(UInt8(ascii: "]"), .commaOrArrayEnd) { break }
      skipWhitespace()
    }
    close(array, children: count)
  }

  private mutating func open(_ kind: JSONNode.Kind, depth: Int) throws(JSONDefect) -> Int {
    if depth > depthLimit { throw JSONDefect(.tooDeep(limit: depthLimit), at: position) }
    let index = nodes.count
    try append(kind, offset: position, start: position, length: 0)
    position += 1
    return index
  }

  private mutating func close(_ container: Int, children: Int) {
    nodes[container].length = UInt32(truncatingIfNeeded: children)
    nodes[container].end = UInt32(truncatingIfNeeded: nodes.count)
  }

  /// Steps over a comma, or over the end of the container and says so.
  private mutating func isAtEnd(
    _ end: UInt8, _ expected: JSONDefect.Expectation
  ) throws(JSONDefect) -> Bool {
    guard position < sourceByteCount else { throw JSONDefect(.truncated, at: position) }
    let byte = text[position]
    guard byte == end || byte == UInt8(ascii: ",") else {
      throw JSONDefect(.unexpectedByte(byte, expected: expected), at: position)
    }
    position += 1
    return byte == end
  }

  private mutating func expect(
    _ byte: UInt8, _ expected: JSONDefect.Expectation
  ) throws(JSONDefect) {
    guard position < sourceByteCount else { throw JSONDefect(.truncated, at: position) }
    guard text[position] == byte else {
      throw JSONDefect(.unexpectedByte(text[position], expected: expected), at: position)
    }
    position += 1
  }

  private mutating func parseWord(
    _ word: String, _ kind: JSONNode.Kind
  ) throws(JSONDefect) {
    let start = position
    for expected in word.utf8 {
      guard position < sourceByteCount else { throw JSONDefect(.truncated, at: position) }
      guard text[position] == expected else {
        throw JSONDefect(.unexpectedByte(text[position], expected: .value), at: position)
      }
      position += 1
    }
    try append(kind, offset: start, start: start, length: position - start)
  }

  /// Appends one node; a container's length and end are set when it closes.
  mutating func append(
    _ kind: JSONNode.Kind, offset: Int, start: Int, length: Int
  ) throws(JSONDefect) {
    guard nodes.count < Self.largestNodeCount else {
      throw JSONDefect(.tooManyValues(limit: Self.largestNodeCount), at: offset)
    }
    // The source is at most 64 MiB and its decoded strings are no longer, so all of these fit.
    nodes.append(
      JSONNode(
        offset: UInt32(truncatingIfNeeded: offset), start: UInt32(truncatingIfNeeded: start),
        length: UInt32(truncatingIfNeeded: length),
        end: UInt32(truncatingIfNeeded: nodes.count + 1), kind: kind))
  }
}

// MARK: - Numbers

extension JSONTape {
  private mutating func parseNumber() throws(JSONDefect) {
    let start = position
    if text[position] == UInt8(ascii: "-") { position += 1 }
    if position < sourceByteCount, text[position] == UInt8(ascii: "0") {
      position += 1
      if position < sourceByteCount, Self.isDigit(text[position]) {
        throw JSONDefect(.invalidNumber, at: start)
      }
    } else {
      try skipDigits(ofNumberAt: start)
    }
    if position < sourceByteCount, text[position] == UInt8(ascii: ".") {
      position += 1
      try skipDigits(ofNumberAt: start)
    }
    if position < sourceByteCount, text[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < sourceByteCount,
        text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      try skipDigits(ofNumberAt: start)
    }
    try append(.number, offset: start, start: start, length: position - start)
  }

  private mutating func skipDigits(ofNumberAt start: Int) throws(JSONDefect) {
    let first = position
    while position < sourceByteCount, Self.isDigit(text[position]) { position += 1 }
    if position == first {
      let isCut = position == sourceByteCount
      throw JSONDefect(isCut ? .truncated : .invalidNumber, at: isCut ? position : start)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10
  }
}

// MARK: - Members

extension JSONTape {
  /// Small objects are compared pair by pair, large ones by sorting, so that no object costs more
  /// than its size times its logarithm.
  private mutating func refuseDuplicateMembers(of object: Int) throws(JSONDefect) {
    let count = childCount(of: object)
    if count < 2 { return }
    var duplicate: Int?
    if count <= 12 {
      let end = node(after: object)
      var name = node(after: object + 1 + 1)
      while name < end, duplicate == nil {
        var earlier = object + 1
        while earlier < name {
          if nodes[earlier].length == nodes[name].length, isEqual(earlier, name) {
            duplicate = name
          }
          earlier = node(after: earlier + 1)
        }
        name = node(after: name + 1)
      }
    } else {
      names.removeAll(keepingCapacity: true)
      appendSortedMembers(of: object, to: &names)
      for (left, right) in zip(names, names.dropFirst()) where isEqual(Int(left), Int(right)) {
        duplicate = min(duplicate ?? .max, Int(max(left, right)))
      }
    }
    guard let duplicate else { return }
    throw JSONDefect(
      .duplicateMember(name: displayedString(at: duplicate)),
      at: Int(nodes[duplicate].offset))
  }
}

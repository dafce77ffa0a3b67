import Diagnostics

/// A JSON text as one flat array of nodes in the order of the text.
///
/// A tape keeps what a general decoder loses: the digits of every number, the order of members, the
/// offset of every value, and the difference between absent, `null` and empty. It is meant to be
/// reused: after the first few files, reading another one allocates nothing.
///
/// An object's node is followed by pairs of a member name (a string node) and a value, an array's
/// by its elements, each with all of its content. `node(after:)` steps over a value in one move:
///
///     {"a":[1,2],"b":null}   object 0 | name 1 | array 2 | number 3 | number 4 | name 5 | null 6
package struct JSONTape: Sendable {
  /// How deep objects and arrays may lie in each other; the outermost one is 1.
  package static let standardDepth = 128
  /// The largest source, so that hostile input costs bounded memory.
  package static let largestSource = 64 << 20
  /// The largest number of nodes, so that hostile input costs bounded memory.
  package static let largestNodeCount = 1 << 22

  /// The source, followed by the strings that had escapes, decoded.
  ///
  /// Fill it with a file's bytes and call `parse()`.
  package var text: [UInt8] = []
  /// The nodes; the first one is the whole value.
  package internal(set) var nodes: [JSONNode] = []
  /// The number of bytes of the source; what follows in `text` are decoded strings.
  package internal(set) var sourceByteCount = 0

  /// The offset of the next byte to parse.
  var position = 0
  var depthLimit = standardDepth
  /// Scratch space for comparing the names of one object's members.
  var names: [UInt32] = []

  /// Creates an empty tape.
  package init() {}

  /// Parses the bytes in `text`, replacing all nodes.
  ///
  /// A byte order mark at the start is skipped. After an error the tape has no nodes, and `text` is
  /// still the source.
  package mutating func parse(depthLimit: Int = standardDepth) throws(JSONDefect) {
    sourceByteCount = text.count
    position = 0
    self.depthLimit = depthLimit
    nodes.removeAll(keepingCapacity: true)
    do {
      try parseSource()
    } catch {
      nodes.removeAll(keepingCapacity: true)
      text.removeLast(text.count - sourceByteCount)
      throw error
    }
  }

  /// Copies `source` to `text` and parses it.
  package mutating func parse(
    _ source: some Sequence<UInt8>, depthLimit: Int = standardDepth
  ) throws(JSONDefect) {
    text.removeAll(keepingCapacity: true)
    text.append(contentsOf: source)
    try parse(depthLimit: depthLimit)
  }
}

/// One value, or one member name, on a `JSONTape`.
package struct JSONNode: Sendable {
  /// The type of a value.
  package enum Kind: UInt8, Sendable {
    case null, `false`, `true`, number, string, array, object
  }

  /// The offset in the source where the value begins (of a string, its opening quote).
  package let offset: UInt32
  /// Where the decoded string or the number's literal begins in the tape's text.
  let start: UInt32
  /// The bytes of the decoded string or literal; of a container, the number of its children.
  var length: UInt32
  /// The index of the first node that is not part of this value.
  var end: UInt32
  /// The type of the value; a member name is a string.
  package let kind: Kind

  /// Whether the value is an object or an array.
  package var isContainer: Bool { kind == .array || kind == .object }
  /// Whether the value is `true` or `false`.
  package var isBoolean: Bool { kind == .true || kind == .false }
}

// What the text of a string or number means in the data of a folder.
extension JSONTape {
  /// Returns the identity that a string names, `nil` if it is no UUID.
  package func identity(at node: Int) -> Identity? {
    Identity(text.span.extracting(range(of: node)))
  }

  /// Returns the moment that a string names, `nil` if it is no RFC 3339 date.
  package func moment(at node: Int) -> RFC3339? {
    RFC3339(text.span.extracting(range(of: node)))
  }

  /// Returns the moment that a number counts, `nil` if it has no RFC 3339 form.
  package func moment(at node: Int, counting dates: NumericDates) -> RFC3339? {
    dates.moment(text.span.extracting(range(of: node)))
  }

  /// Returns the exact value of a number.
  package func number(at node: Int) -> ExactNumber {
    ExactNumber(text.span.extracting(range(of: node)))
  }

  /// Returns the text of a member that is a string, `nil` if there is none.
  package func string(_ name: String, of object: Int = 0) -> ArraySlice<UInt8>? {
    guard let node = member(name, of: object), kind(of: node) == .string else { return nil }
    return text[range(of: node)]
  }

  /// Returns a member as `JSONWriter.member(_:anyBytes:)` writes it.
  package func anyBytes(_ name: String, of object: Int = 0) -> [UInt8]? {
    if let text = string(name, of: object) { return Array(text) }
    return string(name + "Bytes", of: object).flatMap(HexDigit.bytes)
  }
}

// How the rest of the program walks a tape. Nodes are named by their index.
extension JSONTape {
  /// Returns the type of a value.
  package func kind(of node: Int) -> JSONNode.Kind { nodes[node].kind }

  /// Returns the index of the first node that is not part of `node`.
  package func node(after node: Int) -> Int { Int(nodes[node].end) }

  /// Returns the number of elements of an array or of members of an object.
  package func childCount(of container: Int) -> Int { Int(nodes[container].length) }

  /// Returns the offset of a value in the source.
  package func offset(of node: Int) -> Int { Int(nodes[node].offset) }

  /// Returns where in `text` the decoded string, the number's literal or the word lies.
  ///
  /// Use it as `tape.text.span.extracting(tape.range(of: node))`: no bytes are copied.
  package func range(of node: Int) -> Range<Int> {
    let node = nodes[node]
    let start = Int(node.start)
    return node.isContainer ? start..<start : start..<start + Int(node.length)
  }

  /// Returns the bytes of a decoded string or of a number's literal as a new array.
  package func bytes(of node: Int) -> [UInt8] { Array(text[range(of: node)]) }

  /// Returns the decoded string for a message, shortened and with control characters escaped.
  package func displayedString(at node: Int) -> String {
    let range = range(of: node)
    let shown = DisplayText.escaping(text[range].prefix(80))
    return range.count > 80 ? shown + "..." : shown
  }

  /// Returns whether two strings, or two literals, have the same bytes.
  package func isEqual(_ left: Int, _ right: Int) -> Bool {
    let first = range(of: left)
    let second = range(of: right)
    guard first.count == second.count else { return false }
    let bytes = text.span
    var distance = 0
    while distance < first.count {
      if bytes[first.lowerBound &+ distance] != bytes[second.lowerBound &+ distance] {
        return false
      }
      distance &+= 1
    }
    return true
  }

  /// Returns whether a string has exactly these bytes.
  package func isEqual(_ node: Int, to other: some Collection<UInt8>) -> Bool {
    let range = range(of: node)
    return range.count == other.count && text[range].elementsEqual(other)
  }

  /// Returns whether a string has exactly these bytes.
  package func isEqual(_ node: Int, to other: Span<UInt8>) -> Bool {
    text.span.extracting(range(of: node)).isEqual(to: other)
  }

  /// Returns whether the bytes of one string come before those of another.
  package func precedes(_ left: Int, _ right: Int) -> Bool {
    let first = range(of: left)
    let second = range(of: right)
    let bytes = text.span
    var distance = 0
    while distance < first.count, distance < second.count {
      let one = bytes[first.lowerBound &+ distance]
      let other = bytes[second.lowerBound &+ distance]
      if one != other { return one < other }
      distance &+= 1
    }
    return first.count < second.count
  }

  /// Returns the value of the member of that name, or `nil` if there is none.
  package func member(_ name: String, of object: Int) -> Int? {
    value(named: name.utf8, of: object)
  }

  /// Returns the value of the member of that name in UTF-8, or `nil` if there is none.
  package func member(_ name: [UInt8], of object: Int) -> Int? { value(named: name, of: object) }

  private func value(named name: some Collection<UInt8>, of object: Int) -> Int? {
    var member = object + 1
    let end = node(after: object)
    while member < end {
      if isEqual(member, to: name) { return member + 1 }
      member = node(after: member + 1)
    }
    return nil
  }

  /// Appends the name nodes of an object's members, in the order of the text.
  package func appendMembers(of object: Int, to names: inout [UInt32]) {
    var member = object + 1
    let end = node(after: object)
    while member < end {
      names.append(UInt32(truncatingIfNeeded: member))
      member = node(after: member + 1)
    }
  }

  /// Appends the name nodes of an object's members, ascending by the UTF-8 bytes of the names.
  ///
  /// The value of a member is the node after its name. What was in `names` before stays, so that
  /// one array can serve as the stack of a walk through nested objects.
  package func appendSortedMembers(of object: Int, to names: inout [UInt32]) {
    let base = names.count
    appendMembers(of: object, to: &names)
    let isSorted = zip(names[base...], names[base...].dropFirst()).allSatisfy {
      !precedes(Int($1), Int($0))
    }
    if isSorted { return }
    guard names.count - base <= 32 else {
      return names[base...].sort { precedes(Int($0), Int($1)) }
    }
    // Nearly all objects are so small that each member is at its place after a few exchanges.
    for index in base + 1..<names.count {
      var place = index
      while place > base, precedes(Int(names[place]), Int(names[place - 1])) {
        names.swapAt(place, place - 1)
        place -= 1
      }
    }
  }
}

import Diagnostics

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
    let utf8 = name.utf8
    var member = object + 1
    let end = node(after: object)
    while member < end {
      if isEqual(member, to: utf8) { return member + 1 }
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
    if !isSorted { names[base...].sort { precedes(Int($0), Int($1)) } }
  }
}

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

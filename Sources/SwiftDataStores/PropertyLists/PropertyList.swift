/// A property list that was read whole: a table of objects that name each other by their positions.
///
/// Nothing in it contains itself, and no object is deeper than `maximumDepth`. An object may be named
/// by many, so a walk over all paths can be long; whoever walks counts.
package struct PropertyList: Sendable {
  /// How deep objects may lie in one another.
  package static let maximumDepth = 128
  /// How many objects there may be.
  package static let maximumCount = 1 << 20
  /// How many bytes one may have, inflated.
  package static let maximumByteCount = 16 << 20

  /// One object; ranges are of bytes of `bytes`, or of positions in `references`.
  enum Node: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// Above what a signed number holds.
    case unsigned(UInt64)
    case real(Double)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    case data(Range<Int>)
    case utf8(Range<Int>)
    /// Big-endian.
    case utf16(Range<Int>)
    /// A reference of a keyed archive.
    case identifier(UInt64)
    case array(Range<Int>)
    /// The keys, then as many values.
    case dictionary(Range<Int>)
  }

  /// What data and strings are ranges of.
  var bytes: [UInt8]
  var nodes: [Node] = []
  /// Where each object was read, for errors.
  var offsets: [Int] = []
  var references: [Int] = []
  var rootNode = 0

  /// Reads a property list, binary or XML.
  package init(_ bytes: [UInt8]) throws(PropertyListError) {
    guard bytes.count <= Self.maximumByteCount else {
      throw PropertyListError(.limitExceeded("bytes"), at: Self.maximumByteCount)
    }
    if BinaryPropertyListReader.recognizes(bytes) {
      self = try BinaryPropertyListReader.read(bytes)
    } else if XMLPropertyListReader.recognizes(bytes) {
      self = try XMLPropertyListReader.read(bytes)
    } else {
      throw PropertyListError(.unknownFormat, at: 0)
    }
    try requireBounds()
  }

  init(bytesOf bytes: [UInt8]) { self.bytes = bytes }

  /// The outermost object.
  package var root: PropertyListValue { PropertyListValue(list: self, node: rootNode) }

  /// Throws if an object contains itself, or lies deeper than any may.
  private func requireBounds() throws(PropertyListError) {
    // Zero is not seen yet, -1 is being walked, else how many levels the object has.
    var levels = [Int](repeating: 0, count: nodes.count)
    var path: [(node: Int, next: Int)] = []
    func enter(_ node: Int) throws(PropertyListError) {
      guard path.count < Self.maximumDepth else {
        throw PropertyListError(.limitExceeded("levels"), at: offsets[node])
      }
      levels[node] = -1
      path.append((node, 0))
    }
    try enter(rootNode)
    while let (node, next) = path.last {
      let children = children(of: node)
      guard next < children.count else {
        var deepest = 0
        for child in children { deepest = max(deepest, levels[references[child]]) }
        levels[node] = deepest + 1
        path.removeLast()
        continue
      }
      path[path.count - 1].next += 1
      let child = references[children.lowerBound + next]
      switch levels[child] {
      case -1: throw PropertyListError(.cycle, at: offsets[child])
      case 0: try enter(child)
      case let height:
        guard path.count + height <= Self.maximumDepth else {
          throw PropertyListError(.limitExceeded("levels"), at: offsets[child])
        }
      }
    }
  }

  private func children(of node: Int) -> Range<Int> {
    switch nodes[node] {
    case .array(let range), .dictionary(let range): range
    default: 0..<0
    }
  }
}

/// One object of a property list.
package struct PropertyListValue: Sendable {
  let list: PropertyList
  let node: Int

  /// Where it was read, in bytes from the start of the list.
  package var offset: Int { list.offsets[node] }

  /// The string; nil for anything else, and for one that is no valid Unicode.
  package var text: String? {
    switch list.nodes[node] {
    case .utf8(let range):
      return String(validating: list.bytes[range], as: UTF8.self)
    case .utf16(let range):
      let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
        UInt16(list.bytes[$0]) << 8 | UInt16(list.bytes[$0 + 1])
      }
      return String(validating: units, as: UTF16.self)
    default: return nil
    }
  }

  /// The whole number; nil for anything else.
  package var integer: Int64? {
    if case .integer(let value) = list.nodes[node] { value } else { nil }
  }

  /// The truth value, also of a number as archives have it; nil for anything else.
  package var boolean: Bool? {
    switch list.nodes[node] {
    case .boolean(let value): value
    case .integer(let value): value != 0
    default: nil
    }
  }

  /// The bytes; nil for anything that is no data.
  package var data: [UInt8]? {
    if case .data(let range) = list.nodes[node] { Array(list.bytes[range]) } else { nil }
  }

  /// Seconds since 2001-01-01 UTC; nil for anything but a date.
  package var secondsSince2001: Double? {
    if case .date(let value) = list.nodes[node] { value } else { nil }
  }

  /// The floating-point number; nil for anything else.
  package var real: Double? {
    if case .real(let value) = list.nodes[node] { value } else { nil }
  }

  /// The reference of a keyed archive, as XML has it, too; nil for anything else.
  package var identifier: Int? {
    switch list.nodes[node] {
    case .identifier(let value): return Int(exactly: value)
    case .dictionary(let range) where range.count == 2:
      let key = PropertyListValue(list: list, node: list.references[range.lowerBound])
      guard key.text == "CF$UID" else { return nil }
      return PropertyListValue(list: list, node: list.references[range.lowerBound + 1]).integer
        .flatMap { Int(exactly: $0) }
    default: return nil
    }
  }

  /// How many bytes a string or data takes in the list; nil for anything else. Many objects may be one
  /// string: whoever copies strings looks at this first.
  package var byteCount: Int? {
    switch list.nodes[node] {
    case .utf8(let range), .utf16(let range), .data(let range): range.count
    default: nil
    }
  }

  /// How many elements or members it has; nil for anything that has none.
  package var count: Int? {
    switch list.nodes[node] {
    case .array(let range): range.count
    case .dictionary(let range): range.count / 2
    default: nil
    }
  }

  /// The elements of an array or a set; nil for anything else.
  package var elements: PropertyListElements? {
    if case .array(let range) = list.nodes[node] {
      PropertyListElements(list: list, range: range)
    } else {
      nil
    }
  }

  /// The members of a dictionary, in its order; nil for anything else.
  package var members: (keys: PropertyListElements, values: PropertyListElements)? {
    guard case .dictionary(let range) = list.nodes[node] else { return nil }
    let middle = range.lowerBound + range.count / 2
    return (
      PropertyListElements(list: list, range: range.lowerBound..<middle),
      PropertyListElements(list: list, range: middle..<range.upperBound)
    )
  }

  /// The value of a dictionary's first member with this name. Looks at one key after the other.
  package subscript(name: StaticString) -> PropertyListValue? {
    guard let (keys, values) = members else { return nil }
    for index in keys.indices where keys[index].isText(name) { return values[index] }
    return nil
  }

  private func isText(_ name: StaticString) -> Bool {
    switch list.nodes[node] {
    case .utf8(let range):
      range.count == name.utf8CodeUnitCount
        && list.bytes[range].elementsEqual(name.description.utf8)
    case .utf16: text.map { $0.utf8.elementsEqual(name.description.utf8) } ?? false
    default: false
    }
  }
}

/// The elements of an array, or the keys or values of a dictionary.
package struct PropertyListElements: RandomAccessCollection, Sendable {
  let list: PropertyList
  let range: Range<Int>

  package var startIndex: Int { 0 }
  package var endIndex: Int { range.count }
  package subscript(index: Int) -> PropertyListValue {
    PropertyListValue(list: list, node: list.references[range.lowerBound + index])
  }
}

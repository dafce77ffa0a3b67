/// The types that a stream names for values of one line, by their nodes.
package struct StreamTypes: Sendable {
  /// Ascending by node once they are sorted.
  private var nodes: [(node: Int, type: StreamType)] = []

  /// Creates a table of none, which is what files have.
  package init() {}

  package var isEmpty: Bool { nodes.isEmpty }
  var count: Int { nodes.count }

  /// Returns the type of a value; nil if it has the type that its JSON shows.
  package subscript(node: Int) -> StreamType? {
    if nodes.isEmpty { return nil }
    let index = firstIndex(from: node)
    return index < nodes.count && nodes[index].node == node ? nodes[index].type : nil
  }

  /// Returns whether some value of a range of nodes has a type.
  package func holds(_ range: Range<Int>) -> Bool {
    let index = firstIndex(from: range.lowerBound)
    return index < nodes.count && nodes[index].node < range.upperBound
  }

  mutating func append(_ type: StreamType, at node: Int) { nodes.append((node, type)) }
  mutating func sort() { nodes.sort { $0.node < $1.node } }
  mutating func removeAll() { nodes.removeAll(keepingCapacity: true) }

  private func firstIndex(from node: Int) -> Int {
    var range = nodes.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        nodes[middle].node < node
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}

/// A type that JSON cannot show, as the `types` of an interchange stream name it.
package enum StreamType: Hashable, Sendable {
  case timestamp, bytes, counter, uint, f64, text
  /// A string in the place of what would be read from one.
  case string
  /// A value type that this version does not know, by its code in the format (10 to 15).
  case unknown(UInt8)

  /// Parses a name: `timestamp`, `bytes`, `counter`, `uint`, `f64`, `text`, `string` or
  /// `unknown:N`.
  package init?(name: Span<UInt8>) {
    switch String(decoding: Array(name), as: UTF8.self) {
    case "timestamp": self = .timestamp
    case "bytes": self = .bytes
    case "counter": self = .counter
    case "uint": self = .uint
    case "f64": self = .f64
    case "text": self = .text
    case "string": self = .string
    case let other:
      guard other.hasPrefix("unknown:"), let code = UInt8(other.dropFirst(8)), 10...15 ~= code,
        other == "unknown:\(code)"
      else { return nil }
      self = .unknown(code)
    }
  }

  /// The name in a stream.
  package var name: String {
    switch self {
    case .timestamp: "timestamp"
    case .bytes: "bytes"
    case .counter: "counter"
    case .uint: "uint"
    case .f64: "f64"
    case .text: "text"
    case .string: "string"
    case .unknown(let code): "unknown:\(code)"
    }
  }

  /// Returns the Automerge value of a node that has the type; nil if it is none.
  package func value(of node: Int, on tape: JSONTape) -> FieldValue? {
    let kind = tape.kind(of: node)
    let text = tape.text.span.extracting(tape.range(of: node))
    switch (self, kind) {
    case (.text, .string):
      return .text
    case (.string, .string):
      return .string
    case (.bytes, .string):
      return Base64.decode(text).map(FieldValue.bytes)
    case (.unknown(let code), .string):
      return Base64.decode(text).map { .unknown(code: code, bytes: $0) }
    case (.timestamp, .string):
      return tape.moment(at: node).map { .timestamp($0.milliseconds) }
    case (.timestamp, .number), (.counter, .number):
      guard case .int(let value) = tape.number(at: node) else { return nil }
      return self == .timestamp ? .timestamp(value) : .counter(value)
    case (.uint, .number):
      switch tape.number(at: node) {
      case .uint(let value): return .uint(value)
      case .int(let value): return UInt64(exactly: value).map(FieldValue.uint)
      default: return nil
      }
    case (.f64, .number):
      switch tape.number(at: node) {
      case .double(let value): return .double(value)
      case .int(let value): return Double(exactly: value).map(FieldValue.double)
      case .uint(let value): return Double(exactly: value).map(FieldValue.double)
      case .notRepresentable: return nil
      }
    case (.f64, .string):
      // JSON has no literals for these.
      if tape.isEqual(node, to: "NaN".utf8) { return .double(.nan) }
      if tape.isEqual(node, to: "Infinity".utf8) { return .double(.infinity) }
      if tape.isEqual(node, to: "-Infinity".utf8) { return .double(-.infinity) }
      return nil
    default:
      return nil
    }
  }
}

/// A type that JSON cannot show, as the `types` of an interchange stream name it.
package enum StreamType: Hashable, Sendable {
  case timestamp, bytes, counter, uint, f64, text
  /// A value type that this version does not know, by its code in the format (10 to 15).
  case unknown(UInt8)

  /// Parses a name: `timestamp`, `bytes`, `counter`, `uint`, `f64`, `text` or `unknown:N`.
  package init?(name: Span<UInt8>) {
    switch String(decoding: Array(name), as: UTF8.self) {
    case "timestamp": self = .timestamp
    case "bytes": self = .bytes
    case "counter": self = .counter
    case "uint": self = .uint
    case "f64": self = .f64
    case "text": self = .text
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
    case .unknown(let code): "unknown:\(code)"
    }
  }
}

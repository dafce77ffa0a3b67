#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The author of changes: usually 16 random bytes.
public struct ActorId: Equatable, Hashable, Sendable {
  // Nearly all ids have 16 bytes, and a month of an import has two of them for each record: an array
  // each would be three times as much memory.
  private enum Storage: Equatable, Sendable {
    /// Sixteen bytes as two big-endian words. Such an id is never stored otherwise.
    case words(UInt64, UInt64)
    case bytes([UInt8])
  }

  private let storage: Storage

  /// The bytes of the id.
  public var bytes: [UInt8] {
    switch storage {
    case .words:
      var bytes: [UInt8] = []
      bytes.reserveCapacity(16)
      append(to: &bytes)
      return bytes
    case .bytes(let bytes):
      return bytes
    }
  }

  /// The bytes of the id, as `init(data:)` takes them.
  public var data: Data { Data(bytes) }

  /// Makes a random id.
  public init() {
    self.init(uuid: UUID())
  }

  /// Makes an id of the 16 bytes of `uuid`.
  public init(uuid: UUID) {
    let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = uuid.uuid
    self.init(bytes: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
  }

  /// Makes an id of any bytes; nil for more than 128.
  public init?(data: Data) {
    guard data.count <= 128 else { return nil }
    self.init(bytes: [UInt8](data))
  }

  /// Parses hexadecimal digits of either case; nil for anything else and for more than 128 bytes.
  public init?(hex: String) {
    guard let bytes = [UInt8](hexDigits: hex), bytes.count <= 128 else { return nil }
    self.init(bytes: bytes)
  }

  /// Takes the bytes as they are: documents may hold ids of any length.
  package init(bytes: [UInt8]) {
    self.init(bytes: bytes, in: 0..<bytes.count)
  }

  /// Takes the bytes that stand at `range`.
  init(bytes: [UInt8], in range: Range<Int>) {
    guard range.count == 16 else {
      storage = .bytes([UInt8](bytes[range]))
      return
    }
    func word(_ start: Int) -> UInt64 {
      var word: UInt64 = 0
      for index in start..<start + 8 { word = word &<< 8 | UInt64(bytes[index]) }
      return word
    }
    storage = .words(word(range.lowerBound), word(range.lowerBound + 8))
  }

  /// Takes two big-endian words.
  init(words high: UInt64, _ low: UInt64) {
    storage = .words(high, low)
  }

  /// The number of bytes.
  var byteCount: Int {
    switch storage {
    case .words: 16
    case .bytes(let bytes): bytes.count
    }
  }

  /// Appends the bytes.
  func append(to output: inout [UInt8]) {
    switch storage {
    case .words(let high, let low):
      output.appendBigEndian(high, low)
    case .bytes(let bytes):
      output.append(contentsOf: bytes)
    }
  }
}

extension ActorId {
  /// Puts the bytes at a position in the place of as many.
  func replace(in output: inout [UInt8], at position: Int) {
    switch storage {
    case .words(let high, let low):
      output.replaceBigEndian(high, at: position)
      output.replaceBigEndian(low, at: position + 8)
    case .bytes(let bytes):
      output.replaceSubrange(position..<position + bytes.count, with: bytes)
    }
  }

  /// A number that is another one for most other actors. Whoever writes a change chooses its actor, so the
  /// words are multiplied with those of a key that differs from process to process.
  var keyedWord: UInt64 {
    switch storage {
    case .words(let high, let low):
      let product = (high ^ Self.key.0).multipliedFullWidth(by: low ^ Self.key.1)
      return product.high ^ product.low
    case .bytes: return UInt64(truncatingIfNeeded: hashValue)
    }
  }

  private static let key = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
}

extension Array where Element == UInt8 {
  /// Appends an actor's id with its length in front.
  mutating func appendPrefixed(_ actor: ActorId) {
    appendULEB(actor.byteCount)
    actor.append(to: &self)
  }
}

extension ActorId {
  public func hash(into hasher: inout Hasher) {
    switch storage {
    case .words(let high, let low):
      hasher.combine(high)
      hasher.combine(low)
    case .bytes(let bytes):
      // One call for all bytes: an array would hash them one by one.
      bytes.combine(into: &hasher)
    }
  }
}

extension ActorId: Comparable {
  /// Compares as unsigned bytes; a prefix is smaller (format.md 5.1).
  public static func < (left: ActorId, right: ActorId) -> Bool {
    if case .words(let high, let low) = left.storage,
      case .words(let otherHigh, let otherLow) = right.storage
    {
      return high != otherHigh ? high < otherHigh : low < otherLow
    }
    let (left, right) = (left.bytes, right.bytes)
    return left.compare(0..<left.count, to: right, 0..<right.count) < 0
  }
}

extension ActorId: CustomStringConvertible {
  /// Upper-case hexadecimal digits.
  public var description: String { bytes.hexDigits.uppercased() }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The author of changes: usually 16 random bytes.
public struct ActorId: Equatable, Hashable, Sendable {
  /// The bytes of the id.
  public let bytes: [UInt8]

  /// The bytes of the id, as `init(data:)` takes them.
  public var data: Data { Data(bytes) }

  /// Makes a random id.
  public init() {
    self.init(uuid: UUID())
  }

  /// Makes an id of the 16 bytes of `uuid`.
  public init(uuid: UUID) {
    let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = uuid.uuid
    bytes = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
  }

  /// Makes an id of any bytes; nil for more than 128.
  public init?(data: Data) {
    guard data.count <= 128 else { return nil }
    bytes = [UInt8](data)
  }

  /// Parses hexadecimal digits of either case; nil for anything else and for more than 128 bytes.
  public init?(hex: String) {
    guard let bytes = [UInt8](hexDigits: hex), bytes.count <= 128 else { return nil }
    self.bytes = bytes
  }

  /// Takes the bytes as they are: documents may hold ids of any length.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }
}

extension ActorId {
  public func hash(into hasher: inout Hasher) {
    // One call for all bytes: an array would hash them one by one.
    bytes.combine(into: &hasher)
  }
}

extension ActorId: Comparable {
  /// Compares as unsigned bytes; a prefix is smaller (format.md 5.1).
  public static func < (left: ActorId, right: ActorId) -> Bool {
    left.bytes.compare(0..<left.bytes.count, to: right.bytes, 0..<right.bytes.count) < 0
  }
}

extension ActorId: CustomStringConvertible {
  /// Upper-case hexadecimal digits.
  public var description: String { bytes.hexDigits.uppercased() }
}

/// A place in a list or text that moves with the elements around it.
public struct Cursor: Equatable, Hashable, Sendable {
  /// The encoded form (format.md 10).
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }
}

extension Cursor: CustomStringConvertible {
  /// Upper-case hexadecimal digits.
  public var description: String { bytes.hexDigits.uppercased() }
}

extension Cursor {
  /// What a cursor holds on to.
  enum Target: Equatable {
    case start
    case end
    /// An operation of an element; once the element is gone, the place before or behind it.
    case operation(actor: ActorId, counter: UInt32, movesBefore: Bool)
  }

  private static let version: UInt8 = 1
  private static let olderVersion: UInt8 = 0

  init(_ target: Target) {
    switch target {
    case .start: bytes = [Self.version, 1]
    case .end: bytes = [Self.version, 2]
    case .operation(let actor, let counter, let movesBefore):
      var bytes = [Self.version, 3]
      bytes.appendPrefixed(actor)
      bytes.appendULEB(UInt64(counter))
      bytes.append(movesBefore ? 1 : 2)
      self.bytes = bytes
    }
  }

  /// Nil for bytes that are no cursor.
  var target: Target? {
    // A cursor that cannot be read has no target; why does not matter.
    try? parse()
  }

  private func parse() throws(FormatError) -> Target? {
    var reader = ByteReader(bytes)
    let version = try reader.readByte()
    guard version <= Self.version else { return nil }
    if version == Self.version {
      switch try reader.readByte() {
      case 1: return reader.isAtEnd ? .start : nil
      case 2: return reader.isAtEnd ? .end : nil
      case 3: break
      default: return nil
      }
    }
    let actor = ActorId(bytes: [UInt8](bytes[try reader.readPrefixedRange()]))
    let counter = try reader.readUInt32()
    let movement: UInt8 = version == Self.olderVersion ? 2 : try reader.readByte()
    guard counter > 0, movement == 1 || movement == 2, reader.isAtEnd else { return nil }
    return .operation(actor: actor, counter: counter, movesBefore: movement == 1)
  }
}

/// A place in a list or text, fixed or moving.
public enum Position: Sendable {
  case cursor(Cursor)
  case index(UInt64)
}

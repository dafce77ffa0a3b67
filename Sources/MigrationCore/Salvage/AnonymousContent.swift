import Automerge
import Folders

/// Stands in for the content of a document: text of the same length and kinds of characters, other
/// numbers of the same size, other times at the same distances, other actors in the same order.
///
/// Everything follows from a secret that nobody keeps. Equal strings become equal, so that
/// references between entities still hold; pieces of texts do not, because an alphabet that is
/// replaced letter by letter is soon read.
struct AnonymousContent: ContentReplacement {
  private let secret: [UInt8]
  /// Added to every time, in seconds.
  private let shift: Int64
  private var names: [[UInt8]: [UInt8]] = [:]
  private var taken: Set<[UInt8]>

  /// The names of fields say nothing about anybody.
  private static let knownNames: [[UInt8]] =
    (KnownField.allCases.map { $0.memberName.description } + ["id", "images"])
    .map { Array($0.utf8) }

  /// - Parameter secret: random bytes, to be forgotten.
  init(secret: [UInt8]) {
    self.secret = secret
    var numbers = DerivedNumbers(secret: secret, "shift", [])
    // Within five years, so that times take as many bytes as they did.
    let days = Int64.random(in: -1800 ... -30, using: &numbers)
    shift = days * 86_400 + Int64.random(in: 0..<86_400, using: &numbers)
    taken = Set(Self.knownNames)
  }

  // MARK: Names

  mutating func name(_ name: [UInt8]) -> [UInt8] {
    if Self.knownNames.contains(name) || name.isEmpty { return name }
    if let known = names[name] { return known }
    // Different names must stay different: they are different keys.
    var candidate = name
    for attempt in 0..<Self.attempts {
      candidate = text(name, salt: attempt)
      if taken.insert(candidate).inserted {
        names[name] = candidate
        return candidate
      }
    }
    // There are not enough names of this kind for all; any other will do.
    repeat {
      candidate.append(contentsOf: Array("x".utf8))
    } while !taken.insert(candidate).inserted
    names[name] = candidate
    return candidate
  }

  private static let attempts: UInt8 = 255

  mutating func message(_ message: [UInt8]) -> [UInt8] { text(message, salt: 0) }

  /// Ascending as they were: each begins with its place, spread over all that four bytes can say.
  mutating func actors(_ actors: [ActorId]) -> [ActorId] {
    let step = UInt32.max / UInt32(actors.count + 1)
    return actors.enumerated().map { index, actor in
      var numbers = DerivedNumbers(secret: secret, "actor", actor.bytes)
      let place = step * UInt32(index + 1) + UInt32.random(in: 0..<max(step, 1), using: &numbers)
      var bytes = (0..<4).map { UInt8(truncatingIfNeeded: place >> UInt32(24 - 8 * $0)) }
      while bytes.count < actor.bytes.count { bytes.append(numbers.byte()) }
      return ActorId(bytes: bytes)
    }
  }

  mutating func missingChange(_ hash: ChangeHash) -> ChangeHash {
    var numbers = DerivedNumbers(secret: secret, "change", hash.bytes)
    return ChangeHash(bytes: (0..<ChangeHash.byteCount).map { _ in numbers.byte() })
  }

  // MARK: Values

  mutating func value(_ type: ValueType, _ bytes: [UInt8], element: OpID?) -> [UInt8] {
    if bytes.isEmpty { return bytes }
    var numbers = DerivedNumbers(secret: secret, "value", bytes)
    switch type {
    case .string:
      guard let element else { return text(bytes, salt: 0) }
      var writer = AnonymousText(secret: secret, place: element.raw)
      return writer.text(like: bytes)
    case .timestamp:
      return NumberBytes.signed(NumberBytes.signed(bytes) &+ shift &* 1000)
    case .int, .counter:
      return NumberBytes.signedNumber(like: bytes, from: &numbers)
    case .uint:
      return NumberBytes.unsignedNumber(like: bytes, from: &numbers)
    case .float64:
      return NumberBytes.double(like: bytes, from: &numbers)
    default:
      return bytes.map { _ in numbers.byte() }
    }
  }

  mutating func time(_ time: Int64) -> Int64 { time == 0 ? 0 : time &+ shift }

  mutating func extra(_ bytes: [UInt8]) -> [UInt8] {
    var numbers = DerivedNumbers(secret: secret, "extra", bytes)
    return bytes.map { _ in numbers.byte() }
  }

  private func text(_ bytes: [UInt8], salt: UInt8) -> [UInt8] {
    var writer = AnonymousText(secret: secret, salt: salt)
    return writer.text(like: bytes)
  }
}

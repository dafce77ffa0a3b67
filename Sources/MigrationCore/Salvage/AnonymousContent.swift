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
  private let knownNames: Set<[UInt8]>

  /// - Parameters:
  ///   - secret: random bytes, to be forgotten.
  ///   - kinds: the kinds whose fields keep their names.
  init(secret: [UInt8], of kinds: EntityKinds = .minuta) {
    self.secret = secret
    knownNames = Set(kinds.profile.kinds.flatMap(Self.names))
    var numbers = DerivedNumbers(secret: secret, "shift", [])
    // Within five years, so that times take as many bytes as they did.
    let days = Int64.random(in: -1800 ... -30, using: &numbers)
    shift = days * 86_400 + Int64.random(in: 0..<86_400, using: &numbers)
    taken = knownNames
  }

  private static func names(of kind: EntityKindProfile) -> [[UInt8]] {
    let identity =
      kind.identity == .singleton
      ? IdentityRule.singletonBytes : kind.identity.property?.bytes ?? []
    return kind.properties.map(\.name.bytes) + [identity]
  }

  // MARK: Names

  mutating func name(_ name: [UInt8]) -> [UInt8] {
    if knownNames.contains(name) || name.isEmpty { return name }
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

/// Writes text that looks like another: as many bytes, letters for letters, digits for digits.
///
/// A UUID inside it becomes the UUID that its canonical form becomes everywhere, and six hexadecimal
/// digits after `#` stay a colour. Spaces and punctuation stay, unless there is nothing else.
struct AnonymousText {
  private let secret: [UInt8]
  /// What makes equal texts different: an attempt, or the place of a piece of text.
  private let variation: [UInt8]

  init(secret: [UInt8], salt: UInt8) {
    self.secret = secret
    variation = [salt]
  }

  /// Replaces a piece of text differently in each place.
  init(secret: [UInt8], place: UInt64) {
    self.secret = secret
    variation = (0..<8).map { UInt8(truncatingIfNeeded: place >> UInt64(8 * $0)) } + [0]
  }

  mutating func text(like original: [UInt8]) -> [UInt8] {
    var numbers = DerivedNumbers(secret: secret, "text", variation + original)
    if original.count == 7, original[0] == UInt8(ascii: "#"),
      original.dropFirst().allSatisfy(\.isHexDigit)
    {
      return [original[0]]
        + original.dropFirst().map { _ in Self.hexDigit(isLowerCase: false, from: &numbers) }
    }
    let isPunctuationOnly = original.allSatisfy { $0 < 0x80 && !$0.isLetter && !$0.isDigit }
    var output: [UInt8] = []
    output.reserveCapacity(original.count)
    var position = 0
    while position < original.count {
      if let end = Self.endOfIdentity(in: original, at: position) {
        output += identity(like: Array(original[position..<end]))
        position = end
        continue
      }
      let byte = original[position]
      if byte < 0x80 {
        output.append(Self.ascii(like: byte, isPunctuationOnly, from: &numbers))
        position += 1
      } else {
        let count = min(Self.byteCount(ofScalar: byte), original.count - position)
        output += Self.scalar(like: original[position..<position + count], from: &numbers)
        position += count
      }
    }
    return output
  }

  // MARK: Identities

  private static func endOfIdentity(in bytes: [UInt8], at position: Int) -> Int? {
    for count in [36, 32] where position + count <= bytes.count {
      guard bytes[position].isHexDigit else { return nil }
      // A longer run of digits is a number or a hash.
      if count == 32, position + count < bytes.count, bytes[position + count].isHexDigit {
        return nil
      }
      if Identity(bytes.span.extracting(position..<position + count)) != nil {
        return position + count
      }
    }
    return nil
  }

  /// Replaces the digits in their places, in the case they are in.
  private func identity(like original: [UInt8]) -> [UInt8] {
    guard let identity = Identity(original.span) else { return original }
    var numbers = DerivedNumbers(
      secret: secret, "identity", identity.canonicalBytes + variation.suffix(1))
    let isLowerCase = original.contains { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "f") }
    return original.map { byte in
      byte.isHexDigit ? Self.hexDigit(isLowerCase: isLowerCase, from: &numbers) : byte
    }
  }

  // MARK: Characters

  private static func hexDigit(
    isLowerCase: Bool, from numbers: inout DerivedNumbers
  ) -> UInt8 {
    let digits = isLowerCase ? Array("0123456789abcdef".utf8) : Array("0123456789ABCDEF".utf8)
    return digits[numbers.number(below: 16)]
  }

  private static func ascii(
    like byte: UInt8, _ isPunctuationOnly: Bool, from numbers: inout DerivedNumbers
  ) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"):
      return UInt8(ascii: "a") + UInt8(numbers.number(below: 26))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"):
      return UInt8(ascii: "A") + UInt8(numbers.number(below: 26))
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return UInt8(ascii: "0") + UInt8(numbers.number(below: 10))
    default:
      guard isPunctuationOnly else { return byte }
      let marks = Array("!#$%&*+,-./:;<=>?@^_|~".utf8)
      return marks[numbers.number(below: marks.count)]
    }
  }

  private static func byteCount(ofScalar first: UInt8) -> Int {
    first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  }

  private static func scalar(
    like original: ArraySlice<UInt8>, from numbers: inout DerivedNumbers
  ) -> [UInt8] {
    guard let scalar = String(decoding: original, as: UTF8.self).unicodeScalars.first else {
      return []
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark, .format, .control, .spaceSeparator,
      .lineSeparator, .paragraphSeparator:
      // What joins and shapes characters says nothing by itself.
      return Array(original)
    default:
      break
    }
    let value: UInt32
    switch original.count {
    case 2:
      // Latin letters with marks, which come in pairs of upper and lower case.
      let isUpperCase = scalar.properties.isUppercase
      value = 0x100 + 2 * UInt32(numbers.number(below: 27)) + (isUpperCase ? 0 : 1)
    case 3: value = 0x4e00 + UInt32(numbers.number(below: 0x5000))
    default: value = 0x1f300 + UInt32(numbers.number(below: 0x300))
    }
    return Unicode.Scalar(value).map { Array(String(Character($0)).utf8) } ?? []
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }

  fileprivate var isHexDigit: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
  }
}

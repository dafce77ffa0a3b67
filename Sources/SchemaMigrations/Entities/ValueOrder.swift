import Folders

extension MigrationValue {
  /// Whether it comes before another one: null, booleans, numbers, dates by their moments, other texts by their
  /// bytes, then the rest by its canonical JSON. Of two dates of one moment their bytes decide.
  func precedes(_ other: MigrationValue) -> Bool { order(to: other) < 0 }

  /// Less than, equal to or greater than zero, as it comes before, with or behind another one.
  fileprivate func order(to other: MigrationValue) -> Int {
    switch (self, other) {
    case (.boolean(let left), .boolean(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
    case (.number(let left), .number(let right)):
      return left.precedes(right) ? -1 : right.precedes(left) ? 1 : 0
    case (.text(let left), .text(let right)):
      switch (left.moment, right.moment) {
      case (let moment?, let other?) where moment != other: return moment < other ? -1 : 1
      case (_?, nil): return -1
      case (nil, _?): return 1
      default: return left.order(to: right)
      }
    default:
      if rank != other.rank { return rank - other.rank }
      let (left, right) = (canonicalJSON, other.canonicalJSON)
      return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }
  }

  fileprivate var rank: Int {
    switch self {
    case .null: 0
    case .boolean: 1
    case .number: 2
    case .text(let text): text.moment == nil ? Self.rankOfText : Self.rankOfDate
    case .list: 5
    case .object: 6
    }
  }

  fileprivate static let (rankOfDate, rankOfText) = (3, 4)
}

extension MigrationText {
  /// The moment that it names, in milliseconds since 1970, if it is a date.
  fileprivate var moment: Int64? {
    if string.utf8.count < 20 { return nil }
    guard #available(macOS 26, *) else { return RFC3339(string)?.milliseconds }
    return RFC3339(string.utf8.span)?.milliseconds
  }

  /// Less than, equal to or greater than zero, as its bytes come before, with or behind those of another.
  fileprivate func order(to other: MigrationText) -> Int {
    let (left, right) = (string.utf8, other.string.utf8)
    if left.elementsEqual(right) { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}

/// A value to be sorted by: a date as its moment, a short text as three words, which are compared at once.
struct OrderKey {
  /// The bytes of a short text; of a date its moment, first: dates of one moment are the same.
  private let words: (UInt64, UInt64, UInt64)
  /// The number of bytes of a short text, more than any has for a date; nil of any other value.
  private let byteCount: UInt8?
  /// The value, unless the moment or the words are all of it.
  private let value: MigrationValue?

  init(_ value: MigrationValue) {
    let text: MigrationText? = if case .text(let text) = value { text } else { nil }
    if let moment = text?.moment {
      words = (UInt64(bitPattern: moment), 0, 0)
      byteCount = Self.dateMark
      self.value = nil
      return
    }
    guard let text, text.string.utf8.count <= 24 else {
      words = (0, 0, 0)
      byteCount = nil
      self.value = value
      return
    }
    var (words, position): ((UInt64, UInt64, UInt64), UInt64) = ((0, 0, 0), 0)
    for byte in text.string.utf8 {
      let place = UInt64(byte) << (56 - 8 * (position & 7))
      switch position >> 3 {
      case 0: words.0 |= place
      case 1: words.1 |= place
      default: words.2 |= place
      }
      position += 1
    }
    self.words = words
    byteCount = UInt8(truncatingIfNeeded: position)
    self.value = nil
  }

  private static let dateMark: UInt8 = .max

  private var moment: Int64? {
    byteCount == Self.dateMark ? Int64(bitPattern: words.0) : nil
  }

  private var rank: Int {
    if moment != nil { return MigrationValue.rankOfDate }
    return byteCount == nil ? whole.rank : MigrationValue.rankOfText
  }

  /// The value, as it was, of what is no date.
  private var whole: MigrationValue {
    if let value { return value }
    var bytes: [UInt8] = []
    for word in [words.0, words.1, words.2] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    return .text(String(decoding: bytes.prefix(Int(byteCount ?? 0)), as: UTF8.self))
  }

  /// Less than, equal to or greater than zero, as its value comes before, with or behind another one.
  func order(to other: OrderKey) -> Int {
    if let moment, let otherMoment = other.moment {
      return moment == otherMoment ? 0 : moment < otherMoment ? -1 : 1
    }
    if moment != nil || other.moment != nil { return rank - other.rank }
    guard let byteCount, let otherCount = other.byteCount else {
      return whole.order(to: other.whole)
    }
    if words.0 != other.words.0 { return words.0 < other.words.0 ? -1 : 1 }
    if words.1 != other.words.1 { return words.1 < other.words.1 ? -1 : 1 }
    if words.2 != other.words.2 { return words.2 < other.words.2 ? -1 : 1 }
    return Int(byteCount) - Int(otherCount)
  }
}

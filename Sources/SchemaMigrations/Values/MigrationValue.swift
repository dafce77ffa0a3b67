/// A value as an app keeps it: what JSON can say, with the digits of each number.
///
/// Two values are equal if they hold the same: texts byte for byte, numbers as decimals (`1.0` equals `1`),
/// objects whatever the order of their members.
public enum MigrationValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case number(MigrationNumber)
  case text(MigrationText)
  case list([MigrationValue])
  case object(MigrationObject)

  /// Creates a text.
  public static func text(_ text: String) -> MigrationValue { .text(MigrationText(text)) }

  /// Creates a whole number.
  public static func number(_ number: Int64) -> MigrationValue { .number(MigrationNumber(number)) }

  /// The text, if it is one.
  public var text: String? {
    if case .text(let text) = self { text.string } else { nil }
  }

  /// The members, if it is an object.
  public var object: MigrationObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// The member of an object; nil if it has none of that name, or is no object.
  public subscript(name: String) -> MigrationValue? { object?[name] }

  /// What kind of value it is, as errors say it.
  public var kind: StaticString {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

extension MigrationValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral
{
  /// Creates a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .number(value) }
  /// Creates a list.
  public init(arrayLiteral elements: MigrationValue...) { self = .list(elements) }
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
  /// Creates an object; of members of one name the last one counts.
  public init(dictionaryLiteral elements: (String, MigrationValue)...) {
    var object = MigrationObject()
    for (name, value) in elements { object[name] = value }
    self = .object(object)
  }
}

/// A text that is equal to another one only byte for byte, where `String` takes different spellings of a
/// letter for the same.
public struct MigrationText: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The text.
  public let string: String

  /// Creates a text.
  public init(_ string: String) { self.string = string }

  /// Creates a text.
  public init(stringLiteral value: String) { string = value }

  public static func == (left: MigrationText, right: MigrationText) -> Bool {
    left.string.utf8.elementsEqual(right.string.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in string.utf8 { hasher.combine(byte) }
    hasher.combine(UInt8.max)
  }
}

/// The members of an object, in order, each name once.
public struct MigrationObject: Hashable, Sendable {
  /// A member of an object.
  public struct Member: Hashable, Sendable {
    /// Its name.
    public let name: MigrationText
    /// Its value.
    public var value: MigrationValue
  }

  /// The members in order.
  public private(set) var members: [Member] = []
  /// Where each name is, once there are enough for that to be quicker than looking at each.
  private var places: [MigrationText: Int] = [:]
  private static let fewMembers = 16

  /// Creates an object without members.
  public init() {}

  /// The value of a member; a new one is added behind the others, and nil removes it.
  public subscript(name: String) -> MigrationValue? {
    get { place(of: MigrationText(name)).map { members[$0].value } }
    set {
      let name = MigrationText(name)
      switch (place(of: name), newValue) {
      case (let place?, let value?): members[place].value = value
      case (nil, let value?): append(Member(name: name, value: value))
      case (let place?, nil):
        members.remove(at: place)
        reindex()
      case (nil, nil): break
      }
    }
  }

  /// The members, ascending by the bytes of their names.
  var sortedMembers: [Member] {
    members.sorted { $0.name.string.utf8.lexicographicallyPrecedes($1.name.string.utf8) }
  }

  private func place(of name: MigrationText) -> Int? {
    members.count > Self.fewMembers ? places[name] : members.firstIndex { $0.name == name }
  }

  private mutating func append(_ member: Member) {
    members.append(member)
    if members.count > Self.fewMembers + 1 {
      places[member.name] = members.count - 1
    } else if members.count > Self.fewMembers {
      reindex()
    }
  }

  private mutating func reindex() {
    places.removeAll(keepingCapacity: true)
    guard members.count > Self.fewMembers else { return }
    for (place, member) in members.enumerated() { places[member.name] = place }
  }

  public static func == (left: MigrationObject, right: MigrationObject) -> Bool {
    left.members.count == right.members.count
      && left.members.allSatisfy { member in
        right.place(of: member.name).map { right.members[$0].value == member.value } ?? false
      }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(members.count)
    var sum = 0
    for member in members {
      var one = Hasher()
      one.combine(member)
      sum &+= one.finalize()
    }
    hasher.combine(sum)
  }
}

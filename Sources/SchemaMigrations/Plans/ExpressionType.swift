import Folders

/// What values can be that an expression gives, or that a property takes.
struct ExpressionType: OptionSet, Hashable, Sendable {
  let rawValue: UInt16

  static let null = ExpressionType(rawValue: 1 << 0)
  static let boolean = ExpressionType(rawValue: 1 << 1)
  static let integer = ExpressionType(rawValue: 1 << 2)
  /// A number that is no integer.
  static let fraction = ExpressionType(rawValue: 1 << 3)
  /// A text that is neither a date nor a UUID.
  static let text = ExpressionType(rawValue: 1 << 4)
  static let date = ExpressionType(rawValue: 1 << 5)
  static let uuid = ExpressionType(rawValue: 1 << 6)
  static let list = ExpressionType(rawValue: 1 << 7)
  static let object = ExpressionType(rawValue: 1 << 8)

  static let number: ExpressionType = [.integer, .fraction]
  static let anyText: ExpressionType = [.text, .date, .uuid]
  static let any = ExpressionType(rawValue: 1 << 9 - 1)

  private static let names: [(ExpressionType, String)] = [
    (.null, "null"), (.boolean, "a boolean"), (.integer, "an integer"), (.fraction, "a fraction"),
    (.text, "a text"), (.date, "a date"), (.uuid, "a UUID"), (.list, "a list"),
    (.object, "an object"),
  ]

  /// In words.
  var words: String {
    let names = Self.names.filter { contains($0.0) }.map(\.1)
    return names.isEmpty ? "nothing" : names.joined(separator: " or ")
  }

  /// The type of a value.
  init(of value: MigrationValue) {
    switch value {
    case .null: self = .null
    case .boolean: self = .boolean
    case .number(let number): self = number.int64 == nil ? .fraction : .integer
    case .text(let text):
      if RFC3339(text.string) != nil {
        self = .date
      } else {
        self = Identity(text.string) == nil ? .text : .uuid
      }
    case .list: self = .list
    case .object: self = .object
    }
  }

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// What a conversion gives.
  init(of conversion: ValueConversion) {
    switch conversion {
    case .integer: self = .integer
    case .number: self = .number
    case .text: self = .text
    case .boolean: self = .boolean
    case .uuid: self = .uuid
    case .date, .dateOfUnixSeconds, .dateOfUnixMilliseconds, .dateOfReferenceSeconds: self = .date
    }
  }

  /// What a parameter is.
  init(of kind: PlanParameter.Kind) {
    switch kind {
    case .text, .timeZone: self = .text
    case .integer: self = .integer
    case .number: self = .number
    case .boolean: self = .boolean
    case .date: self = .date
    case .uuid: self = .uuid
    }
  }

  /// What the values of a property are.
  init(of type: PropertyType) {
    switch type {
    case .string, .text, .bytes, .decimal: self = [.text, .null]
    case .uuid: self = [.uuid, .null]
    case .boolean: self = [.boolean, .null]
    case .integer: self = [.integer, .null]
    case .number, .double: self = [.integer, .fraction, .null]
    case .date: self = [.date, .null]
    case .json: self = .any
    case .list, .links: self = [.list, .null]
    case .map: self = [.object, .null]
    case .reference: self = [.text, .uuid, .null]
    }
  }

  /// What a property takes.
  static func taken(by type: PropertyType) -> ExpressionType {
    let own = ExpressionType(of: type)
    return own.contains(.text) ? own.union(.anyText) : own
  }
}

import Diagnostics

/// How a value is made of others: the whole language in which fields are mapped.
///
/// An expression gives a value, or nothing; what gives nothing makes no member. It has no loop and calls
/// nothing, so it ends, and gives the same on every device.
public indirect enum ValueExpression: Hashable, Sendable {
  /// What is at a path, as it is.
  case copy(ValuePath)
  /// A value of the step itself.
  case constant(MigrationValue)
  /// A named value of the caller.
  case parameter(String)
  /// The identity of the entity.
  case identity
  /// The first that gives something; null is something.
  case first([ValueExpression])
  /// What another one gives, unless that is null.
  case nonNull(ValueExpression)
  /// What several entities were made into, by the name of the fold; 0 or an empty list where there are none.
  case folded(String)
  /// Texts and numbers, one behind the other, with a text between two; those that give nothing are left out.
  case concatenated([ValueExpression], separator: String)
  /// A part of a text, which is split at another one.
  case piece(Piece, of: ValueExpression, separator: String)
  /// A value as another type.
  case converted(ValueExpression, ValueConversion)
  /// What a table has for a text, a number or a boolean; else what another expression gives.
  case lookedUp(ValueExpression, [MigrationText: MigrationValue], otherwise: ValueExpression?)
  /// An object of members, in order.
  case object([Field])
  /// A list.
  case list([ValueExpression])
  /// One of two.
  case conditional(ValueTest, then: ValueExpression, otherwise: ValueExpression?)

  /// A part of a text that was split.
  public enum Piece: Hashable, Sendable {
    /// The part of this number, from 0; nothing if there are not so many.
    case at(Int)
    /// The last part.
    case last
    /// All from the part of this number, with what was between them.
    case from(Int)
  }

  /// A member that an expression gives.
  public struct Field: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// What gives its value.
    public let value: ValueExpression

    /// Creates a field.
    public init(_ name: String, _ value: ValueExpression) {
      self.name = name
      self.value = value
    }
  }
}

/// Whether something about a value is so.
public indirect enum ValueTest: Hashable, Sendable {
  /// An expression gives something.
  case present(ValueExpression)
  /// Two expressions give the same; nothing equals nothing.
  case equal(ValueExpression, ValueExpression)
  /// All hold.
  case all([ValueTest])
  /// One holds.
  case any([ValueTest])
  /// The other does not hold.
  case not(ValueTest)
}

/// What an expression sees.
package protocol ExpressionSource {
  /// Returns what is at a path; nil if nothing is.
  func value(at path: ValuePath) -> MigrationValue?
  /// The identity of the entity; nil if it is none.
  var identity: String? { get }
  /// Returns a named value of the caller.
  func parameter(_ name: String) -> MigrationValue?
  /// Returns what the entities of a fold were made into that belong to this one.
  func folded(_ name: String) -> MigrationValue?
}

/// What an expression over one value sees.
public struct ExpressionScope: Sendable {
  /// The value that paths are in.
  public let value: MigrationValue
  /// The identity of the entity; nil if it is none.
  public let identity: String?
  /// The named values of the caller.
  public let parameters: MigrationObject

  /// Creates a scope.
  public init(_ value: MigrationValue, identity: String? = nil, parameters: MigrationObject) {
    self.value = value
    self.identity = identity
    self.parameters = parameters
  }
}

extension ExpressionScope: ExpressionSource {
  package func value(at path: ValuePath) -> MigrationValue? { path.value(in: value) }
  package func parameter(_ name: String) -> MigrationValue? { parameters[name] }
  package func folded(_ name: String) -> MigrationValue? { nil }
}

/// Why an expression gives no value: what is there is not of the type that it needs.
public enum ConversionDefect: Error, Hashable, Sendable, CustomStringConvertible {
  /// A value cannot be converted.
  case notConvertible(MigrationValue, ValueConversion)
  /// A value is no text where one is needed.
  case noText(MigrationValue)
  /// A table has nothing for a value.
  case notInTable(MigrationValue)
  /// The caller gave no value of this name.
  case missingParameter(String)
  /// A value cannot be added to others: it is no number, or there are too many digits.
  case notAddable(MigrationValue)
  /// Values that become one take more than so many bytes.
  case tooMuch(limit: Int)

  /// What is wrong, in words.
  public var description: String {
    switch self {
    case .notConvertible(let value, let conversion):
      "\(Self.shown(value)) cannot be made a value of type \(conversion.rawValue)"
    case .noText(let value): "\(Self.shown(value)) is no text"
    case .notInTable(let value): "\(Self.shown(value)) is not in the table"
    case .missingParameter(let name): "no value is given for the parameter \(name)"
    case .notAddable(let value): "\(Self.shown(value)) cannot be added exactly"
    case .tooMuch(let limit): "what becomes one value takes more than \(limit.counted("byte"))"
    }
  }

  /// A value as a sentence shows it: never more of it than a line.
  static func shown(_ value: MigrationValue) -> String {
    let text: String
    switch value {
    case .text(let content): text = "\"\(content.string)\""
    case .number(let number): text = number.literal
    case .boolean(let isTrue): text = isTrue ? "true" : "false"
    case .null, .list, .object: return "\(value.kind)"
    }
    return text.count > 60 ? "\(text.prefix(60))…" : text
  }
}

extension ValueExpression {
  /// Returns what it gives; nil is nothing.
  public func value(in scope: ExpressionScope) throws(ConversionDefect) -> MigrationValue? {
    try value(from: scope)
  }

  /// Returns what it gives; nil is nothing.
  package func value(
    from scope: some ExpressionSource
  ) throws(ConversionDefect) -> MigrationValue? {
    switch self {
    case .copy(let path): return scope.value(at: path)
    case .constant(let value): return value
    case .parameter(let name):
      guard let value = scope.parameter(name) else { throw .missingParameter(name) }
      return value
    case .identity: return scope.identity.map { .text($0) }
    case .folded(let name): return scope.folded(name)
    case .nonNull(let expression):
      guard let value = try expression.value(from: scope), value != .null else { return nil }
      return value
    case .first(let expressions):
      for expression in expressions {
        if let value = try expression.value(from: scope) { return value }
      }
      return nil
    case .concatenated(let parts, let separator):
      var texts: [String] = []
      for part in parts {
        if let value = try part.value(from: scope) { texts.append(try Self.text(value)) }
      }
      return texts.isEmpty ? nil : .text(texts.joined(separator: separator))
    case .piece(let piece, let whole, let separator):
      guard let value = try whole.value(from: scope) else { return nil }
      return Self.piece(piece, of: try Self.text(value), separator).map { .text($0) }
    case .converted(let original, let conversion):
      guard let value = try original.value(from: scope) else { return nil }
      guard let converted = conversion.converted(value) else {
        throw .notConvertible(value, conversion)
      }
      return converted
    case .lookedUp(let original, let table, let otherwise):
      guard let value = try original.value(from: scope) else { return nil }
      if let key = ValueConversion.text.converted(value), case .text(let text) = key,
        let found = table[text]
      {
        return found
      }
      guard let otherwise else { throw .notInTable(value) }
      return try otherwise.value(from: scope)
    case .object(let fields):
      var object = MigrationObject()
      for field in fields { object[field.name] = try field.value.value(from: scope) }
      return .object(object)
    case .list(let expressions):
      var elements: [MigrationValue] = []
      for expression in expressions {
        if let value = try expression.value(from: scope) { elements.append(value) }
      }
      return .list(elements)
    case .conditional(let test, let then, let otherwise):
      return try test.holds(for: scope)
        ? try then.value(from: scope) : try otherwise?.value(from: scope)
    }
  }

  private static func text(_ value: MigrationValue) throws(ConversionDefect) -> String {
    switch value {
    case .text(let text): text.string
    case .number(let number): number.literal
    case .null, .boolean, .list, .object: throw .noText(value)
    }
  }

  private static func piece(_ piece: Piece, of text: String, _ separator: String) -> String? {
    let parts = split(Array(text.utf8), at: Array(separator.utf8))
    let chosen: ArraySlice<ArraySlice<UInt8>>
    switch piece {
    case .at(let number): chosen = parts.dropFirst(max(0, number)).prefix(1)
    case .last: chosen = parts.suffix(1)
    case .from(let number): chosen = parts.dropFirst(max(0, number))
    }
    guard let first = chosen.first, let last = chosen.last else { return nil }
    // Between the first and the last one is what was between them.
    return String(decoding: Array(text.utf8)[first.startIndex..<last.endIndex], as: UTF8.self)
  }

  /// Splits at each occurrence, the leftmost first; an empty separator splits nothing.
  static func split(_ text: [UInt8], at separator: [UInt8]) -> [ArraySlice<UInt8>] {
    guard !separator.isEmpty else { return [text[...]] }
    var parts: [ArraySlice<UInt8>] = []
    var start = 0
    var position = 0
    while position + separator.count <= text.count {
      if text[position..<position + separator.count].elementsEqual(separator) {
        parts.append(text[start..<position])
        position += separator.count
        start = position
      } else {
        position += 1
      }
    }
    parts.append(text[start...])
    return parts
  }
}

extension ValueTest {
  /// Returns whether it holds.
  public func holds(in scope: ExpressionScope) throws(ConversionDefect) -> Bool {
    try holds(for: scope)
  }

  /// Returns whether it holds.
  package func holds(for scope: some ExpressionSource) throws(ConversionDefect) -> Bool {
    switch self {
    case .present(let expression): return try expression.value(from: scope) != nil
    case .equal(let left, let right):
      return try left.value(from: scope) == right.value(from: scope)
    case .all(let tests):
      for test in tests where try !test.holds(for: scope) { return false }
      return true
    case .any(let tests):
      for test in tests where try test.holds(for: scope) { return true }
      return false
    case .not(let test): return try !test.holds(for: scope)
    }
  }
}

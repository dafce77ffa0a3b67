extension ValueExpression {
  /// Whether it may give a value, whatever the entity holds; true where its form does not exclude that.
  ///
  /// - Parameter kept: a property of which it is known that it does not give on the value as it is.
  func mayGive(_ value: MigrationValue, besides kept: ValuePath? = nil) -> Bool {
    switch self {
    case .copy(let path): path != kept
    case .constant(let constant): constant == value
    // Another run may have had another one.
    case .parameter, .folded: true
    case .identity: value.text != nil
    case .first(let parts): parts.contains { $0.mayGive(value, besides: kept) }
    case .nonNull(let part): value != .null && part.mayGive(value, besides: kept)
    case .concatenated(let parts, _):
      value.text.map { text in
        text.utf8.starts(with: Self.written(parts.first))
          && text.utf8.reversed().starts(with: Self.written(parts.last).reversed())
      } ?? false
    case .piece(.from, _, _): value.text != nil
    case .piece(_, _, let separator):
      value.text.map { Self.split(Array($0.utf8), at: Array(separator.utf8)).count == 1 } ?? false
    case .converted(_, let conversion): conversion.mayGive(value)
    case .lookedUp(let original, let table, let otherwise):
      table.values.contains(value)
        // What the table has something else for is given on by nothing.
        || otherwise.map { otherwise in
          !(otherwise == original && table.holds(value))
            && otherwise.mayGive(value, besides: kept)
        } ?? false
    case .object(let fields):
      value.object.map { object in
        object.members.allSatisfy { member in
          fields.contains {
            member.name == MigrationText($0.name) && $0.value.mayGive(member.value)
          }
        }
      } ?? false
    case .list(let parts):
      value.elements.map { elements in
        elements.allSatisfy { element in parts.contains { $0.mayGive(element) } }
      } ?? false
    case .conditional(_, let then, let otherwise):
      then.mayGive(value, besides: kept) || otherwise?.mayGive(value, besides: kept) ?? false
    }
  }

  /// What a part of a text always is; nothing if that depends on the entity.
  private static func written(_ part: ValueExpression?) -> [UInt8] {
    guard case .constant(let constant) = part,
      case .text(let text) = ValueConversion.text.converted(constant)
    else { return [] }
    return Array(text.string.utf8)
  }
}

extension ValueConversion {
  /// Whether it may give a value: what it gives it leaves as it is.
  fileprivate func mayGive(_ value: MigrationValue) -> Bool {
    switch self {
    case .dateOfUnixSeconds, .dateOfUnixMilliseconds, .dateOfReferenceSeconds:
      Self.date.converted(value) == value
    case .integer, .number, .text, .boolean, .uuid, .date: converted(value) == value
    }
  }
}

extension [MigrationText: MigrationValue] {
  /// Whether a table has something for a value.
  func holds(_ value: MigrationValue) -> Bool {
    guard case .text(let key) = ValueConversion.text.converted(value) else { return false }
    return self[key] != nil
  }
}

extension MigrationValue {
  fileprivate var elements: [MigrationValue]? {
    if case .list(let elements) = self { elements } else { nil }
  }
}

import Folders

/// What becomes of the properties of an entity, with all that does not depend on the entity.
struct StageChanges {
  private var assignments: [StageAssignment] = []
  private var renamings: [(name: [UInt8], target: [UInt8])] = []
  private var dropped: [[UInt8]] = []
  /// Whether nothing changes.
  var isEmpty: Bool { assignments.isEmpty && renamings.isEmpty && dropped.isEmpty }

  mutating func add(
    _ action: EntityStep.Action, of kind: EntityKind, _ kinds: EntityKinds,
    _ parameters: MigrationObject
  ) {
    switch action {
    case .set(let set): assignments.append(StageAssignment(set, of: kind, kinds, parameters))
    case .rename(let name, let target):
      renamings.append((Array(name.utf8), Array(target.utf8)))
    case .drop(let name): dropped.append(Array(name.utf8))
    }
  }

  /// Changes an entity: what is dropped makes room for what gets its name.
  func apply(
    to entity: inout ChangingEntity, _ rules: StageRules, _ folds: [FoldState]
  ) throws(StepDefect) {
    // All expressions see the entity as it was.
    var values: [GivenValue?] = []
    if !assignments.isEmpty {
      values.reserveCapacity(assignments.count)
      let source = EntitySource(entity, rules, folds)
      for assignment in assignments { values.append(try assignment.value(from: source)) }
    }
    for name in dropped { _ = entity.fields.remove(name, of: entity.tape) }
    for (name, target) in renamings {
      guard entity.fields.rename(name, to: target, of: entity.tape) else {
        throw StepDefect(property: String(decoding: target, as: UTF8.self), .isThereAlready)
      }
    }
    for (index, value) in values.enumerated() {
      if let value { assignments[index].give(value, to: &entity) }
    }
  }
}

/// A property that gets a value, with all that does not depend on the entity.
struct StageAssignment {
  private let name: String
  private let bytes: [UInt8]
  private let expression: ValueExpression
  /// The value, if it is the same for every entity.
  private let shared: GivenValue?
  /// What the property is; nil if nobody says.
  private let type: PropertyType?
  private let taken: ExpressionType
  /// Where dates are in the value that neither JSON nor the profile shows.
  private let dates: [JSONPointer]
  /// The type of the value itself, where that is so.
  private let streamType: StreamType?
  /// Whether the step says what the value is.
  private let isTyped: Bool

  init(
    _ set: EntityStep.Assignment, of kind: EntityKind, _ kinds: EntityKinds,
    _ parameters: MigrationObject
  ) {
    name = set.property
    bytes = Array(set.property.utf8)
    expression = set.value
    let property = kinds[kind]?.properties[PropertyName(bytes)]
    type = set.type ?? property?.type
    isTyped = set.type != nil
    taken = type.map(ExpressionType.taken) ?? .any
    dates = set.type == nil ? property?.nested.dates ?? [] : []
    streamType =
      switch set.type {
      case .date: .timestamp
      case .bytes: .bytes
      case .text: .text
      default: nil
      }
    shared =
      switch set.value {
      case .constant(let value): GivenValue(shared: value)
      case .parameter(let parameter): parameters[parameter].map { GivenValue(shared: $0) }
      default: nil
      }
  }

  /// Returns the value that the property gets; nil if it stays as it is.
  func value(from source: EntitySource) throws(StepDefect) -> GivenValue? {
    // What is the same for all was looked at when the plan was read.
    if let shared { return shared }
    let value: MigrationValue?
    do throws(ConversionDefect) {
      value = try expression.value(from: source)
    } catch {
      throw StepDefect(property: name, .conversion(error))
    }
    guard let value else { return nil }
    if let type, !taken.takes(value) {
      throw StepDefect(property: name, .wrongType(value, type))
    }
    return GivenValue(value)
  }

  /// Gives an entity the value.
  func give(_ value: GivenValue, to entity: inout ChangingEntity) {
    entity.fields.set(bytes, to: value, types: types(of: value.value), of: entity.tape)
  }

  /// The types of a value; nil if nothing is said of them.
  private func types(of value: MigrationValue) -> [(rest: [[UInt8]], type: StreamType)]? {
    if !isTyped, dates.isEmpty { return nil }
    if let streamType {
      if case .text = value { return [([], streamType)] }
      return []
    }
    var types: [(rest: [[UInt8]], type: StreamType)] = []
    for pointer in dates {
      value.walk(pointer.tokens[...], []) { place, value in
        if case .text(let text) = value, RFC3339(text.string) != nil {
          types.append((place, .timestamp))
        }
      }
    }
    return types
  }
}

/// Entities that a step makes, with all that does not depend on what they are made for.
struct StageCreation {
  let kind: EntityKind
  private let test: ValueTest?
  private let identity: ValueExpression
  private let fields: [StageAssignment]

  init(
    _ creation: EntityStep.Creation, _ kind: EntityKind, _ kinds: EntityKinds,
    _ parameters: MigrationObject
  ) {
    self.kind = kind
    test = creation.test
    identity = creation.identity
    fields = creation.fields.map { StageAssignment($0, of: kind, kinds, parameters) }
  }

  /// Makes an entity; nil if none is to be made.
  func entity(
    from source: EntitySource, _ kinds: EntityKinds
  ) throws(StepDefect) -> ChangingEntity? {
    let text: MigrationValue?
    do throws(ConversionDefect) {
      if let test, try !test.holds(for: source) { return nil }
      text = try identity.value(from: source)
    } catch {
      throw StepDefect(property: "id", .conversion(error))
    }
    guard let text = text?.text, let found = kinds.identity(Array(text.utf8).span, of: kind)
    else { throw StepDefect(property: "id", .noIdentity) }
    var entity = ChangingEntity()
    (entity.kind, entity.identity) = (kind, found)
    for field in fields {
      if let value = try field.value(from: source) { field.give(value, to: &entity) }
    }
    return entity
  }

  /// Returns the identity of what would be made; nil if it cannot be said.
  func identity(from source: EntitySource, _ kinds: EntityKinds) -> Identity? {
    do throws(ConversionDefect) {
      let text = try identity.value(from: source)?.text
      return text.flatMap { kinds.identity(Array($0.utf8).span, of: kind) }
    } catch {
      // Making it tells why.
      return nil
    }
  }
}

extension ExpressionType {
  /// Whether a property that takes this takes a value.
  fileprivate func takes(_ value: MigrationValue) -> Bool {
    if self == .any { return true }
    if case .text = value, contains(.anyText) { return true }
    return contains(ExpressionType(of: value))
  }
}

extension MigrationValue {
  /// Calls for each value that a pointer leads to, in which `*` stands for every element or member.
  fileprivate func walk(
    _ pointer: ArraySlice<[UInt8]>, _ place: [[UInt8]],
    _ visit: (_ place: [[UInt8]], MigrationValue) -> Void
  ) {
    guard let token = pointer.first else { return visit(place, self) }
    let rest = pointer.dropFirst()
    let isAny = token == [UInt8(ascii: "*")]
    switch self {
    case .list(let elements):
      for (index, element) in elements.enumerated() {
        let name = Array(index.description.utf8)
        if isAny || token == name { element.walk(rest, place + [name], visit) }
      }
    case .object(let object):
      for member in object.members {
        let name = Array(member.name.string.utf8)
        if isAny || token == name { member.value.walk(rest, place + [name], visit) }
      }
    case .null, .boolean, .number, .text: break
    }
  }
}

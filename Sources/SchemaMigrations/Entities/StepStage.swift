package import Folders

/// One step as it runs over entities.
struct StepStage {
  let step: EntityStep
  private let kinds: EntityKinds
  /// What becomes of entities, by the numbers of their kinds.
  private var actions: [[EntityStep.Action]]
  private var foldsByKind: [[Int]]
  private var creationsByKind: [[EntityStep.Creation]]
  private var promisesByKind: [[Int]]
  private var folds: [FoldState]
  /// The kinds of which it makes entities.
  private let created: Set<EntityKind>
  /// The identities of these kinds that are there already.
  private var taken: [EntityKind: Set<Identity>] = [:]
  /// The identities that were met, of kinds of which no two may be the same.
  private var met: [EntityKind: Set<Identity>] = [:]
  private var counts: [Int]

  init(_ step: EntityStep, of kinds: EntityKinds) {
    self.step = step
    self.kinds = kinds
    let all = kinds.all.map { kinds.name(of: $0) }
    func names(_ kind: String) -> Int? { all.firstIndex { $0.utf8.elementsEqual(kind.utf8) } }
    actions = Array(repeating: [], count: all.count)
    foldsByKind = Array(repeating: [], count: all.count)
    creationsByKind = Array(repeating: [], count: all.count)
    promisesByKind = Array(repeating: [], count: all.count)
    counts = Array(repeating: 0, count: all.count)
    for mapping in step.mappings {
      if let index = names(mapping.kind) { actions[index] += mapping.actions }
    }
    for (number, fold) in step.folds.enumerated() {
      if let index = names(fold.kind) { foldsByKind[index].append(number) }
    }
    for creation in step.creations {
      if let index = creation.source.flatMap(names) { creationsByKind[index].append(creation) }
    }
    for (number, promise) in step.promises.enumerated() {
      switch promise.fact {
      case .every(let kind, _), .unique(let kind):
        if let index = names(kind) { promisesByKind[index].append(number) }
      case .asMany: break
      }
    }
    folds = step.folds.map(FoldState.init)
    created = Set(
      step.creations.compactMap { creation in
        names(creation.kind).map { kinds.all[$0] }
      })
  }

  /// Whether all entities have to be seen before the first one can be changed.
  var needsSurvey: Bool { !folds.isEmpty || !created.isEmpty }

  /// Whether it has anything to do with entities of a kind, whatever they hold.
  func concerns(_ kind: EntityKind) -> Bool {
    let index = Int(kind.index)
    guard index < actions.count else { return false }
    return !actions[index].isEmpty || !foldsByKind[index].isEmpty
      || !creationsByKind[index].isEmpty || !promisesByKind[index].isEmpty
  }

  // MARK: Looking at all

  /// Takes in an entity as it is before the step.
  mutating func survey(
    _ entity: ChangingEntity, _ parameters: MigrationObject
  ) throws(ConversionDefect) {
    if created.contains(entity.kind) {
      taken[entity.kind, default: []].insert(entity.identity)
    }
    let numbers = foldsByKind[Int(entity.kind.index)]
    guard !numbers.isEmpty else { return }
    let source = EntitySource(entity, parameters, folds: [], of: step)
    for number in numbers { try folds[number].add(source, entity.identity) }
  }

  /// Makes the results of folds, once all entities were taken in.
  mutating func endSurvey() { for index in folds.indices { folds[index].finish() } }

  // MARK: Changing

  /// Changes an entity.
  func apply(
    to entity: inout ChangingEntity, _ parameters: MigrationObject
  ) throws(StepDefect) {
    let actions = actions[Int(entity.kind.index)]
    guard !actions.isEmpty else { return }
    // All expressions see the entity as it was.
    var values: [MigrationValue?] = []
    let source = EntitySource(entity, parameters, folds: folds, of: step)
    for action in actions {
      guard case .set(let set) = action else {
        values.append(nil)
        continue
      }
      values.append(try value(of: set, from: source, entity.kind))
    }
    for action in actions {
      guard case .drop(let name) = action else { continue }
      _ = entity.fields.remove(name, of: entity.tape)
    }
    for action in actions {
      guard case .rename(let name, let target) = action else { continue }
      guard entity.fields.rename(name, to: target, of: entity.tape) else {
        throw StepDefect(property: target, .isThereAlready)
      }
    }
    for (action, value) in zip(actions, values) {
      guard case .set(let set) = action, let value else { continue }
      entity.fields.set(
        set.property, to: value, types: streamTypes(of: value, set, entity.kind), of: entity.tape)
    }
  }

  private func value(
    of set: EntityStep.Assignment, from source: some ExpressionSource, _ kind: EntityKind
  ) throws(StepDefect) -> MigrationValue? {
    let value: MigrationValue?
    do throws(ConversionDefect) {
      value = try set.value.value(from: source)
    } catch {
      throw StepDefect(property: set.property, .conversion(error))
    }
    guard let value else { return nil }
    let type = set.type ?? kinds[kind]?.properties[PropertyName(Array(set.property.utf8))]?.type
    if let type, !type.takes(value) {
      throw StepDefect(property: set.property, .wrongType(value, type))
    }
    return value
  }

  /// The types that a stream has to name for a value and for what is in it, because neither JSON nor the
  /// profile shows them.
  private func streamTypes(
    of value: MigrationValue, _ set: EntityStep.Assignment, _ kind: EntityKind
  ) -> [(rest: [[UInt8]], type: StreamType)] {
    if let type = set.type {
      guard case .text = value else { return [] }
      switch type {
      case .date: return [([], .timestamp)]
      case .bytes: return [([], .bytes)]
      case .text: return [([], .text)]
      default: return []
      }
    }
    let property = kinds[kind]?.properties[PropertyName(Array(set.property.utf8))]
    var types: [(rest: [[UInt8]], type: StreamType)] = []
    for pointer in property?.nested.dates ?? [] {
      value.walk(pointer.tokens[...], []) { place, value in
        if case .text(let text) = value, RFC3339(text.string) != nil {
          types.append((place, .timestamp))
        }
      }
    }
    return types
  }

  /// Returns the entities that are made for one.
  func creations(
    for entity: ChangingEntity, _ parameters: MigrationObject
  ) throws(StepDefect) -> [CreatedEntity] {
    let creations = creationsByKind[Int(entity.kind.index)]
    guard !creations.isEmpty else { return [] }
    let source = EntitySource(entity, parameters, folds: folds, of: step)
    var made: [CreatedEntity] = []
    for creation in creations {
      if let entity = try create(creation, from: source) { made.append(entity) }
    }
    return made
  }

  /// Returns the entities that are made for none.
  func creations(_ parameters: MigrationObject) throws(StepDefect) -> [CreatedEntity] {
    var made: [CreatedEntity] = []
    let source = EntitySource(ChangingEntity(), parameters, folds: folds, of: step)
    for creation in step.creations where creation.source == nil {
      if let entity = try create(creation, from: source) { made.append(entity) }
    }
    return made
  }

  private func create(
    _ creation: EntityStep.Creation, from source: EntitySource
  ) throws(StepDefect) -> CreatedEntity? {
    let identity: MigrationValue?
    do throws(ConversionDefect) {
      if let test = creation.test, try !test.holds(for: source) { return nil }
      identity = try creation.identity.value(from: source)
    } catch {
      throw StepDefect(property: "id", .conversion(error))
    }
    guard let kind = kinds.kind(named: Array(creation.kind.utf8).span),
      let text = identity?.text, let found = kinds.identity(Array(text.utf8).span, of: kind)
    else { throw StepDefect(property: "id", .noIdentity) }
    var entity = ChangingEntity()
    (entity.kind, entity.identity) = (kind, found)
    entity.identityText = kinds.bytes(of: found, kind)
    for field in creation.fields {
      guard let value = try value(of: field, from: source, kind) else { continue }
      entity.fields.set(
        field.property, to: value, types: streamTypes(of: value, field, kind), of: entity.tape)
    }
    return CreatedEntity(entity: entity)
  }

  /// Notes that an entity was made; returns false if there is one of its identity.
  mutating func claim(_ entity: ChangingEntity) -> Bool {
    taken[entity.kind, default: []].insert(entity.identity).inserted
  }

  // MARK: Promises

  /// Looks whether what was promised of each entity holds for one; returns the promises that do not.
  mutating func check(
    _ entity: ChangingEntity, _ parameters: MigrationObject
  ) throws(ConversionDefect) -> [Int] {
    counts[Int(entity.kind.index)] += 1
    let numbers = promisesByKind[Int(entity.kind.index)]
    guard !numbers.isEmpty else { return [] }
    var broken: [Int] = []
    for number in numbers {
      switch step.promises[number].fact {
      case .every(_, let test):
        let source = EntitySource(entity, parameters, folds: folds, of: step)
        if try !test.holds(for: source) { broken.append(number) }
      case .unique:
        if !met[entity.kind, default: []].insert(entity.identity).inserted { broken.append(number) }
      case .asMany: break
      }
    }
    return broken
  }

  /// The promises about numbers of entities that do not hold, with both numbers.
  var brokenCounts: [(promise: Int, count: Int, other: Int)] {
    var broken: [(promise: Int, count: Int, other: Int)] = []
    for (number, promise) in step.promises.enumerated() {
      guard case .asMany(let kind, let otherKind) = promise.fact else { continue }
      let (count, other) = (count(of: kind), count(of: otherKind))
      if count != other { broken.append((number, count, other)) }
    }
    return broken
  }

  private func count(of name: String) -> Int {
    kinds.kind(named: Array(name.utf8).span).map { counts[Int($0.index)] } ?? 0
  }
}

/// An entity on its way through the steps.
package struct ChangingEntity {
  /// What it is.
  package var kind = EntityKind.other
  /// Who it is.
  package var identity = Identity(high: 0, low: 0)
  /// The identity as streams have it.
  package var identityText: [UInt8] = []
  /// What it holds.
  package var fields = EntityFields()
  /// Where what was read is.
  package var tape = JSONTape()

  /// Creates an entity of no kind.
  package init() {}
}

/// An entity that a step makes.
struct CreatedEntity {
  var entity: ChangingEntity
}

/// Why a step makes nothing of an entity.
package struct StepDefect: Error, Hashable, Sendable {
  /// The property.
  package let property: String
  /// What is wrong.
  package let reason: Reason

  /// What is wrong with a value.
  package enum Reason: Hashable, Sendable {
    case conversion(ConversionDefect)
    case wrongType(MigrationValue, PropertyType)
    case isThereAlready
    case noIdentity
  }

  init(property: String, _ reason: Reason) {
    self.property = property
    self.reason = reason
  }

  /// What is wrong, in words.
  package var problem: String {
    switch reason {
    case .conversion(let defect): defect.description
    case .wrongType(let value, let type):
      "\(ConversionDefect.shown(value)) is no value of type \(type.name)"
    case .isThereAlready: "it is there already"
    case .noIdentity: "no identity of the kind"
    }
  }
}

/// What expressions see of an entity.
struct EntitySource: ExpressionSource {
  private let entity: ChangingEntity
  private let parameters: MigrationObject
  private let folds: [FoldState]
  private let step: EntityStep

  init(
    _ entity: ChangingEntity, _ parameters: MigrationObject, folds: [FoldState],
    of step: EntityStep
  ) {
    self.entity = entity
    self.parameters = parameters
    self.folds = folds
    self.step = step
  }

  func value(at path: ValuePath) -> MigrationValue? {
    entity.fields.value(at: path, of: entity.tape)
  }

  var identity: String? {
    entity.identityText.isEmpty ? nil : String(decoding: entity.identityText, as: UTF8.self)
  }

  func parameter(_ name: String) -> MigrationValue? { parameters[name] }

  func folded(_ name: String) -> MigrationValue? {
    guard let index = step.folds.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }),
      index < folds.count
    else { return nil }
    return folds[index].result(for: identity)
  }
}

extension PropertyType {
  /// Whether a property of the type takes a value.
  fileprivate func takes(_ value: MigrationValue) -> Bool {
    let taken = ExpressionType.taken(by: self)
    if taken == .any { return true }
    if case .text = value, taken.contains(.anyText) { return true }
    return taken.contains(ExpressionType(of: value))
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

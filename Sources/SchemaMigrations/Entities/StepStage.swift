package import Folders

/// One step as it runs over entities.
///
/// Whoever runs it lets it see all entities first where it has to, and then change each of them.
package struct StepStage: Sendable {
  private let plan: StagePlan
  private var folds: [FoldState]
  /// The identities of the kinds of which it makes entities that are there already.
  private var taken: [EntityKind: Set<Identity>] = [:]
  private var tally: Tally

  /// What was met of entities after the step, of which something was promised.
  package struct Tally: Sendable {
    /// How many there are of each kind.
    fileprivate var counts: [Int]
    /// The identities of kinds of which no two may be the same.
    fileprivate var met: [EntityKind: Set<Identity>] = [:]

    fileprivate init(kindCount: Int) { counts = Array(repeating: 0, count: kindCount) }
  }

  /// Creates the stage of a step that has seen nothing.
  package init(_ step: EntityStep, of kinds: EntityKinds, _ parameters: MigrationObject) {
    plan = StagePlan(step, of: kinds, parameters)
    folds = step.folds.map(FoldState.init)
    tally = Tally(kindCount: plan.promises.count)
  }

  /// The step.
  package var step: EntityStep { plan.step }

  /// Whether all entities have to be seen before the first one can be changed.
  var needsSurvey: Bool { plan.needsSurvey }

  /// Whether it takes in what it changes.
  var surveysOnTheWay: Bool { plan.surveysOnTheWay }

  /// Whether it changes entities of a kind.
  package func changes(_ kind: EntityKind) -> Bool { plan.changes(kind) }

  /// Whether it makes entities of others of a kind, or puts them together.
  package func takesIn(_ kind: EntityKind) -> Bool { plan.takesIn(kind) }

  /// Whether it puts entities of a kind together.
  package func foldsIn(_ kind: EntityKind) -> Bool { plan.foldsIn(kind) }

  /// Whether it makes others for entities of a kind.
  package func makesOthers(for kind: EntityKind) -> Bool { plan.makesOthers(for: kind) }

  /// The kinds of which it makes entities.
  package var createdKinds: Set<EntityKind> { plan.created }

  /// Whether it has anything to do with entities of a kind, whatever they hold.
  package func concerns(_ kind: EntityKind) -> Bool { plan.concerns(kind) }

  // MARK: Looking at all

  /// Takes in an entity as it is before the step.
  package mutating func survey(
    _ entity: ChangingEntity
  ) throws(ConversionDefect) {
    if plan.created.contains(entity.kind) {
      taken[entity.kind, default: []].insert(entity.identity)
    }
    let numbers = plan.folds[Int(entity.kind.index)]
    guard !numbers.isEmpty else { return }
    let source = EntitySource(entity, plan.rules, [])
    for number in numbers { try folds[number].add(source, entity.identity) }
  }

  /// Returns what an entity adds to folds, by their numbers. What does not convert is told where it is taken in.
  package func contributions(of entity: ChangingEntity) -> [Int: FoldContribution] {
    var contributions: [Int: FoldContribution] = [:]
    let source = EntitySource(entity, plan.rules, [])
    for number in plan.folds[Int(entity.kind.index)] {
      do throws(ConversionDefect) {
        contributions[number] = try folds[number].contribution(of: source)
      } catch {
        continue
      }
    }
    return contributions
  }

  /// Forgets what was taken in.
  mutating func restart() {
    folds = step.folds.map(FoldState.init)
    taken.removeAll()
  }

  /// Makes the results of folds, once all entities were taken in.
  package mutating func endSurvey() { for index in folds.indices { folds[index].finish() } }

  // MARK: Changing

  /// Changes an entity.
  package func apply(to entity: inout ChangingEntity) throws(StepDefect) {
    let changes = plan.changes[Int(entity.kind.index)]
    if !changes.isEmpty { try changes.apply(to: &entity, plan.rules, folds) }
  }

  /// Returns the entities that are made for one.
  package func creations(for entity: ChangingEntity) throws(StepDefect) -> [ChangingEntity] {
    let creations = plan.creations[Int(entity.kind.index)]
    if creations.isEmpty { return [] }
    return try make(creations, from: EntitySource(entity, plan.rules, folds))
  }

  /// Returns the entities that are made for none.
  package func creations() throws(StepDefect) -> [ChangingEntity] {
    if plan.soleCreations.isEmpty { return [] }
    return try make(plan.soleCreations, from: EntitySource(nil, plan.rules, folds))
  }

  private func make(
    _ creations: [StageCreation], from source: EntitySource
  ) throws(StepDefect) -> [ChangingEntity] {
    var made: [ChangingEntity] = []
    for creation in creations {
      if let entity = try creation.entity(from: source, plan.kinds) { made.append(entity) }
    }
    return made
  }

  /// Notes that there is an entity of a kind that it makes.
  package mutating func take(_ identity: Identity, _ kind: EntityKind) {
    taken[kind, default: []].insert(identity)
  }

  /// Whether it was noted that there is an entity of a kind that it makes.
  package func hasTaken(_ identity: Identity, _ kind: EntityKind) -> Bool {
    taken[kind]?.contains(identity) ?? false
  }

  /// Whether it may make something for an entity that is not there: only what needs no other entity is
  /// looked at, so it may turn out that it does not.
  package func mayMakeMore(for entity: ChangingEntity) -> Bool {
    let source = EntitySource(entity, plan.rules, [])
    return plan.creations[Int(entity.kind.index)].contains { creation in
      guard let identity = creation.identity(from: source, plan.kinds) else { return true }
      return !hasTaken(identity, creation.kind)
    }
  }

  /// Notes that an entity was made; returns false if there is one of its identity.
  package mutating func claim(_ entity: ChangingEntity) -> Bool {
    taken[entity.kind, default: []].insert(entity.identity).inserted
  }

  // MARK: Promises

  /// Gives out what was met since it was created, or since this was done last.
  package mutating func takeTally() -> Tally {
    defer { tally = Tally(kindCount: tally.counts.count) }
    return tally
  }

  /// Adds what was met elsewhere; returns the identities that are there twice, with the promises that
  /// this breaks.
  package mutating func add(_ other: Tally) -> [(promise: Int, kind: EntityKind, Identity)] {
    for index in tally.counts.indices { tally.counts[index] += other.counts[index] }
    var broken: [(promise: Int, kind: EntityKind, Identity)] = []
    for (kind, identities) in other.met {
      let known = tally.met[kind, default: []]
      let twice = identities.filter { known.contains($0) }
      tally.met[kind, default: []].formUnion(identities)
      for number in plan.promises[Int(kind.index)] {
        guard case .unique = step.promises[number].fact else { continue }
        broken += twice.map { (number, kind, $0) }
      }
    }
    return broken
  }

  /// Looks whether what was promised of each entity holds for one; returns the promises that do not.
  package mutating func check(
    _ entity: ChangingEntity
  ) throws(ConversionDefect) -> [Int] {
    tally.counts[Int(entity.kind.index)] += 1
    let numbers = plan.promises[Int(entity.kind.index)]
    guard !numbers.isEmpty else { return [] }
    var broken: [Int] = []
    for number in numbers {
      switch step.promises[number].fact {
      case .every(_, let test):
        let source = EntitySource(entity, plan.rules, folds)
        if try !test.holds(for: source) { broken.append(number) }
      case .unique:
        if !tally.met[entity.kind, default: []].insert(entity.identity).inserted {
          broken.append(number)
        }
      case .asMany: break
      }
    }
    return broken
  }

  /// The promises about numbers of entities that do not hold, and what is said of each.
  package var brokenCounts: [(promise: EntityStep.Promise, problem: String)] {
    step.promises.compactMap { promise in
      guard case .asMany(let kind, let otherKind) = promise.fact else { return nil }
      let (count, other) = (count(of: kind), count(of: otherKind))
      guard count != other else { return nil }
      let problem =
        "there are \(EntityKinds.counted(count, kind)) "
        + "and \(EntityKinds.counted(other, otherKind)), and as many were promised"
      return (promise, problem)
    }
  }

  private func count(of name: String) -> Int {
    plan.kinds.kind(named: Array(name.utf8).span).map { tally.counts[Int($0.index)] } ?? 0
  }
}

/// An entity on its way through the steps.
package struct ChangingEntity {
  /// What it is.
  package var kind = EntityKind.other
  /// Who it is.
  package var identity = Identity(high: 0, low: 0)
  /// What it holds.
  package var fields = EntityFields()
  /// Where what was read is.
  package var tape = JSONTape()

  /// Creates an entity of no kind.
  package init() {}
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
  private let entity: ChangingEntity?
  private let rules: StageRules
  private let folds: [FoldState]

  init(_ entity: ChangingEntity?, _ rules: StageRules, _ folds: [FoldState]) {
    self.entity = entity
    self.rules = rules
    self.folds = folds
  }

  func value(at path: ValuePath) -> MigrationValue? {
    entity.flatMap { $0.fields.value(at: path, of: $0.tape) }
  }

  var identity: String? {
    entity.map { String(decoding: rules.kinds.bytes(of: $0.identity, $0.kind), as: UTF8.self) }
  }

  func parameter(_ name: String) -> MigrationValue? { rules.parameters[name] }

  func folded(_ name: String) -> MigrationValue? {
    guard let index = rules.folds.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }),
      index < folds.count
    else { return nil }
    return folds[index].result(for: identity)
  }
}

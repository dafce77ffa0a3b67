import Folders

/// What a step does to entities, by the numbers of their kinds: all of it that does not change while it runs.
final class StagePlan: Sendable {
  let step: EntityStep
  let kinds: EntityKinds
  let rules: StageRules
  /// What becomes of entities, by the numbers of their kinds.
  let changes: [StageChanges]
  /// The numbers of the folds that take in entities, by their kinds.
  let folds: [[Int]]
  /// What is made for entities, by their kinds.
  let creations: [[StageCreation]]
  /// The entities that are made for none.
  let soleCreations: [StageCreation]
  /// The numbers of the promises about entities, by their kinds.
  let promises: [[Int]]
  /// The kinds of which it makes entities.
  let created: Set<EntityKind>
  /// The numbers of the kinds of which there are to be as many as of others.
  private let counted: Set<Int>
  /// Whether all entities have to be seen before the first one can be changed. Entities that are made for
  /// none come last, and what they need is seen on the way.
  let needsSurvey: Bool
  /// Whether it takes in what it changes.
  let surveysOnTheWay: Bool

  init(_ step: EntityStep, of kinds: EntityKinds, _ parameters: MigrationObject) {
    self.step = step
    self.kinds = kinds
    rules = StageRules(kinds, parameters, step.folds.map(\.name))
    let all = kinds.all.map { kinds.name(of: $0) }
    func index(of kind: String) -> Int? { all.firstIndex { $0.utf8.elementsEqual(kind.utf8) } }
    var changes = Array(repeating: StageChanges(), count: all.count)
    for mapping in step.mappings {
      guard let kind = index(of: mapping.kind) else { continue }
      for action in mapping.actions {
        changes[kind].add(action, of: kinds.all[kind], kinds, parameters)
      }
    }
    self.changes = changes
    var folds = Array(repeating: [Int](), count: all.count)
    for (number, fold) in step.folds.enumerated() {
      if let kind = index(of: fold.kind) { folds[kind].append(number) }
    }
    self.folds = folds
    var creations = Array(repeating: [StageCreation](), count: all.count)
    var soleCreations: [StageCreation] = []
    for creation in step.creations {
      guard let kind = index(of: creation.kind) else { continue }
      let made = StageCreation(creation, kinds.all[kind], kinds, parameters)
      guard let source = creation.source else {
        soleCreations.append(made)
        continue
      }
      if let source = index(of: source) { creations[source].append(made) }
    }
    self.creations = creations
    self.soleCreations = soleCreations
    var promises = Array(repeating: [Int](), count: all.count)
    var counted: Set<Int> = []
    for (number, promise) in step.promises.enumerated() {
      switch promise.fact {
      case .every(let kind, _), .unique(let kind):
        if let kind = index(of: kind) { promises[kind].append(number) }
      case .asMany(let kind, let other): counted.formUnion([kind, other].compactMap(index))
      }
    }
    self.promises = promises
    self.counted = counted
    created = Set(step.creations.compactMap { index(of: $0.kind).map { kinds.all[$0] } })
    needsSurvey =
      !creations.allSatisfy(\.isEmpty) || !step.folds.isEmpty && !changes.allSatisfy(\.isEmpty)
    surveysOnTheWay = !needsSurvey && !created.isEmpty
  }

  /// Whether it changes entities of a kind.
  func changes(_ kind: EntityKind) -> Bool {
    Int(kind.index) < changes.count && !changes[Int(kind.index)].isEmpty
  }

  /// Whether it makes entities of others of a kind, or puts them together.
  func takesIn(_ kind: EntityKind) -> Bool {
    let index = Int(kind.index)
    return index < changes.count && (!folds[index].isEmpty || !creations[index].isEmpty)
  }

  /// Whether it puts entities of a kind together.
  func foldsIn(_ kind: EntityKind) -> Bool {
    Int(kind.index) < folds.count && !folds[Int(kind.index)].isEmpty
  }

  /// Whether it makes others for entities of a kind.
  func makesOthers(for kind: EntityKind) -> Bool {
    Int(kind.index) < creations.count && !creations[Int(kind.index)].isEmpty
  }

  /// Whether it has anything to do with entities of a kind, whatever they hold.
  func concerns(_ kind: EntityKind) -> Bool {
    let index = Int(kind.index)
    guard index < changes.count else { return false }
    return changes(kind) || takesIn(kind) || !promises[index].isEmpty || created.contains(kind)
      || counted.contains(index)
  }
}

/// What expressions of a step see beside the entity.
final class StageRules: Sendable {
  let kinds: EntityKinds
  let parameters: MigrationObject
  /// The names of the folds.
  let folds: [String]

  init(_ kinds: EntityKinds, _ parameters: MigrationObject, _ folds: [String]) {
    self.kinds = kinds
    self.parameters = parameters
    self.folds = folds
  }
}

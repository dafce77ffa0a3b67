// What the expressions of a step use.
extension EntityStep {
  /// Returns the properties of a kind whose values the step gives on.
  func properties(usedOf kind: String) -> Set<String> {
    var uses = ExpressionUses()
    for mapping in mappings where mapping.kind == kind {
      for case .set(let set) in mapping.actions { uses.add(set.value) }
    }
    for creation in creations where creation.source == kind {
      uses.add(creation.identity)
      for field in creation.fields { uses.add(field.value) }
    }
    for fold in folds where fold.kind == kind { uses.add(fold) }
    return uses.properties
  }

  /// Whether it makes entities for others.
  package var makesOthers: Bool { creations.contains { $0.source != nil } }

  /// The properties that are lost by it, as their kinds and names: dropped, and used nowhere.
  package var lostProperties: [(kind: String, property: String)] {
    mappings.flatMap { mapping -> [(kind: String, property: String)] in
      let used = properties(usedOf: mapping.kind)
      return mapping.actions.compactMap { action in
        guard case .drop(let name) = action, !used.contains(name) else { return nil }
        return (mapping.kind, name)
      }
    }
  }

  /// Returns the properties that entities of a kind do not have any more after it.
  package func removedProperties(of kind: String) -> [String] {
    actions(on: kind).compactMap { action in
      switch action {
      case .drop(let name), .rename(let name, _): name
      case .set: nil
      }
    }
  }

  /// Returns the properties that it gives entities of a kind.
  package func givenProperties(of kind: String) -> [String] {
    actions(on: kind).compactMap { action in
      switch action {
      case .set(let set): set.property
      case .rename(_, let target): target
      case .drop: nil
      }
    }
  }

  /// Returns the properties of a kind that it gives values made of what they hold.
  package func rewrittenProperties(of kind: String) -> [String] {
    actions(on: kind).compactMap { action in
      guard case .set(let set) = action else { return nil }
      var uses = ExpressionUses()
      uses.add(set.value)
      return uses.properties.contains(set.property) ? set.property : nil
    }
  }

  /// Whether it may have given entities of a kind a value of a property that it, or a step before it, would
  /// change now.
  ///
  /// - Parameter isBehind: whether that is a step before it.
  package func mayHaveGiven(
    _ value: MigrationValue, to property: [UInt8], of kind: String, isBehind: Bool
  ) -> Bool {
    actions(on: kind).contains { action in
      switch action {
      case .drop: return false
      case .rename(_, let target): return target.utf8.elementsEqual(property)
      case .set(let set):
        guard set.property.utf8.elementsEqual(property) else { return false }
        // What it leaves it has not given. Where it looks at other properties as well, these may have been
        // others when it left what it would change now.
        let leavesNothing = isBehind || !set.usesOthers
        let own = ValuePath(names: [set.property])
        return set.value.mayGive(value, besides: leavesNothing ? own : nil)
      }
    }
  }

  /// Whether it makes entities of a kind that have a property.
  package func makes(_ property: String, of kind: String) -> Bool {
    creations.contains { creation in
      creation.kind.utf8.elementsEqual(kind.utf8)
        && creation.fields.contains { $0.property.utf8.elementsEqual(property.utf8) }
    }
  }

  /// Whether it gives entities of a kind a property.
  package func gives(_ property: String, to kind: String) -> Bool {
    givenProperties(of: kind).contains { $0.utf8.elementsEqual(property.utf8) }
  }

  /// Returns the properties of a kind that get what folds make.
  package func foldedProperties(of kind: String) -> [String] {
    actions(on: kind).compactMap { action in
      guard case .set(let set) = action else { return nil }
      return set.isFolded ? set.property : nil
    }
  }

  /// Returns the properties that entities of a kind which it makes get of what folds make.
  package func foldedProperties(ofMade kind: String) -> [String] {
    creations.filter { $0.kind.utf8.elementsEqual(kind.utf8) }.flatMap(\.fields)
      .filter(\.isFolded).map(\.property)
  }

  /// Whether it takes away or overwrites what a fold of a step reads.
  package func consumes(_ fold: Fold) -> Bool {
    var uses = ExpressionUses()
    uses.add(fold)
    if let test = fold.test { uses.addTested(test) }
    let changed = removedProperties(of: fold.kind) + givenProperties(of: fold.kind)
    return changed.contains(where: uses.properties.contains)
  }

  /// Whether it takes away or overwrites what the folds of a step read.
  package func consumes(anyOf step: EntityStep) -> Bool { step.folds.contains(where: consumes) }

  /// Whether it takes away or overwrites what the folds of a step read, also by the names that others between the
  /// two have given that.
  package func consumes(anyOf step: EntityStep, behind between: [EntityStep]) -> Bool {
    step.folds.contains { fold in
      if consumes(fold) { return true }
      var uses = ExpressionUses()
      uses.add(fold)
      var names: Set<String> = []
      for other in between {
        for case .rename(let name, let target) in other.actions(on: fold.kind)
        where uses.properties.contains(name) || names.contains(name) { names.insert(target) }
      }
      return (removedProperties(of: fold.kind) + givenProperties(of: fold.kind))
        .contains(where: names.contains)
    }
  }

  /// Whether it would make the same of a property of a kind that gets what folds make, as long as these make the same:
  /// it looks at nothing that it changes, nor one of other steps, and needs no parameters.
  package func repeatsTotal(_ property: String, of kind: String, behind later: [EntityStep]) -> Bool
  {
    for case .set(let set) in actions(on: kind) where set.property.utf8.elementsEqual(property.utf8)
    {
      guard repeats(set.value, of: kind, behind: later) else { return false }
    }
    return true
  }

  /// Likewise of a property of entities that it makes.
  package func repeatsTotal(
    _ property: String, ofMade kind: String, behind later: [EntityStep]
  ) -> Bool {
    creations.filter { $0.kind.utf8.elementsEqual(kind.utf8) }.allSatisfy { creation in
      creation.fields.filter { $0.property.utf8.elementsEqual(property.utf8) }.allSatisfy { field in
        creation.source.map { repeats(field.value, of: $0, behind: later) } ?? true
      }
    }
  }

  private func repeats(
    _ value: ValueExpression, of kind: String, behind later: [EntityStep]
  ) -> Bool {
    var uses = ExpressionUses()
    uses.add(value)
    let used = uses.properties.union(uses.tested)
    for fold in folds {
      uses.add(fold)
      if let test = fold.test { uses.add(test) }
    }
    return uses.parameters.isEmpty
      && ([self] + later).allSatisfy { step in
        !(step.removedProperties(of: kind) + step.givenProperties(of: kind))
          .contains(where: used.contains)
      }
  }

  /// Whether it takes away what a step before it reads, or what the folds of that one do, which it may also overwrite.
  package func takesAway(from step: EntityStep) -> Bool {
    if consumes(anyOf: step) { return true }
    return Set(mappings.map(\.kind)).contains { kind in
      let used = step.properties(usedOf: kind)
      return removedProperties(of: kind).contains(where: used.contains)
    }
  }

  private func actions(on kind: String) -> [Action] {
    mappings.filter { $0.kind.utf8.elementsEqual(kind.utf8) }.flatMap(\.actions)
  }

  /// The parameters that it needs.
  package var parameters: Set<String> {
    var uses = ExpressionUses()
    for mapping in mappings {
      for case .set(let set) in mapping.actions { uses.add(set.value) }
    }
    for creation in creations {
      uses.add(creation.identity)
      if let test = creation.test { uses.add(test) }
      for field in creation.fields { uses.add(field.value) }
    }
    for fold in folds {
      uses.add(fold)
      if let test = fold.test { uses.add(test) }
    }
    for promise in promises {
      if case .every(_, let test) = promise.fact { uses.add(test) }
    }
    return uses.parameters
  }
}

extension EntityStep.Assignment {
  /// Whether the value depends on other properties than its own.
  fileprivate var usesOthers: Bool {
    var uses = ExpressionUses()
    uses.add(value)
    return uses.hasFolds || uses.properties.union(uses.tested) != [property]
  }

  /// Whether the value is made of what a fold makes.
  package var isFolded: Bool {
    var uses = ExpressionUses()
    uses.add(value)
    return uses.hasFolds
  }
}

extension [EntityStep] {
  /// Returns the properties that entities of a kind have no more after the step at a position, and that
  /// neither it nor a later one gives them again.
  package func goneProperties(after position: Int, of kind: String) -> [String] {
    self[position].removedProperties(of: kind).filter { name in
      !self[position...].contains { $0.gives(name, to: kind) }
    }
  }
}

extension ValueExpression {
  /// The parameters that it needs.
  var parameters: Set<String> {
    var uses = ExpressionUses()
    uses.add(self)
    return uses.parameters
  }
}

extension ValueTest {
  /// The parameters that it needs.
  var parameters: Set<String> {
    var uses = ExpressionUses()
    uses.add(self)
    return uses.parameters
  }
}

/// What expressions use.
private struct ExpressionUses {
  /// The properties whose values they give on; what is only tested is not among them.
  private(set) var properties: Set<String> = []
  /// Those that are only tested, and others.
  private(set) var tested: Set<String> = []
  private(set) var parameters: Set<String> = []
  private(set) var hasFolds = false

  mutating func add(_ fold: EntityStep.Fold) {
    if let group = fold.group { add(group) }
    switch fold.combining {
    case .count: break
    case .sum(let value), .minimum(let value), .maximum(let value): add(value)
    case .list(let value, let order):
      add(value)
      if let order { add(order) }
    }
  }

  mutating func add(_ expression: ValueExpression) {
    switch expression {
    case .copy(let path): if let first = path.first { properties.insert(first) }
    case .parameter(let name): parameters.insert(name)
    case .folded: hasFolds = true
    case .constant, .identity: break
    case .first(let parts), .concatenated(let parts, _), .list(let parts):
      for part in parts { add(part) }
    case .nonNull(let part), .piece(_, let part, _), .converted(let part, _): add(part)
    case .lookedUp(let part, _, let otherwise):
      add(part)
      if let otherwise { add(otherwise) }
    case .object(let fields): for field in fields { add(field.value) }
    case .conditional(let test, let then, let otherwise):
      add(test)
      add(then)
      if let otherwise { add(otherwise) }
    }
  }

  /// A test gives no value on.
  mutating func add(_ test: ValueTest) {
    let before = properties
    addTested(test)
    tested.formUnion(properties)
    properties = before
  }

  /// What is tested, too.
  mutating func addTested(_ test: ValueTest) {
    switch test {
    case .present(let expression): add(expression)
    case .equal(let left, let right):
      add(left)
      add(right)
    case .all(let tests), .any(let tests): for test in tests { addTested(test) }
    case .not(let test): addTested(test)
    }
  }
}

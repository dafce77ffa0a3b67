import Folders

// What a step does, and what it promises.
extension PlanReader {
  func mappings(
    of node: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> [EntityStep.Mapping] {
    guard let table = form.tape.member("entities", of: node) else { return [] }
    var mappings: [EntityStep.Mapping] = []
    for (name, list) in form.members(of: table) {
      let place = place + [.named("entities"), .member(form.tape.bytes(of: name))]
      let kind = try kind(form.string(name), of: scope, at: place)
      let scope = scope.over(kind, undeclared)
      var actions: [EntityStep.Action] = []
      var targets: Set<MigrationText> = []
      for (index, element) in form.elements(of: list).enumerated() {
        let place = place + [.element(index)]
        let action = try action(element, at: place, scope)
        for target in action.targets where !targets.insert(MigrationText(target)).inserted {
          throw PlanDefect(.duplicateTarget(target), at: place)
        }
        actions.append(action)
      }
      mappings.append(EntityStep.Mapping(kind: kind.name, actions: actions))
    }
    return mappings
  }

  private func action(
    _ node: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> EntityStep.Action {
    if form.tape.member("set", of: node) != nil {
      return .set(try assignment(node, at: place, scope, of: scope))
    }
    if let name = form.text("drop", of: node) {
      _ = try scope.type(of: name, at: place + [.named("drop")])
      return .drop(name)
    }
    let (name, target) = (form.text("rename", of: node) ?? "", form.text("to", of: node) ?? "")
    let given = try scope.type(of: name, at: place + [.named("rename")])
    let type = try scope.targetType(of: target, nil, at: place + [.named("to")])
    try check(target, type, takes: ExpressionType(of: given), at: place + [.named("to")])
    return .rename(name, to: target)
  }

  /// - Parameters:
  ///   - scope: what its expression sees.
  ///   - target: where the property is.
  private func assignment(
    _ node: Int, at place: [FormStep], _ scope: Scope, of target: Scope
  ) throws(PlanDefect) -> EntityStep.Assignment {
    let name = form.text("set", of: node) ?? ""
    let typeName = form.text("type", of: node)
    let given = typeName.flatMap { name in PropertyType.names.first { $0.name == name }?.type }
    let type = try target.targetType(of: name, given, at: place + [.named("set")])
    let (value, gives) = try expression("to", of: node, at: place, scope)
    try check(name, type, takes: gives, at: place + [.named("to")])
    return EntityStep.Assignment(property: name, value: value, type: given)
  }

  private func check(
    _ name: String, _ type: PropertyType, takes given: ExpressionType, at place: [FormStep]
  ) throws(PlanDefect) {
    // What is of any type is looked at when there is a value.
    guard given == .any || given.subtracting(.taken(by: type)).isEmpty else {
      throw PlanDefect(
        .incompatibleTypes(name, type: type.name, given: given.words), at: place)
    }
  }

  func folds(
    of node: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> [(EntityStep.Fold, ExpressionType)] {
    guard let table = form.tape.member("folds", of: node) else { return [] }
    var folds: [(EntityStep.Fold, ExpressionType)] = []
    for (name, fold) in form.members(of: table) {
      let place = place + [.named("folds"), .member(form.tape.bytes(of: name))]
      let kind = try kind(form.text("of", of: fold) ?? "", of: scope, at: place + [.named("of")])
      let scope = scope.over(kind, undeclared)
      func value(_ name: String) throws(PlanDefect) -> (ValueExpression, ExpressionType)? {
        guard form.tape.member(name, of: fold) != nil else { return nil }
        return try expression(name, of: fold, at: place, scope)
      }
      let combining: EntityStep.Fold.Combining
      let type: ExpressionType
      if let (sum, gives) = try value("sum") {
        try check("sum", .number, takes: gives, at: place + [.named("sum")])
        (combining, type) = (.sum(sum), gives.subtracting(.null))
      } else if let (least, gives) = try value("minimum") {
        (combining, type) = (.minimum(least), gives)
      } else if let (greatest, gives) = try value("maximum") {
        (combining, type) = (.maximum(greatest), gives)
      } else if let (element, _) = try value("list") {
        (combining, type) = (.list(element, orderedBy: try value("orderedBy")?.0), .list)
      } else {
        (combining, type) = (.count, .integer)
      }
      folds.append(
        (
          EntityStep.Fold(
            name: form.string(name), kind: kind.name, group: try value("by")?.0,
            test: try test("where", of: fold, at: place, scope), combining: combining), type
        ))
    }
    return folds
  }

  func creations(
    of node: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> [EntityStep.Creation] {
    var creations: [EntityStep.Creation] = []
    for (index, node) in form.elements("create", of: node).enumerated() {
      let place = place + [.named("create"), .element(index)]
      let kind = try kind(
        form.text("kind", of: node) ?? "", of: scope, at: place + [.named("kind")])
      let source = try form.text("for", of: node).map { name throws(PlanDefect) in
        try self.kind(name, of: scope, at: place + [.named("for")])
      }
      let seen = source.map { scope.over($0, undeclared) } ?? scope
      let target = scope.over(kind, undeclared)
      var fields: [EntityStep.Assignment] = []
      for (index, element) in form.elements("fields", of: node).enumerated() {
        let place = place + [.named("fields"), .element(index)]
        let field = try assignment(element, at: place, seen, of: target)
        if fields.contains(where: { $0.property.utf8.elementsEqual(field.property.utf8) }) {
          throw PlanDefect(.duplicateTarget(field.property), at: place)
        }
        fields.append(field)
      }
      let (identity, gives) = try expression("id", of: node, at: place, seen)
      if let property = kind.identity.property, case .uuid = kind.identity {
        try check(property.description, .uuid, takes: gives, at: place + [.named("id")])
      } else {
        try check("id", .string, takes: gives, at: place + [.named("id")])
      }
      creations.append(
        EntityStep.Creation(
          kind: kind.name, source: source?.name,
          test: try test("where", of: node, at: place, seen), identity: identity, fields: fields))
    }
    return creations
  }

  func promises(
    of node: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> [EntityStep.Promise] {
    var promises: [EntityStep.Promise] = []
    for (index, node) in form.elements("verify", of: node).enumerated() {
      let place = place + [.named("verify"), .element(index)]
      func kind(_ name: String) throws(PlanDefect) -> EntityKindProfile? {
        guard let text = form.text(name, of: node) else { return nil }
        return try self.kind(text, of: scope, at: place + [.named(name)])
      }
      let fact: EntityStep.Promise.Fact
      if let every = try kind("every") {
        let test = try test("holds", of: node, at: place, scope.over(every, undeclared))
        fact = .every(every.name, test ?? .all([]))
      } else if let unique = try kind("unique") {
        fact = .unique(unique.name)
      } else {
        fact = .asMany(try kind("asMany")?.name ?? "", as: try kind("as")?.name ?? "")
      }
      promises.append(EntityStep.Promise(fact: fact, isWarning: form.flag("warns", of: node)))
    }
    return promises
  }

  private func kind(
    _ name: String, of scope: Scope, at place: [FormStep]
  ) throws(PlanDefect) -> EntityKindProfile {
    guard let kind = scope.profile.kind(named: name) else {
      throw PlanDefect(.unknownKind(name), at: place)
    }
    return kind
  }
}

extension EntityStep.Action {
  /// The properties that it makes something of.
  fileprivate var targets: [String] {
    switch self {
    case .set(let set): [set.property]
    case .rename(let name, let target): [name, target]
    case .drop(let name): [name]
    }
  }
}

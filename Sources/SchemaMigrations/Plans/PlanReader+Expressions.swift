import Folders

// Expressions and tests of a plan, with what they give.
extension PlanReader {
  /// What an expression of a plan sees.
  struct Scope {
    let profile: Profile
    let parameters: [PlanParameter]
    /// The version of the data; nil if the step does not depend on one.
    var version: Int?
    /// The version after the step.
    var target: Int?
    /// What the folds of the step give.
    var folds: [String: ExpressionType] = [:]
    /// The names of what there is to be looked at, where nobody declares what it holds; empty if it has no
    /// names, nil if there is an entity, or nothing.
    var names: [String]?
    /// The kind of the entity; nil if there is none.
    private var kind: EntityKindProfile?
    /// What the steps before this one gave to kinds, and the profile does not have.
    private var undeclared: [PropertyKey: PropertyType] = [:]

    init(profile: Profile, parameters: [PlanParameter], version: Int?, target: Int?) {
      self.profile = profile
      self.parameters = parameters
      self.version = version
      self.target = target
    }

    /// The scope with an entity of a kind.
    func over(_ kind: EntityKindProfile, _ undeclared: [PropertyKey: PropertyType]) -> Scope {
      var scope = self
      scope.kind = kind
      scope.undeclared = undeclared
      return scope
    }

    /// The scope of what holds after the step.
    func afterStep(with undeclared: [PropertyKey: PropertyType]) -> Scope {
      var scope = self
      scope.version = target
      scope.undeclared = undeclared
      return scope
    }

    var hasEntity: Bool { kind != nil }

    /// What the identity of the entity is.
    var identityType: ExpressionType {
      if case .uuid = kind?.identity { .uuid } else { .text }
    }

    /// Returns what a property of the entity is before the step.
    func type(of name: String, at place: [FormStep]) throws(PlanDefect) -> PropertyType {
      guard let kind else { throw PlanDefect(.nothingToLookAt, at: place) }
      if let type = Self.type(of: name, kind, in: version) ?? other(name, of: kind) { return type }
      throw PlanDefect(.unknownProperty(name, kind: kind.name, version: version), at: place)
    }

    /// Returns what a property is that the step sets.
    ///
    /// - Parameter given: what the step says that it is.
    func targetType(
      of name: String, _ given: PropertyType?, at place: [FormStep]
    ) throws(PlanDefect) -> PropertyType {
      guard let kind else { throw PlanDefect(.nothingToLookAt, at: place) }
      let declared = kind.properties[PropertyName(Array(name.utf8))]
      if let given {
        if let declared {
          let isForm = given == .text || given == .string
          if isForm, profile.mayBeText(declared.name, of: kind) { return given }
          throw PlanDefect(.typeOfDeclared(name), at: place)
        }
        if kind.identity.property != PropertyName(Array(name.utf8)) { return given }
      } else if let type = Self.type(of: name, kind, in: target) ?? other(name, of: kind) {
        return type
      }
      throw PlanDefect(.unknownProperty(name, kind: kind.name, version: target), at: place)
    }

    /// Whether entities of a kind can have a property before the step.
    func isThere(
      _ name: String, of kind: EntityKindProfile?, _ undeclared: [PropertyKey: PropertyType]
    ) -> Bool {
      guard let kind else { return false }
      return Self.type(of: name, kind, in: version) != nil
        || undeclared[PropertyKey(kind: kind.name, property: MigrationText(name))] != nil
    }

    private func other(_ name: String, of kind: EntityKindProfile) -> PropertyType? {
      undeclared[PropertyKey(kind: kind.name, property: MigrationText(name))]
    }

    private static func type(
      of name: String, _ kind: EntityKindProfile, in version: Int?
    ) -> PropertyType? {
      guard let property = kind.properties[PropertyName(Array(name.utf8))] else { return nil }
      guard let version else { return property.type }
      guard property.since <= version, property.until.map({ version < $0 }) ?? true else {
        return nil
      }
      return property.type
    }
  }

  typealias Typed = (value: ValueExpression, gives: ExpressionType)

  /// Reads the expression that a member is.
  func expression(
    _ name: String, of object: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> Typed {
    try expression(form.tape.member(name, of: object) ?? object, at: place + [.named(name)], scope)
  }

  private func expressions(
    _ name: String, of object: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> [Typed] {
    var expressions: [Typed] = []
    for (index, node) in form.elements(name, of: object).enumerated() {
      expressions.append(
        try expression(node, at: place + [.named(name), .element(index)], scope))
    }
    return expressions
  }

  private func expression(
    _ node: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> Typed {
    func part(_ name: String) throws(PlanDefect) -> Typed? {
      guard form.tape.member(name, of: node) != nil else { return nil }
      return try expression(name, of: node, at: place, scope)
    }
    // The first member says which of the forms it has.
    if let text = form.text("copy", of: node) {
      return try copy(text, at: place + [.named("copy")], scope)
    }
    if let constant = form.tape.member("constant", of: node) {
      let value = MigrationValue(constant, of: form.tape)
      return (.constant(value), ExpressionType(of: value))
    }
    if let name = form.text("parameter", of: node) {
      guard let parameter = scope.parameters.first(where: { $0.name == name }) else {
        throw PlanDefect(.unknownParameter(name), at: place + [.named("parameter")])
      }
      return (.parameter(name), ExpressionType(of: parameter.kind))
    }
    if form.tape.member("identity", of: node) != nil {
      guard scope.hasEntity else { throw PlanDefect(.nothingToLookAt, at: place) }
      return (.identity, scope.identityType)
    }
    if let name = form.text("fold", of: node) {
      guard let type = scope.folds[name] else {
        throw PlanDefect(.unknownFold(name), at: place + [.named("fold")])
      }
      return (.folded(name), type)
    }
    if form.tape.member("first", of: node) != nil {
      let parts = try expressions("first", of: node, at: place, scope)
      return (.first(parts.map(\.value)), parts.reduce(into: []) { $0.formUnion($1.gives) })
    }
    if let part = try part("nonNull") {
      return (.nonNull(part.value), part.gives.subtracting(.null))
    }
    if form.tape.member("concatenate", of: node) != nil {
      let parts = try expressions("concatenate", of: node, at: place, scope)
      return (
        .concatenated(parts.map(\.value), separator: form.text("separator", of: node) ?? ""), .text
      )
    }
    if let whole = try part("split") { return try split(whole, node, at: place) }
    if let part = try part("convert") {
      let conversion = form.text("to", of: node).flatMap(ValueConversion.init) ?? .text
      return (.converted(part.value, conversion), ExpressionType(of: conversion))
    }
    if let key = try part("lookUp") { return try lookUp(key, node, otherwise: try part("else")) }
    if let object = form.tape.member("object", of: node) {
      var fields: [ValueExpression.Field] = []
      for (name, _) in form.members(of: object) {
        let text = form.string(name)
        fields.append(
          .init(text, try expression(text, of: object, at: place + [.named("object")], scope).value)
        )
      }
      return (.object(fields), .object)
    }
    if form.tape.member("list", of: node) != nil {
      return (.list(try expressions("list", of: node, at: place, scope).map(\.value)), .list)
    }
    return try conditional(node, at: place, scope)
  }

  private func copy(
    _ text: String, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> Typed {
    let path = ValuePath(text)
    if let names = scope.names, let path {
      guard names.isEmpty || path.first.map(names.contains) ?? false else {
        throw PlanDefect(.unknownSource(path.first ?? ""), at: place)
      }
      return (.copy(path), .any)
    }
    guard let path, let first = path.first else {
      throw PlanDefect(.notAPointer(text), at: place)
    }
    let type = try scope.type(of: first, at: place)
    return (.copy(path), path.isMember ? ExpressionType(of: type) : .any)
  }

  private func split(
    _ whole: Typed, _ node: Int, at place: [FormStep]
  ) throws(PlanDefect) -> Typed {
    var pieces: [ValueExpression.Piece] = []
    if let part = form.number("part", of: node) { pieces.append(.at(part)) }
    if let from = form.number("from", of: node) { pieces.append(.from(from)) }
    if form.flag("last", of: node) { pieces.append(.last) }
    guard pieces.count == 1 else { throw PlanDefect(.severalParts, at: place) }
    return (
      .piece(pieces[0], of: whole.value, separator: form.text("by", of: node) ?? ""), .text
    )
  }

  private func lookUp(
    _ value: Typed, _ node: Int, otherwise: Typed?
  ) throws(PlanDefect) -> Typed {
    var table: [MigrationText: MigrationValue] = [:]
    var gives = otherwise?.gives ?? []
    for (name, member) in form.members(of: form.tape.member("in", of: node) ?? node) {
      let found = MigrationValue(member, of: form.tape)
      table[MigrationText(form.string(name))] = found
      gives.formUnion(ExpressionType(of: found))
    }
    return (.lookedUp(value.value, table, otherwise: otherwise?.value), gives)
  }

  private func conditional(
    _ node: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> Typed {
    let test = try test("if", of: node, at: place, scope) ?? .all([])
    let then = try expression("then", of: node, at: place, scope)
    let otherwise =
      form.tape.member("else", of: node) == nil
      ? nil : try expression("else", of: node, at: place, scope)
    return (
      .conditional(test, then: then.value, otherwise: otherwise?.value),
      then.gives.union(otherwise?.gives ?? [])
    )
  }

  // MARK: Tests

  /// Reads the test that a member is; nil if there is none.
  func test(
    _ name: String, of object: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> ValueTest? {
    guard let node = form.tape.member(name, of: object) else { return nil }
    return try test(node, at: place + [.named(name)], scope)
  }

  private func test(
    _ node: Int, at place: [FormStep], _ scope: Scope
  ) throws(PlanDefect) -> ValueTest {
    if form.tape.member("present", of: node) != nil {
      return .present(try expression("present", of: node, at: place, scope).value)
    }
    if form.tape.member("equal", of: node) != nil {
      let parts = try expressions("equal", of: node, at: place, scope)
      guard parts.count == 2 else { throw PlanDefect(.notTwo, at: place + [.named("equal")]) }
      return .equal(parts[0].value, parts[1].value)
    }
    if let other = try test("not", of: node, at: place, scope) { return .not(other) }
    let name = form.tape.member("all", of: node) == nil ? "any" : "all"
    var tests: [ValueTest] = []
    for (index, element) in form.elements(name, of: node).enumerated() {
      tests.append(try test(element, at: place + [.named(name), .element(index)], scope))
    }
    return name == "all" ? .all(tests) : .any(tests)
  }
}

import Folders
import SafeFiles

/// Turns the text of a file into a plan: first the form, by the table, then the values, with what they have
/// to do with each other and with the profile.
struct PlanReader {
  /// Expressions are in each other.
  static let depthLimit = 64

  var form = FormReader()
  let profiles: (String) -> Profile?
  /// The steps over places that run before those of the plan.
  let earlierPlaces: [PlaceStep]
  /// The properties that steps give to kinds, and that the profile does not have.
  private var undeclared: [PropertyKey: PropertyType] = [:]

  struct PropertyKey: Hashable {
    let kind: String
    let property: MigrationText
  }

  init(_ profiles: @escaping (String) -> Profile?, after places: [PlaceStep]) {
    self.profiles = profiles
    earlierPlaces = places
  }

  mutating func plan() throws(PlanDefect) -> Plan {
    do throws(FormDefect) {
      try form.check(.plan)
    } catch {
      throw PlanDefect(.form(error.fact), at: error.place)
    }
    let (hasSteps, hasPlaces) = (
      form.tape.member("steps", of: 0) != nil, form.tape.member("places", of: 0) != nil
    )
    guard hasSteps != hasPlaces else { throw PlanDefect(.stepsOrPlaces, at: []) }
    let parameters = readParameters()
    let places = try placeSteps(parameters)
    let steps = hasSteps ? try entitySteps(parameters) : ([], nil)
    return Plan(
      name: form.text("plan", of: 0) ?? "", profile: steps.1,
      description: form.text("description", of: 0), parameters: parameters, steps: steps.0,
      places: places)
  }

  private mutating func entitySteps(
    _ parameters: [PlanParameter]
  ) throws(PlanDefect) -> ([EntityStep], Profile?) {
    guard let name = form.text("profile", of: 0) else { throw PlanDefect(.profileMissing, at: []) }
    guard let profile = profiles(name) else {
      throw PlanDefect(.unknownProfile(name), at: [.named("profile")])
    }
    var steps: [EntityStep] = []
    for (index, node) in form.elements("steps", of: 0).enumerated() {
      let place: [FormStep] = [.named("steps"), .element(index)]
      let step = try step(node, at: place, profile, parameters, after: steps)
      steps.append(step)
      if let layout = steps.first(where: { $0.layout != nil }), steps.count > 1 {
        throw PlanDefect(.layoutBeside(layout.id.rawValue), at: place)
      }
    }
    return (steps, profile)
  }

  private func readParameters() -> [PlanParameter] {
    guard let table = form.tape.member("parameters", of: 0) else { return [] }
    return form.members(of: table).map { name, value in
      PlanParameter(
        name: form.string(name),
        kind: form.text("type", of: value).flatMap(PlanParameter.Kind.init) ?? .text,
        description: form.text("description", of: value))
    }
  }

  // MARK: Steps

  private mutating func step(
    _ node: Int, at place: [FormStep], _ profile: Profile, _ parameters: [PlanParameter],
    after steps: [EntityStep]
  ) throws(PlanDefect) -> EntityStep {
    let id = form.text("id", of: node) ?? ""
    if steps.contains(where: { $0.id.rawValue == id }) {
      throw PlanDefect(.duplicateStep(id), at: place + [.named("id")])
    }
    let layout = try layout(of: node, at: place, profile)
    let versions = try versions(of: node, at: place, profile, after: steps)
    let scope = Scope(
      profile: profile, parameters: parameters, version: versions?.from, target: versions?.to)
    let folds = try folds(of: node, at: place, scope)
    var folded = scope
    for (fold, type) in folds { folded.folds[fold.name] = type }
    let mappings = try mappings(of: node, at: place, folded)
    let creations = try creations(of: node, at: place, folded)
    let undeclaredBefore = undeclared
    noteUndeclared(mappings, creations)
    let step = EntityStep(
      id: MigrationID(rawValue: id), description: form.text("description", of: node),
      versions: versions,
      risk: form.text("risk", of: node).flatMap(MigrationRisk.init) ?? .destructive,
      condition: try form.tape.member("condition", of: node).map { node throws(PlanDefect) in
        try condition(
          node, at: place + [.named("condition")], of: id, after: steps.map(\.id.rawValue))
      },
      platforms: platforms("platforms", of: node), leadDevice: form.text("leadDevice", of: node),
      layout: layout, mappings: mappings, folds: folds.map(\.0), creations: creations,
      promises: try promises(of: node, at: place, scope.afterStep(with: undeclared)),
      checksum: checksum(of: node))
    try check(step, scope, undeclaredBefore, at: place)
    return step
  }

  private func layout(
    of node: Int, at place: [FormStep], _ profile: Profile
  ) throws(PlanDefect) -> DocumentLayout? {
    guard let name = form.text("layout", of: node) else { return nil }
    let place = place + [.named("layout")]
    guard EntityKinds(profile).hasLayouts else {
      throw PlanDefect(.noLayouts(profile.name), at: place)
    }
    let others = ["from", "to", "entities", "folds", "create", "verify"]
    if others.contains(where: { form.tape.member($0, of: node) != nil }) {
      throw PlanDefect(.layoutBeside(form.text("id", of: node) ?? ""), at: place)
    }
    return DocumentLayout(rawValue: name)
  }

  private func versions(
    of node: Int, at place: [FormStep], _ profile: Profile, after steps: [EntityStep]
  ) throws(PlanDefect) -> EntityStep.Versions? {
    switch (form.number("from", of: node), form.number("to", of: node)) {
    case (nil, nil): return nil
    case (let from?, let to?):
      guard from < to else {
        throw PlanDefect(.versionsBackwards(from: from, to: to), at: place + [.named("to")])
      }
      guard to <= profile.version else {
        throw PlanDefect(
          .versionAboveProfile(to, profile: profile.version), at: place + [.named("to")])
      }
      if let last = steps.compactMap(\.versions).last, last.to != from {
        throw PlanDefect(.versionGap(after: last.to, from: from), at: place + [.named("from")])
      }
      return EntityStep.Versions(from: from, to: to)
    case (_?, nil): throw PlanDefect(.versionAlone, at: place + [.named("from")])
    case (nil, _?): throw PlanDefect(.versionAlone, at: place + [.named("to")])
    }
  }

  func platforms(_ name: String, of node: Int) -> Set<Platform> {
    Set(form.elements(name, of: node).map { Platform(rawValue: form.string($0)) })
  }

  /// - Parameters:
  ///   - steps: the names of the steps before this one.
  ///   - sources: the sources that it may ask for, by their names.
  func condition(
    _ node: Int, at place: [FormStep], of id: String, after steps: [String],
    _ sources: [String: StorageKey] = [:]
  ) throws(PlanDefect) -> MigrationCondition {
    func version(_ name: String) throws(PlanDefect) -> AppVersion? {
      guard let text = form.text(name, of: node) else { return nil }
      guard let version = AppVersion(text) else {
        throw PlanDefect(.notAVersion(text), at: place + [.named(name)])
      }
      return version
    }
    if let version = try version("appBelow") { return .appVersionBelow(version) }
    if let version = try version("appAtLeast") { return .appVersionAtLeast(version) }
    if let count = form.number("freeBytes", of: node) {
      return .freeByteCount(atLeast: Int64(count))
    }
    if form.tape.member("platform", of: node) != nil {
      return .platform(platforms("platform", of: node))
    }
    if let done = form.text("done", of: node) {
      if done == id { throw PlanDefect(.circularCondition(id), at: place + [.named("done")]) }
      guard steps.contains(done) else {
        throw PlanDefect(.unknownStep(done), at: place + [.named("done")])
      }
      return .done(MigrationID(rawValue: done))
    }
    if let name = form.text("present", of: node) {
      return .present(try source(name, at: place + [.named("present")], sources))
    }
    if let name = form.text("value", of: node) {
      let text = form.text("at", of: node) ?? ""
      guard let path = ValuePath(text) else {
        throw PlanDefect(.notAPointer(text), at: place + [.named("at")])
      }
      let equals = MigrationValue(form.tape.member("equals", of: node) ?? node, of: form.tape)
      return .value(
        at: try source(name, at: place + [.named("value")], sources), path, equals: equals)
    }
    if let other = form.tape.member("not", of: node) {
      return .not(
        try condition(other, at: place + [.named("not")], of: id, after: steps, sources))
    }
    let name = form.tape.member("all", of: node) == nil ? "any" : "all"
    var conditions: [MigrationCondition] = []
    for (index, element) in form.elements(name, of: node).enumerated() {
      conditions.append(
        try condition(
          element, at: place + [.named(name), .element(index)], of: id, after: steps, sources))
    }
    return name == "all" ? .all(conditions) : .any(conditions)
  }

  private func source(
    _ name: String, at place: [FormStep], _ sources: [String: StorageKey]
  ) throws(PlanDefect) -> StorageKey {
    guard let key = sources[name] else { throw PlanDefect(.unknownSource(name), at: place) }
    return key
  }

  /// The SHA-256 of a step's canonical JSON, without what is for people.
  func checksum(of node: Int) -> ContentHash {
    var value = MigrationValue(node, of: form.tape).object ?? MigrationObject()
    value["description"] = nil
    value["comment"] = nil
    return ContentHash(of: MigrationValue.object(value).canonicalJSON)
  }

  // MARK: Parts of a step

  private func mappings(
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

  private func folds(
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

  private func creations(
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

  private func promises(
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

  private mutating func noteUndeclared(
    _ mappings: [EntityStep.Mapping], _ creations: [EntityStep.Creation]
  ) {
    for mapping in mappings {
      for case .set(let set) in mapping.actions { note(set, of: mapping.kind) }
    }
    for creation in creations {
      for field in creation.fields { note(field, of: creation.kind) }
    }
  }

  private mutating func note(_ set: EntityStep.Assignment, of kind: String) {
    guard let type = set.type else { return }
    undeclared[PropertyKey(kind: kind, property: MigrationText(set.property))] = type
  }

  // MARK: Risk

  /// What is dropped or overwritten, and used nowhere in its step, is lost.
  private func check(
    _ step: EntityStep, _ scope: Scope, _ undeclared: [PropertyKey: PropertyType],
    at place: [FormStep]
  ) throws(PlanDefect) {
    guard step.risk != .destructive else { return }
    if step.layout == .perRecord {
      throw PlanDefect(.riskTooLow(step.risk, property: "history"), at: place + [.named("risk")])
    }
    for mapping in step.mappings {
      let used = step.properties(usedOf: mapping.kind)
      let kind = scope.profile.kind(named: mapping.kind)
      for (index, action) in mapping.actions.enumerated() {
        let lost: String? =
          switch action {
          case .drop(let name): step.risk == .additive || !used.contains(name) ? name : nil
          case .rename(let name, _): step.risk == .additive ? name : nil
          case .set(let set):
            scope.isThere(set.property, of: kind, undeclared) && !used.contains(set.property)
              ? set.property : nil
          }
        guard let lost else { continue }
        throw PlanDefect(
          .riskTooLow(step.risk, property: lost),
          at: place + [.named("entities"), .named(mapping.kind), .element(index)])
      }
    }
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

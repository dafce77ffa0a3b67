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
  private(set) var undeclared: [PropertyKey: PropertyType] = [:]

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

  // MARK: Properties without a place in the profile

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

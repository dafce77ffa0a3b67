import Folders
import SafeFiles

// Steps over files and preferences.
extension PlanReader {
  func placeSteps(_ parameters: [PlanParameter]) throws(PlanDefect) -> [PlaceStep] {
    var steps: [PlaceStep] = []
    for (index, node) in form.elements("places", of: 0).enumerated() {
      let place: [FormStep] = [.named("places"), .element(index)]
      let ids = steps.map(\.id.rawValue)
      let id = form.text("id", of: node) ?? ""
      if ids.contains(id) { throw PlanDefect(.duplicateStep(id), at: place + [.named("id")]) }
      let step = try placeStep(node, id, at: place, parameters, after: ids)
      steps.append(step)
      // That two plans have a step of one name is told as such.
      let others = earlierPlaces.filter { other in !steps.contains { $0.id == other.id } }
      do throws(MigrationCatalogError) {
        _ = try MigrationCatalog((others + steps).map(\.migration))
      } catch {
        throw PlanDefect(.catalog(error), at: place)
      }
      try check(step, behind: others + steps.dropLast(), at: place)
      try checkNesting(others + steps, at: place)
    }
    return steps
  }

  /// Throws if a step reads a file that one before it takes away.
  private func check(
    _ step: PlaceStep, behind others: [PlaceStep], at place: [FormStep]
  ) throws(PlanDefect) {
    for (index, source) in step.places.dropLast().enumerated() {
      guard let path = source.path,
        let other = others.first(where: { $0.takes(path) && $0.canRun(beside: step) })
      else { continue }
      throw PlanDefect(
        .takenBefore(path.description, by: other.id.rawValue),
        at: place + [.named("sources"), .element(index)])
    }
  }

  /// Throws if the file that a step writes is the directory of another file, or the other way round.
  private func checkNesting(_ steps: [PlaceStep], at place: [FormStep]) throws(PlanDefect) {
    guard let step = steps.last else { return }
    let paths = steps.flatMap { step in step.places.compactMap { ($0.path, step.places.last == $0) }
    }
    for (path, isWritten) in paths {
      for own in step.places {
        guard let path, let file = own.path, isWritten || step.places.last == own else { continue }
        guard path != file, path.contains(file) || file.contains(path) else { continue }
        throw PlanDefect(.insideAnother(file.description, path.description), at: place)
      }
    }
  }

  private func placeStep(
    _ node: Int, _ id: String, at place: [FormStep], _ parameters: [PlanParameter],
    after ids: [String]
  ) throws(PlanDefect) -> PlaceStep {
    let sources = try sources(of: node, at: place)
    var keys: [String: StorageKey] = [:]
    for (source, name) in sources {
      keys[source.place.key.name] = source.place.key
      if let name { keys[name] = source.place.key }
    }
    let path = form.text("destination", of: node) ?? ""
    let destination = Place.file(
      try file(path, at: place + [.named("destination")]), ValuePath(names: []))
    var step = PlaceStepDraft(
      id: MigrationID(rawValue: id), sources: sources.map(\.0), destination: destination)
    step.risk = form.text("risk", of: node).flatMap(MigrationRisk.init) ?? .destructive
    step.platforms = platforms("platforms", of: node)
    step.leadDevice = form.text("leadDevice", of: node)
    if let node = form.tape.member("condition", of: node) {
      step.condition = try condition(
        node, at: place + [.named("condition")], of: id, after: ids, keys)
    }
    let names = sources.compactMap(\.1)
    guard names.isEmpty || names.count == sources.count else {
      throw PlanDefect(.namesMissing, at: place + [.named("sources")])
    }
    step.names = names.isEmpty ? nil : names
    var scope = Scope(profile: .minuta, parameters: parameters, version: nil, target: nil)
    scope.names = names
    if form.tape.member("value", of: node) != nil {
      step.value = try expression("value", of: node, at: place, scope).value
    } else if !names.isEmpty {
      throw PlanDefect(.valueMissing, at: place)
    }
    scope.names = []
    for (index, node) in form.elements("verify", of: node).enumerated() {
      let place = place + [.named("verify"), .element(index)]
      if let test = try test("holds", of: node, at: place, scope) { step.promises.append(test) }
    }
    return PlaceStep(
      migration: step.migration, risk: step.risk, places: sources.map(\.0.place) + [destination],
      description: form.text("description", of: node),
      parameters: (step.value?.parameters ?? []).union(step.promises.flatMap(\.parameters)),
      checksum: checksum(of: node))
  }

  private func sources(
    of node: Int, at place: [FormStep]
  ) throws(PlanDefect) -> [(PlaceSource, name: String?)] {
    var sources: [(PlaceSource, name: String?)] = []
    for (index, node) in form.elements("sources", of: node).enumerated() {
      let place = place + [.named("sources"), .element(index)]
      let found: Place
      if let text = form.text("file", of: node) {
        let pointer = form.text("member", of: node) ?? ""
        guard let path = ValuePath(pointer) else {
          throw PlanDefect(.notAPointer(pointer), at: place + [.named("member")])
        }
        found = .file(try file(text, at: place + [.named("file")]), path)
      } else if let text = form.text("preferences", of: node) {
        found = .preference(
          try file(text, at: place + [.named("preferences")]), key: form.text("key", of: node) ?? ""
        )
      } else if let item = form.text("keychain", of: node) {
        found = .keychain(item)
      } else {
        let text = form.text("encrypted", of: node) ?? ""
        found = .encrypted(try file(text, at: place + [.named("encrypted")]))
      }
      sources.append(
        (
          PlaceSource(
            place: found,
            source: MigrationSource(
              found.key, owner: form.text("owner", of: node) ?? "",
              description: form.text("description", of: node) ?? "")),
          form.text("as", of: node)
        ))
    }
    return sources
  }

  /// A path that stays in the folder and names nothing hidden, our own state included.
  private func file(_ text: String, at place: [FormStep]) throws(PlanDefect) -> RelativePath {
    guard let path = RelativePath(text),
      path.components.allSatisfy({ $0.bytes.first != UInt8(ascii: ".") })
    else { throw PlanDefect(.path(text), at: place) }
    return path
  }
}

/// Where a step takes a value from.
struct PlaceSource {
  let place: Place
  let source: MigrationSource
}

/// A step as its parts are read.
private struct PlaceStepDraft {
  let id: MigrationID
  let sources: [PlaceSource]
  let destination: Place
  var risk = MigrationRisk.destructive
  var condition: MigrationCondition?
  var platforms: Set<Platform> = []
  var leadDevice: String?
  /// The names of the sources; nil if the first that holds something counts.
  var names: [String]?
  var value: ValueExpression?
  /// What holds for the value that the step makes.
  var promises: [ValueTest] = []

  /// The step of the library.
  var migration: AnyMigration {
    let step = promises.isEmpty ? plain : plain.keeping(promises)
    guard let condition else { return step }
    return AnyMigration(step.running(if: condition))
  }

  private var plain: AnyMigration {
    let (from, to) = (sources.map(\.source), destination.key)
    guard let value else {
      return AnyMigration(
        SimpleMigration(
          id: id, from: from, to: to, platforms: platforms, leadDevice: leadDevice))
    }
    guard let names else {
      return AnyMigration(
        TransformingMigration(
          id: id, from: from, to: to, platforms: platforms, leadDevice: leadDevice,
          mapping: value))
    }
    let known = Dictionary(zip(from.map(\.key), names)) { first, _ in first }
    return AnyMigration(
      AggregatingMigration(
        id: id, from: from, to: to, platforms: platforms, leadDevice: leadDevice,
        combine: { combined, key, next throws(MigrationFailure) in
          guard let name = known[key], let next, var object = combined.object else { return }
          object[name] = next
          combined = .object(object)
        },
        finish: { [id] combined, context throws(MigrationFailure) in
          try value.made(
            of: combined, context, by: id,
            failing: { MigrationFailure.aggregationFailed($0) })
        }))
  }
}

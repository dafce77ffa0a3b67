import Diagnostics
import Folders
import Runs
import SchemaMigrations

// What steps that were done have put together, where others run before them or behind them.
extension PlanStanding {
  /// Why a step would take away what a total has still to hold; nil if it would not.
  func loss(by step: EntityStep, _ options: SchemaOptions) -> String? {
    let earlier = options.steps.prefix { $0.id != step.id }
    let folding = earlier.enumerated().filter { place, folding in
      isFolded(folding, options)
        && step.consumes(anyOf: folding, behind: Array(earlier[(place + 1)...]))
    }.map(\.element)
    if let unheld = folding.last(where: { known.unheld.contains($0.id.rawValue) }) {
      return "it takes away what \(unheld.id) has still to put together; "
        + "--force \(step.id) does so all the same"
    }
    for folding in folding.reversed() {
      guard let feeding = feeding(folding, options) else { continue }
      return "it takes away what \(folding.id) has put together, and \(feeding.id) may bring more "
        + "of that: it runs once the totals hold all; --force \(step.id) does so all the same"
    }
    return nil
  }

  /// Tells of totals that do not hold what came later, or may not once the steps have run.
  ///
  /// - Parameter unheld: those of a step that do not; nil if all do.
  func totals(_ options: SchemaOptions, unheld: (EntityStep) -> UnheldTotals?) -> [Finding] {
    options.steps.compactMap { step in
      if step.id == options.undone || !isFolded(step, options) { return nil }
      if let unheld = unheld(step) { return tell(of: unheld, of: step, options) }
      guard options.undone == nil, let feeding = feeding(step, options) else { return nil }
      return Finding(
        .notLookedAt, .warning,
        message: "\(step.id): \(feeding.id) is to run before it, and may bring more of what the "
          + "step has put together: whether the totals hold that shows once it has run",
        next: "look with --status once the run has ended")
    }
  }

  /// Tells of totals that lack something. Where nothing came, and the step that takes away what they are made of does
  /// not run, they lack nothing yet; one that was undone runs only by force.
  private func tell(
    of unheld: UnheldTotals, of folding: EntityStep, _ options: SchemaOptions
  ) -> Finding? {
    if unheld.haveCome { return unheld.finding }
    let later = Array(options.steps.drop { $0.id != folding.id }.dropFirst())
    let states = standings.filter { standing in
      later.enumerated().contains { place, step in
        step.id == standing.id && step.consumes(anyOf: folding, behind: Array(later[..<place]))
      }
    }.map(\.state)
    if states.contains(.waiting) { return unheld.finding }
    guard states.contains(.undone) else { return nil }
    let finding = unheld.finding
    return Finding(finding.code, .info, message: finding.message, next: finding.next)
  }

  /// Returns why steps cannot be taken as done of which one has put together all but what those before it are
  /// still to bring: that would count as put together from then on. Nil if there is none.
  func incompleteTotal(_ options: SchemaOptions) -> MigrationFailure? {
    for (place, folding) in adopted.enumerated() where !folding.folds.isEmpty {
      guard let feeding = feeding(folding, options) else { continue }
      let earlier = options.steps.prefix { $0.id != folding.id }.last?.id ?? feeding.id
      let consumer = adopted[place...].first { $0.id != folding.id && $0.consumes(anyOf: folding) }
      return .validationFailed(
        .init(
          folding.id,
          "\(feeding.id) has still to bring something that came late, which no total of "
            + "\(folding.id) holds: taken as done, it never would",
          remedy: consumer.map(Self.remedy(withoutLate:))
            ?? "--baseline \(earlier) takes as done what is before it, then --force \(folding.id) "
            + "puts together all that is there"))
    }
    for folding in options.steps where !folding.folds.isEmpty {
      guard isFolded(folding, options) || adopted.contains(where: { $0.id == folding.id }) else {
        continue
      }
      guard let consumer = adopted.first(where: { takesRest(of: folding, $0) }) else { continue }
      return .validationFailed(
        .init(
          consumer.id,
          "what came late has still what \(consumer.id) takes away, and no total of \(folding.id) "
            + "holds it: taken as done, \(consumer.id) would take it away all the same",
          remedy: Self.remedy(withoutLate: consumer)))
    }
    return nil
  }

  /// Whether a step that is taken as done is done to entities that came late, and takes away what another would
  /// put together of these.
  private func takesRest(of folding: EntityStep, _ step: EntityStep) -> Bool {
    step.consumes(anyOf: folding)
      && known.restFolds[step.id.rawValue]?.contains(folding.id.rawValue) ?? false
  }

  private static func remedy(withoutLate consumer: EntityStep) -> String {
    "take what came late out of the folder: \(consumer.id) has taken away what the totals were made of, so "
      + "that only the app can add to them"
  }

  /// Whether a step was done that puts entities together, and does not do so anew with all that is there.
  private func isFolded(_ step: EntityStep, _ options: SchemaOptions) -> Bool {
    guard !step.folds.isEmpty, record.steps.contains(where: { $0.id == step.id.rawValue }) else {
      return false
    }
    guard running.contains(where: { $0.id == step.id }) else { return true }
    let isAgain = known.record.steps.contains { $0.id == step.id.rawValue }
    // What it has made stays as it is where it is done once more.
    return isAgain && (!options.forced.contains(step.id) || step.makesTotals)
  }

  /// A step that runs before one that has put entities together, and may bring more of these, by itself or by
  /// what was done between the two; nil if there is none.
  private func feeding(_ folding: EntityStep, _ options: SchemaOptions) -> EntityStep? {
    let runs = Set((running + rest).map(\.id))
    let done = runs.union(record.steps.map { MigrationID(rawValue: $0.id) })
    let before = options.steps.prefix { $0.id != folding.id }
    for (place, step) in before.enumerated() where runs.contains(step.id) {
      var kinds = Set(step.mappings.map(\.kind))
      for next in before[place...] where done.contains(next.id) {
        let sources = next.mappings.map(\.kind) + next.creations.compactMap(\.source)
        guard next.id == step.id || sources.contains(where: kinds.contains) else { continue }
        if next.feeds(folding) { return step }
        kinds.formUnion(next.creations.map(\.kind))
      }
    }
    return nil
  }
}

extension EntityStep {
  /// Whether it makes entities of what folds put together.
  var makesTotals: Bool { creations.contains { $0.fields.contains(where: \.isFolded) } }

  /// Whether it may change what a step with folds puts together, or make entities that are put together, or
  /// get what is.
  fileprivate func feeds(_ folding: EntityStep) -> Bool {
    if consumes(anyOf: folding) { return true }
    return creations.contains { creation in
      folding.folds.contains { $0.kind.utf8.elementsEqual(creation.kind.utf8) }
        || !folding.foldedProperties(of: creation.kind).isEmpty
    }
  }
}

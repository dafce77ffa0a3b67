import FolderDocuments
import Folders
import Runs
import SchemaMigrations

// Whether steps may run: what was done before allows them, and so does the caller.
extension PlanStanding {
  /// The steps that are taken as done and run over what shows that they were not done to it, be it that one of
  /// them makes that.
  var rest: [EntityStep] {
    let overFiles = Set(known.doneOverFiles.map(\.id))
    return Array(
      adopted.drop { known.restCounts[$0.id.rawValue] == nil }
        .filter { overFiles.contains($0.id.rawValue) })
  }

  /// Throws if a step was done as another one of its name.
  private func requireUnedited() throws(MigrationError) {
    guard let edited = standings.first(where: { $0.state == .edited }) else { return }
    throw .editedStep(edited.id)
  }

  /// Throws if the steps are not what the data or the caller allows to run.
  func requireRunnable(_ options: SchemaOptions, isDryRun: Bool) throws(MigrationError) {
    try requireUnedited()
    try options.requireReachable(options.steps.map(\.id))
    if options.undone != nil { return }
    try requireNoneUndone(before: options)
    try requireSources(options)
    for step in running + rest { try options.requireParameters(step.parameters, of: step.id) }
    if !isDryRun { try requireConsent(options) }
  }

  /// Throws if a step is forced before whose version another one was undone, which has to come first.
  private func requireNoneUndone(before options: SchemaOptions) throws(MigrationError) {
    let undone = Set(standings.filter { $0.state == .undone }.map(\.id))
    let versioned = options.steps.filter { $0.versions != nil }
    for (place, step) in versioned.enumerated() where options.forced.contains(step.id) {
      guard let first = versioned[..<place].first(where: { undone.contains($0.id) }) else {
        continue
      }
      throw .step(
        step.id, "the step is forced, and \(first.id), which comes before it, was undone",
        "run that once more, too: \(commands(options).options(forcing: options.forced))")
    }
  }

  /// Throws if all that is left waits for a step that only another device may run on a folder.
  func requireLeadDevice(_ options: SchemaOptions) throws(MigrationError) {
    guard options.undone == nil, running.isEmpty, let (step, device) = ledElsewhere else { return }
    throw .ledElsewhere(step, by: device, options)
  }

  /// The options by which the caller would agree to what the steps that run would do; where none does, and some
  /// can be taken as done, to what that has run.
  func missingConsents(_ options: SchemaOptions) -> [String] {
    if running.isEmpty, options.baseline == nil, let adoptable = adoptable(options) {
      var options = options
      options.baseline = .step(adoptable)
      do throws(MigrationError) {
        return try PlanStanding(options, known).missingConsents(options)
      } catch {
        // The command says why they cannot.
        return []
      }
    }
    var consents: [String] = []
    if !overtaken.isEmpty, !options.allowsOtherOrder { consents.append("--out-of-order") }
    if (running + rest).contains(where: { $0.risk == .destructive }), !options.allowsDestructive,
      options.layoutStep == nil
    {
      consents.append("--allow-destructive")
    }
    if options.layoutStep?.layout == .perRecord, !running.isEmpty, !options.flattens {
      consents.append("--flatten")
    }
    return consents
  }

  /// Throws unless the caller has agreed to what the steps that run would do.
  private func requireConsent(_ options: SchemaOptions) throws(MigrationError) {
    if let (pending, applied) = overtaken.first, !options.allowsOtherOrder {
      throw .step(
        pending,
        "the step is still to be done, and \(applied), which comes behind it, was done",
        "put it behind the others in the plan, or allow it with --out-of-order")
    }
    for step in running + rest { try options.requireConsent(to: step) }
  }
}

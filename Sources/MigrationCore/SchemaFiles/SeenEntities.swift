import Folders
import SafeFiles
import SchemaMigrations

/// What is noted of steps over JSON says which entities each of them has seen.
struct SeenEntities: Sendable {
  /// What a file is to a step that was done.
  enum Standing: Hashable {
    /// As the step has left it, or as other steps have that took it from there.
    case after
    /// As a restore brought it, with the record that the step was done, or as other steps have left it that took it
    /// from there: who wrote it before that is not noted.
    case brought
    /// As the step found it: somebody has given it back what it was.
    case before
    /// As a step before it has left it that was run for these entities alone since.
    case overtaken(Set<String>)
    /// Neither: somebody has written to it, or it came later.
    case other
  }

  private struct Run: Sendable {
    let record: FileStepRecord
    let entry: FileStepRecord.Entry
    /// Its number among all runs.
    let number: Int
    /// What is noted of it last: it was done, undone, or stopped, and the file was away when the others were
    /// given back.
    let stage: StepRecord.Stage
  }

  /// The runs that have changed a file or made it, in their order.
  private var runs: [RelativePath: [Run]] = [:]
  /// The paths under which files are noted that have others now.
  private let formerPaths: [RelativePath: RelativePath]
  /// By step, the entities that it has made, and those that came late and that it was run for.
  private var made: [MigrationID: Set<String>] = [:]
  private var late: [MigrationID: Set<String>] = [:]
  /// By step, the entities that it has seen, and makes others for.
  private var sources: [MigrationID: Set<String>] = [:]
  /// The steps of which runs have changed files.
  private var effective: Set<MigrationID> = []
  /// The steps of which runs were undone.
  private(set) var undone: Set<MigrationID> = []
  /// The steps of the plans, in order, and their numbers.
  private let order: [MigrationID]
  private let places: [MigrationID: Int]
  /// The runs that were done and have noted entities, with their numbers among all runs.
  private var noting: [(record: FileStepRecord, number: Int)] = []
  /// By step, the number of its last run over all entities.
  private var lastRuns: [MigrationID: Int] = [:]
  /// By step, the entities that steps before it in the plans have made once it was done.
  private var overtaking: [MigrationID: Set<String>] = [:]

  /// - Parameters:
  ///   - records: the runs of all steps, in their order.
  ///   - steps: the steps of the plans, in order.
  ///   - formerPaths: the paths under which files are noted that have others now.
  init(
    _ records: [(record: FileStepRecord, stage: StepRecord.Stage)], _ steps: [EntityStep],
    formerPaths: [RelativePath: RelativePath]
  ) {
    self.formerPaths = formerPaths
    order = steps.map(\.id)
    places = Dictionary(
      steps.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    for (number, (record, stage)) in records.enumerated() {
      for entry in record.entries {
        runs[entry.path, default: []].append(
          Run(record: record, entry: entry, number: number, stage: stage))
      }
      if stage == .undone { undone.insert(record.id) }
      if stage != .done { continue }
      if !record.entries.isEmpty { effective.insert(record.id) }
      if record.late.isEmpty { lastRuns[record.id] = number }
      if !record.made.isEmpty || !record.late.isEmpty || !record.sources.isEmpty {
        noting.append((record, number))
      }
      made[record.id, default: []].formUnion(record.made)
      late[record.id, default: []].formUnion(record.late)
      sources[record.id, default: []].formUnion(record.sources)
      // What it has seen now is behind it no more.
      overtaking[record.id] = []
      guard let place = places[record.id], !record.made.isEmpty else { continue }
      for step in steps[(place + 1)...] where overtaking[step.id] != nil {
        overtaking[step.id]?.formUnion(record.made)
      }
    }
  }

  /// What a file of some bytes is to a step.
  func standing(of path: RelativePath, as hash: ContentHash, to step: MigrationID) -> Standing {
    var found: Set<ContentHash> = []
    var (left, brought): (Set<ContentHash>, Set<ContentHash>) = ([], [])
    let runs = runs(of: path)
    for run in runs where run.stage == .done || run.stage == .begun {
      let isOwn = run.record.id == step && run.record.late.isEmpty
      if isOwn, let before = run.entry.before { found.insert(before) }
      if run.stage == .begun { continue }
      if isOwn && run.entry.isBrought || run.entry.before.map(brought.contains) ?? false {
        brought.insert(run.entry.after)
      } else if isOwn || run.entry.before.map(left.contains) ?? false {
        left.insert(run.entry.after)
      }
    }
    if left.contains(hash) { return .after }
    if brought.contains(hash) { return .brought }
    if found.contains(hash) { return .before }
    // What a run found or left that was undone since is no less as before the step, or as after it.
    let undone = runs.last { run in
      run.stage == .undone && run.record.id == step && run.record.late.isEmpty
        && (run.entry.before == hash || run.entry.after == hash)
    }
    if let undone { return undone.entry.before == hash ? .before : .after }
    let overtaking = overtaking(runs, hash, before: step)
    return overtaking.isEmpty ? .other : .overtaken(overtaking)
  }

  /// The entities for which steps before a step were run last, one behind the other, and left a file as it is.
  private func overtaking(
    _ runs: [Run], _ hash: ContentHash, before step: MigrationID
  ) -> Set<String> {
    let earlier = order.prefix { $0 != step }
    var (late, hash): (Set<String>, ContentHash?) = ([], hash)
    for run in runs.reversed() where run.stage == .done {
      guard run.entry.after == hash, !run.record.late.isEmpty, earlier.contains(run.record.id)
      else { break }
      late.formUnion(run.record.late)
      hash = run.entry.before
    }
    return late
  }

  /// The steps that have changed a file after runs of some steps, the last one first, where it was edited once
  /// these had changed it, so that it cannot be given back; nil if it was not.
  func stepsBehindEdit(
    of path: RelativePath, as hash: ContentHash, since steps: Set<MigrationID>
  ) -> [MigrationID]? {
    let done = runs(of: path).filter { $0.stage == .done }
    let isMeant: (Run) -> Bool = { steps.contains($0.record.id) }
    guard let last = done.lastIndex(where: isMeant),
      !done.contains(where: {
        isMeant($0) && ($0.entry.after == hash || $0.entry.before == hash)
      })
    else { return nil }
    return done[(last + 1)...].reversed().map(\.record.id)
  }

  private func runs(of path: RelativePath) -> [Run] { runs[noted(path)] ?? [] }

  private func noted(_ path: RelativePath) -> RelativePath { formerPaths[path] ?? path }

  /// Where a file lies as a run of a step found it that has left it as it is, and was undone since; nil if
  /// there is none.
  func undone(
    _ path: RelativePath, as hash: ContentHash, by step: MigrationID
  ) -> (original: RelativePath, before: ContentHash)? {
    let runs = runs(of: path).filter { $0.record.id == step && $0.entry.after == hash }
    guard let run = runs.last, run.stage == .undone, !runs.contains(where: { $0.stage == .done }),
      let before = run.entry.before, let original = run.record.place(of: run.entry.path)
    else { return nil }
    return (original, before)
  }

  /// Where a file lies as runs of a step over all entities found it.
  func originals(of path: RelativePath, to step: MigrationID) -> [RelativePath] {
    originals(noted: noted(path)) { $0.record.id == step }
  }

  /// Likewise those of all files that may have held entities of a kind.
  func originals(
    ofAll kind: EntityKind, _ kinds: EntityKinds, to step: MigrationID
  ) -> [RelativePath] {
    originals(ofAll: kind, kinds) { $0.record.id == step }
  }

  private func originals(
    ofAll kind: EntityKind, _ kinds: EntityKinds, where isMeant: (Run) -> Bool
  ) -> [RelativePath] {
    runs.keys.filter { kinds.mayHaveHeld(kind, at: $0) }.sorted().flatMap {
      originals(noted: $0, where: isMeant)
    }
  }

  private func originals(noted path: RelativePath, where isMeant: (Run) -> Bool) -> [RelativePath] {
    (runs[path] ?? []).compactMap { run in
      run.record.late.isEmpty && run.stage == .done && !run.entry.isNew && isMeant(run)
        ? run.record.place(of: run.entry.path) : nil
    }
  }

  // MARK: What a step was there for

  /// Whether what a run has met was there when a step was done: the run is not behind the last one of the step
  /// over all entities, or is of the step, or one behind it in the plans.
  private func isWitness(_ record: FileStepRecord, _ number: Int, for step: Int) -> Bool {
    number <= lastRuns[order[step]] ?? -1 || places[record.id] ?? -1 >= step
  }

  /// Where a file lies as runs found it, so that a step has seen what is in it.
  func originals(of path: RelativePath, seenBy step: Int) -> [RelativePath] {
    originals(noted: noted(path)) { isWitness($0.record, $0.number, for: step) }
  }

  /// Likewise those of all files that may have held entities of a kind.
  func originals(
    ofAll kind: EntityKind, _ kinds: EntityKinds, seenBy step: Int
  ) -> [RelativePath] {
    originals(ofAll: kind, kinds) { isWitness($0.record, $0.number, for: step) }
  }

  /// Whether it is noted that an entity was there when a step was done, or when one behind it was.
  func haveNoted(_ entity: ChangingEntity, seenBy step: Int, _ kinds: EntityKinds) -> Bool {
    let title = kinds.title(entity.kind, entity.identity)
    return noting.contains { record, number in
      isWitness(record, number, for: step)
        && (record.sources.contains(title) || record.late.contains(title)
          || record.made.contains(title))
    }
  }

  /// Whether a step before a step has made an entity once that was done, or was run for it then, and it would
  /// change it.
  ///
  /// - Parameter standing: what the file of the entity is to the step.
  func isOvertaking(
    _ entity: ChangingEntity, _ standing: Standing, _ stage: StepStage, _ kinds: EntityKinds
  ) -> Bool {
    var entities = overtaking[stage.step.id] ?? []
    if case .overtaken(let late) = standing { entities.formUnion(late) }
    return entities.contains(kinds.title(entity.kind, entity.identity))
      && entity.isChangedInJSON(by: stage)
  }

  /// The steps that were done.
  var done: some Sequence<MigrationID> { made.keys }

  /// Whether a step is noted to have seen an entity for which it makes others, or has made it, or one behind
  /// it has.
  ///
  /// - Parameter number: the number of the step among those of the plans.
  func haveSeen(
    _ entity: ChangingEntity, asSourceOf number: Int, _ kinds: EntityKinds
  ) -> Bool {
    let title = kinds.title(entity.kind, entity.identity)
    return sources[order[number]]?.contains(title) ?? false
      || haveMade(entity, from: number, kinds)
  }

  /// Whether it is noted which entities a step with folds has put together, or has given the totals of others.
  func haveNotedFolds(of number: Int) -> Bool {
    sources[order[number]]?.contains(FileStepRecord.foldsMark) ?? false
  }

  /// Whether runs of a step have changed files: it was not only taken as done.
  func haveChangedFiles(_ step: MigrationID) -> Bool { effective.contains(step) }

  /// The entities, as they are told, that a step is noted to have seen.
  func sources(of number: Int) -> Set<String> { sources[order[number]] ?? [] }

  /// Whether a step is noted to have made an entity.
  func haveMade(_ entity: ChangingEntity, by number: Int, _ kinds: EntityKinds) -> Bool {
    made[order[number]]?.contains(kinds.title(entity.kind, entity.identity)) ?? false
  }

  /// Whether a step, or one behind it, is noted to have made an entity.
  func haveMade(_ entity: ChangingEntity, from number: Int, _ kinds: EntityKinds) -> Bool {
    let title = kinds.title(entity.kind, entity.identity)
    return order[number...].contains { made[$0]?.contains(title) ?? false }
  }

  /// Whether steps before a step have made entities once it was done.
  func mayBeOvertaken(_ step: MigrationID) -> Bool { !(overtaking[step] ?? []).isEmpty }

  /// Whether a step is noted to have seen an entity: it has made it, or was run for it once it had come,
  /// or another step has made it since.
  func haveNoted(_ entity: ChangingEntity, for step: MigrationID, _ kinds: EntityKinds) -> Bool {
    let title = kinds.title(entity.kind, entity.identity)
    return late[step]?.contains(title) ?? false || made.values.contains { $0.contains(title) }
  }
}

import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What the JSON files of a folder say of the steps that were done to them, and what keeps steps from
/// running on them.
struct FileSurvey {
  /// Entities that a step that was done leaves as they are: where they are, and how many.
  struct Told {
    private(set) var entityCount = 0
    /// The first file with such an entity, and how many others there are.
    private(set) var path: RelativePath
    private(set) var otherCount = -1

    fileprivate init(_ path: RelativePath) { self.path = path }

    fileprivate mutating func add(_ count: Int) {
      entityCount += count
      otherCount += 1
    }

    /// Tells how many there are of which nothing shows whether they are as before the step or as after it.
    func doubt(about step: String) -> Finding {
      let others =
        otherCount > 0 ? ", and \(otherCount.counted("other file", "other files"))," : ""
      return Finding(
        .editedSince, .info, path: path.description,
        message: "\(step): this file\(others) has \(entityCount.counted("entity", "entities")) of "
          + "which nothing is noted, nor shows, whether as before the step or as after it",
        next: "look at what came since; the step leaves it so, and later steps may change it")
    }
  }

  private(set) var findings: [Finding] = []
  /// By the name of a step that was done, how many entities it has not seen.
  private(set) var lateCounts: [String: Int] = [:]
  private(set) var doubtful: [String: Told] = [:]
  /// Likewise those that show again what it takes away.
  private(set) var revived: [String: Told] = [:]
  /// By the step that was done, what tells that its totals do not hold what came later.
  private(set) var unheld: [MigrationID: UnheldTotals] = [:]
  /// Likewise what tells that nobody knows whether they do.
  private(set) var unknownTotals: [MigrationID: Finding] = [:]
  /// The entities, as they are told, that are there and that steps have made whose work a restore may have
  /// taken away.
  private(set) var made: Set<String> = []
  /// The versions that all entities fit; nil if there is none.
  private(set) var versions: ClosedRange<Int>?
  /// What the files were that were read.
  private(set) var hashes: [RelativePath: ContentHash] = [:]

  private struct Look: Sendable {
    var findings: [Finding] = []
    var hash: ContentHash
    var lateCounts: [Int: Int] = [:]
    var doubtfulCounts: [Int: Int] = [:]
    var revivedCounts: [Int: Int] = [:]
    /// The steps that make others for entities of it, and have not seen all of these.
    var unseenSources: Set<Int> = []
    /// The steps with folds that have to do with entities of it, and have not seen all of these.
    var unfolded: Set<Int> = []
    var made: Set<String> = []
    var versions: FittingVersions
  }

  /// Looks at files, as entities of which steps were done.
  ///
  /// - Parameters:
  ///   - records: the runs of all steps, in their order.
  ///   - formerPaths: the paths under which files are noted that have others now.
  ///   - overlay: what files would be.
  init(
    of files: [Int], in directory: Directory, _ inventory: FolderInventory,
    _ options: SchemaOptions,
    _ records: [(record: FileStepRecord, stage: StepRecord.Stage)],
    formerPaths: [RelativePath: RelativePath], overlay: [Int: [UInt8]] = [:], context: RunContext
  ) throws(MigrationError) {
    let steps = options.steps
    let hasVersions = steps.contains { $0.versions != nil }
    let done = steps.indices.filter { number in
      records.contains { $0.stage == .done && $0.record.id == steps[number].id }
    }
    let restored = records.reduce(into: Set<String>()) { made, run in
      if run.record.isRestored { made.formUnion(run.record.made) }
    }
    for file in inventory.indices
    where inventory.nominalClass(of: file).isLegacy && !inventory.fileClass(of: file).isLegacy {
      findings.append(inventory.awaited(file))
    }
    for (file, copy) in inventory.copies.sorted(by: { $0.key < $1.key })
    where copy.baseClass.isLegacy {
      findings.append(
        inventory.isEntityOfItsOwn(file, as: copy)
          ? inventory.entityOfItsOwn(file) : inventory.unmerged(file))
    }
    let signs = StepSigns(steps, of: context.kinds)
    let counter = EntityCounter(
      kinds: context.kinds, seen: SeenEntities(records, steps, formerPaths: formerPaths),
      stages: steps.map { StepStage($0, of: context.kinds, options.context.parameters) })
    let looks = try Workers.map(
      files.count, phase: .indexing, context: context,
      makeState: {
        (
          FileEntities(directory, inventory),
          LateFileEntities(counter.seen, signs, in: directory, inventory)
        )
      }
    ) { item, state throws(MigrationError) in
      let version = try state.0.read(files[item], overlay: overlay[files[item]])
      let reader = state.0
      var look = Look(
        hash: reader.hash(version), versions: FittingVersions(context.kinds))
      look.findings = reader.batch.findings.filter { $0.severity == .error }
      if hasVersions {
        for entity in reader.batch.entities { look.versions.look(at: reader.changing(entity)) }
      }
      if !restored.isEmpty {
        look.made = restored.intersection(reader.batch.entities.map(reader.batch.title))
      }
      for number in done {
        let counts = try counter.count(
          of: number, in: reader, files[item], at: inventory.path(of: files[item]), look.hash,
          &state.1)
        if counts.late > 0 { look.lateCounts[number] = counts.late }
        if counts.doubtful > 0 { look.doubtfulCounts[number] = counts.doubtful }
        if counts.revived > 0 { look.revivedCounts[number] = counts.revived }
        if counter.hasUnseenSources(of: number, in: reader) { look.unseenSources.insert(number) }
        if counter.hasUnfolded(of: number, in: reader) { look.unfolded.insert(number) }
      }
      return look
    }
    var versions = FittingVersions(context.kinds)
    for (file, look) in zip(files, looks) {
      let path = inventory.path(of: file)
      findings += look.findings
      versions.add(look.versions)
      made.formUnion(look.made)
      hashes[path] = look.hash
      for (number, count) in look.lateCounts {
        lateCounts[steps[number].id.rawValue, default: 0] += count
      }
      for (number, count) in look.revivedCounts {
        revived[steps[number].id.rawValue, default: Told(path)].add(count)
      }
      for (number, count) in look.doubtfulCounts {
        doubtful[steps[number].id.rawValue, default: Told(path)].add(count)
      }
    }
    self.versions = versions.range
    for number in done where looks.contains(where: { $0.unseenSources.contains(number) }) {
      var stage = counter.stages[number]
      let missing = try MissingEntities(
        of: &stage, number, counter.seen, in: files, directory, inventory, overlay: overlay)
      let count = missing.created.count + missing.findings.count
      if count > 0 { lateCounts[steps[number].id.rawValue, default: 0] += count }
    }
    for number in done
    where !counter.seen.haveNotedFolds(of: number)
      && files.contains(where: { counter.stages[number].foldsIn(inventory.kind(of: $0)) })
    {
      unknownTotals[steps[number].id] = Finding(
        .notLookedAt, .info,
        message: "\(steps[number].id): nothing is noted of what the step has put together: whether "
          + "that holds all that is there is not looked at",
        next: "compare it with what is there, in the app; it stays as it is")
    }
    for number in done where !steps[number].folds.isEmpty {
      var folded = FoldedFiles(
        of: number, among: counter.stages, counter.seen, in: files, directory, inventory,
        overlay: overlay, knowing: hashes
      ) { step in done.contains { steps[$0].id == step.id } }
      guard folded.isEndangered || looks.contains(where: { $0.unfolded.contains(number) }) else {
        continue
      }
      unheld[steps[number].id] = try folded.unheld()
    }
  }
}

/// Counts the entities of a file that a step has not seen which was done.
private struct EntityCounter: Sendable {
  let kinds: EntityKinds
  let seen: SeenEntities
  let stages: [StepStage]

  /// - Parameter hash: that of the bytes that were read last.
  func count(
    of number: Int, in reader: FileEntities, _ file: Int, at path: RelativePath,
    _ hash: ContentHash, _ late: inout LateFileEntities
  ) throws(MigrationError) -> (late: Int, doubtful: Int, revived: Int) {
    let stage = stages[number]
    let standing = seen.standing(of: path, as: hash, to: stage.step.id)
    if standing == .after, !seen.mayBeOvertaken(stage.step.id) { return (0, 0, 0) }
    var counts = (late: 0, doubtful: 0, revived: 0)
    for entity in reader.batch.entities where stage.concerns(entity.kind) {
      switch try late.sight(of: reader.changing(entity), in: file, standing, to: number, stage) {
      case .seen: continue
      case .late: counts.late += 1
      case .doubtful: counts.doubtful += 1
      case .revived: counts.revived += 1
      }
    }
    return counts
  }

  /// Whether the file that was read last has entities that a step has not seen, and makes others for.
  func hasUnseenSources(of number: Int, in reader: FileEntities) -> Bool {
    guard stages[number].step.makesOthers else { return false }
    return reader.batch.entities.contains { entity in
      stages[number].makesOthers(for: entity.kind)
        && !seen.haveSeen(reader.changing(entity), asSourceOf: number, kinds)
    }
  }

  /// Whether the file that was read last has entities that a step with folds has not seen, as it is noted.
  func hasUnfolded(of number: Int, in reader: FileEntities) -> Bool {
    let stage = stages[number]
    guard !stage.step.folds.isEmpty, seen.haveNotedFolds(of: number) else { return false }
    return reader.batch.entities.contains { entity in
      guard stage.concerns(entity.kind) else { return false }
      let changing = reader.changing(entity)
      if seen.haveSeen(changing, asSourceOf: number, kinds) { return false }
      return !stage.foldsIn(entity.kind) || !stage.contributions(of: changing).isEmpty
    }
  }
}

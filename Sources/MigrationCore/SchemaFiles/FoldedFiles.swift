import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What a step with folds that was done has put together, in the JSON files of a folder.
struct FoldedFiles {
  private let number: Int
  private let stage: StepStage
  private let seen: SeenEntities
  private let files: [Int]
  private let inventory: FolderInventory
  private let overlay: [Int: [UInt8]]
  private var totals: FoldedTotals
  private var reader: FileEntities
  private var kinds: EntityKinds { inventory.kinds }

  /// - Parameters:
  ///   - number: the number of the step among those of the plans.
  ///   - stages: all steps, which have seen nothing.
  ///   - overlay: what files would be.
  ///   - hashes: what files are, as far as that is known.
  init(
    of number: Int, among stages: [StepStage], _ seen: SeenEntities, in files: [Int],
    _ folder: Directory, _ inventory: FolderInventory, overlay: [Int: [UInt8]] = [:],
    knowing hashes: [RelativePath: ContentHash] = [:], where isDone: (EntityStep) -> Bool
  ) {
    (self.number, self.seen, self.files, self.inventory) = (number, seen, files, inventory)
    (stage, self.overlay) = (stages[number], overlay)
    totals = FoldedTotals(of: number, among: stages, inventory.kinds, where: isDone) { step in
      seen.undone.contains(step.id)
    }
    let undone = Set(totals.undone.map(\.id))
    for (path, hash) in hashes.sorted(by: { $0.key < $1.key }) {
      guard let steps = seen.stepsBehindEdit(of: path, as: hash, since: undone) else { continue }
      totals.note(edited: path, before: steps)
    }
    reader = FileEntities(folder, inventory)
  }

  /// Whether every total is to be looked at.
  var isEndangered: Bool { totals.isEndangered }

  /// Tells which totals do not hold what came later; nil if all do.
  mutating func unheld() throws(MigrationError) -> UnheldTotals? {
    let (stage, seen, number, inventory) = (stage, seen, number, inventory)
    var totals = totals
    func isLate(_ entity: ChangingEntity, _ kinds: EntityKinds) -> Bool {
      !seen.haveSeen(entity, asSourceOf: number, kinds)
    }
    try reader.forEachOnce(
      in: files, overlay: overlay, where: { stage.foldsIn($0) }, into: &totals
    ) { totals, entity in
      totals.take(entity, isLate: isLate(entity, inventory.kinds))
    }
    totals.endTaking()
    totals.expectMade()
    try reader.forEach(
      in: files, overlay: overlay, where: { stage.givesTotals(to: $0, inventory.kinds) }
    ) { entity, kinds in
      totals.look(at: entity, isLate: isLate(entity, kinds))
      totals.expectMade(for: entity, isLate: isLate(entity, kinds))
    }
    try reader.forEach(in: files, overlay: overlay, where: { [totals] in totals.expectsMade($0) }) {
      entity, _ in totals.look(atMade: entity)
    }
    return totals.unheldTotals
  }

  /// Throws if the step, done once more, would put together less than it has, and overwrite what it has made.
  mutating func requireWhole() throws(MigrationError) {
    let (stage, kinds) = (stage, kinds)
    var taken = (totals: totals, present: [String: Bool]())
    guard kinds.all.contains(where: { [taken] in !taken.totals.properties(of: $0).isEmpty }) else {
      return
    }
    try reader.forEachOnce(
      in: files, overlay: overlay, where: { stage.foldsIn($0) }, into: &taken
    ) { taken, entity in
      taken.totals.take(entity, isLate: false)
      taken.present[kinds.title(entity.kind, entity.identity)] =
        !stage.contributions(of: entity).isEmpty || stage.givesTotals(to: entity.kind, kinds)
    }
    var (totals, present) = taken
    totals.endTaking()
    let folded = kinds.all.filter { stage.foldsIn($0) }.map { kinds.name(of: $0) + " " }
    let noted = seen.sources(of: number).filter { title in folded.contains(where: title.hasPrefix) }
    let lost = noted.filter { totals.isConsumed || !(present[$0] ?? false) }
    // Where nothing says what it has seen, as after a restore, only what steps take away tells that it is gone, and
    // what a step has taken away that was only taken as done, nothing shows.
    let isHidden = totals.consumers.contains { !seen.haveChangedFiles($0.id) }
    let isUnknown = isHidden || !seen.haveNotedFolds(of: number) && totals.isConsumed
    if lost.isEmpty && !isUnknown { return }
    var replacement: String?
    try reader.forEach(
      in: files, overlay: overlay, where: { [totals] in !totals.properties(of: $0).isEmpty }
    ) { entity, _ in
      replacement = replacement ?? totals.replacement(in: entity)
    }
    guard let replacement else { return }
    throw totals.partial(
      isUnknown ? nil : lost.count, isGone: isHidden || lost.contains { present[$0] == nil },
      replacing: replacement)
  }
}

extension FileStepWorkflow {
  /// Throws if steps that were done, and are forced, would put together less than they have.
  func requireWhole(_ look: Look) throws(MigrationError) {
    let steps = options.steps
    let done = Set(look.standing.record.steps.map(\.id))
    let meant = steps.indices.filter { number in
      options.undone == nil && options.forced.contains(steps[number].id)
        && !steps[number].folds.isEmpty && done.contains(steps[number].id.rawValue)
    }
    if meant.isEmpty { return }
    let storage = look.storage
    let seen = SeenEntities(try storage.records(), steps, formerPaths: storage.formerPaths)
    let stages = steps.map { StepStage($0, of: context.kinds, options.context.parameters) }
    for number in meant {
      var folded = FoldedFiles(
        of: number, among: stages, seen, in: look.inventory.filesOfEntities, folder.directory,
        look.inventory, knowing: look.hashes
      ) { done.contains($0.id.rawValue) }
      try folded.requireWhole()
    }
  }
}

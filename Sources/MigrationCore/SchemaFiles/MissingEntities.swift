import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What a step that was done has still to make for entities that came into JSON files since.
struct MissingEntities {
  /// The entities that it makes.
  private(set) var created: [ChangingEntity] = []
  /// The entities that it has not seen, as they are told, and those that it puts together for what it makes now,
  /// and for nothing else. What gets a total itself it has still to give that.
  private(set) var sources: Set<String> = []
  private(set) var findings: [Finding] = []

  private let inventory: FolderInventory
  private let overlay: [Int: [UInt8]]
  private let files: [Int]
  private var reader: FileEntities
  private var kinds: EntityKinds { inventory.kinds }

  /// What the step puts together.
  private struct Taken {
    var stage: StepStage
    var added: [(kind: EntityKind, identity: Identity, groups: Set<MigrationText?>)] = []
    var failures: [(ChangingEntity, String)] = []
  }

  /// What it makes of what it has not seen.
  private struct Made {
    var created: [ChangingEntity] = []
    var owners: Set<MigrationText?> = []
    var failures: [(ChangingEntity, String)]
  }

  /// Looks at the files of a folder.
  ///
  /// - Parameters:
  ///   - stage: the step, which has taken in nothing.
  ///   - number: its number among those of the plans.
  ///   - overlay: what steps before it make of files, in a dry run.
  init(
    of stage: inout StepStage, _ number: Int, _ seen: SeenEntities, in files: [Int],
    _ folder: Directory, _ inventory: FolderInventory, overlay: [Int: [UInt8]]
  ) throws(MigrationError) {
    (self.files, self.inventory, self.overlay) = (files, inventory, overlay)
    reader = FileEntities(folder, inventory)
    let createdKinds = stage.createdKinds
    try reader.forEach(in: files, overlay: overlay, where: createdKinds.contains) { entity, _ in
      stage.take(entity.identity, entity.kind)
    }
    var unseen: [EntityKind: Set<Identity>] = [:]
    var titles: Set<String> = []
    let withTotals = Set(
      inventory.kinds.all.filter { [stage] kind in
        !stage.step.foldedProperties(of: inventory.kinds.name(of: kind)).isEmpty
      })
    try reader.forEach(
      in: files, overlay: overlay, where: { [stage] in stage.makesOthers(for: $0) }
    ) { entity, kinds in
      if seen.haveSeen(entity, asSourceOf: number, kinds) { return }
      if !withTotals.contains(entity.kind) {
        titles.insert(kinds.title(entity.kind, entity.identity))
      }
      if stage.mayMakeMore(for: entity) { unseen[entity.kind, default: []].insert(entity.identity) }
    }
    sources = titles
    if unseen.isEmpty { return }
    var taken = Taken(stage: stage)
    try reader.forEachOnce(
      in: files, overlay: overlay, where: { [stage] in stage.foldsIn($0) }, into: &taken
    ) { taken, entity in
      do throws(ConversionDefect) {
        try taken.stage.survey(entity)
        let groups = Set(taken.stage.contributions(of: entity).values.map(\.group))
        if !groups.isEmpty { taken.added.append((entity.kind, entity.identity, groups)) }
      } catch {
        taken.failures.append((entity, error.description))
      }
    }
    stage = taken.stage
    stage.endSurvey()
    var made = Made(failures: taken.failures)
    let kinds = inventory.kinds
    try reader.forEachOnce(
      in: files, overlay: overlay, where: { unseen[$0] != nil }, into: &made
    ) { [stage] made, entity in
      guard unseen[entity.kind]?.contains(entity.identity) ?? false else { return }
      do throws(StepDefect) {
        let missing = try stage.creations(for: entity).filter { missing in
          !stage.hasTaken(missing.identity, missing.kind)
            && !seen.haveMade(missing, by: number, kinds)
        }
        if !missing.isEmpty { made.owners.insert(entity.group(kinds)) }
        made.created += missing
      } catch {
        made.failures.append((entity, "\(error.property): \(error.problem)"))
      }
    }
    created = made.created
    if withTotals.isEmpty {
      for (kind, identity, groups) in taken.added where groups.isSubset(of: made.owners) {
        sources.insert(kinds.title(kind, identity))
      }
    }
    findings = made.failures.map { [stage] entity, problem in
      Finding(
        .notConverted, .error,
        message: "\(stage.step.id): \(kinds.title(entity.kind, entity.identity)): \(problem)",
        next: "mend the value in the app, or the step; nothing of the step is written")
    }
  }
}

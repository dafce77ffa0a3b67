import Automerge
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

// What steps that were done have still to make for entities that came since.
extension StepSurvey {
  /// What steps have not made, by their numbers.
  struct Missing {
    /// How many entities, those of which it cannot be said what is made included.
    var counts: [Int: Int] = [:]
    /// How many where nothing shows whether a step has seen what they would be made for.
    var doubtfulCounts: [Int: Int] = [:]
  }

  /// What shows that steps were not done to it which were done over JSON files, by their numbers.
  struct Rest {
    /// How many entities, those included that lack what a step makes for each.
    var counts: [Int: Int] = [:]
    /// The numbers of the steps with folds that would put together some of those that show it.
    var folds: [Int: Set<Int>] = [:]
  }

  /// Looks what steps that were done somewhere would make for entities that they have not seen. Documents
  /// are read once more only where there are such entities.
  func missing(in folder: Directory, _ context: RunContext) throws(MigrationError) -> Missing {
    var missing = Missing()
    for (number, step) in steps.enumerated() where !step.creations.isEmpty {
      guard documents.contains(where: { $0.holds(step) }),
        documents.contains(where: { seen in
          seen.takenAway.contains(step.id.rawValue)
            || stages[number].makesOthers(for: seen.kind)
              && (seen.isUntouched || seen.unseenSources.contains(number))
        })
      else { continue }
      var stage = stages[number]
      var preparation = StepPreparation(folder, inventory, documents, context: context)
      try preparation.prepareLate(&stage, at: number, signs)
      let count = preparation.created.count + preparation.findings.count
      if count > 0 { missing.counts[number] = count }
      if preparation.doubtfulCount > 0 {
        missing.doubtfulCounts[number] = preparation.doubtfulCount
      }
    }
    return missing
  }

  /// Counts what steps would do that were done over the JSON files of which documents were made: it came into
  /// these later.
  func rest(
    of numbers: [Int], in folder: Directory, _ context: RunContext
  ) throws(MigrationError) -> Rest {
    var rest = Rest()
    var loader = DocumentLoader(folder, inventory)
    var entities = StepEntities(context.kinds)
    let lateInFiles = lateInFiles
    for seen in documents where numbers.contains(where: { stages[$0].concerns(seen.kind) }) {
      let document = try loader.load(seen, after: nil).document
      let ofSteps = StepHistory(of: document).rows()
      for entity in DocumentRoot(document, of: seen.kind, context.kinds).entities {
        guard let map = entity.map else { continue }
        let shown = numbers.map { number in
          signs.sign(
            of: map, seen.kind, notDoneBy: number,
            isLate: lateInFiles[number]?.contains(context.kinds.title(seen.kind, entity.identity))
              ?? false, besides: ofSteps, in: document)
        }
        if shown.allSatisfy({ $0 == .none }) { continue }
        _ = try entities.read(map, seen.kind, entity.identity, in: document)
        for (number, sign) in zip(numbers, shown) where sign != .none {
          if sign == .shown
            ? entities.entity.isChanged(by: stages[number])
            : sign.isGiven(by: signs.rewriting(of: entities.entity, by: number, stages[number]))
          {
            rest.counts[number, default: 0] += 1
            for (folding, stage) in stages.enumerated()
            where stage.foldsIn(seen.kind) && !stage.contributions(of: entities.entity).isEmpty {
              rest.folds[number, default: []].insert(folding)
            }
          }
        }
      }
    }
    for number in numbers {
      guard let sources = sourcesOfFiles[number], steps[number].makesOthers else { continue }
      var stage = stages[number]
      var preparation = StepPreparation(folder, inventory, documents, context: context)
      try preparation.prepareLate(&stage, at: number, signs, besides: sources)
      let count = preparation.created.count + preparation.findings.count
      if count > 0 { rest.counts[number, default: 0] += count }
    }
    return rest
  }

  /// Looks which entities of JSON files show that steps have not seen them which were done to others there: by
  /// the numbers of those that rewrite properties in their places, and of those behind them.
  ///
  /// A file that is as a step has left it says so; one that was written since, or came since, has only values.
  func lateInFiles(
    of numbers: [Int], in folder: Directory, _ context: RunContext
  ) throws(MigrationError) -> [Int: Set<String>] {
    let kinds = context.kinds
    let files = inventory.filesOfEntities.filter { file in
      numbers.contains { !signs.rewritten(of: inventory.kind(of: file), by: $0).isEmpty }
    }
    if files.isEmpty { return [:] }
    let storage = try FileStepStorage(folder, inventory, context: context)
    let seen = SeenEntities(try storage.records(), steps, formerPaths: storage.formerPaths)
    var entities = LateFileEntities(seen, signs, in: folder, inventory)
    var late: [Int: Set<String>] = [:]
    var reader = FileEntities(folder, inventory)
    for file in files {
      let hash = reader.hash(try reader.read(file))
      let standings = numbers.map { number in
        seen.standing(of: inventory.path(of: file), as: hash, to: steps[number].id)
      }
      for entity in reader.batch.entities {
        let changing = reader.changing(entity)
        var isLate = false
        for (number, standing) in zip(numbers, standings) {
          if !isLate, standing != .before, standing != .after {
            isLate =
              try entities.sight(of: changing, in: file, standing, to: number, stages[number])
              == .late
          }
          if isLate { late[number, default: []].insert(kinds.title(entity.kind, entity.identity)) }
        }
      }
    }
    return late
  }
}

extension StepHistory {
  /// The rows of the changes of a step; of all if none is named.
  func rows(of id: String? = nil) -> Set<Int> {
    Set(entries.lazy.filter { $0.label == .step && id ?? $0.note.id == $0.note.id }.map(\.row))
  }

  /// Whether a step was ever undone.
  func hasUndone(_ id: String) -> Bool {
    entries.contains { $0.label == .undo && $0.note.id.utf8.elementsEqual(id.utf8) }
  }

  /// Whether nothing but undoing a step has taken away an entity that is gone.
  func tookAway(_ entity: DocumentRoot.Entity, by id: String, in document: DocumentState) -> Bool {
    guard entity.map == nil, let key = entity.key else { return false }
    return tookAway(Array(document.pool[key]), by: id, in: document)
  }
}

import Diagnostics
import FolderDocuments
import Folders
import SchemaMigrations

// What is known of steps.
extension StepSurvey {
  /// Whether a step was done in a document, or is taken as done.
  func isDone(_ step: EntityStep) -> Bool {
    steps.prefix(adoptedCount).contains { $0.id == step.id }
      || documents.contains { $0.holds(step) }
  }

  /// Whether a step was done over JSON files of the folder, and no document says anything of it.
  func isDoneOverFiles(_ step: EntityStep) -> Bool {
    doneOverFiles.contains { $0.id == step.id.rawValue }
  }

  /// The steps that were done in a document.
  var done: [MigrationID] {
    steps.filter { step in documents.contains { $0.holds(step) } }.map(\.id)
  }

  /// What is known of the steps that were done to the folder.
  ///
  /// - Parameter unfinished: the names of those that a run was at that was stopped.
  func known(unfinished: Set<String>) -> KnownSteps {
    var known = KnownSteps()
    known.unfinished = unfinished
    known.obstacle = obstacle
    known.isEmpty = documents.isEmpty
    known.doneOverFiles = doneOverFiles
    for (number, count) in rest.counts { known.restCounts[steps[number].id.rawValue] = count }
    for (number, folding) in rest.folds {
      known.restFolds[steps[number].id.rawValue] = Set(folding.map { steps[$0].id.rawValue })
    }
    for document in documents {
      for step in document.done where !known.record.steps.contains(step) {
        known.record.steps.append(step)
      }
      known.undone.formUnion(document.undone)
      known.partlyUndone.formUnion(document.partlyUndone)
    }
    known.withoutEffect = Set(known.record.steps.map(\.id))
    for document in documents {
      known.withoutEffect.subtract(document.withEffect)
      known.editedAway.merge(document.editedAway.mapValues(\.count)) { $0 + $1 }
    }
    known.undone.subtract(known.record.steps.map(\.id))
    known.unheld = Set(unheld.keys.map { steps[$0].id.rawValue })
    // One that was done as another step is told before all.
    for step in steps {
      guard
        let other = known.record.steps.firstIndex(where: {
          $0.id == step.id.rawValue && $0.checksum != step.checksum
        })
      else { continue }
      known.record.steps.append(known.record.steps.remove(at: other))
    }
    for (number, step) in steps.enumerated()
    where known.record.steps.contains(where: { $0.id == step.id.rawValue }) {
      known.lateCounts[step.id.rawValue] =
        documents.reduce(0) {
          $0 + ($1.counts.late[number] ?? 0)
        } + (missing.counts[number] ?? 0)
      known.doubtfulCounts[step.id.rawValue] =
        documents.reduce(0) {
          $0 + ($1.counts.doubtful[number] ?? 0)
        } + (missing.doubtfulCounts[number] ?? 0)
    }
    known.findVersion(steps, fitting: fittingVersions)
    return known
  }

  /// The versions that all documents fit.
  private var fittingVersions: ClosedRange<Int>? {
    var versions = FittingVersions(inventory.kinds)
    for document in documents { if let other = document.versions { versions.add(other) } }
    return versions.range
  }
}

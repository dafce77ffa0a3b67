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

  /// Looks what steps that were done somewhere would make for entities that they have not seen. Documents
  /// are read once more only where there are such entities.
  func missing(in folder: Directory, _ context: RunContext) throws(MigrationError) -> Missing {
    var missing = Missing()
    for (number, step) in steps.enumerated() where step.makesOthers {
      guard documents.contains(where: { $0.holds(step) }),
        documents.contains(where: { seen in
          stages[number].makesOthers(for: seen.kind)
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
}

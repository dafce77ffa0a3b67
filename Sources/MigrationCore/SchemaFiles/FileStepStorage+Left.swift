import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles
import SchemaMigrations

// What undoing a step did not give back, because it was away.
extension FileStepStorage {
  /// What steps that were undone have left as they made it.
  struct Left {
    fileprivate var told: [(step: MigrationID, findings: [Finding])] = []
    /// Runs, without those of these files that are as before them now.
    fileprivate(set) var broughtBack: [FileStepRecord] = []

    /// Tells of what is not as before a step, or may come back so.
    ///
    /// - Parameter steps: those that tell themselves.
    func findings(besides steps: Set<MigrationID>) -> [Finding] {
      told.filter { !steps.contains($0.step) }.flatMap(\.findings)
    }
  }

  /// Looks for what undoing steps did not give back.
  ///
  /// - Parameters:
  ///   - all: the runs of all steps, in their order.
  ///   - undone: the steps that count as undone.
  func left(
    by all: [(record: FileStepRecord, stage: StepRecord.Stage)], of undone: Set<String>,
    _ inventory: FolderInventory
  ) throws(MigrationError) -> Left {
    var left = Left()
    var looked: Set<MigrationID> = []
    for (record, _) in all
    where undone.contains(record.id.rawValue) && looked.insert(record.id).inserted {
      let records = all.filter { $0.record.id == record.id }.map(\.record)
      var away: [RelativePath] = []
      var back: Set<RelativePath> = []
      for record in records {
        for entry in record.entries where record.left.contains(entry.path) {
          guard let now = try hash(of: path(now: entry.path)) else {
            away.append(entry.path)
            continue
          }
          if now == entry.before { back.insert(entry.path) }
        }
      }
      let displaced = try DisplacedEntities(of: away, in: records, self, inventory)
      var findings = displaced.findings(
        of: record.id, "it was not given back", again: "run --undo \(record.id) again")
      for record in records {
        for entry in record.entries where record.left.contains(entry.path) {
          if entry.isNew {
            if !displaced.areMade { back.insert(entry.path) }
          } else if away.contains(entry.path), !displaced.formers.contains(entry.path) {
            findings.append(try Self.away(entry.path, record, hash(of:)))
          }
        }
        let rest = record.left.subtracting(back)
        if rest != record.left { left.broughtBack.append(record.leaving(rest)) }
      }
      left.told.append((record.id, findings))
    }
    return left
  }

  private static func away(
    _ path: RelativePath, _ record: FileStepRecord,
    _ hash: (RelativePath) throws(MigrationError) -> ContentHash?
  ) throws(MigrationError) -> Finding {
    let place = try record.place(of: path).flatMap { place throws(MigrationError) in
      try hash(place) == nil ? nil : place
    }
    return Finding(
      .editedSince, .warning, path: path.description,
      message:
        "\(record.id): was gone when the step was undone: if it comes back, it may be as after it",
      next: "what it was before the step is in "
        + (place?.description ?? "the backup that was made then"))
  }
}

extension FileStepWorkflow {
  /// Notes which files are as before a step that was undone: what is edited in them from now on is an edit of
  /// that.
  func noteBroughtBack(_ report: SchemaReport) throws(MigrationError) -> SchemaReport {
    try WritingRun.perform(
      in: folder.directory, clock: clock, context: context, unfinishedSteps: .expected
    ) { writing throws(MigrationError) in
      writing.beginWriting()
      let folder = try folder.again(for: writing, context)
      let look = try look(at: folder)
      for record in look.broughtBack { try look.storage.note(record, .undone) }
      return report
    }
  }
}

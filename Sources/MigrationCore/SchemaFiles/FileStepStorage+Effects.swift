import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

// What files say of steps that were done, beside their record.
extension FileStepStorage {
  /// Whether steps over files are noted in the folder that changed some, or a run was stopped in one.
  func hasTraces() throws(MigrationError) -> Bool {
    if try records().contains(where: { $0.stage == .done && !$0.record.hasNoEffect }) {
      return true
    }
    let journal = try contents(of: FolderNames.stepJournalPath) ?? []
    return SchemaLine(journal[...].prefix { $0 != UInt8(ascii: "\n") })
      .flatMap { FileStepRecord($0) } != nil
  }

  /// Tells of steps that were done of whose files none is there any more.
  ///
  /// - Parameters:
  ///   - all: the runs of steps, in their order.
  ///   - hashes: what files were when they were read.
  func gone(
    of all: [(record: FileStepRecord, stage: StepRecord.Stage)],
    knowing hashes: [RelativePath: ContentHash]
  ) throws(MigrationError) -> [Finding] {
    var runs: [MigrationID: [FileStepRecord]] = [:]
    var order: [MigrationID] = []
    for case (let record, .done) in all {
      if runs[record.id] == nil { order.append(record.id) }
      runs[record.id, default: []].append(record)
    }
    var findings: [Finding] = []
    for id in order {
      guard let runs = runs[id],
        let first = runs.first(where: { $0.entries.contains { !$0.isNew } }),
        let path = first.entries.first(where: { !$0.isNew })?.path
      else { continue }
      var isThere = false
      for record in runs {
        for entry in record.entries where !isThere {
          if try log.hash(now: entry.path, knowing: hashes) == nil { continue }
          isThere = true
        }
      }
      if isThere { continue }
      let count = Set(runs.flatMap { $0.entries.map(\.path) }).count
      let others = count > 1 ? ", and so is \((count - 1).counted("other file")) of the step" : ""
      let former = try first.place(of: path).flatMap {
        place throws(MigrationError) -> RelativePath? in
        try hash(of: place) == nil ? nil : place
      }
      findings.append(
        Finding(
          .editedSince, .warning, path: path.description,
          message: "\(id): is gone since the step has changed it\(others)",
          next: "what it was before the step is in "
            + (former?.description ?? "the backup that was made then")))
    }
    return findings
  }
}

import Backups
import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What a run did to the JSON files of a folder that is at a step, or was stopped in the middle of it: what
/// the files were before, and will be again when the next run begins.
struct StoppedFileStep {
  /// The step, or one of them.
  let step: MigrationID
  /// What stands for the files that it has changed.
  private(set) var standIns = StandIns()
  /// Whether nothing is left of the step with these.
  private(set) var isWhole = true
  /// Whether it is done, and noted as that.
  fileprivate(set) var hasEnded = false
  /// The run of the step that is undone; nil if it is done.
  fileprivate(set) var undone: FileStepRecord?
  /// What the files were.
  fileprivate private(set) var hashes: [RelativePath: ContentHash] = [:]

  fileprivate init(_ step: MigrationID) { self.step = step }

  /// Adds what a run has changed.
  fileprivate mutating func add(
    _ record: FileStepRecord, _ log: FileStepLog
  ) throws(MigrationError) {
    for entry in record.entries {
      guard let now = try log.hash(of: entry.path) else {
        // What is away may come back, or lie under another name, as after the step.
        isWhole = isWhole && entry.isNew
        continue
      }
      guard now != entry.before else { continue }
      let place = entry.isNew ? nil : record.place(of: entry.path)
      let former = try place.map(log.hash) ?? nil
      guard now == entry.after, former == entry.before else {
        isWhole = false
        continue
      }
      standIns.put(place, for: entry.path)
      hashes[entry.path] = entry.before
    }
  }
}

extension FileStepLog {
  /// How a journal of a step over files begins; one over documents begins otherwise, and may be large.
  private static let beginning = Array(#"{"schema":"automerge-migrate/schema","#.utf8)

  /// Returns what a run did to files that is at a step, or was stopped in the middle of it; nil if there is
  /// none.
  ///
  /// - Parameter records: the runs of all steps, in their order.
  func stopped(
    among records: [(record: FileStepRecord, stage: StepRecord.Stage)]
  ) throws(MigrationError) -> StoppedFileStep? {
    let returned = try returned(among: records)
    var stopped = returned.first.map { StoppedFileStep($0.id) }
    for record in returned { try stopped?.add(record, self) }
    guard try isOverFiles(), let (record, stage) = try journal() else { return stopped }
    var step = stopped ?? StoppedFileStep(record.id)
    if stage == .undoing {
      step.undone = record
    } else if try isNoted(record) {
      step.hasEnded = stopped == nil
      return step
    }
    try step.add(record, self)
    return step
  }

  /// Whether there is a journal, of a step over files.
  private func isOverFiles() throws(MigrationError) -> Bool {
    try MigrationError.wrapping { () throws(FileError) in
      guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)),
        try state.stateIfPresent(of: FolderNames.stepJournal) != nil
      else { return false }
      let count = Self.beginning.count
      var bytes = [UInt8](repeating: 0, count: count)
      let read = try state.read(FolderNames.stepJournal, into: &bytes, at: 0, count: count)
      return read == count && bytes == Self.beginning
    }
  }

  /// The step over files that a run was at that was stopped; nil if none was. Throws if the journal is none of
  /// such a step.
  func journal() throws(MigrationError) -> (record: FileStepRecord, stage: StepRecord.Stage)? {
    guard let bytes = try contents(of: FolderNames.stepJournalPath) else { return nil }
    guard let line = SchemaLine(bytes[...].prefix { $0 != UInt8(ascii: "\n") }),
      let record = FileStepRecord(line)
    else {
      throw .underlying(
        Diagnostic(
          .damagedInput, subject: "\(folder.path)/\(FolderNames.stepJournalPath)",
          problem: "is no journal of a step over files",
          remedy: "restore the folder from the backup that was made before"))
    }
    return (record, line.record.stage)
  }

  /// Whether a run of a step ended, and did not come to remove its journal.
  func isNoted(_ record: FileStepRecord) throws(MigrationError) -> Bool {
    let last = try lines().last { $0.record.id == record.id }
    return last?.record.stage == .done
      && last.flatMap { FileStepRecord($0)?.originals } == record.originals
  }

  /// The runs that were stopped in the middle of a step, with those files of each that were away when the
  /// others were given back, and are there again as after it.
  ///
  /// - Parameter all: the runs of all steps, in their order.
  func returned(
    among all: [(record: FileStepRecord, stage: StepRecord.Stage)]
  ) throws(MigrationError) -> [FileStepRecord] {
    var returned: [FileStepRecord] = []
    for case (let record, .begun) in all {
      var entries: [FileStepRecord.Entry] = []
      for entry in record.entries where try hash(of: path(now: entry.path)) == entry.after {
        // Without what it was it stays as it is.
        guard let place = record.place(of: entry.path), try hash(of: place) == entry.before else {
          continue
        }
        let isDone = all.contains { other, stage in
          stage == .done && other.id == record.id
            && other.entries.contains { $0.path == entry.path && $0.after == entry.after }
        }
        if !isDone { entries.append(entry) }
      }
      if !entries.isEmpty { returned.append(record.only(entries)) }
    }
    return returned
  }

  /// Returns the steps that were done over the files, or undone, once what a run was at is given back.
  func noted(
    among records: [(record: FileStepRecord, stage: StepRecord.Stage)],
    after stopped: StoppedFileStep?
  ) throws(MigrationError) -> [NotedStep] {
    let all = records.map { record, stage in
      (record, stopped?.undone?.isSameRun(as: record) ?? false ? .undone : stage)
    }
    return try noted(
      all, knowing: stopped?.hashes ?? [:], besides: stopped?.step, where: { _ in true })
  }
}

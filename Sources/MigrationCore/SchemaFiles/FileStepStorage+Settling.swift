import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

// How a run ends that was stopped in the middle of a step, or of undoing one.
extension FileStepStorage {
  /// Ends what a run was at that was stopped: an undoing is finished, and of a step that is not noted as
  /// done each file gets back what it was.
  ///
  /// Throws before anything is changed if somebody has written to one of the files meanwhile.
  ///
  /// - Returns: the files that are gone, which stay so.
  func settle() throws(MigrationError) -> [RelativePath] {
    try requireUneditedMeanwhile()
    for (record, restoration) in try returned(among: records()) {
      try carryOut(restoration, of: record)
    }
    guard let (record, stage) = try unfinished() else { return [] }
    var gone: [RelativePath] = []
    if stage == .undoing {
      let away = try restoration(from: record).gone
      gone = try giveBack(record)
      try note(record.leaving(record.left.union(away)), .undone)
    } else if try !log.isNoted(record) {
      gone = try giveBack(record)
      // What is away may come back as after the step.
      let away = record.entries.filter { !$0.isNew && gone.contains($0.path) }
      if !away.isEmpty { try note(record.only(away), .begun) }
    }
    try removeJournal()
    return gone
  }

  /// Returns what is told about files that somebody has written to since a run was stopped in the middle of
  /// a step, or of undoing one: such a file may be as before the step or as after it, so the others cannot
  /// be made like it.
  func editedMeanwhile() throws(MigrationError) -> [Finding] {
    guard let (record, stage) = try unfinished() else { return [] }
    if stage != .undoing, try log.isNoted(record) { return [] }
    let restoration = try restoration(from: record)
    let edited = restoration.edited
    var findings: [Finding] = []
    for path in restoration.gone where try folder.hasPlaceholder(of: path) {
      findings.append(
        Finding(
          .placeholder, .error, path: path.description,
          message: "is not downloaded, and a run was stopped in the middle of \(record.id): nobody "
            + "knows whether it is as before the step or as after it",
          next: "download it, then run migrate-schema again"))
    }
    // What is gone is of no version.
    for entry in record.entries where edited.contains(path(now: entry.path)) {
      let original = entry.isNew ? nil : record.place(of: entry.path)
      findings.append(
        Finding(
          .editedSince, .error, path: path(now: entry.path).description,
          message: "was written after a run was stopped in the middle of \(record.id): nobody "
            + "knows whether as before the step or as after it",
          next: "move it away, "
            + (original.map { "copy \($0) to its place, " } ?? "")
            + "run migrate-schema again, and make that edit once more"))
    }
    return findings
  }

  /// Throws if somebody has written to a file since a run was stopped in the middle of a step.
  func requireUneditedMeanwhile() throws(MigrationError) {
    let edited = try editedMeanwhile()
    guard let first = edited.first else { return }
    let others = edited.dropFirst().map(\.path).joined(separator: ", ")
    throw .underlying(
      Diagnostic(
        .conflictsWithData, subject: first.path,
        problem: first.message + (others.isEmpty ? "" : "; so were \(others)"),
        remedy: first.next))
  }

  /// What gives files back as they were before a step that was stopped in the middle: they were away when
  /// the others were given back, and are there again as after it.
  ///
  /// - Parameter all: the runs of all steps, in their order.
  func returned(
    among all: [(record: FileStepRecord, stage: StepRecord.Stage)]
  ) throws(MigrationError) -> [(record: FileStepRecord, restoration: Restoration)] {
    try log.returned(among: all).map { record throws(MigrationError) in
      (record, try restoration(from: record))
    }
  }
}

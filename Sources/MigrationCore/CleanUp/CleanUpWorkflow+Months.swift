import Backups
import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles

// Setting whole old months aside: their documents, their images and what JSON is left of them.
//
// A month moves whole or not at all. Its JSON goes first and its documents after it, so that a run
// that dies in between never leaves JSON of which nobody knows any more that it was imported; the
// next run moves the rest, and `--bring-back` moves what is away back.
extension CleanUpWorkflow {
  /// Moves the months before `first` that are proven to be whole in documents and in the backup.
  mutating func setAside(
    before first: Month, in folder: Directory, _ verified: Verified, backup: ReliedBackup?,
    writing: WritingRun?
  ) throws(MigrationError) {
    let (inventory, result) = verified
    guard result.isComplete else {
      report.findings += result.report.findings
      return
    }

    report.findings += result.report.findings.filter { finding in
      finding.severity == .error
        && [.unreadable, .placeholder, .symbolicLink, .specialFile].contains(finding.code)
    }

    var collector = OldMonthCollector(
      before: first, in: folder, inventory, backup: backup, context: context)
    try collector.collect(result)
    noteWhatHasNoMonth(inventory)
    report.findings += result.report.findings.filter { $0.code == .privateKind }
    let months = collector.months.sorted { $0.key < $1.key }
    for (month, content) in months where !content.mayMove {
      for obstacle in content.obstacles {
        report.findings.append(
          Finding(
            .kept, .error, path: obstacle.path.description,
            message: "\(month) stays whole: \(obstacle.reason)", next: obstacle.next,
            command: obstacle.command))
      }
      note(month, content.files, .kept)
    }
    try move(
      months.filter(\.value.mayMove), before: first, in: folder, relyingOn: backup, writing)
  }

  /// Tells what no month takes along.
  private mutating func noteWhatHasNoMonth(_ inventory: FolderInventory) {
    let kinds = context.kinds
    if !kinds.tellsMonthlessKinds { return }
    for kind in kinds.all {
      let files = inventory.indices.filter { file in
        inventory.kind(of: file) == kind
          && (inventory.nominalClass(of: file).isDocument
            ? inventory.month(of: file) == nil
            : inventory.nominalClass(of: file).isLegacy && !kinds.isGroupedByMonth(kind))
      }
      guard !files.isEmpty else { continue }
      report.findings.append(
        Finding(
          .kept, .info, path: files.count > 1 ? "" : inventory.path(of: files[0]).description,
          message: files.count > 1
            ? "\(files.count.counted("file")) of the kind \(kinds.name(of: kind)) have no month and "
              + "stay"
            : "has no month and stays"))
    }
  }

  // MARK: Moving

  private mutating func move(
    _ months: [(key: Month, value: OldMonth)], before first: Month, in folder: Directory,
    relyingOn backup: ReliedBackup?, _ writing: WritingRun?
  ) throws(MigrationError) {
    guard let writing, !months.isEmpty else {
      for (month, content) in months { note(month, content.files, .moved) }
      return
    }
    try Self.require(backup)
    writing.beginWriting()
    var mover = try QuarantineMover(folder, begun: clock.begin)
    try mover.publishManifest(
      months.flatMap(\.value.files), of: .months,
      command: "cleanup-legacy --months-before \(first)")
    report.quarantine = mover.run.path.description
    report.undo = Quarantine.bringingBack(mover.run.name, to: folder, as: context.kinds)
    for (month, content) in months {
      if context.isInterrupted() {
        try mover.finish()
        throw .interrupted
      }
      do throws(MigrationError) {
        try Self.require(backup)
        try move(month, content, in: folder, with: &mover)
      } catch {
        throw stopped(by: error, movingTo: mover.run, in: folder)
      }
      let moved = report.months.count { $0.outcome == .moved }
      context.reportProgress?(RunProgress(.moving, completed: moved, total: months.count))
    }
    if report.files.count(of: .moved) == 0 { report.undo = nil }
  }

  private mutating func move(
    _ month: Month, _ content: OldMonth, in folder: Directory, with mover: inout QuarantineMover
  ) throws(MigrationError) {
    var isWhole = true
    for file in content.files where try !Self.isUnchanged(file, in: folder) { isWhole = false }
    var moved: [QuarantinedFile] = []
    for files in [content.legacyFiles, content.documents, content.images] {
      for file in files where isWhole {
        let outcome = try mover.move(file)
        isWhole = outcome == .moved
        // One that changed goes back by itself, but not if something else has its name by now.
        if outcome != .stays { moved.append(file) }
      }
      // What went first must be gone first, whatever the power does.
      try mover.finish()
    }
    if isWhole { return note(month, moved, .moved) }

    report.findings.append(
      Finding(
        .kept, .error, message: "\(month) changed while this command ran",
        next: "run the same command again"))
    var left: Set<RelativePath> = []
    // Documents are back before the JSON that was imported to them.
    for file in moved.reversed() where try !mover.moveBack(file.path) {
      left.insert(file.path)
      report.findings.append(
        Finding(
          .kept, .error, path: file.path.description,
          message: "is in \(mover.run.path): something else has its place by now",
          command: report.undo))
    }
    try mover.finish()
    note(month, content.files, .kept, besides: left)
  }

  private static func isUnchanged(
    _ file: QuarantinedFile, in folder: Directory
  ) throws(MigrationError) -> Bool {
    try MigrationError.wrapping { () throws(FileError) in
      try folder.stateIfPresent(of: file.path)?.isUnchanged(since: file.version.state) ?? false
    }
  }

  // MARK: Report

  /// Takes a month into the report; some of its files may be in quarantine although it was kept.
  private mutating func note(
    _ month: Month, _ files: [QuarantinedFile], _ outcome: CleanUpReport.File.Outcome,
    besides left: Set<RelativePath> = []
  ) {
    let files = files.map { file in
      CleanUpReport.File(
        path: file.path.description, outcome: left.contains(file.path) ? .moved : outcome,
        byteCount: Int(clamping: file.version.state.size))
    }
    for file in files { report.files.append(file) }
    report.months.append(
      CleanUpReport.Month(
        month: month.description, outcome: outcome, fileCount: files.count,
        byteCount: files.reduce(0) { $0 + $1.byteCount },
        movedCount: files.count { $0.outcome == .moved }))
  }
}

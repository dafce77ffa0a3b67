package import Backups
package import Diagnostics
package import Folders
package import Runs
package import SafeFiles

/// The part of a run that writes to a folder.
///
/// It holds the app's lock, begins by sweeping what earlier runs left behind, and leaves a line in
/// the history of the folder. A run that writes nothing leaves no line and no other trace.
package final class WritingRun {
  package let folder: Directory
  package let clock: RunClock
  /// What is told beside what the run itself tells.
  package var findings: [Finding] = []

  private let locks: [FolderLock]
  /// The directory of our own state; nil as long as there is none.
  private var state: Directory?
  private let context: RunContext
  private var record: RunRecord?
  private var backup: BackupHold?
  /// The file that says that the run is at work, locked as long as it is.
  private var mark: StagedFile?

  private init(
    _ folder: Directory, locks: [FolderLock], clock: RunClock, context: RunContext
  ) {
    self.folder = folder
    self.locks = locks
    self.clock = clock
    self.context = context
  }

  /// Runs `body` under the lock and returns its report, with findings about what earlier runs left
  /// and about a history that could not be written.
  ///
  /// Throws what `body` throws, after the history says so; throws `unfinishedRestore` before
  /// anything else if an earlier restore must be finished first, and `busy` if steps must be.
  package static func perform<Report: RunReport>(
    in folder: Directory, clock: RunClock, context: RunContext,
    unfinishedRestore: FolderAccess.UnfinishedRestore = .refused,
    unfinishedSteps: UnfinishedSteps = .refused,
    _ body: (WritingRun) throws(MigrationError) -> Report
  ) throws(MigrationError) -> Report {
    let locks =
      unfinishedRestore == .refused
      ? try FolderAccess.lockAfterRestores(folder, context: context)
      : try FolderAccess.lock(folder, context: context)
    let run = WritingRun(folder, locks: locks, clock: clock, context: context)
    defer { withExtendedLifetime(locks) {} }
    let unlisted = try MigrationError.wrapping { () throws(FileError) in
      let unlisted = try Quarantine.sweep(folder, as: context.kinds)
      try RestoreSweep.removeDebris(in: folder)
      return unlisted
    }
    run.state = try MigrationError.wrapping { () throws(FileError) in
      try folder.openDirectoryIfPresent(RelativePath(FolderNames.state))
    }
    if let state = run.state {
      if unfinishedSteps == .refused {
        try FolderAccess.requireFinishedSteps(state, of: folder)
      }
      RunHistory.closeInterruptedRun(in: state)
    }
    var report: Report
    do throws(MigrationError) {
      report = try body(run)
    } catch {
      run.end(error == .interrupted ? .interrupted : .failed, problem: error.diagnostic)
      throw error
    }
    run.findings += unlisted
    report.findings += run.findings.filter { !report.findings.contains($0) }
    run.findings.removeAll()
    run.end(report.endsWithDifferences ? .differs : .done, summary: report.summary)
    report.findings += run.findings
    return report
  }

  /// Whether steps that were stopped while documents changed keep a run from writing.
  package enum UnfinishedSteps {
    case refused
    /// For what finishes them.
    case expected
  }

  /// Notes that the run is about to write for the first time.
  ///
  /// Until the run ends a file says that it is at work, so that the history can tell of a run that
  /// died.
  package func beginWriting() {
    guard record == nil else { return }
    let record = RunRecord(begun: clock.begin, context: context)
    self.record = record
    attempt { () throws(FileError) in
      if state == nil { state = try folder.createDirectory(FolderNames.state) }
      if let state { mark = try RunHistory.begin(record, in: state) }
    }
  }

  /// Notes the backup the run relies on.
  package func relies(on backup: BackupHold) { self.backup = backup }

  private func end(
    _ outcome: RunRecord.Outcome, summary: ReportObject? = nil, problem: Diagnostic? = nil
  ) {
    guard var record else { return }
    record.end(outcome, at: WallClock.now())
    if let backup { record.add(backup) }
    if let problem, outcome == .failed { record.add(problem) }
    if let summary { record.add(summary) }
    guard let state else { return }
    attempt { () throws(FileError) in try RunHistory.append(record, in: state) }
  }

  /// The history is for people: that it cannot be written changes nothing but the findings.
  private func attempt(_ write: () throws(FileError) -> Void) {
    do {
      try write()
    } catch {
      findings.append(
        Finding(
          .historyNotWritten, .warning, path: "\(FolderNames.state)/\(FolderNames.history)",
          message: error.diagnostic.problem))
    }
  }
}

extension WritingRun {
  /// Lists the folder, once what interrupted runs left unfinished in its directories is removed or
  /// in quarantine.
  ///
  /// What a run reads after this is all there is: nothing waits under a name that readers pass over.
  package func inventory(noting findings: inout [Finding]) throws(MigrationError) -> FolderInventory
  {
    let inventory = try FolderAccess.inventory(
      of: folder, as: context.kinds, threads: context.workerCount, noting: &findings)
    var directories: Set<Int> = []
    for file in inventory.indices where inventory.nominalClass(of: file) == .ownTemporary {
      directories.insert(inventory.directory(of: file))
    }
    for number in directories.sorted() { try tidy(inventory.directoryPath(number)) }
    return inventory
  }

  /// Removes what interrupted runs left unfinished in a directory, if that is there, or moves it to
  /// quarantine.
  package func tidy(_ path: RelativePath) throws(MigrationError) {
    let displaced = try MigrationError.wrapping { () throws(FileError) in
      try folder.openDirectoryIfPresent(path)?.sweepTemporaries() ?? []
    }
    for file in displaced { try quarantine(file, in: path) }
  }

  /// Moves to quarantine what somebody else wrote into the place of a file that was being replaced
  /// when the run that replaced it died. A run of its own in quarantine lets it have its own name.
  private func quarantine(
    _ file: DisplacedFile, in directory: RelativePath
  ) throws(MigrationError) {
    let path = directory.appending(file.name)
    let original = directory.appending(file.originalName)
    let version = try MigrationError.wrapping { () throws(FileError) -> FileVersion? in
      let parent = try folder.openDirectory(directory)
      // A link or a directory has no bytes, and moves all the same.
      guard try parent.state(of: file.name).kind == .regular else { return nil }
      return try parent.version(of: file.name)
    }
    beginWriting()
    var mover = try QuarantineMover(folder, begun: clock.begin)
    let quarantined = version.map {
      QuarantinedFile(path: original, version: $0, identities: [])
    }
    try mover.publishManifest(
      [quarantined].compactMap(\.self), of: .displaced, command: Self.command)
    let outcome = try mover.move(path, as: file.originalName, ifStill: version)
    try mover.finish()
    // It is in quarantine also if it was written once more at the last moment.
    guard outcome != .stays else { return }
    let next = [
      Quarantine.bringingBack(mover.run.name, to: folder, as: context.kinds),
      DisplayText.word(shownAs: folder.path).map {
        NextCommand(.mergeConflicts, context.kinds.options + [$0])
      },
    ].compactMap(\.self)
    findings.append(
      Finding(
        .displaced, .error, path: original.description,
        message: "another program wrote it while a command replaced it and was killed; what it "
          + "wrote is in \(mover.run.path.appending(original))",
        next: next.map(\.shellText).joined(separator: ", then "), command: next.first))
  }

  /// What the manifest says that moved the file.
  private static let command = "finishing an interrupted run"
}

extension FolderAccess {
  /// Lists a folder; for a run that writes, once what interrupted runs left there is tidied up.
  package static func inventory(
    of folder: Directory, for writing: WritingRun?, context: RunContext,
    noting findings: inout [Finding]
  ) throws(MigrationError) -> FolderInventory {
    guard let writing else {
      return try inventory(
        of: folder, as: context.kinds, threads: context.workerCount, noting: &findings)
    }
    return try writing.inventory(noting: &findings)
  }
}

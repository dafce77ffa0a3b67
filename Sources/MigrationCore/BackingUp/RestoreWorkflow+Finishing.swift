import Backups
import Diagnostics
import Folders
package import Runs
import SafeFiles

// Finishing a restore that was interrupted, or undoing it. What it brings was unpacked and verified
// before anything of the folder moved, so its backup is not needed any more.
extension RestoreWorkflow {
  /// Returns whether a restore of the folder was interrupted; writes nothing.
  package func planFinishing() throws(MigrationError) -> RestoreReport {
    try planEnding(as: .finished, noting: \.finishedEarlierRestore)
  }

  /// Finishes a restore that was interrupted; without one it does nothing.
  package func finish() throws(MigrationError) -> RestoreReport {
    try ending(as: .finished) { folder throws(BackupError) in
      try UnfinishedRestore.finish(in: folder)
    }
  }

  /// Returns whether there is a restore to undo; writes nothing.
  package func planAborting() throws(MigrationError) -> RestoreReport {
    try planEnding(as: .aborted, noting: \.abortedEarlierRestore)
  }

  /// Undoes a restore that was interrupted: the folder holds again what it held before. Without one a
  /// restore that waits is given up, and nothing else is done.
  package func undo() throws(MigrationError) -> RestoreReport {
    try ending(as: .aborted) { folder throws(BackupError) in
      try UnfinishedRestore.undo(in: folder)
    }
  }

  private func planEnding(
    as outcome: RestoreReport.Outcome, noting isUnfinished: WritableKeyPath<RestoreReport, Bool>
  ) throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    var report = RestoreReport()
    report.outcome = outcome
    report.isDryRun = true
    let folder = try openFolder()
    report[keyPath: isUnfinished] = try self.isUnfinished(folder)
    if !report[keyPath: isUnfinished], let waiting = try waiting(in: folder) {
      guard outcome == .finished else {
        report.gaveUpWaiting = true
        report.seconds = clock.seconds
        return report
      }
      report.outcome = .planned
      do throws(BackupError) {
        report.entries = try waiting.files().map {
          .init(path: $0.path.description, byteCount: Int(clamping: $0.size))
        }
      } catch {
        throw MigrationError(error)
      }
    }
    report.seconds = clock.seconds
    return report
  }

  /// Whether a restore of the folder was interrupted.
  func isUnfinished(_ folder: Directory) throws(MigrationError) -> Bool {
    do { return try RestorePlace.unfinishedRun(in: folder) != nil } catch {
      throw MigrationError(error)
    }
  }

  /// What became of an earlier restore that was interrupted, and what of the folder stayed where it was.
  typealias EarlierRestore = (outcome: RestoreOutcome, scope: BackupScope)

  /// Does something about an earlier restore that was interrupted, under the lock; nil if there was
  /// none.
  func endEarlierRestore(
    of folder: Directory, _ end: (Directory) throws(BackupError) -> RestoreOutcome?
  ) throws(MigrationError) -> EarlierRestore? {
    try waitingForOthers { () throws(MigrationError) in
      let scope: BackupScope
      do throws(BackupError) {
        guard let found = try UnfinishedRestore.scope(in: folder) else { return .success(nil) }
        scope = found
      } catch {
        return .failure(error)
      }
      let lock = try FolderAccess.lock(folder, context: context(keeping: scope))
      defer { withExtendedLifetime(lock) {} }
      return Result { () throws(BackupError) in try end(folder).map { ($0, scope) } }
    }
  }

  private func ending(
    as outcome: RestoreReport.Outcome, _ end: (Directory) throws(BackupError) -> RestoreOutcome?
  ) throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    var report = RestoreReport()
    report.outcome = outcome
    let folder = try openFolder()
    if let (outcome, scope) = try endEarlierRestore(of: folder, end) {
      report.addEarlier(outcome, of: folder)
      return try commit(nil, into: folder, keeping: scope, relyingOn: nil, clock, report)
    }
    if outcome == .finished, let waiting = try waiting(in: folder) {
      return try commit(waiting, in: folder, clock, report)
    }
    if outcome == .aborted, let waiting = try waiting(in: folder) {
      do throws(BackupError) { try waiting.giveUpWaiting() } catch { throw MigrationError(error) }
      report.gaveUpWaiting = true
    }
    // What a run left that died at its very end.
    try MigrationError.wrapping { () throws(FileError) in
      try RestoreSweep.removeDebris(in: folder)
    }
    report.seconds = clock.seconds
    return report
  }

  /// Opens the folder; of a store the directory that it is in.
  private func openFolder() throws(MigrationError) -> Directory {
    let isFile = try FolderAccess.isFile(options.folder, context: context)
    let path = isFile ? parentPath : options.folder
    if !isFile,
      try FolderAccess.openIfPresent(
        path, context: context, unfinishedRestore: .expected) == nil,
      let parent = try FolderAccess.openIfPresent(
        parentPath, context: context, unfinishedRestore: .expected),
      try isUnfinished(parent)
    {
      // A restore of a store that died has moved it out already.
      return parent
    }
    return try FolderAccess.open(path, context: context, unfinishedRestore: .expected)
  }
}

extension RestoreReport {
  /// Adds what became of an earlier restore that had been interrupted.
  mutating func addEarlier(_ outcome: RestoreOutcome, of folder: Directory) {
    finishedEarlierRestore = !outcome.isUndone
    abortedEarlierRestore = outcome.isUndone
    add(outcome, of: folder)
  }

  /// Adds where things are that had to make place.
  mutating func add(_ outcome: RestoreOutcome, of folder: Directory) {
    if let setAside = outcome.setAside { addSpecialFiles(below: setAside, of: folder) }
    setAside = outcome.setAside?.description ?? ""
    findings += outcome.arrived.map { path in
      Finding(
        .displaced, .warning, path: path.description,
        message: outcome.isUndone
          ? "is what the folder held in the place of what was put back, or of nothing"
          : "was written to the folder while the restore moved its entries, and set aside",
        next: "compare it with what the folder holds, and take over what is missing there")
    }
  }

  /// Adds what was set aside that no backup holds: neither files, directories nor links.
  private mutating func addSpecialFiles(below path: RelativePath, of folder: Directory) {
    do throws(FileError) {
      for entry in try folder.openDirectory(path).entries() {
        let inner = path.appending(entry.name)
        switch entry.kind {
        case .directory: addSpecialFiles(below: inner, of: folder)
        case .regular, .symbolicLink: break
        default:
          findings.append(
            Finding(
              .specialFile, .warning, path: inner.description,
              message: "is a \(entry.kind.name), which no backup holds, and was set aside with the "
                + "rest",
              next: "move it back if something needs it"))
        }
      }
    } catch {
      findings.append(.unlisted(path, because: error))
    }
  }
}

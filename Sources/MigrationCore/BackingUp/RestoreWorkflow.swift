import Backups
import Diagnostics
import FolderState
import Folders
package import Runs
import SafeFiles

/// What `restore-backup` is asked to do.
package struct RestoreOptions: Sendable {
  /// The backup to bring back.
  package var backup: String
  /// The folder that gets its content.
  package var folder: String
  /// The paths of the entries to bring back, as the backup lists them; empty for everything.
  package var only: [String] = []
  /// A backup of what the folder must still hold when it is replaced, quarantine and all; nil if
  /// anything may be there.
  package var replaced: String?
  /// Whether a store is only unpacked, and moved to its place by a later run that finishes it.
  package var waits = false

  /// Creates options for a backup and a folder.
  package init(backup: String, folder: String) {
    self.backup = backup
    self.folder = folder
  }
}

/// Lists, checks and restores a backup; what the folder held is set aside, never deleted.
package struct RestoreWorkflow: Sendable, PlannedWorkflow {
  let options: RestoreOptions
  let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: RestoreOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns the entries of the backup without reading their content.
  package func list() throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    if try isCopyOfApp() { return try listCopy(clock) }
    var report = RestoreReport()
    let manifest = try manifest()
    report.add(manifest)
    report.noteLeftOut(manifest, options.backup)
    report.seconds = clock.seconds
    return report
  }

  private func manifest() throws(MigrationError) -> BackupManifest {
    do { return try BackupArchive(path: options.backup).manifest() } catch {
      throw MigrationError(error)
    }
  }

  /// Returns whether every entry of the backup has the hash its manifest says.
  package func check() throws(MigrationError) -> RestoreReport {
    let clock = RunClock()
    if try isCopyOfApp() { return try checkCopy(clock) }
    var report = RestoreReport()
    do {
      let backup = try BackupArchive(path: options.backup).verify(
        context: BackupContext(context, phase: .checking))
      report.add(backup.manifest)
      report.isVerified = true
      report.outcome = .checked
      report.findings = backup.manifest.collisions().map { collision in
        Finding(
          .nameCollision, .warning, path: collision.path.description,
          message: "differs from \(collision.earlier) only by case or Unicode form",
          next: "restore to a volume that tells such names apart, or one of them with --only")
      }
      report.noteLeftOut(backup.manifest, options.backup)
    } catch {
      throw MigrationError(error)
    }
    report.seconds = clock.seconds
    return report
  }

  /// Returns what `perform()` would bring back and set aside; writes nothing.
  package func plan() throws(MigrationError) -> RestoreReport {
    if try isCopyOfApp() { return try planCopy() }
    guard options.only.isEmpty else { return try planChosen() }
    let manifest = try manifest()
    let path =
      try manifest.summary.store.map { store throws(MigrationError) in
        try directory(of: store)
      } ?? options.folder
    if manifest.summary.store == nil, options.waits { throw notAStore }
    let folder = try OutputPlace.openDirectory(
      path, context: context, isDryRun: true, unfinishedRestore: .expected)
    _ = try scope(for: manifest)
    var report = try check()
    if let store = manifest.summary.store { report = try planned(store, report) }
    report.finishedEarlierRestore = try folder.map(isUnfinished) ?? false
    report.outcome = .planned
    report.isDryRun = true
    return report
  }

  /// Restores; an earlier restore that was interrupted is finished first.
  package func perform() throws(MigrationError) -> RestoreReport {
    if try isCopyOfApp() { return try performCopy() }
    guard options.only.isEmpty else { return try performChosen() }
    let clock = RunClock()
    let backup = try BackupAccess.verify(options.backup, context: context)
    let scope = try scope(for: backup.manifest)
    if let store = backup.manifest.summary.store { return try performStore(backup, store, clock) }
    if options.waits { throw notAStore }
    let replaced = try replacedBackup()
    let folder = try openOrCreateTarget(asPrivateAs: Privacy(of: backup.state))
    var report = RestoreReport()
    report.add(backup.manifest)
    report.isVerified = true
    report.outcome = .restored
    if let outcome = try finishEarlierRestore(of: folder) {
      report.addEarlier(outcome, of: folder)
    }
    // The earlier restore may have been of this very backup.
    let isDone = report.finishedEarlierRestore ? try isEqual(folder, backup) : false
    let staged = isDone ? nil : try stage(backup, into: folder, keeping: scope, clock)
    return try commit(staged, into: folder, keeping: scope, relyingOn: backup, clock, report) {
      () throws(MigrationError) in
      guard let staged else { return }
      if let replaced { try require(folder, toHold: replaced) }
      try addRecord(of: backup.manifest, in: folder, to: staged)
    }
  }

  /// Returns what of the folder stays where it is: what the profile says that was told, or else what the
  /// backup says. Throws if these are two apps.
  func scope(for manifest: BackupManifest) throws(MigrationError) -> BackupScope {
    let own = manifest.summary.scope
    let told = BackupScope(context.kinds)
    guard let name = told.profile else { return own }
    guard let other = own.profile, other != name else { return told }
    throw .underlying(
      Diagnostic(
        .conflictsWithData, subject: options.backup,
        problem: "is a backup of a folder of the profile \(other), not of \(name)",
        remedy: "leave out --profile: the backup knows what belongs in it"))
  }

  /// Opens the folder that gets the content, or creates it.
  func openOrCreateTarget(
    _ path: String? = nil, asPrivateAs privacy: Privacy
  ) throws(MigrationError) -> Directory {
    let folder = try OutputPlace.openDirectory(
      path ?? options.folder, asPrivateAs: privacy, context: context, isDryRun: false,
      unfinishedRestore: .expected)
    guard let folder else { throw .brokenInvariant("no folder was created") }
    return folder
  }

  /// Returns what an earlier restore left behind that had to be finished first, nil if there was none.
  func finishEarlierRestore(
    of folder: Directory
  ) throws(MigrationError) -> RestoreOutcome? {
    try endEarlierRestore(of: folder) { folder throws(BackupError) in
      try UnfinishedRestore.finish(in: folder)
    }?.outcome
  }

  /// The context of a run that keeps something of a folder: it takes the lock that stays.
  func context(keeping scope: BackupScope) -> RunContext {
    var context = context
    context.appLock = scope.lock
    return context
  }

  /// Tries something, without keeping the lock, until no other restore is at work.
  func waitingForOthers<Value>(
    _ body: () throws(MigrationError) -> Result<Value, BackupError>
  ) throws(MigrationError) -> Value {
    var patience = Patience(seconds: Double(context.lockTimeoutSeconds))
    while true {
      switch try body() {
      case .success(let value): return value
      case .failure(.restoreAtWork(let place)) where patience.wait():
        context.tellOfRestore(at: place, &patience)
      case .failure(let error): throw MigrationError(error)
      }
    }
  }

  private func isEqual(
    _ folder: Directory, _ backup: VerifiedBackup
  ) throws(MigrationError) -> Bool {
    do {
      return try backup.firstDifference(
        from: folder, context: BackupContext(context, phase: .checking)) == nil
    } catch {
      throw MigrationError(error)
    }
  }

  /// Unpacks the backup beside the content, which takes its time and needs no lock.
  private func stage(
    _ backup: VerifiedBackup, into folder: Directory, keeping scope: BackupScope, _ clock: RunClock
  ) throws(MigrationError) -> StagedRestore {
    try waitingForOthers { () throws(MigrationError) in
      do throws(BackupError) {
        return .success(
          try StagedRestore.stage(
            backup, into: folder, run: Self.runName(clock),
            replacesQuarantine: options.replaced != nil, keeping: scope,
            context: BackupContext(context, phase: .restoring)))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Moves what was unpacked to its place, under the lock, and says where the old content is.
  ///
  /// - Parameters:
  ///   - scope: what of the folder stays where it is.
  ///   - require: called under the lock; throws, and nothing moves, if the folder is not as it has to be.
  func commit(
    _ staged: StagedRestore?, into folder: Directory, keeping scope: BackupScope,
    relyingOn backup: VerifiedBackup?,
    _ clock: RunClock, _ report: RestoreReport,
    requiring require: () throws(MigrationError) -> Void = {}
  ) throws(MigrationError) -> RestoreReport {
    var report = report
    do throws(MigrationError) {
      return try WritingRun.perform(
        in: folder, clock: clock, context: context(keeping: scope), unfinishedRestore: .expected
      ) { writing throws(MigrationError) in
        if context.isInterrupted() { throw .interrupted }
        if let backup { writing.relies(on: backup.hold) }
        // What killed runs left is put in order first: where it would be set aside nobody does that.
        if staged != nil { _ = try writing.inventory(noting: &report.findings) }
        try require()
        writing.beginWriting()
        do throws(BackupError) {
          if let staged { report.add(try staged.commit(), of: folder) }
        } catch {
          throw MigrationError(error)
        }
        report.seconds = clock.seconds
        return report
      }
    } catch {
      // What moves stays, and is finished by the next restore. What cannot be discarded is debris,
      // which the next restore sweeps.
      try? staged?.discard()
      throw error
    }
  }

  /// The backup that the folder must still hold, if one is named.
  func replacedBackup() throws(MigrationError) -> VerifiedBackup? {
    try options.replaced.map { path throws(MigrationError) in
      try BackupAccess.verify(path, context: context)
    }
  }

  /// Throws `folderDiffers` if somebody wrote to the folder since a backup of it was made.
  func require(_ folder: Directory, toHold backup: VerifiedBackup) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in try backup.requireInPlace() }
    guard try !isEqual(folder, backup) else { return }
    throw .folderDiffers(path: options.folder, backup: backup.archive.path)
  }

  /// The time of the run, and a random part: two restores may begin in one second.
  static func runName(_ clock: RunClock) -> FileName {
    let random = String(decoding: Entropy.hexDigits(4), as: UTF8.self)
    return FileName("\(UTCText.compact(clock.begin))-\(random)") ?? "restore"
  }
}

extension RestoreReport {
  /// Says of an archive that was made for others what is not in it, and of one of a store as it was that
  /// nobody knows.
  mutating func noteLeftOut(_ manifest: BackupManifest, _ path: String) {
    if manifest.summary.store?.isUnopened ?? false {
      findings.append(
        Finding(
          .notLookedAt, .warning, path: path,
          message: "was packed as it was: nobody has opened the store in it",
          next: "restore a backup of its rows where there is one"))
    }
    guard let names = manifest.summary.store?.leftOut, !names.isEmpty else { return }
    findings.append(
      Finding(
        .privateKind, .warning, path: path,
        message: "was made for others: rows of \(names.joined(separator: ", ")) are not in it",
        next: "restore a whole backup where there is one"))
  }

  /// Adds the entries of a backup.
  fileprivate mutating func add(_ manifest: BackupManifest) {
    entries = (0..<manifest.count).map { index in
      let entry = manifest[index]
      return Entry(path: entry.path.description, byteCount: Int(clamping: entry.size))
    }
  }
}

import Backups
package import Diagnostics
import FolderDocuments
import FolderState
package import Folders
package import Runs
import SafeFiles

/// Finds out what is to be rolled back, and does the steps that are no commands.
///
/// Nothing is remembered but what lies in the work beside the folder, and of that only a run that was
/// putting the next content in place is looked at: every other one begins anew.
package struct RollbackWorkflow {
  var options: RollbackOptions
  let context: RunContext
  let places: RollbackPlaces
  private let clock = RunClock()
  var work: RollbackWork?
  /// The backup that was given, and what it holds.
  private let backup: BackupArchive
  let manifest: BackupManifest
  /// The directories of the copy that nobody may write to, and their permissions.
  var closed: [(path: RelativePath, mode: UInt16)] = []

  /// Finds the folder and the backup, which must be one that can be read; writes nothing.
  package init(_ options: RollbackOptions, context: RunContext) throws(MigrationError) {
    self.context = context
    let folder = try FolderAccess.open(
      options.folder, context: context, unfinishedRestore: .expected)
    let path = try FolderAccess.absolutePath(options.folder, of: folder, context: context)
    places = RollbackPlaces(folder: path)
    self.options = options
    self.options.folder = path
    do throws(BackupError) {
      backup = try BackupArchive(path: options.backup, operations: context.operations)
      manifest = try backup.manifest()
      if let path = String(validating: try backup.absolutePath(), as: UTF8.self) {
        self.options.backup = path
      }
    } catch {
      throw MigrationError(error)
    }
  }

  /// Returns the permissions of the folder: what is made beside it is for nobody else.
  package func permissions() throws(MigrationError) -> UInt16 {
    let folder = try openFolder(.expected)
    return try MigrationError.wrapping { () throws(FileError) in try folder.state().mode }
  }

  /// What kinds of entity the folder has.
  package var kinds: EntityKinds { context.kinds }

  // MARK: Deciding

  /// Takes what an earlier run left beside the folder; throws if another is at work.
  package mutating func claim() throws(MigrationError) {
    work = try RollbackWork.claim(places, context: context)
  }

  /// Looks at the folder and at what an earlier run left.
  package func look(hasFinished: Bool = false) throws(MigrationError) -> RollbackDecision {
    var decision = RollbackDecision()
    decision.bringsBackDeleted = options.bringsBackDeleted
    decision.hasFinished = hasFinished
    decision.replaced = try MigrationError.wrapping { () throws(FileError) in
      try work?.text(of: RollbackPlaces.today)
    }
    let finishing = RestoreWorkflow(
      RestoreOptions(backup: "", folder: places.folder), context: context)
    if try finishing.planFinishing().finishedEarlierRestore {
      decision.isInRestore = true
    } else {
      let folder = try openFolder()
      try FolderAccess.requireFinishedSteps(in: folder)
      let inventory = try FolderAccess.wholeInventory(of: folder, as: kinds)
      // What a run before this one put in place is whose it was.
      if !hasFinished, decision.replaced == nil {
        try inventory.requireKnownApp(in: folder, at: places.folder, unlisted: [])
      }
      decision.holdsDocuments =
        !Self.documents(of: inventory).isEmpty
        || inventory.indices.contains { file in
          inventory.fileClass(of: file) == .placeholder
            && inventory.nominalClass(of: file).isDocument
        }
      decision.holdsConflictCopies = !inventory.copies.isEmpty
      decision.monthsAside = try monthsAside(of: folder).map(\.name.description)
    }
    if let refusal = decision.refusal(of: places.folder, told: kinds.options) { throw refusal }
    return decision
  }

  /// The documents that become JSON: those whose place says what they hold. Others stay.
  static func documents(of inventory: FolderInventory) -> [Int] {
    GroupDocuments.files(of: inventory).groups.values.flatMap(\.self)
  }

  /// The runs of the quarantine that set months aside, and are there; throws if there is one of which
  /// nobody knows.
  func monthsAside(
    of folder: Directory
  ) throws(MigrationError) -> [Quarantine.RunOfMonths] {
    let runs = try Quarantine.runsOfMonths(of: folder).filter { !$0.isPurged }
    for run in runs {
      _ = try MigrationError.wrapping { () throws(FileError) in try run.manifest.get() }
    }
    return runs
  }

  /// The command that finishes what an earlier run began.
  package var finishing: NextCommand {
    NextCommand(.restoreBackup, ["--finish", places.folder] + kinds.options)
  }

  // MARK: Working

  /// Begins to work beside the folder, if there is room: what an earlier run left there is removed.
  package mutating func begin() throws(MigrationError) {
    try removeWork()
    let folder = try openFolder()
    try requireRelatedBackup(of: folder)
    let parent = try FolderAccess.openParent(ofPath: places.work, context: context).directory
    var packing = PackOptions(folder: places.folder)
    packing.backupDirectory = options.backupDirectory
    try PackWorkflow(packing, context: context).requireRoom(copyingBeside: parent)
    work = try RollbackWork.begin(
      places, asPrivateAs: OutputPlace.privacy(of: folder), context: context)
  }

  /// Throws if the backup was made of another folder: what that one held would count as deleted here.
  private func requireRelatedBackup(of folder: Directory) throws(MigrationError) {
    let comparison: FolderBond.Comparison
    do throws(BackupError) {
      if try FolderIdentifier(of: folder).isKnown(manifest.summary.folderNumber) { return }
      comparison = try SharedContent(of: folder, context: context).compare(backup, manifest)
    } catch {
      throw MigrationError(error)
    }
    guard comparison == .different else { return }
    throw .underlying(
      Diagnostic(
        .conflictsWithData, subject: options.backup,
        problem: "is a backup of another folder: nothing that it holds is in \(places.folder)",
        remedy: "give the backup that was made before the migration: "
          + NextCommand(.packBackup, [places.folder, "--list"] + kinds.options).shellText))
  }

  /// Removes the work beside the folder.
  package mutating func removeWork() throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in try work?.remove() }
    work = nil
  }

  /// Removes the work beside the folder, unless the next content is whole: then what is in place may be
  /// that. Returns whether it is.
  package mutating func removeUnlessSettled() throws(MigrationError) -> Bool {
    let isSettled = try MigrationError.wrapping { () throws(FileError) in
      try work?.text(of: RollbackPlaces.today) != nil
    }
    if !isSettled { try removeWork() }
    return isSettled
  }

  /// The absolute path of the folder.
  package var folder: String { places.folder }

  /// Returns the steps that follow the backup.
  package func steps(
    _ decision: RollbackDecision, after backup: String
  ) -> [RollbackStep] {
    RollbackPlan(
      places: places, options: options, kinds: kinds, monthsAside: decision.monthsAside,
      today: backup
    ).steps
  }

  /// What stops it: what a step was not shown is in no JSON that it makes.
  package var unseen: MigrationError {
    .underlying(
      Diagnostic(
        .inputOutput, subject: places.folder,
        problem: "a step could not look at all of its copy; nothing in the folder has changed",
        remedy: "mend what the step named, in the folder or its quarantine, then run "
          + "rollback-folder again"))
  }

  /// Does what is no command.
  package mutating func perform(_ action: RollbackStep.Action) throws(MigrationError) {
    switch action {
    case .copyQuarantine: try copyQuarantine()
    case .notePurged: try notePurged()
    case .dropShared: try dropShared()
    case .assemble: try assemble()
    case .settle(let replaced): try note([replaced], as: RollbackPlaces.today)
    }
  }

  /// Returns what is to be told in the end.
  package func report(on decision: RollbackDecision) throws(MigrationError) -> RollbackReport {
    var report = RollbackReport(folder: places.folder, kinds)
    if let work, decision.course != .nothing {
      try MigrationError.wrapping { () throws(FileError) in
        report.backup = try work.text(of: RollbackPlaces.today)
        report.purged = try work.lines(of: RollbackPlaces.purged)
        if let backup = report.backup {
          report.findings = try work.lines(of: RollbackPlaces.displaced).map { path in
            displacement(of: path, heldBy: backup)
          }
        }
      }
    }
    report.seconds = clock.seconds
    return report
  }

  /// Returns what is to be told of a run that a failed command has stopped.
  ///
  /// - Parameter isSettled: whether the next content is whole, see `removeUnlessSettled()`.
  package func report(
    onFailureOf command: NextCommand.Name, isSettled: Bool, _ decision: RollbackDecision
  ) -> RollbackReport {
    var report = RollbackReport(folder: places.folder, kinds)
    report.stop = isSettled ? .whileReplacing : .before
    var finding = Finding(
      .stopped, .error, path: places.folder, message: "\(command.rawValue) failed",
      next: "run rollback-folder again, as it was: it finishes what was begun, or begins anew")
    if !isSettled {
      let merge = NextCommand(.mergeConflicts, [places.folder] + kinds.options)
      finding.command = decision.holdsConflictCopies ? merge : nil
      finding.next =
        (decision.holdsConflictCopies
          ? "the folder holds conflict copies: \(merge.shellText)"
          : "mend what it named in the folder")
        + ", then run rollback-folder again; what it named below \(places.work) was a copy, and is gone"
    }
    report.findings = [finding]
    report.seconds = clock.seconds
    return report
  }

  /// Removes what the JSON was made in, but for what the next run would tell if nobody has read it yet.
  /// Returns whether it is gone; if it cannot be removed that is added to a report.
  package func removeContent(telling report: inout RollbackReport) -> Bool {
    do throws(FileError) {
      try work?.removeContent()
      return true
    } catch {
      report.findings.append(
        Finding(
          .kept, .error, path: error.path,
          message: "is of no use any more and cannot be removed: \(error.diagnostic.problem)",
          next: (error.diagnostic.remedy.map { "\($0), then " } ?? "")
            + "run rollback-folder again, which removes it"))
      return false
    }
  }

  private func displacement(of path: String, heldBy backup: String) -> Finding {
    let look = NextCommand(
      .restoreBackup,
      [backup, "--into", "\(places.folder)-displaced"] + kinds.options + ["--only", path])
    return Finding(
      .displaced, .error, path: path,
      message: "held what no document has; it now holds what the documents have",
      next: "what it held is in the backup; to look at it: \(look.shellText)", command: look)
  }

  // MARK: Places

  func openFolder(
    _ unfinishedRestore: FolderAccess.UnfinishedRestore = .refused
  ) throws(MigrationError) -> Directory {
    try FolderAccess.open(
      places.folder, context: context, unfinishedRestore: unfinishedRestore)
  }

  /// Opens a directory of the work.
  func open(_ name: FileName) throws(MigrationError) -> Directory {
    guard let work else { throw .brokenInvariant("nothing was begun") }
    return try MigrationError.wrapping { () throws(FileError) in
      try work.directory.openDirectory(name)
    }
  }
}

import Diagnostics
import FolderState
package import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// What `recover-folder` is asked to do.
package struct RecoveryOptions: Sendable {
  /// The folder to put right.
  package var folder: String
  /// Where backups are; nil means beside the folder.
  package var backupDirectory: String?
  /// What a date that is written as a number counts; nil makes such a date a finding.
  package var numericDates: NumericDates?

  /// Creates options for a folder.
  package init(folder: String) {
    self.folder = folder
  }
}

/// Finds out what is wrong with a folder and what would put it right.
///
/// A look writes nothing. It decides over what the folder, its quarantine and its backups hold in that
/// moment, so that a recovery that was killed anywhere goes on with what is left to do.
package struct RecoveryWorkflow {
  private let options: RecoveryOptions
  private let context: RunContext
  /// The absolute path of the folder, as the caller knows it.
  private let path: String
  private let places: RecoveryPlaces
  private var backups: RecoveryBackups?

  /// Finds the folder; nothing in it is read yet.
  package init(_ options: RecoveryOptions, context: RunContext) throws(MigrationError) {
    var options = options
    self.context = context
    let folder = try FolderAccess.open(
      options.folder, context: context, unfinishedRestore: .expected)
    path = try FolderAccess.absolutePath(options.folder, of: folder, context: context)
    options.folder = path
    self.options = options
    places = RecoveryPlaces(folder: path)
  }

  /// What kinds of entity the folder has.
  package var kinds: EntityKinds { context.kinds }

  /// Returns the permissions of the folder: what is made beside it is for nobody else.
  package func permissions() throws(MigrationError) -> UInt16 {
    let folder = try FolderAccess.open(path, context: context, unfinishedRestore: .expected)
    return try MigrationError.wrapping { () throws(FileError) in try folder.state().mode }
  }

  // MARK: Looking

  /// Looks at the folder and returns what is wrong and the steps that put it right.
  ///
  /// - Parameter made: the backup that was made of it before anything is changed.
  package mutating func look(after made: String? = nil) throws(MigrationError) -> RecoveryReport {
    let clock = RunClock()
    var report = RecoveryReport(folder: path)
    var situation = RecoverySituation(
      folder: path, numericDates: options.numericDates)
    situation.made = made
    situation.told = context.kinds.options
    situation.privateOptions = context.kinds.privateOptions
    let finishing = RestoreWorkflow(RestoreOptions(backup: "", folder: path), context: context)
    if try finishing.planFinishing().finishedEarlierRestore {
      try requireNoRollback()
      situation.isInRestore = true
    } else {
      try look(into: &situation, &report)
    }
    report.steps = RecoveryPlanner.steps(for: situation)
    report.seconds = clock.seconds
    return report
  }

  /// Adds what is kept of damaged documents and shows something else than the folder.
  package func addDifferences(to report: inout RecoveryReport) throws(MigrationError) {
    let folder = try FolderAccess.open(path, context: context)
    let salvaged = try SalvagedDocuments(of: folder, named: places, context: context)
    report.differences = try salvaged.differences()
    report.findings = (report.findings + salvaged.findings).inReportOrder()
  }

  /// Throws if the restore is one that `rollback-folder` began: it knows what comes after it.
  private func requireNoRollback() throws(MigrationError) {
    let work = try FolderAccess.openBeside(RollbackPlaces(folder: path).work, context: context)
    let isThere = try MigrationError.wrapping { () throws(FileError) in
      try work?.stateIfPresent(of: RollbackPlaces.today) != nil
    }
    guard isThere else { return }
    throw .underlying(
      Diagnostic(
        .busy, subject: path, problem: "rollback-folder was interrupted",
        remedy: "run rollback-folder again, as it was"))
  }

  private mutating func look(
    into situation: inout RecoverySituation, _ report: inout RecoveryReport
  ) throws(MigrationError) {
    var verifying = VerificationOptions(folder: path)
    verifying.numericDates = options.numericDates
    verifying.mayHaveLostAll = true
    let status = try StatusWorkflow(verifying, context: context).perform()
    let verification = try VerificationWorkflow(verifying, context: context).perform()
    report.status = status
    report.verification = verification
    guard !verification.findings.contains(where: { $0.code == .placeholder }) else {
      throw .underlying(
        Diagnostic(
          .busy, subject: path, problem: "some of it is in the cloud only",
          remedy: "have the sync service keep the folder on this device, then run recover-folder "
            + "again"))
    }
    var findings = RecoveryFindings(verification.findings)
    // Nobody has migrated it, so nothing is missing in documents.
    if status.status == .legacy { findings.forget(.missingEntity) }
    let backups = try knownBackups()
    findings.add(backups.findings)
    report.unusableBackups = backups.unusable
    let folder = try FolderAccess.open(path, context: context)
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(of: folder, as: kinds, noting: &unlisted)
    findings.add(unlisted)
    var survey = RecoverySurvey(
      folder, inventory, places, findings, backups, context: context)
    try survey.look(status.status, missing: verification.missingImagePlaces, &situation)
    // It may have lost everything, if a backup knows what.
    if situation.content == nil {
      try inventory.requireKnownApp(in: folder, at: path, unlisted: unlisted)
    }
    report.add(survey, path, told: context.kinds.options)
    // With nothing of the app in it, it may be a place of stores.
    if status.status == .unknown { try noteStores(&report) }
  }

  /// Tells of stores below the folder: whoever recovers folders looks at none.
  private func noteStores(_ report: inout RecoveryReport) throws(MigrationError) {
    do throws(StoreError) {
      var found = try StoreFinder.find(at: path, operations: context.operations)
      report.findings += StoreRecoveryWorkflow.notLookedAt(&found, at: path)
      report.findings = report.findings.inReportOrder()
    } catch {
      throw MigrationError(error)
    }
  }

  /// What a run makes itself is not looked at as a backup: it holds what is wrong.
  private mutating func knownBackups() throws(MigrationError) -> RecoveryBackups {
    if let backups { return backups }
    let backups = try RecoveryBackups(
      of: path, in: options.backupDirectory, context: context)
    self.backups = backups
    return backups
  }

  // MARK: Steps

  /// Does what a step does that is no command; safe to be killed, and to be done again.
  package func perform(_ action: RecoveryStep.Action) throws(MigrationError) {
    let performer = RecoveryPerformer(folder: path, context: context)
    switch action {
    case .run: return
    case .makeDirectory(let path): _ = try performer.makeDirectory(path)
    case .copyFile(let file, let copy): try performer.copyFile(file, to: copy)
    case .copyTree(let source, let target): try performer.copyTree(source, into: target)
    case .moveDamaged(let document, let target):
      try performer.moveDamaged(document, to: target)
    }
  }
}

extension RecoveryReport {
  fileprivate mutating func add(_ survey: RecoverySurvey, _ path: String, told: [String]) {
    // That there is nothing to compare with keeps nobody from working.
    findings = survey.findings.all.filter { $0.code != .nothingToCompare }.inReportOrder()
    unseen = survey.findings.unseen.map(\.description)
    waiting = survey.waiting.sorted().map(\.description)
    changedImages = survey.changedImages.map { image in
      ChangedImage(
        path: image.path.description,
        commands: [
          NextCommand(.packBackup, [path] + told),
          NextCommand(
            .restoreBackup, [image.backup, "--into", path] + told + ["--only", image.path.text]),
        ])
    }
  }
}

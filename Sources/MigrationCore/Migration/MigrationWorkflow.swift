package import Diagnostics
package import Folders
package import Runs
import SafeFiles

/// What `migrate-folder` is asked to do.
package struct MigrationOptions: Sendable {
  /// The folder, as commands are told it.
  package var folder: String
  /// Where backups are; nil means beside the folder.
  package var backupDirectory: String?
  /// Whether the legacy files go to quarantine in the end.
  package var cleansUp = false
  /// Where documents are put; nil means as those that are there, else by months.
  package var layout: DocumentLayout?
  /// What a date that is written as a number counts; nil makes such a date a finding.
  package var numericDates: NumericDates?
  /// Whether the entities of private kinds are migrated, too.
  package var includesPrivate = false
  /// The preferences of the app of a store; nil if they are not to be read.
  package var preferences: String?

  /// Creates options for a folder. A path that begins like an option is none.
  package init(folder: String) {
    self.folder = folder.hasPrefix("-") ? "./\(folder)" : folder
  }
}

/// Looks at a folder before a migration, and says what is to be done; writes nothing.
package struct MigrationWorkflow {
  private let options: MigrationOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: MigrationOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Looks at the folder; throws if what is asked conflicts with what it holds.
  ///
  /// Nobody wants a backup of a folder that is none of ours. A listing shows that, and whether a
  /// restore is unfinished.
  package func look() throws(MigrationError) -> MigrationReport {
    let clock = RunClock()
    let names = try knownStatus()
    var decision = MigrationDecision(status: names.status)
    decision.layouts = names.layouts
    decision.evidentLayout = names.evidentLayout
    decision.layout = options.layout
    decision.cleansUp = options.cleansUp
    decision.hasOneLayout = !context.kinds.hasLayouts
    if decision.migrates, decision.needsEvidence {
      decision.evidentLayout = try status(byNames: false).evidentLayout
    }
    if names.status == .migrating, try mayBeCleaned() {
      let status = try status(byNames: false)
      // What could not be read in this moment may be all that there is to migrate.
      if let unread = status.errors.first(where: { $0.code == .unreadable }) {
        throw .unlisted(
          path: options.folder,
          problem: "holds \(unread.count.counted("file or directory", "files or directories")) "
            + "that cannot be read")
      }
      if status.status == .cleaned, !status.differs { decision.status = .cleaned }
    }
    if let refusal = decision.refusal(of: options.folder) { throw refusal }
    var report = MigrationReport(folder: options.folder, decision)
    if !decision.migrates { try lookForOthers(&report) }
    report.seconds = clock.seconds
    return report
  }

  /// Whether each legacy file may hold what a clean-up leaves, which names do not tell.
  private func mayBeCleaned() throws(MigrationError) -> Bool {
    guard context.kinds.hasSharedFiles else { return false }
    let folder = try FolderAccess.open(options.folder, context: context)
    let inventory = try FolderAccess.wholeInventory(of: folder, as: context.kinds)
    return inventory.indices.allSatisfy { file in
      !inventory.nominalClass(of: file).isLegacy
        || context.kinds.isShared(fileOf: inventory.kind(of: file))
    }
  }

  /// Looks at the names; that the folder is not the app's is told with the folders in it that are.
  private func knownStatus() throws(MigrationError) -> StatusReport {
    do throws(MigrationError) {
      return try status(byNames: true)
    } catch {
      guard case .unknownApp(var unknown) = error else { throw error }
      unknown.inside = try commandsInside()
      throw .unknownApp(unknown)
    }
  }

  /// What migrates the folders of the app that lie in this one.
  private func commandsInside() throws(MigrationError) -> [NextCommand] {
    let folder = try FolderAccess.open(options.folder, context: context)
    let entries = try MigrationError.wrapping { () throws(FileError) in
      try folder.entries().sorted { $0.name < $1.name }
    }
    return entries.compactMap { entry in
      guard entry.kind == .directory, !entry.name.hasPrefix("."),
        let name = String(validating: entry.name.bytes, as: UTF8.self),
        // What nobody can look into is not proposed.
        let inner = try? folder.openDirectory(entry.name), isOurs(inner)
      else { return nil }
      return NextCommand(
        .migrateFolder, ["\(options.folder)/\(name)"] + asked + context.kinds.options)
    }
  }

  private func status(byNames: Bool) throws(MigrationError) -> StatusReport {
    var options = VerificationOptions(folder: options.folder)
    options.numericDates = self.options.numericDates
    options.looksAtNamesOnly = byNames
    return try StatusWorkflow(options, context: context).perform()
  }

  /// There is nothing to migrate. That documents are gone is told before anything else.
  private func lookForOthers(_ report: inout MigrationReport) throws(MigrationError) {
    let folder = try FolderAccess.open(options.folder, context: context)
    let entries = try MigrationError.wrapping { () throws(FileError) in
      try folder.entries().sorted { $0.name < $1.name }
    }
    if entries.contains(where: { $0.name == FolderNames.state && $0.kind == .directory }) {
      let status = try status(byNames: false)
      if status.differs {
        report.lost = status
        return
      }
    }
    guard report.decision.status == .unknown else { return }
    report.foreign = entries.map(\.name.description)
    if context.kinds.toldName != nil {
      report.expectedFiles = context.kinds.profile.kinds.flatMap {
        $0.home?.paths.map(\.description) ?? []
      }
    }
  }

  private func isOurs(_ folder: Directory) -> Bool {
    var unlisted: [Finding] = []
    // As above.
    return (try? FolderInventory.showsApp(folder, as: context.kinds, noting: &unlisted)) ?? false
  }

  /// Throws if there is less room than a backup and the documents need together; what goes to
  /// quarantine is renamed.
  package func requireRoom(for report: MigrationReport) throws(MigrationError) {
    var options = PackOptions(folder: options.folder)
    options.backupDirectory = self.options.backupDirectory
    try PackWorkflow(options, context: context).requireRoom(
      makingDocuments: report.decision.status == .legacy)
  }

  // MARK: Commands

  /// The options that every later command for the folder needs, too.
  private var lasting: [String] {
    context.kinds.options + NextCommand.options(backupDirectory: options.backupDirectory)
      + NextCommand.options(numericDates: options.numericDates)
  }

  /// What asks for private kinds.
  private var asked: [String] { options.includesPrivate ? context.kinds.privateOptions : [] }

  /// The steps after the backup.
  package enum Step: Hashable, Sendable {
    case importing, verifying, cleaningUp
  }

  /// Returns the command of a step; one that cleans up relies on the backup.
  package func command(
    for step: Step, backup: String? = nil, isDryRun: Bool = false
  ) -> NextCommand {
    let told = context.kinds.options + NextCommand.options(numericDates: options.numericDates)
    switch step {
    case .importing:
      return NextCommand(
        .importCRDT,
        [options.folder] + asked + told + ["--layout", options.layout?.rawValue ?? "auto"]
          + (isDryRun ? ["--dry-run"] : []))
    case .verifying: return NextCommand(.verifyCounts, [options.folder] + asked + told)
    case .cleaningUp:
      return NextCommand(
        .cleanupLegacy,
        [options.folder] + told + ["--apply"] + (backup.map { ["--backup", $0] } ?? []))
    }
  }

  /// Notes what to run next, after everything was done.
  package func conclude(_ report: inout MigrationReport, backup: String) {
    report.backup = backup
    func migrate(_ arguments: String...) -> NextCommand {
      NextCommand(.migrateFolder, [options.folder] + arguments + asked + lasting)
    }
    let rollBack = NextCommand(.rollbackFolder, [options.folder, backup] + lasting)
    let layout = options.layout.map { ["--layout", $0.rawValue] } ?? []
    if options.cleansUp {
      report.next = [[rollBack]]
    } else if report.decision.unread != nil, let layout = options.layout {
      report.next = [[rollBack, migrate("--layout", layout.rawValue)]]
    } else if report.decision.isLayoutKnown {
      report.next = [
        [NextCommand(.migrateFolder, [options.folder, "--cleanup"] + layout + asked + lasting)]
      ]
    } else {
      report.next = [
        [migrate("--cleanup", "--layout", "monthly")],
        [rollBack, migrate("--layout", "per-record")],
      ]
    }
  }
}

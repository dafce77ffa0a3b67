import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles

/// Says where a folder stands between legacy files and documents.
///
/// Nothing is remembered between runs: the answer is read off the content, every time.
package struct StatusWorkflow {
  private let options: VerificationOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet. What the documents are compared with are always the
  /// legacy files of the folder itself and of its quarantine.
  package init(_ options: VerificationOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Reads the folder and answers; writes nothing, and takes no lock.
  package func perform() throws(MigrationError) -> StatusReport {
    try perform(in: FolderAccess.open(options.folder, context: context))
  }

  /// As above, of the folder that was opened.
  func perform(in folder: Directory) throws(MigrationError) -> StatusReport {
    guard options.looksAtNamesOnly else { return try survey(folder).status }
    let clock = RunClock()
    let inventory = try FolderAccess.wholeInventory(of: folder, as: context.kinds)
    try inventory.requireKnownApp(in: folder, at: options.folder, unlisted: [])
    return answer(from: inventory, clock)
  }

  /// Answers, and gives out what was verified for it.
  ///
  /// - Parameter takesFigures: whether it is noted what each document takes.
  func survey(
    _ folder: Directory, takesFigures: Bool = false
  ) throws(MigrationError) -> (status: StatusReport, result: VerificationRun.Result) {
    let clock = RunClock()
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: folder, as: context.kinds, threads: context.workerCount, noting: &unlisted)
    if !options.mayHaveLostAll {
      try inventory.requireKnownApp(in: folder, at: options.folder, unlisted: unlisted)
    }
    let rules = EntityRules(numericDates: options.numericDates)
    var context = context
    // One word about a part of a folder would be about none.
    context.failsFast = false
    var run = VerificationRun(
      folder, inventory, unlisted: unlisted,
      against: try .inPlace(folder, inventory, rules: rules),
      withholding: context.kinds.withheld(unlessAsked: options.includesPrivate),
      looksForEditedMonths: true, takesFigures: takesFigures, context: context)
    var result = try run.run()
    var findings = result.report.findings
    if let moving = findings.first(where: { $0.code == .changedWhileRead }) {
      throw .folderChanging(path: moving.path)
    }
    var report = Self.report(of: inventory, holdsEditedMonth: result.holdsEditedMonth)
    // Nothing of these could become a document.
    report.legacyFiles -= result.rests.count
    let lost = try lostDocuments(report, of: inventory, findings)
    findings += lost
    if !lost.isEmpty { result.report.findings = findings.inReportOrder() }
    report.missingEntities = findings.count { $0.code == .missingEntity && !$0.isAboutQuarantine }
    report.notLookedAt = Self.notLookedAt(report, findings)
    report.errors = Self.obstacles(among: findings)
    report.damagedDocuments = findings.filter {
      $0.severity == .error && [.damagedDocument, .incompleteDocument].contains($0.code)
    }.map(\.path)
    report.status = Self.status(report, of: inventory, rests: result.rests)
    // What is there was left out on purpose, or holds no entity: no clean-up takes it.
    if report.status == .migrated,
      result.leftOutFiles.count == report.legacyFiles
    {
      report.status = .cleaned
    }
    let merge =
      findings.contains { $0.code == .conflictCopy } ? try mergeCommand(context) : nil
    // What was deleted in a document stays deleted: an update does nothing for it.
    let updates = findings.lazy.filter { $0.code == .diverged }.compactMap(\.command)
      .filter { $0.name == .importCRDT }
    report.commands =
      Self.commandsBringingBack(findings)
      + commands(for: report, merge: merge, updates: Array(updates))
    report.seconds = clock.seconds
    return (report, result)
  }

  /// What names tell without a file being opened. Whether JSON is in the documents beside it they do
  /// not, so that is the word for what is still to be looked at.
  private func answer(from inventory: FolderInventory, _ clock: RunClock) -> StatusReport {
    var report = Self.report(of: inventory, holdsEditedMonth: false)
    report.errors = Self.obstacles(among: inventory.unseen())
    report.status = Self.status(report, of: inventory)
    if report.status == .migrated { report.status = .migrating }
    report.commands = commands(for: report, merge: nil, updates: [])
    report.seconds = clock.seconds
    return report
  }

  private static func report(
    of inventory: FolderInventory, holdsEditedMonth: Bool
  ) -> StatusReport {
    var report = StatusReport(.empty)
    report.legacyFiles = inventory.indices.count { inventory.nominalClass(of: $0).isLegacy }
    report.documents = inventory.indices.count { inventory.nominalClass(of: $0).isDocument }
    // Where the profile says it alone there is nothing to choose.
    report.layouts =
      inventory.kinds.hasLayouts
      ? DocumentLayout.allCases.filter { inventory.holdsRecords(in: $0) } : []
    report.evidentLayout = evidentLayout(report.layouts, holdsEditedMonth: holdsEditedMonth)
    return report
  }

  /// The layout that an app must be reading. Months are what an import makes of itself, so they say
  /// something only if an app wrote there, too.
  private static func evidentLayout(
    _ layouts: [DocumentLayout], holdsEditedMonth: Bool
  ) -> DocumentLayout? {
    switch layouts {
    case [.perRecord]: .perRecord
    case [.monthly]: holdsEditedMonth ? .monthly : nil
    default: nil
    }
  }

  /// What merges copies of the folder; nil if all of them stay whatever is run.
  private func mergeCommand(_ context: RunContext) throws(MigrationError) -> NextCommand? {
    var merge = MergeOptions(folder: options.folder)
    for arguments in [[], ["--unify"]] {
      let command = NextCommand(
        .mergeConflicts, arguments + context.kinds.options + [options.folder])
      let report: MergeReport
      do throws(MigrationError) {
        report = try MergeWorkflow(merge, context: context).plan()
      } catch {
        if error == .interrupted { throw error }
        // The command itself says better what stands in its way.
        return command
      }
      let isProgress = report.bases.contains { base in
        base.copies.contains(where: \.outcome.leavesItsName)
      }
      if isProgress { return command }
      merge.unifies = true
    }
    return nil
  }

  /// What is missing of the legacy files in the folder is still to be done, and without legacy files
  /// there is nothing to compare with: neither stands in the way. Changes that wait for others do.
  private static func obstacles(among findings: [Finding]) -> [(code: Finding.Code, count: Int)] {
    Finding.Code.allCases.compactMap { code in
      let count = findings.count { finding in
        guard finding.code == code else { return false }
        switch code {
        case .nothingToCompare: return false
        case .missingEntity: return finding.isAboutQuarantine
        case .incompleteDocument: return true
        default: return finding.severity == .error
        }
      }
      return count == 0 ? nil : (code, count)
    }
  }

  /// Documents that must have been there and are not, of which no legacy file tells: that of tags where
  /// records name some, and all of them where some run made any.
  ///
  /// No program trusts the history, but where nothing else is left it is what there is to ask.
  private func lostDocuments(
    _ report: StatusReport, of inventory: FolderInventory, _ findings: [Finding]
  ) throws(MigrationError) -> [Finding] {
    if report.legacyFiles > 0 || findings.contains(where: \.isAboutQuarantine) { return [] }
    if report.documents > 0 {
      guard findings.contains(where: { $0.code == .danglingTag }) else { return [] }
      let targets = inventory.kinds.referredTo
      if inventory.documents.contains(where: { targets.contains(inventory.kind(of: Int($0))) }) {
        return []
      }
      return [
        Finding(.missingFile, .error, message: "records name tags, and no document holds any")
      ]
    }
    let history = try HistoryWorkflow(folder: options.folder, context: context).perform()
    guard history.entitiesImported > 0 else { return [] }
    return [
      Finding(
        .missingFile, .error, message: "documents were made here, and there is none any more")
    ]
  }

  /// What the answer says nothing about.
  private static func notLookedAt(_ report: StatusReport, _ findings: [Finding]) -> [String] {
    var places: [String] = []
    if report.documents > 0, findings.contains(where: { $0.code == .nothingToCompare }) {
      places.append(
        "what the documents should hold: there is no JSON, here or in quarantine, to compare them "
          + "with")
    }
    return places
      + findings.filter {
        $0.code == .setAside && $0.severity == .info
          || $0.code == .missingFile && $0.severity == .warning || $0.code == .privateKind
      }
      .map { $0.path.isEmpty ? $0.message : "\($0.path): \($0.message)" }
  }

  private static func status(
    _ report: StatusReport, of inventory: FolderInventory, rests: Set<Int> = []
  ) -> FolderStatus {
    switch (report.legacyFiles > 0, report.documents > 0) {
    case (false, false): inventory.holdsAnything(besides: rests) ? .unknown : .empty
    case (true, false): .legacy
    case (false, true): .cleaned
    case (true, true):
      if report.differs {
        .mixed
      } else if report.missingEntities > 0 {
        .migrating
      } else {
        .migrated
      }
    }
  }

  /// What brings back months in quarantine of which the folder holds legacy files again; nothing can
  /// be said about these before.
  private static func commandsBringingBack(_ findings: [Finding]) -> [NextCommand] {
    Set(
      findings.lazy.filter { $0.code == .setAside && $0.severity == .error }.compactMap(\.command)
    ).sorted { $0.shellText < $1.shellText }
  }

  /// What to run next. Whatever reads the JSON has to be told the same about its dates.
  private func commands(
    for report: StatusReport, merge: NextCommand?, updates: [NextCommand]
  ) -> [NextCommand] {
    var commands = merge.map { [$0] } ?? []
    let asked = options.includesPrivate ? context.kinds.privateOptions : []
    func add(_ name: NextCommand.Name, _ arguments: [String] = []) {
      let dates = NextCommand.options(numericDates: options.numericDates)
      commands.append(
        NextCommand(name, arguments + context.kinds.options + dates + [options.folder]))
    }
    switch report.status {
    case .empty, .unknown, .cleaned: break
    case .legacy, .migrating: add(.migrateFolder, asked)
    case .migrated: add(.migrateFolder, ["--cleanup"] + asked)
    case .mixed:
      if !updates.isEmpty {
        let isPrivate = updates.contains(where: \.asksForPrivateKinds)
        add(.importCRDT, ["--update"] + (isPrivate ? context.kinds.privateOptions : asked))
      }
    }
    let recovered: Set<Finding.Code> = [.damagedDocument, .missingEntity, .missingFile]
    if report.errors.contains(where: { recovered.contains($0.code) }) {
      add(.recoverFolder)
    }
    if report.differs { add(.verifyCounts, asked) }
    return commands
  }
}

extension FolderInventory {
  /// Whether records lie in documents as a layout has them.
  fileprivate func holdsRecords(in layout: DocumentLayout) -> Bool {
    let wanted: FileClass = layout == .monthly ? .monthDocument : .entityDocument
    return indices.contains { nominalClass(of: $0) == wanted }
  }

  /// Whether there is anything but the app's lock, our own state and some files.
  fileprivate func holdsAnything(besides files: Set<Int>) -> Bool {
    indices.contains { file in
      switch fileClass(of: file) {
      case .lock, .ownState, .ownTemporary: false
      default: !files.contains(file)
      }
    }
  }
}

extension Finding {
  /// Whether it is about something in our own state, where files lie that left the folder.
  fileprivate var isAboutQuarantine: Bool { path.hasPrefix("\(FolderNames.state)/") }
}

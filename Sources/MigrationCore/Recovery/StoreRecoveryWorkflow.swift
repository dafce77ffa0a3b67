import Backups
import Diagnostics
import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// Finds out what is wrong with a store, or with the stores of a directory, and what would put it right.
///
/// A look writes nothing but private copies, and SQLite opens only these. It decides over what is there in
/// that moment, so that a recovery that was killed anywhere goes on with what is left to do.
package struct StoreRecoveryWorkflow {
  private let options: RecoveryOptions
  private let context: RunContext
  /// The directory of the stores.
  private let directory: Directory
  /// Its absolute path.
  private let directoryPath: String
  /// The absolute path of what was given.
  private let path: String
  /// The names of the databases, of those that are gone, too.
  private let names: [FileName]
  /// Whether one store was given, and not a directory.
  private let isOne: Bool

  /// Finds the stores at a path; nothing of them is read yet. Nil if neither a store is there, nor one was.
  package init?(_ options: RecoveryOptions, context: RunContext) throws(MigrationError) {
    (self.options, self.context) = (options, context)
    let given = options.folder
    if let directory = try FolderAccess.openBeside(given, context: context) {
      (self.directory, isOne) = (directory, false)
      path = try FolderAccess.absolutePath(given, of: directory, context: context)
      directoryPath = path
      names = try Self.names(in: directory)
      let isInRestore = try Self.isInRestoreOfStore(directory)
      if !isInRestore {
        if try Self.isFolder(directory, at: path, context) { return nil }
        if names.isEmpty, try !Self.hasStoresElsewhere(directory, at: given, context) {
          return nil
        }
      }
    } else {
      let (parent, name) = try FolderAccess.openParent(
        ofPath: given, context: context, unfinishedRestore: .expected)
      guard try Self.isStore(name, in: parent, hasBackups: options.backupDirectory != nil) else {
        return nil
      }
      (directory, isOne) = (parent, true)
      let slash = given.lastIndex(of: "/")
      let above = slash.map { $0 == given.startIndex ? "/" : String(given[..<$0]) } ?? "."
      directoryPath = try FolderAccess.absolutePath(above, of: parent, context: context)
      path = Self.path(of: name, in: directoryPath)
      names = [name]
    }
    guard options.numericDates == nil else {
      throw .notInProfile(
        option: "--numeric-dates", reason: "dates of a store are numbers that say what they count")
    }
  }

  /// Looks at the stores and returns what is wrong and the steps that put it right.
  package func look() throws(MigrationError) -> StoreRecoveryReport {
    let clock = RunClock()
    var report = StoreRecoveryReport(place: path)
    let isInRestore = try MigrationError.wrapping { () throws(FileError) in
      try Self.isInRestore(directory)
    }
    guard !isInRestore else {
      report.isInRestore = true
      report.steps = StoreRecoveryPlanner.steps(for: [], finishing: path)
      report.seconds = clock.seconds
      return report
    }
    try noteWaiting(&report)
    var situations: [StoreSituation] = []
    // A restore may have brought one since.
    for name in isOne ? names : try Self.names(in: directory) {
      if context.isInterrupted() { throw .interrupted }
      do throws(MigrationError) {
        if let situation = try look(at: name, &report) { situations.append(situation) }
      } catch {
        // Of several stores the others have their turn.
        if case .interrupted = error { throw error }
        guard !isOne else { throw error }
        let diagnostic = error.diagnostic
        report.findings.append(
          Finding(
            diagnostic.kind == .busy ? .changedWhileRead : .unreadable, .error,
            path: Self.path(of: name, in: directoryPath), message: diagnostic.problem,
            next: diagnostic.remedy))
      }
    }
    if !isOne {
      try noteOthers(&report)
      try noteCopiesAlone(besides: situations, &report)
    }
    report.steps = StoreRecoveryPlanner.steps(
      for: situations, backupDirectory: options.backupDirectory)
    report.findings = report.findings.withoutRepetitions().inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  /// Removes what restores left that died before they moved anything, or at their very end.
  package func sweep() throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in
      try RestoreSweep.removeDebris(in: directory)
    }
  }

  /// Tells of a restore that waits until it is asked for once more.
  private func noteWaiting(_ report: inout StoreRecoveryReport) throws(MigrationError) {
    do throws(BackupError) {
      guard try StagedRestore.waiting(in: directory) != nil else { return }
    } catch {
      throw MigrationError(error)
    }
    report.findings.append(
      Finding(
        .waitingRestore, .warning, path: path,
        message: "a restore waits to be moved to its place, and nothing was moved yet",
        command: NextCommand(.restoreBackup, ["--finish", path])))
  }

  /// Tells of databases that lie deeper: each is given by its own path, or by that of its directory.
  private func noteOthers(_ report: inout StoreRecoveryReport) throws(MigrationError) {
    var found: StoreFinder.Found
    do throws(StoreError) {
      found = try StoreFinder.find(at: path, operations: context.operations)
    } catch {
      throw MigrationError(error)
    }
    report.notLookedAt += found.below.sorted()
    if report.stores.isEmpty {
      // Nothing was looked at, so nobody may take this for an answer.
      report.findings += Self.notLookedAt(&found, at: path)
    }
    report.findings += found.unreadable.map { place in
      Finding(.unreadable, .error, path: place.path, message: place.error.diagnostic.problem)
    }
  }

  /// Tells of copies that an app made of a store that is none of those here: it may be gone with all that
  /// was beside it, its name included.
  private func noteCopiesAlone(
    besides stores: [StoreSituation], _ report: inout StoreRecoveryReport
  ) throws(MigrationError) {
    // A store that has something wrong looks for its copies itself.
    guard !report.findings.contains(where: { $0.severity == .error }) else { return }
    let copies = AppBackups(around: directory, and: nil)
    report.findings += copies.findings
    guard !copies.items.isEmpty else { return }
    let opener: StoreOpener
    do throws(StoreError) { opener = try context.storeOpener() } catch {
      throw MigrationError(error)
    }
    for copy in copies.items {
      if context.isInterrupted() { throw .interrupted }
      // What does not open may be anything.
      guard let newest = try? opener.open(copy.files) else { continue }
      let summary = try StoreSummary(of: newest)
      if stores.contains(where: { $0.summary?.isOfSameApp(as: summary) ?? false }) { return }
      let place = NextCommand(.recoverFolder, ["\(path)/default.store"])
      report.findings.append(
        Finding(
          .missingStore, .error, path: path,
          message: "a store that an app has made copies of is not here: the newest of them that "
            + "opens is \(copy.files.path)",
          next: "if it was here, give its own path, as the app calls it: \(place.shellText)"))
      return
    }
  }

  /// Looks at one store; nil for a database that is none.
  private func look(
    at name: FileName, _ report: inout StoreRecoveryReport
  ) throws(MigrationError) -> StoreSituation? {
    guard String(validating: name.bytes, as: UTF8.self) != nil else {
      report.findings.append(
        Finding(
          .unreadable, .error, path: name.description, message: "its name is not valid UTF-8",
          next: "give it a name that a command can be told"))
      return nil
    }
    let path = Self.path(of: name, in: directoryPath)
    let files = StoreFiles(in: directory, name: name, path: path)
    let look: StoreLook
    let opener: StoreOpener
    do throws(StoreError) {
      opener = try context.storeOpener()
      look = try StoreLook(at: files, opener, isOnlyOne: isOne)
    } catch {
      throw MigrationError(error)
    }
    guard !look.isForeign else {
      report.notLookedAt.append("\(path), which is no store")
      return nil
    }
    let now = try look.store.map { store throws(MigrationError) in try StoreSummary(of: store) }
    let others = try Self.names(in: directory).filter { $0 != name }
    var backups = try StoreRecoveryBackups(
      of: path, in: options.backupDirectory, now, beside: others, opener: opener,
      context: context)
    var item = StoreRecoveryReport.Store(path: path, condition: .whole, rowCount: now?.rowCount)
    var situation = StoreSituation(store: path)
    situation.summary = now
    if let store = look.store, let now {
      report.findings += try check(store, at: path)
      situation.hasLogToKeep = look.hasLogToKeep
      if let then = try backups.lostRows(of: now) {
        (situation.problem, item.condition) = (.emptied, .emptied)
        report.findings.removeAll { $0.code == .storeEmptied && $0.path == path }
        report.findings.append(
          Finding(
            .storeEmptied, .error, path: path,
            message: "holds \(now.rowCount.counted("row")), and a backup \(then.rowCount.grouped)",
            next: "if they are to be gone, say so with pack-backup --allow-empty"))
      } else {
        situation.lostFiles = try backups.holders(of: store.lostFiles)
      }
    } else if let finding = look.finding {
      situation.problem = look.problem
      item.condition = finding.code == .missingStore ? .missing : .damaged
      report.findings.append(finding)
    }
    if situation.problem != nil {
      situation.backup = try backups.newest(isEmptied: situation.problem == .emptied)
      (item.backup, item.backupRowCount) = (situation.backup?.path, situation.backup?.rowCount)
    }
    if situation.hasLogToKeep
      || (situation.problem != nil && situation.problem != .missing(isSomethingLeft: false))
    {
      situation.isKept = try backups.holdFiles()
    }
    report.findings += backups.findings
    report.stores.append(item)
    return situation
  }

  /// Reads every row of a store that is open, and returns what contradicts itself.
  private func check(_ store: Store, at path: String) throws(MigrationError) -> [Finding] {
    let source = try StoreRecognition([store], at: path, context).source()
    // What an import would round is nothing that is wrong with the store.
    return try StoreCheckWorkflow(path, context: context).check(source).findings.filter {
      $0.code != .precisionReduced
    }
  }
}

/// What a look at the files of one store finds.
private struct StoreLook {
  /// The store; nil if it cannot be opened.
  let store: Store?
  /// Why not.
  let problem: StoreSituation.Problem?
  /// What is told of that.
  let finding: Finding?
  /// Whether it is a database and no store.
  var isForeign = false

  /// Whether its app takes in or overwrites what lies beside it in another way than is usual.
  var hasLogToKeep: Bool {
    store?.findings.contains {
      [.staleLog, .tornLog, .foreignLog, .hotJournal].contains($0.code)
    } ?? false
  }

  /// Opens a private copy of the store.
  ///
  /// - Parameter isOnlyOne: whether the store was given by its own path.
  init(at files: StoreFiles, _ opener: StoreOpener, isOnlyOne: Bool) throws(StoreError) {
    guard try Self.isThere(files.name, files) else {
      var isSomethingLeft = false
      for name in [files.logName, files.journalName].compactMap({ $0 }) {
        if try Self.isThere(name, files) { isSomethingLeft = true }
      }
      store = nil
      problem = .missing(isSomethingLeft: isSomethingLeft)
      finding = Finding(
        .missingStore, .error, path: files.path,
        message: isSomethingLeft
          ? "the database is gone, and what was beside it is there: the newest rows may be in that"
          : "the database is gone",
        next: "keep what is left, and bring the store back from a backup")
      return
    }
    do throws(StoreError) {
      store = try opener.open(files)
      (problem, finding) = (nil, nil)
    } catch {
      switch error {
      case .notADatabase, .empty, .truncated, .damagedHeader, .corrupt: break
      case .notAStore where isOnlyOne || StoreSource.hasNameOfStore(files.name): break
      case .notAStore:
        isForeign = true
      default: throw error
      }
      store = nil
      problem = .damaged
      finding = Finding(
        .damagedStore, .error, path: files.path, message: error.diagnostic.problem,
        next: error.diagnostic.remedy, offset: error.diagnostic.offset)
    }
  }

  private static func isThere(_ name: FileName, _ files: StoreFiles) throws(StoreError) -> Bool {
    do throws(FileError) { return try files.directory.stateIfPresent(of: name) != nil } catch {
      throw .file(error)
    }
  }
}

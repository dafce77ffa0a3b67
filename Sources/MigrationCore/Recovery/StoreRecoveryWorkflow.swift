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
      guard isInRestore || !names.isEmpty else { return nil }
      if !isInRestore, try Self.isFolder(directory, at: path, context) { return nil }
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

  private static func path(of name: FileName, in directory: String) -> String {
    (directory == "/" ? "/" : directory + "/") + String(decoding: name.bytes, as: UTF8.self)
  }

  // MARK: Finding

  /// Returns the databases of a directory: files that are called stores or begin as databases, and stores
  /// of which only something else is left.
  private static func names(in directory: Directory) throws(MigrationError) -> [FileName] {
    try MigrationError.wrapping { () throws(FileError) in
      var names: Set<FileName> = []
      for entry in try directory.entries() {
        if entry.kind == .regular, try isDatabase(entry.name, in: directory) {
          names.insert(entry.name)
        }
        if let name = Self.store(of: entry) { names.insert(name) }
      }
      return names.sorted()
    }
  }

  private static func isDatabase(
    _ name: FileName, in directory: Directory
  ) throws(FileError) -> Bool {
    if StoreSource.hasNameOfStore(name) { return true }
    do throws(FileError) { return try StoreSource.isDatabase(name, in: directory) } catch {
      // What is gone by now, or nobody may read, is not called a store.
      switch error {
      case .missing, .permissionDenied: return false
      default: throw error
      }
    }
  }

  /// Returns the name of the store that an entry lies beside; nil for anything else.
  private static func store(of entry: DirectoryEntry) -> FileName? {
    let endings: [StaticString] =
      entry.kind == .regular ? ["-wal", "-journal"] : entry.kind == .directory ? ["-backups"] : []
    guard let ending = endings.first(where: { entry.name.hasSuffix($0) }),
      let name = FileName(Array(entry.name.bytes.dropLast(ending.utf8CodeUnitCount))),
      StoreSource.hasNameOfStore(name)
    else { return nil }
    return name
  }

  /// Whether a file is a store, or was one.
  private static func isStore(
    _ name: FileName, in parent: Directory, hasBackups: Bool
  ) throws(MigrationError) -> Bool {
    try MigrationError.wrapping { () throws(FileError) in
      let state = try parent.stateIfPresent(of: name)
      if let state {
        guard state.kind == .regular else { return false }
        if try isDatabase(name, in: parent) { return true }
      } else if !StoreSource.hasNameOfStore(name) {
        return false
      }
      let files = StoreFiles(in: parent, name: name, path: "")
      let backups = FileName(name.bytes + Array(StorePackWorkflow.suffix.utf8))
      for name in [files.logName, files.journalName, files.supportName, backups].compactMap({ $0 })
      {
        if try parent.stateIfPresent(of: name) != nil { return true }
      }
      guard state == nil else { return false }
      return hasBackups ? true : try isInRestore(parent)
    }
  }

  private static func isInRestore(_ directory: Directory) throws(FileError) -> Bool {
    do throws(BackupError) { return try RestorePlace.unfinishedRun(in: directory) != nil } catch {
      guard case .file(let error) = error else { return false }
      throw error
    }
  }

  private static func isInRestoreOfStore(_ directory: Directory) throws(MigrationError) -> Bool {
    do throws(BackupError) { return try UnfinishedRestore.scope(in: directory) == .store } catch {
      throw MigrationError(error)
    }
  }

  /// Whether a directory holds data of an app in files, or did: then it is a folder with a store in it.
  private static func isFolder(
    _ directory: Directory, at path: String, _ context: RunContext
  ) throws(MigrationError) -> Bool {
    // One that lost everything has its lock, or backups beside it: those of stores have other places.
    if let lock = context.kinds.lock {
      let isThere = try MigrationError.wrapping { () throws(FileError) in
        try directory.stateIfPresent(of: lock) != nil
      }
      if isThere { return true }
    }
    let backups = "\(path)\(FolderNames.backupsSuffix)"
    if try FolderAccess.openBeside(backups, context: context) != nil { return true }
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: directory, as: context.kinds, noting: &unlisted)
    return !inventory.documents.isEmpty || inventory.hasLegacyFiles
  }

  // MARK: Looking

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
    if !isOne { try noteOthers(&report) }
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
    let found: StoreFinder.Found
    do throws(StoreError) {
      found = try StoreFinder.find(at: path, operations: context.operations)
    } catch {
      throw MigrationError(error)
    }
    report.notLookedAt += (found.stores + found.others).map(\.path).filter { $0.contains("/") }
      .sorted()
    report.findings += found.unreadable.map { place in
      Finding(.unreadable, .error, path: place.path, message: place.error.diagnostic.problem)
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
    let isAlone = try Self.names(in: directory).allSatisfy { $0 == name }
    var backups = try StoreRecoveryBackups(
      of: path, in: options.backupDirectory, now, isAlone: isAlone, opener: opener,
      context: context)
    var item = StoreRecoveryReport.Store(path: path, condition: .whole, rowCount: now?.rowCount)
    var situation = StoreSituation(store: path)
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

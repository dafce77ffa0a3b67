import Backups
import Diagnostics
import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// What is asked about the past of a place.
package struct HistoryOptions: Sendable {
  /// A folder, or a store.
  package var place: String
  /// The folder that a store was imported into; nil if none is to be looked at.
  package var folder: String?
  /// The preferences of the app of a store; nil if they are not to be looked at.
  package var preferences: String?

  /// Creates options for a place.
  package init(place: String) { self.place = place }
}

/// What `--history` says of a place.
package enum PlaceHistory {
  case folder(HistoryReport)
  case store(StoreHistoryReport)
  /// Nothing was read: a folder was named behind what is no store.
  case folders

  /// Reads what is known of a folder, or of a store and the folder that it was imported into.
  package static func read(
    _ options: HistoryOptions, context: RunContext
  ) throws(MigrationError) -> PlaceHistory {
    var isStore = try StoreSource.isStore(
      options.place, context: context, unfinishedRestore: .expected)
    if !isStore { isStore = try isMovedOut(options.place, context) }
    if isStore {
      return .store(try StoreHistoryWorkflow(options, context: context).perform())
    }
    guard options.preferences == nil else {
      throw .underlying(
        Diagnostic(
          .usage, subject: options.place,
          problem: "is no store, and only with one goes --preferences",
          remedy: "give the file that the app keeps its data in first"))
    }
    if options.folder != nil { return .folders }
    var report = try HistoryWorkflow(folder: options.place, context: context).perform()
    report.findings += try stores(in: options.place, context)
    report.findings = report.findings.inReportOrder()
    return .folder(report)
  }

  /// Tells of what a directory holds that is called a store: each has a past of its own, and one that is
  /// empty, damaged or encrypted is told as that.
  private static func stores(
    in path: String, _ context: RunContext
  ) throws(MigrationError) -> [Finding] {
    let directory = try FolderAccess.open(path, context: context, unfinishedRestore: .expected)
    var damaged: [StoreFiles] = []
    var findings: [Finding] = []
    do throws(FileError) {
      for entry in try directory.entries()
      where entry.kind == .regular && StoreFinder.isCalledNothingElse(entry.name) {
        let shown = directory.path(of: entry.name)
        if try StoreSource.isDatabase(entry.name, in: directory) {
          findings.append(
            Finding(
              .notLookedAt, .info, path: shown,
              message: "what was done to a store is told of each alone",
              next: "inspect-crdt --history \(ShellWord.quoting(shown))"))
          continue
        }
        damaged.append(StoreFiles(in: directory, name: entry.name, path: shown))
      }
    } catch {
      throw MigrationError(error)
    }
    for files in damaged {
      do throws(StoreError) { _ = try context.storeOpener().open(files) } catch {
        let diagnostic = error.diagnostic
        findings.append(
          Finding(
            .damagedStore, .error, path: files.path, message: diagnostic.problem,
            next: diagnostic.remedy))
      }
    }
    return findings
  }

  /// Whether a store is not where it was because a restore that died has moved it out already.
  private static func isMovedOut(
    _ path: String, _ context: RunContext
  ) throws(MigrationError) -> Bool {
    guard let name = path.split(separator: "/").last.flatMap({ FileName(String($0)) }),
      StoreSource.hasNameOfStore(name)
    else { return false }
    // Where nothing can be looked at, whoever opens the place says it better.
    guard
      let place = try? FolderAccess.openParent(
        ofPath: path, context: context, unfinishedRestore: .expected)
    else { return false }
    let state = try MigrationError.wrapping { () throws(FileError) in
      try place.directory.stateIfPresent(of: place.name)
    }
    guard state == nil else { return false }
    do throws(BackupError) {
      return try RestorePlace.unfinishedRun(in: place.directory) != nil
    } catch {
      throw MigrationError(error)
    }
  }
}

/// Collects what is known of the past of a store: our runs, the backups that are there, and what the app
/// wrote down itself.
///
/// It reads; what it advises is to try once more or to bring back a backup, never to begin anew.
struct StoreHistoryWorkflow {
  private let options: HistoryOptions
  private let context: RunContext

  /// Creates a workflow; nothing is read yet.
  init(_ options: HistoryOptions, context: RunContext) {
    (self.options, self.context) = (options, context)
  }

  func perform() throws(MigrationError) -> StoreHistoryReport {
    let clock = RunClock()
    var report = StoreHistoryReport(store: options.place)
    let beside = Self.parent(of: options.place)
    for folder in [beside] + [options.folder].compactMap(\.self) {
      var history = try HistoryWorkflow(folder: folder, context: context).perform()
      report.findings += history.findings
      history.findings = []
      report.histories.append(history)
    }
    report.hasFolder = options.folder != nil
    try readBackups(&report)
    report.isInRestore = report.findings.contains { $0.code == .unfinishedRestore }
    if let preferences = options.preferences {
      let log = try AppLog.read(preferences, context: context, noting: &report.findings)
      report.appLog = log
      // Which version the store is of shows when it is one again.
      if !report.isInRestore { try judge(log, &report) }
    }
    report.findings = report.findings.inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func readBackups(_ report: inout StoreHistoryReport) throws(MigrationError) {
    let place = try BackedUpStore(
      PackOptions(folder: options.place), suffix: StorePackWorkflow.suffix, uuid: "",
      context: context, unfinishedRestore: .expected)
    report.backupPlace = place.path
    guard let backups = place.store else { return }
    let items: [BackupStore.Item]
    do throws(BackupError) { items = try backups.list() } catch { throw MigrationError(error) }
    report.backups = items.reversed().map { item in
      StoreHistoryReport.Backup(
        path: item.archive.path, madeAt: item.summary?.created ?? "",
        byteCount: Int(clamping: item.state.size),
        versionIdentifiers: item.summary?.store?.versionIdentifiers ?? [],
        rowCount: item.summary?.store?.rowCount)
    }
  }

  // MARK: What the app wrote down

  /// Tells what is not as it should be, with what to do about it.
  private func judge(
    _ log: AppLog, _ report: inout StoreHistoryReport
  ) throws(MigrationError) {
    let version = try version(&report)
    report.storeVersion = version?.text ?? ""
    let advice = Advice(store: options.place, backups: report.backups)
    let last = log.runs.last
    if log.isAtWork == true || last?.outcome == .interrupted {
      let what = last.map { " from \($0.from) to \($0.to)" } ?? ""
      report.findings.append(
        advice.finding(
          .interruptedMigration, .error, path: log.path,
          message: "the app began to bring its data to another version and did not come to the end"
            + (last?.outcome == .interrupted ? what : ""),
          isReadable: version != nil))
    } else if let last, last.outcome == .failed {
      let reason = last.problem.isEmpty ? "" : ": \(last.problem)"
      report.findings.append(
        advice.finding(
          .failedMigration, .error, path: log.path,
          message: "the app failed to bring its data from \(last.from) to \(last.to)\(reason)",
          isReadable: version != nil))
    }
    if let version { compare(log, version, advice, &report) }
    if !log.waitingRestore.isEmpty {
      report.findings.append(
        Finding(
          .waitingRestore, .warning, path: log.path,
          message: "the app brings back \(log.waitingRestore) when it starts, to a place where no "
            + "version of today looks for it",
          next: "copy that backup, and bring it back with restore-backup --into the store, before "
            + "the app starts"))
    }
  }

  /// Compares the versions that the app says it came to with that of the store.
  private func compare(
    _ log: AppLog, _ version: StoreVersion, _ advice: Advice, _ report: inout StoreHistoryReport
  ) {
    var names: [String] = []
    if let last = log.runs.last(where: { $0.outcome == .succeeded }) { names.append(last.to) }
    if !log.lastVersion.isEmpty, !names.contains(log.lastVersion) { names.append(log.lastVersion) }
    for name in names {
      let order = version.order(of: name)
      switch order {
      case .same: continue
      case .unknown: report.uncomparedVersions.append(name)
      case .storeIsOlder, .storeIsNewer:
        // An app migrates what is older, and cannot open what is newer.
        let isReadable = order == .storeIsOlder
        let readable =
          isReadable
          ? advice : advice.only { version.isRead($0.versionIdentifiers, byAppAt: name) }
        report.findings.append(
          readable.finding(
            .versionSkew, .warning, path: log.path,
            message: "the app came to version \(name), and the store is of version "
              + "\(version.text)",
            isReadable: isReadable,
            otherwise: "no backup here is of a version that the app reads: keep all its files, and "
              + "update the app to one that reads \(version.text)"))
      }
    }
  }

  /// Returns the version of the store; nil if it cannot be read, which is then told.
  private func version(
    _ report: inout StoreHistoryReport
  ) throws(MigrationError) -> StoreVersion? {
    do throws(MigrationError) {
      return try StoreSource.open(options.place, context: context).map { StoreVersion(of: $0) }
    } catch {
      let diagnostic = error.diagnostic
      guard diagnostic.kind == .damagedInput else { throw error }
      report.findings.append(
        Advice(store: options.place, backups: report.backups).finding(
          .unreadable, .error, path: options.place, message: diagnostic.problem, isReadable: false))
      return nil
    }
  }
}

/// What to do about a store whose app did not come to its version: try once more, after a backup, or
/// bring back a backup.
private struct Advice {
  let store: String
  let backups: [StoreHistoryReport.Backup]

  /// Advice that names none but some of the backups.
  func only(_ isUsable: (StoreHistoryReport.Backup) -> Bool) -> Advice {
    Advice(store: store, backups: backups.filter(isUsable))
  }

  /// The command that brings back the newest backup that can be read.
  private var restore: NextCommand? {
    backups.last { $0.rowCount != nil }.flatMap { DisplayText.word(shownAs: $0.path) }
      .map { NextCommand(.restoreBackup, [$0, "--into", store]) }
  }

  /// Makes a finding of what is wrong.
  ///
  /// - Parameters:
  ///   - isReadable: whether the app may try once more with the store as it is.
  ///   - otherwise: what to do where no backup helps.
  func finding(
    _ code: FindingCode, _ severity: Severity, path: String, message: String, isReadable: Bool,
    otherwise: String =
      "keep all its files, and bring it back with restore-backup from a backup elsewhere"
  ) -> Finding {
    guard isReadable else {
      return Finding(
        code, severity, path: path, message: message,
        next: restore?.shellText ?? otherwise, command: restore)
    }
    let keep = NextCommand(.packBackup, [store])
    let otherwise = restore.map { "; if it stops again, \($0.shellText)" } ?? ""
    return Finding(
      code, severity, path: path, message: message,
      next: "\(keep.shellText), then open the app, which tries once more\(otherwise)",
      command: keep)
  }
}

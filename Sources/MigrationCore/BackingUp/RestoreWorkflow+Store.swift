import Backups
import Diagnostics
import Folders
import Runs
import SafeFiles
import SwiftDataStores

// Bringing back a store: the copy with its log folded in, and the hidden folder. What the old one left
// beside itself is set aside with it: a log of another store would be taken for this one's.
extension RestoreWorkflow {
  /// What a command says that was to wait with a folder.
  var notAStore: MigrationError {
    .underlying(
      Diagnostic(
        .conflictsWithData, subject: options.backup, problem: "is no backup of a store",
        remedy: "leave out --at-next-start: a folder is restored at once"))
  }

  /// The path without its last name.
  var parentPath: String {
    guard let slash = options.folder.lastIndex(of: "/") else { return "." }
    return slash == options.folder.startIndex ? "/" : String(options.folder[..<slash])
  }

  /// Returns the path of the directory that gets a store: what was given is that, or the path of the
  /// store itself, under the name that it had.
  func directory(of store: StoreSummary) throws(MigrationError) -> String {
    let name = options.folder.split(separator: "/").last.map(String.init) ?? ""
    if name.utf8.elementsEqual(store.name.utf8) { return parentPath }
    let isFile = try FolderAccess.isFile(options.folder, context: context)
    guard !isFile, Self.fileExtension(of: name) != Self.fileExtension(of: store.name) else {
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: options.folder,
          problem: "is not called \(store.name), as the store was that the backup is of",
          remedy: "give the directory that the store belongs in, or its path with that name"))
    }
    return options.folder
  }

  private static func fileExtension(of name: String) -> Substring? {
    name.lastIndex(of: ".").map { name[$0...] }
  }

  /// Adds what of a backup is restored: the store and its hidden folder, without its files as they were.
  func add(_ chosen: ChosenEntries, to report: inout RestoreReport) {
    report.entries = chosen.entries.filter { $0.kind != .directory }.map {
      .init(path: $0.path.description, byteCount: Int(clamping: $0.size))
    }
  }

  /// Returns what `performStore` would restore.
  func planned(_ store: StoreSummary, _ report: RestoreReport) throws(MigrationError)
    -> RestoreReport
  {
    var report = report
    do throws(BackupError) {
      let archive = try BackupArchive(path: options.backup)
      add(try archive.chooseStore(store, of: archive.manifest()), to: &report)
    } catch {
      throw MigrationError(error)
    }
    return report
  }

  /// Restores a store, or unpacks it for a later run.
  func performStore(
    _ backup: VerifiedBackup, _ store: StoreSummary, _ clock: RunClock
  ) throws(MigrationError) -> RestoreReport {
    let folder = try openOrCreateTarget(
      directory(of: store), asPrivateAs: Privacy(of: backup.state))
    var report = RestoreReport()
    report.isVerified = true
    report.outcome = .restored
    report.noteLeftOut(backup.manifest, options.backup)
    if let outcome = try finishEarlierRestore(of: folder) {
      report.addEarlier(outcome, of: folder)
    }
    guard let name = FileName(store.name) else {
      throw .brokenInvariant("a backup of a store without a name")
    }
    let files = StoreFiles(in: folder, name: name, path: options.folder)
    let before = try StoreActivity(of: files)
    let chosen: ChosenEntries
    do throws(BackupError) {
      chosen = try backup.archive.chooseStore(store, of: backup.manifest)
    } catch {
      throw MigrationError(error)
    }
    let staged = try waitingForOthers { () throws(MigrationError) in
      do throws(BackupError) {
        return .success(
          try StagedRestore.stage(
            store: chosen, leaving: files.companions + (store.isUnopened ? [name] : []),
            into: folder, run: Self.runName(clock),
            context: BackupContext(context, phase: .restoring)))
      } catch {
        return .failure(error)
      }
    }
    add(chosen, to: &report)
    if options.waits {
      do throws(BackupError) { try staged.wait() } catch { throw MigrationError(error) }
      report.outcome = .staged
      report.seconds = clock.seconds
      return report
    }
    return try commit(
      staged, into: folder, keeping: .store, relyingOn: backup, clock, report
    ) { () throws(MigrationError) in try before.requireIdle(files) }
  }

  /// Moves a store to its place that was waiting for that.
  func commit(
    _ waiting: StagedRestore, in folder: Directory, _ clock: RunClock, _ report: RestoreReport
  ) throws(MigrationError) -> RestoreReport {
    let unpacked: [(path: RelativePath, size: Int64)]
    let leaving: [FileName]
    do throws(BackupError) {
      (unpacked, leaving) = (try waiting.files(), try waiting.leaving())
    } catch {
      throw MigrationError(error)
    }
    guard let log = leaving.first(where: { $0.hasSuffix("-wal") }),
      let name = FileName(Array(log.bytes.dropLast(4)))
    else { throw .brokenInvariant("a store that waits has no name") }
    let files = StoreFiles(in: folder, name: name, path: options.folder)
    let before = try StoreActivity(of: files)
    var report = report
    report.outcome = .restored
    report.entries = unpacked.map {
      .init(path: $0.path.description, byteCount: Int(clamping: $0.size))
    }
    return try commit(waiting, into: folder, keeping: .store, relyingOn: nil, clock, report) {
      () throws(MigrationError) in try before.requireIdle(files)
    }
  }

  /// Returns the restore that waits in a folder; nil if none does.
  func waiting(in folder: Directory) throws(MigrationError) -> StagedRestore? {
    do throws(BackupError) { return try StagedRestore.waiting(in: folder) } catch {
      throw MigrationError(error)
    }
  }
}

extension BackupArchive {
  /// Chooses the store and its hidden folder, without its files as they were; of one that was packed
  /// as it was just these.
  fileprivate func chooseStore(
    _ store: StoreSummary, of manifest: BackupManifest
  ) throws(BackupError) -> ChosenEntries {
    guard let name = FileName(store.name) else {
      throw .noSuchEntry(path: path, entry: store.name, near: [])
    }
    let files = StoreFiles(in: directory, name: name, path: path)
    // What nobody opened is brought back with the log that it had.
    let beside = store.isUnopened ? files.companions : [files.supportName].compactMap { $0 }
    let names = [name] + beside
    return try choose(
      names.filter { manifest.position(of: RelativePath($0)) != nil }.map {
        String(decoding: $0.bytes, as: UTF8.self)
      })
  }
}

extension StoreFiles {
  /// The names of what lies beside the database.
  fileprivate var companions: [FileName] {
    [logName, indexName, journalName, supportName].compactMap { $0 }
  }
}

/// What shows whether somebody works with a store.
private struct StoreActivity {
  private let states: [FileState?]

  /// Looks at the files of a store, whether they are there or not.
  init(of files: StoreFiles) throws(MigrationError) {
    states = try Self.states(of: files)
  }

  /// Throws if another process has the store open, or it changed since.
  func requireIdle(_ files: StoreFiles) throws(MigrationError) {
    let isOpen = try MigrationError.wrapping { () throws(FileError) in
      // In these bytes SQLite says that somebody has a database open: of the index of its log always,
      // of the database itself only while it is read or written.
      if let index = files.indexName,
        try files.directory.isLockedElsewhere(index, bytes: 120..<129)
      {
        return true
      }
      let start: Int64 = 1 << 30
      return try files.directory.isLockedElsewhere(files.name, bytes: start..<start + 512)
    }
    let isUnchanged = try zip(Self.states(of: files), states).allSatisfy { now, before in
      guard let now, let before else { return now == nil && before == nil }
      return now.isUnchanged(since: before)
    }
    guard isOpen || !isUnchanged else { return }
    throw .underlying(
      Diagnostic(
        .busy, subject: files.path,
        problem: isOpen ? "is open in another program" : "changed while it was to be replaced",
        remedy: "close the app, then run again"))
  }

  private static func states(of files: StoreFiles) throws(MigrationError) -> [FileState?] {
    try MigrationError.wrapping { () throws(FileError) in
      var states: [FileState?] = []
      for name in [files.name, files.logName, files.journalName].compactMap({ $0 }) {
        states.append(try files.directory.stateIfPresent(of: name))
      }
      return states
    }
  }
}

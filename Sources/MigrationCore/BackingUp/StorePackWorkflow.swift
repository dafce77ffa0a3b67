import Backups
import Diagnostics
import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// Writes a verified backup of a store: the store with its log folded in, and beside that its files as
/// they were. Lists the backups there are, and drops old ones.
///
/// What is packed is a private copy that was proven to be of one moment; nothing at the place changes.
package struct StorePackWorkflow: BackupWorkflow {
  /// What follows the path of a store in that of the place of its backups.
  static let suffix = "-backups"

  let options: PackOptions
  let context: RunContext
  let clock = RunClock()

  /// Creates a workflow; nothing is read yet.
  package init(_ options: PackOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what a backup would hold and which old ones would go; writes nothing.
  package func plan() throws(MigrationError) -> BackupReport {
    try run(isDryRun: true) { place, report throws(MigrationError) in
      func add(_ packer: BackupPacker) {
        let held = packer.manifest.summary
        report.archives.append(
          BackupReport.Archive(
            path: options.output ?? place.path, outcome: .created,
            byteCount: Int(clamping: held.byteCount), fileCount: held.fileCount,
            madeAt: held.created, isVerified: nil, holdsLegacyFiles: held.holdsLegacyFiles,
            profile: held.scope.profile))
      }
      guard !options.isUnopened else {
        let copy = try copyUnopened(place)
        add(try packer(copy.directory, unopenedSummary(of: place), place))
        return withExtendedLifetime(copy) {}
      }
      let content = try open(place, checking: .first, &report)
      let lost = try noteLostFiles(of: content.store, &report)
      let summary = try summary(of: content)
      let known = place.backups(withIdentifier: summary.uuid)
      try requireRows(summary, in: known, &report)
      if let fresh = try freshBackup(in: place) { return report.archives.append(fresh) }
      let packer = try packer(content.directory, summary, place)
      add(packer)
      guard let store = known else { return }
      try retain(
        store, losing: lost, before: options.output == nil ? packer.manifest : nil, &report)
    }
  }

  /// Writes a backup, reads it back, and then applies the retention rule.
  package func perform() throws(MigrationError) -> BackupReport {
    try run(isDryRun: false) { place, report throws(MigrationError) in
      var (uuid, lost) = ("", LostFileNames.unknown)
      var backup: VerifiedBackup?
      if options.isUnopened {
        let copy = try copyUnopened(place)
        backup = try pack(copy.directory, unopenedSummary(of: place), place, &report)
        withExtendedLifetime(copy) {}
      } else {
        let content = try open(place, checking: .byReader, &report)
        let checks = content.store.pendingCheck.map { [$0] } ?? []
        backup = try SoundnessProofs.making(checks, context: context) {
          wait throws(MigrationError) in
          lost = try noteLostFiles(of: content.store, &report)
          let summary = try summary(of: content)
          uuid = summary.uuid
          try requireRows(summary, in: place.backups(withIdentifier: summary.uuid), &report)
          // However young a backup is, that says nothing of a store whose rows are gone since.
          if let fresh = try freshBackup(in: place) {
            report.archives.append(fresh)
            return nil
          }
          return try pack(content.directory, summary, place, &report, provingMeanwhile: wait)
        }
        withExtendedLifetime(content) {}
      }
      guard let backup else { return }
      if let service = try wrapping({ () throws(BackupError) in
        try SyncedPlace.service(of: backup.archive.directory)
      }) {
        report.findings.append(
          Finding(
            .syncedPlace, .warning, path: backup.archive.path,
            message: "\(service) copies this place",
            next: "choose a place outside of it with --backup-dir"))
      }
      guard !options.retention.isEmpty else { return }
      // Where there was no place there is one now.
      let now = try BackedUpStore(
        options, suffix: Self.suffix, uuid: uuid, context: context)
      guard let store = now.store else { return }
      try retain(store, losing: lost, made: backup, &report)
    }
  }

  /// Returns the backups of the store, newest first, and which of them a run would drop; `isVerifying`
  /// reads each one whole.
  package func list(isVerifying: Bool) throws(MigrationError) -> BackupReport {
    try run(isDryRun: false) { place, report throws(MigrationError) in
      // One that does not open has the backups that were made where it is.
      let own = place.store == nil ? nil : try? opener().open(place.files)
      let uuid = own?.uuid ?? ""
      try listArchives(
        in: place.backups(withIdentifier: uuid), losing: lostFiles(of: own),
        isVerifying: isVerifying, &report)
      try listCopies(of: place, isVerifying: isVerifying, &report)
    }
  }

  private func listArchives(
    in store: BackupStore?, losing lost: LostFileNames, isVerifying: Bool,
    _ report: inout BackupReport
  ) throws(MigrationError) {
    guard let store else { return }
    try wrapping { () throws(BackupError) in
      let (items, unopened) = (try store.list(), try store.listUnopened())
      let isSound = isVerifying ? try report.verify(items + unopened, context: checking) : [:]
      try report.list(
        Retention(
          items, by: options.retention, at: clock.begin, withLostFiles: lost.holders(among: items),
          context: checking
        ) { isSound[$0.archive.path] }, in: store)
      for item in unopened {
        var archive = BackupReport.Archive(
          item, .listed, isVerified: isSound[item.archive.path])
        archive.absolutePath = try item.archive.absolutePath()
        archive.isUnopened = true
        archive.keptBy = [.outsideRules]
        report.archives.append(archive)
      }
    }
  }

  /// Adds the copies that the app made, which nobody here ever drops.
  private func listCopies(
    of place: BackedUpStore, isVerifying: Bool, _ report: inout BackupReport
  ) throws(MigrationError) {
    let copies = AppBackups(around: place.files.directory, and: place.store?.directory)
    report.findings += copies.findings
    guard !copies.items.isEmpty else { return }
    let opener = try opener()
    // A store that does not open says nothing about which copies are its own.
    let own = (try? opener.open(place.files)).map(StoreLikeness.init)
    for item in copies.items {
      if context.isInterrupted() { throw .interrupted }
      var isSound = true
      do throws(StoreError) {
        let copy = StoreLikeness(try opener.open(item.files))
        if let own, !own.isLike(copy) { continue }
      } catch {
        isSound = false
        report.findings.append(
          Finding(
            .unverifiedBackup, isVerifying ? .error : .warning, path: item.files.path,
            message: "the app's copy cannot be read: \(error.diagnostic.problem)",
            next: "make a backup with pack-backup; keep this one until that verifies"))
      }
      var archive = BackupReport.Archive(
        path: item.files.path, outcome: .listed, byteCount: Int(clamping: item.byteCount),
        fileCount: item.fileCount, madeAt: UTCText.long(item.state.modified),
        isVerified: isSound ? (isVerifying ? true : nil) : false)
      archive.absolutePath = item.absolutePath
      archive.isMadeByApp = true
      archive.keptBy = [.outsideRules]
      report.archives.append(archive)
    }
  }

  func opener() throws(MigrationError) -> StoreOpener {
    do throws(StoreError) { return try context.storeOpener() } catch { throw MigrationError(error) }
  }

  /// Applies the retention rule alone; only shows what it would do unless `isApplying`.
  package func prune(isApplying: Bool) throws(MigrationError) -> BackupReport {
    try run(isDryRun: !isApplying) { place, report throws(MigrationError) in
      guard let store = place.store else { return }
      // Of one that does not open nobody knows what it has lost.
      let own = try? opener().open(place.files)
      try retain(store, losing: lostFiles(of: own), &report)
    }
  }

  // MARK: Private

  private var packing: BackupContext { BackupContext(context, phase: .packing) }
  var checking: BackupContext { BackupContext(context, phase: .checking) }

  private func run(
    isDryRun: Bool,
    _ body: (BackedUpStore, inout BackupReport) throws(MigrationError) -> Void
  ) throws(MigrationError) -> BackupReport {
    var report = BackupReport(isDryRun: isDryRun)
    try body(try BackedUpStore(options, suffix: Self.suffix, uuid: "", context: context), &report)
    report.findings = report.findings.inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  func wrapping<Value>(
    _ body: () throws(BackupError) -> Value
  ) throws(MigrationError) -> Value {
    do throws(BackupError) { return try body() } catch { throw MigrationError(error) }
  }

  /// Copies the store to a private place, folds its log into the copy, and checks that.
  ///
  /// - Parameter checking: when it is checked; what others get is made of what was checked before.
  private func open(
    _ place: BackedUpStore, checking: StoreOpener.Checking, _ report: inout BackupReport
  ) throws(MigrationError) -> StoreContent {
    let withheld = options.isForSupport ? try privateEntities(&report) : nil
    let opener = try opener()
    do throws(StoreError) {
      let content =
        if let withheld {
          try opener.openForOthers(place.files, without: withheld)
        } else {
          try opener.openForBackup(place.files, checking: checking)
        }
      report.findings += content.store.findings.map { finding in
        guard finding.code == .tornLog else { return finding }
        var finding = finding
        // The log as it was is in the backup, whatever of it was taken.
        finding.severity = .warning
        return finding
      }
      for (entity, count) in content.leftOut where count > 0 {
        report.findings.append(
          Finding(
            .privateKind, .info, path: options.folder,
            message: "\(count.counted("row")) of \(entity) \(count == 1 ? "is" : "are") private "
              + "and left out"))
      }
      for (table, count) in content.leftOutTables where count > 0 {
        report.findings.append(
          Finding(
            .privateKind, .warning, path: options.folder,
            message: "\(count.counted("row")) of the table \(DisplayText.escaping(table.utf8)) "
              + "\(count == 1 ? "is" : "are") left out: it belongs to no entity, and nobody knows "
              + "whether that is private"))
      }
      return content
    } catch {
      throw MigrationError(error)
    }
  }

  /// Returns the names of the entities that the store's profile calls private.
  private func privateEntities(
    _ report: inout BackupReport
  ) throws(MigrationError) -> Set<String> {
    guard let source = try StoreSource.open(options.folder, context: context) else { return [] }
    if source.isOfNoProfile {
      report.findings.append(
        Finding(
          .privateKind, .warning, path: options.folder,
          message: "no profile says what of it is private: all its rows are in the copy",
          next: "do not pass it on, or say what is private with --profile FILE"))
    }
    // Kinds that were made for what the profile does not know are not private, as nobody says so.
    let unknown = source.findings.filter { $0.code == .unknownEntity }
    report.findings += unknown.map { finding in
      var finding = finding
      finding.next = "do not pass the copy on, or say what is private with --profile FILE"
      return finding
    }
    return Set(
      source.stores.flatMap(\.entities).filter(\.profile.isPrivate).map(\.layout.name))
  }

  private func summary(of content: StoreContent) throws(MigrationError) -> StoreSummary {
    var summary = try StoreSummary(of: content.store)
    if options.isForSupport { summary.leftOut = content.leftOut.map(\.entity) }
    return summary
  }

  /// Copies the files of the store to a private place, as they are.
  private func copyUnopened(_ place: BackedUpStore) throws(MigrationError) -> PrivatePlace {
    let opener = try opener()
    do throws(StoreError) { return try opener.copyUnopened(place.files) } catch {
      throw MigrationError(error)
    }
  }

  private func unopenedSummary(of place: BackedUpStore) -> StoreSummary {
    var summary = StoreSummary(
      name: String(decoding: place.files.name.bytes, as: UTF8.self), uuid: "",
      versionIdentifiers: [], modelChecksum: "", entities: [])
    summary.isUnopened = true
    return summary
  }

  private func packer(
    _ content: Directory, _ summary: StoreSummary, _ place: BackedUpStore
  ) throws(MigrationError) -> BackupPacker {
    try wrapping { () throws(BackupError) in
      try BackupPacker(
        storeContent: content, origin: place.origin, created: clock.begin,
        store: summary, context: packing)
    }
  }

  /// Packs what belongs in the backup.
  ///
  /// - Parameter wait: called before anything of it is seen by others.
  private func pack(
    _ content: Directory, _ summary: StoreSummary, _ place: BackedUpStore,
    _ report: inout BackupReport,
    provingMeanwhile wait: () throws(MigrationError) -> Void = {}
  ) throws(MigrationError) -> VerifiedBackup {
    let output = try options.output.map { path throws(MigrationError) in
      try wrapping { () throws(BackupError) in
        try BackupArchive(path: path, operations: context.operations)
      }
    }
    var packer = try packer(content, summary, place)
    let compresses = options.compresses || output?.name.hasSuffix(".zst") ?? false
    func publish(
      in directory: Directory, as names: some Sequence<FileName>
    ) throws(MigrationError) -> VerifiedBackup {
      let staged = try wrapping { () throws(BackupError) in
        try packer.stage(into: directory, isCompressed: compresses)
      }
      do throws(MigrationError) { try wait() } catch {
        staged.discard()
        throw error
      }
      return try wrapping { () throws(BackupError) in try staged.publish(as: names) }
    }
    let backup: VerifiedBackup
    if let output {
      backup = try publish(in: output.directory, as: [output.name])
    } else {
      // Of a store that is not sound not even the place is made.
      if place.store == nil { try wait() }
      let store = try place.createStore(uuid: summary.uuid)
      if options.reusesVerified,
        let reusable = try wrapping({ () throws(BackupError) in
          try store.reusable(for: content, .store, context: checking)
        })
      {
        report.archives.append(try archive(reusable, .reused))
        return reusable
      }
      let names = try wrapping { () throws(BackupError) in
        try store.nextNames(at: clock.begin, isCompressed: compresses)
      }
      backup = try publish(in: store.directory, as: names)
    }
    report.archives.append(try archive(backup, .created))
    return backup
  }

  private func archive(
    _ backup: VerifiedBackup, _ outcome: BackupReport.Archive.Outcome
  ) throws(MigrationError) -> BackupReport.Archive {
    try wrapping { () throws(BackupError) in try .init(backup, outcome) }
  }

  /// Returns the newest backup if it is young enough not to be followed by another one.
  private func freshBackup(
    in place: BackedUpStore
  ) throws(MigrationError) -> BackupReport.Archive? {
    guard let age = options.leastAgeSeconds, let store = place.store else { return nil }
    return try wrapping { () throws(BackupError) in
      try store.newest(youngerThan: age, at: clock.begin, context: checking).map {
        backup throws(BackupError) in try .init(backup, .fresh)
      }
    }
  }
}

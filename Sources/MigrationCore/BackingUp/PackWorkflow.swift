package import Backups
import Diagnostics
import FolderState
import Folders
package import Runs
package import SafeFiles

/// What `pack-backup` is asked to do.
package struct PackOptions: Sendable {
  /// The folder to copy.
  package var folder: String
  /// Where backups go; nil means `FOLDER-backups` beside the folder.
  package var backupDirectory: String?
  /// The archive to write instead of a generated name.
  package var output: String?
  /// Whether the archive is compressed with zstd.
  package var compresses = false
  /// Which backups stay afterwards; all of them if it has no rule.
  package var retention = RetentionPolicy()
  /// Whether a backup that verifies against today's folder is used instead of a new one.
  package var reusesVerified = false

  /// How old the newest verified backup must be for another one to be made; nil means that it does not
  /// matter.
  package var leastAgeSeconds: Int64?
  /// Whether a store may be backed up whose rows are gone.
  package var allowsEmpty = false
  /// Whether the rows of private kinds of a store are left out, because others get the archive.
  package var isForSupport = false
  /// Whether the files of a store are packed as they are, and the store is not opened.
  package var isUnopened = false

  /// Creates options for a folder.
  package init(folder: String) {
    self.folder = folder
  }
}

/// What writes, lists and drops backups: of a folder, or of a store.
package protocol BackupWorkflow {
  /// Returns what a backup would hold and which old ones would go; writes nothing.
  func plan() throws(MigrationError) -> BackupReport
  /// Writes a backup, reads it back, and then applies the retention rule.
  func perform() throws(MigrationError) -> BackupReport
  /// Returns the backups, newest first, and which of them a run would drop; `isVerifying` reads each one
  /// whole.
  func list(isVerifying: Bool) throws(MigrationError) -> BackupReport
  /// Applies the retention rule alone; only shows what it would do unless `isApplying`.
  func prune(isApplying: Bool) throws(MigrationError) -> BackupReport
}

extension PackWorkflow: BackupWorkflow {}

/// Writes a verified backup of a folder, lists the backups there are, and drops old ones.
package struct PackWorkflow: Sendable {
  /// What keeps old backups from being dropped.
  static let damage: [Finding.Code] = [
    .damagedDocument, .incompleteDocument, .unreadable,
  ]
  /// What keeps them, too: a backup made now holds a link or a placeholder in the place of the content.
  private static let stand: [Finding.Code] = [.placeholder, .symbolicLink, .specialFile]

  let options: PackOptions
  let context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: PackOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Returns what a backup would hold and which old ones would go; writes nothing.
  package func plan() throws(MigrationError) -> BackupReport {
    try run(isDryRun: true, dropsOld: !options.retention.isEmpty, tellsUnseen: true) {
      folder, clock, report throws(BackupError) in
      let packer = try BackupPacker(
        folder.directory, folder.standIns, named: folder.name, created: clock.begin,
        kinds: context.kinds, context: packing)
      if options.output == nil {
        try packer.requireRoom(in: folder.volume(), isCompressed: options.compresses)
      }
      let summary = packer.manifest.summary
      report.archives.append(
        BackupReport.Archive(
          path: options.output ?? folder.place, outcome: .created,
          byteCount: Int(clamping: summary.byteCount), fileCount: summary.fileCount,
          madeAt: summary.created, isVerified: nil, holdsLegacyFiles: summary.holdsLegacyFiles,
          profile: summary.scope.profile))
      guard !options.retention.isEmpty, let store = try folder.store(isCreating: false)
      else { return }
      let retention = try retention(
        of: store.list(), in: store, for: folder.directory, clock,
        before: options.output == nil ? packer.manifest : nil,
        &report)
      try report.carryOut(retention, in: store, made: nil)
    }
  }

  /// Writes a backup, reads it back, and then applies the retention rule.
  package func perform() throws(MigrationError) -> BackupReport {
    try run(isDryRun: false, dropsOld: !options.retention.isEmpty, tellsUnseen: true) {
      folder, clock, report throws(BackupError) in
      let backup = try pack(folder, clock, &report)
      if let service = try SyncedPlace.service(of: backup.archive.directory) {
        report.findings.append(
          Finding(
            .syncedPlace, .warning, path: backup.archive.path,
            message: "\(service) copies this place",
            next: "choose a place outside of it with --backup-dir"))
      }
      guard !options.retention.isEmpty, let store = try folder.store(isCreating: false)
      else { return }
      let retention = try retention(
        of: store.list(), in: store, for: folder.directory, clock, &report
      ) {
        $0.state.isSameFile(as: backup.state) ? true : nil
      }
      try report.carryOut(retention, in: store, made: backup)
    }
  }

  /// Returns the backups of the folder, newest first, and which of them a run would drop; `isVerifying`
  /// reads each one whole.
  package func list(isVerifying: Bool) throws(MigrationError) -> BackupReport {
    try run(isDryRun: false, dropsOld: !options.retention.isEmpty) {
      folder, clock, report throws(BackupError) in
      guard let store = try folder.store(isCreating: false) else { return }
      var unread: [BackupStore.Unread] = []
      let items = try store.list(noting: &unread)
      report.findings += unread.map(Self.notLookedAt)
      let isSound = isVerifying ? try report.verify(items, context: checking) : [:]
      let retention = try retention(of: items, in: store, for: folder.directory, clock, &report) {
        isSound[$0.archive.path]
      }
      try report.list(retention, in: store)
    }
  }

  /// Returns the absolute paths of the folder's backups that a list does not have: those in the directory
  /// around the folder, and those among the others under a name that no command gave them. What cannot
  /// be looked at is added to the findings of the list.
  package func unlisted(by list: inout BackupReport) throws(MigrationError) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    let known = Set(list.archives.map(\.absolutePath))
    let report = try run(isDryRun: false, dropsOld: false) {
      folder, _, report throws(BackupError) in
      for archive in folder.neighbours(noting: &report.findings) {
        let path = try archive.absolutePath()
        guard !known.contains(path) else { continue }
        if try folder.isRelated(archive, noting: &report.findings) { paths.append(path) }
      }
    }
    list.findings = (list.findings + report.findings).inReportOrder()
    return paths
  }

  /// Applies the retention rule alone; only shows what it would do unless `isApplying`.
  package func prune(isApplying: Bool) throws(MigrationError) -> BackupReport {
    try run(isDryRun: !isApplying, dropsOld: true) { folder, clock, report throws(BackupError) in
      guard let store = try folder.store(isCreating: false) else { return }
      let retention = try retention(
        of: store.list(), in: store, for: folder.directory, clock, &report)
      try report.carryOut(retention, in: store, made: nil)
    }
  }

  /// Throws if there is no room for a new backup, and for the documents that are made of the legacy
  /// files; writes nothing. Asked is for rather too little: where there are backups, one of them may be
  /// used.
  package func requireRoom(makingDocuments: Bool) throws(MigrationError) {
    try requireRoom { folder, packer throws(FileError) in
      makingDocuments ? [(folder, packer.leastLengthOfText)] : []
    }
  }

  /// Throws if there is no room for a new backup, for a copy of the folder and an archive of what is
  /// neither text nor document in a directory beside it, and for that once more in the folder.
  package func requireRoom(copyingBeside directory: Directory) throws(MigrationError) {
    try requireRoom { folder, packer throws(FileError) in
      let others = packer.leastLengthOfOthers
      return [(directory, packer.leastLength + others), (folder, others)]
    }
  }

  /// Throws if there is no room for a new backup and other needs, of which those on one file system
  /// add up.
  private func requireRoom(
    _ needs: (Directory, BackupPacker) throws(FileError) -> [(Directory, Int64)]
  ) throws(MigrationError) {
    // With backups under a former name no less room is asked for: that they could not be looked at
    // would have to be told, and whoever makes the backup does that.
    _ = try run(isDryRun: true, dropsOld: false, findsFormerPlaces: false) {
      folder, clock, _ throws(BackupError) in
      let packer = try BackupPacker(
        folder.directory, named: folder.name, created: clock.begin, kinds: context.kinds,
        context: packing)
      let hasBackups = try !(folder.store(isCreating: false)?.list().isEmpty ?? true)
      let backup = (try folder.volume(), hasBackups ? 0 : packer.leastLength)
      do throws(FileError) {
        let all = [backup] + (try needs(folder.directory, packer))
        for (directory, _) in all {
          let device = try directory.state().device
          var length: Int64 = 0
          for (other, needed) in all where try other.state().device == device { length += needed }
          try directory.requireSpace(for: length)
        }
      } catch {
        throw .file(error)
      }
    }
  }

  // MARK: Private

  private var packing: BackupContext { BackupContext(context, phase: .packing) }
  private var checking: BackupContext { BackupContext(context, phase: .checking) }

  private func run(
    isDryRun: Bool, dropsOld: Bool, tellsUnseen: Bool = false, findsFormerPlaces: Bool = true,
    _ body: (BackedUpFolder, RunClock, inout BackupReport) throws(BackupError) -> Void
  ) throws(MigrationError) -> BackupReport {
    let clock = RunClock()
    var report = BackupReport(isDryRun: isDryRun)
    guard !options.isForSupport, !options.isUnopened else {
      throw .underlying(
        Diagnostic(
          .conflictsWithData, subject: options.folder, problem: "is no store of rows",
          remedy: options.isUnopened
            ? "leave out --as-it-is, which is for what cannot be opened"
            : "leave out --for-support, which takes rows of private kinds out of a store"))
    }
    var folder = try BackedUpFolder(
      options, findsFormerPlaces: findsFormerPlaces, context: context)
    if tellsUnseen { try folder.lookForSteps() }
    if let output = options.output {
      _ = try OutputPlace.openParent(ofPath: output, context: context)
    }
    if let place = options.backupDirectory {
      try OutputPlace.requireNoContent(inDirectory: place, context: context)
    }
    if dropsOld || tellsUnseen {
      report.findings = try findings(
        about: folder, dropsOld: dropsOld, isPacking: tellsUnseen)
    }
    do {
      try body(folder, clock, &report)
    } catch {
      throw MigrationError(error)
    }
    report.findings = (report.findings + folder.findings).inReportOrder()
    report.seconds = clock.seconds
    return report
  }

  private func pack(
    _ folder: BackedUpFolder, _ clock: RunClock, _ report: inout BackupReport
  ) throws(BackupError) -> VerifiedBackup {
    if let age = options.leastAgeSeconds, options.output == nil,
      let store = try folder.store(isCreating: false),
      let backup = try store.newest(youngerThan: age, at: clock.begin, context: checking)
    {
      context.explain(
        backup.archive.path, message: "is young enough and whole: no other backup is made")
      report.archives.append(try .init(backup, .fresh))
      return backup
    }
    if options.reusesVerified, options.output == nil,
      let store = try folder.store(isCreating: false),
      let backup = try store.reusable(
        for: folder.directory, BackupScope(context.kinds), taking: folder.standIns,
        steps: folder.steps, context: checking)
    {
      context.explain(
        backup.archive.path, message: "holds every byte of the folder: no other backup is made")
      report.archives.append(try .init(backup, .reused))
      return backup
    }
    var packer = try BackupPacker(
      folder.directory, folder.standIns, named: folder.name, created: clock.begin,
      kinds: context.kinds, context: packing)
    context.explain(
      folder.place,
      message: options.output != nil
        ? "is backed up anew: --output names a file"
        : options.reusesVerified || options.leastAgeSeconds != nil
          ? "is backed up anew: no backup there may stand for another"
          : "is backed up anew: neither --reuse nor --if-older-than was given")
    let output = try options.output.map { path throws(BackupError) in
      try BackupArchive(path: path)
    }
    let compresses = options.compresses || output?.name.hasSuffix(".zst") ?? false
    // Before anything is written, the place and the number included.
    let volume = if let output { output.directory } else { try folder.volume() }
    try packer.requireRoom(in: volume, isCompressed: compresses)
    packer.note(folderNumber: try FolderIdentifier.ensure(in: folder.directory))
    try packer.note(steps: folder.steps)
    let backup: VerifiedBackup
    if let output {
      backup = try packer.pack(
        into: output.directory, isCompressed: compresses, names: [output.name])
    } else {
      guard let store = try folder.store(isCreating: true) else {
        throw .file(.missing(path: folder.place))
      }
      backup = try packer.pack(
        into: store.directory, isCompressed: compresses,
        names: store.nextNames(at: clock.begin, isCompressed: compresses))
    }
    report.archives.append(try .init(backup, .created))
    return backup
  }

  /// Decides which backups stay, and says so if others stay, too, because something is in the way.
  ///
  /// - Parameter upcoming: what a backup will hold that is to be made.
  private func retention(
    of items: [BackupStore.Item], in store: BackupStore, for folder: Directory,
    _ clock: RunClock,
    before upcoming: BackupManifest? = nil, _ report: inout BackupReport,
    knowing soundness: (BackupStore.Item) -> Bool? = { _ in nil }
  ) throws(BackupError) -> Retention {
    // Backups hold documents as they are: an older one may be the last that holds it whole.
    let isDamaged = report.findings.contains { Self.damage.contains($0.code) }
    let elsewhere = report.findings.filter { Self.stand.contains($0.code) }
    // Nobody knows whether documents of a profile load that nobody told.
    let other = items.lazy.filter { $0.bond == .own }.compactMap(\.summary?.scope.profile)
      .first { $0 != BackupScope(context.kinds).profile }
    let isUnfinished: Bool
    do throws(FileError) {
      isUnfinished = try folder.stateIfPresent(of: FolderNames.stepJournalPath) != nil
    } catch {
      throw .file(error)
    }
    let retention = try Retention(
      items, by: options.retention, at: clock.begin, of: context.kinds, upcoming: upcoming,
      obstacles: (isDamaged ? [.damagedDocument] : []) + (isUnfinished ? [.unfinishedStep] : [])
        + (elsewhere.isEmpty ? [] : [.contentElsewhere]) + (other == nil ? [] : [.otherProfile]),
      context: checking, knowing: soundness)
    guard retention.isHeldBack else { return retention }
    if let other {
      report.findings.append(
        Finding(
          .kept, .warning, path: store.directory.path,
          message: "no backup is dropped: some were made with the profile \(other), and this "
            + "command was told \(context.kinds.toldName == nil ? "none" : "another")",
          next: "run again with --profile and the file of \(other)"))
    }
    if isDamaged {
      report.findings.append(
        Finding(
          .kept, .warning, path: store.directory.path,
          message: "no backup is dropped while a document of the folder does not load, or cannot "
            + "be looked at: an older one may be the last that holds it whole",
          next: "put it right with recover-folder, then run again",
          command: NextCommand(.recoverFolder, [options.folder] + context.kinds.options)))
    }
    if isUnfinished {
      report.findings.append(
        Finding(
          .kept, .warning, path: store.directory.path,
          message: "no backup is dropped while a step of a plan is unfinished: an older one holds "
            + "the folder as it was before",
          next: "finish it with the same migrate-schema command, then run again"))
    }
    if let first = elsewhere.first {
      let others = elsewhere.count - 1
      let besides = others > 0 ? " and \(others.counted("other", "others")) are" : " is"
      report.findings.append(
        Finding(
          .kept, .warning, path: store.directory.path,
          message: "no backup is dropped while a file of the folder is a link or not "
            + "downloaded, as \(first.path)\(besides): an older one may be the last that "
            + "holds what it stands for",
          next: "download the files, or put the files themselves there, then run again"))
    }
    return retention
  }

  private static func notLookedAt(_ unread: BackupStore.Unread) -> Finding {
    Finding(
      .notLookedAt, .warning, path: unread.archive.path,
      message: "whether it is a backup of this folder is not known: "
        + unread.error.diagnostic.problem,
      next: "move it away if it is none, or is lost")
  }
}

import Backups
package import Diagnostics
import FolderDocuments
import FolderState
import Folders
package import Runs
import SafeFiles

/// Finds out what is to be rolled back, and does the steps that are no commands.
///
/// Nothing is remembered but what lies in the work beside the folder, and of that only a run that was
/// putting the next content in place is looked at: every other one begins anew.
package struct RollbackWorkflow {
  private var options: RollbackOptions
  private let context: RunContext
  private let places: RollbackPlaces
  private let clock = RunClock()
  private var work: RollbackWork?

  /// Finds the folder and the backup, which must be one that can be read; writes nothing.
  package init(_ options: RollbackOptions, context: RunContext) throws(MigrationError) {
    self.context = context
    let folder = try FolderAccess.open(
      options.folder, context: context, unfinishedRestore: .expected)
    let path = try FolderAccess.absolutePath(options.folder, of: folder, context: context)
    places = RollbackPlaces(folder: path)
    self.options = options
    self.options.folder = path
    self.options.backup = try Self.absolutePath(ofBackup: options.backup, context)
  }

  private static func absolutePath(
    ofBackup path: String, _ context: RunContext
  ) throws(MigrationError) -> String {
    _ = try entries(of: path, context)
    let bytes: [UInt8]
    do {
      bytes = try BackupArchive(path: path, operations: context.operations).absolutePath()
    } catch {
      throw MigrationError(error)
    }
    return String(validating: bytes, as: UTF8.self) ?? path
  }

  /// Returns the permissions of the folder: what is made beside it is for nobody else.
  package func permissions() throws(MigrationError) -> UInt16 {
    let folder = try openFolder(.expected)
    return try MigrationError.wrapping { () throws(FileError) in try folder.state().mode }
  }

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
      let inventory = try FolderAccess.wholeInventory(of: folder)
      decision.holdsDocuments =
        !Self.documents(of: inventory).isEmpty
        || inventory.indices.contains { file in
          inventory.fileClass(of: file) == .placeholder
            && inventory.nominalClass(of: file).isDocument
        }
      decision.monthsAside = try monthsAside(of: folder).map(\.name.description)
    }
    if let refusal = decision.refusal(of: places.folder) { throw refusal }
    return decision
  }

  /// The documents that become JSON: those whose place says what they hold. Others stay.
  private static func documents(of inventory: FolderInventory) -> [Int] {
    GroupDocuments.files(of: inventory).groups.values.flatMap(\.self)
  }

  /// The runs of the quarantine that set months aside, and are there; throws if there is one of which
  /// nobody knows.
  private func monthsAside(
    of folder: Directory
  ) throws(MigrationError) -> [Quarantine.RunOfMonths] {
    let runs = try Quarantine.runsOfMonths(of: folder).filter { !$0.isPurged }
    for run in runs {
      _ = try MigrationError.wrapping { () throws(FileError) in try run.manifest.get() }
    }
    return runs
  }

  /// The command that finishes what an earlier run began.
  package var finishing: NextCommand { NextCommand(.restoreBackup, ["--finish", places.folder]) }

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
      let archive = try BackupArchive(path: options.backup, operations: context.operations)
      let number = try archive.manifest().summary.folderNumber
      if try FolderIdentifier(of: folder).isKnown(number) { return }
      comparison = try SharedContent(of: folder, context: context).compare(archive)
    } catch {
      throw MigrationError(error)
    }
    guard comparison == .different else { return }
    throw .underlying(
      Diagnostic(
        .conflictsWithData, subject: options.backup,
        problem: "is a backup of another folder: nothing that it holds is in \(places.folder)",
        remedy: "give the backup that was made before the migration: "
          + NextCommand(.packBackup, [places.folder, "--list"]).shellText))
  }

  /// Removes the work beside the folder.
  package mutating func removeWork() throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in try work?.remove() }
    work = nil
  }

  /// Removes the work beside the folder, unless the next content is whole: then what is in place may be
  /// that. Returns whether it is.
  @discardableResult
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
      places: places, options: options, monthsAside: decision.monthsAside, today: backup
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
  package func perform(_ action: RollbackStep.Action) throws(MigrationError) {
    switch action {
    case .copyQuarantine: try copyQuarantine()
    case .notePurged: try notePurged()
    case .dropTags: try dropTags()
    case .assemble: try assemble()
    case .settle(let replaced): try note([replaced], as: RollbackPlaces.today)
    }
  }

  /// Returns what is to be told in the end.
  package func report(on decision: RollbackDecision) throws(MigrationError) -> RollbackReport {
    var report = RollbackReport(folder: places.folder)
    if let work, decision.course != .nothing {
      try MigrationError.wrapping { () throws(FileError) in
        report.backup = try work.text(of: RollbackPlaces.today)
        report.purged = try work.lines(of: RollbackPlaces.purged)
        if let backup = report.backup {
          report.findings = try work.lines(of: RollbackPlaces.displaced).map { path in
            Self.displacement(of: path, in: places.folder, heldBy: backup)
          }
        }
      }
    }
    report.seconds = clock.seconds
    return report
  }

  private static func displacement(
    of path: String, in folder: String, heldBy backup: String
  ) -> Finding {
    let look = NextCommand(
      .restoreBackup, [backup, "--into", "\(folder)-displaced", "--only", path])
    return Finding(
      .displaced, .error, path: path,
      message: "held what no document has; it now holds what the documents have",
      next: "what it held is in the backup; to look at it: \(look.shellText)", command: look)
  }

  // MARK: Actions

  private func copyQuarantine() throws(MigrationError) {
    let folder = try openFolder()
    let next = try open(RollbackPlaces.next)
    try MigrationError.wrapping { () throws(FileError) in
      guard let state = try folder.openDirectoryIfPresent(RelativePath(FolderNames.state)),
        try state.stateIfPresent(of: FolderNames.quarantine)?.kind == .directory
      else { return }
      try state.copyTree(
        FolderNames.quarantine, to: next.createDirectory(FolderNames.state))
    }
  }

  private func notePurged() throws(MigrationError) {
    let folder = try openFolder()
    let next = try open(RollbackPlaces.next)
    let runs = try Quarantine.runsOfMonths(of: folder).filter(\.isPurged)
    let gone = try MigrationError.wrapping { () throws(FileError) in
      var gone: Set<String> = []
      for run in runs {
        var reader = try run.manifest.get()
        while let entry = try reader.next() {
          if entry.path.isDocument, try next.stateIfPresent(of: entry.path) == nil {
            gone.insert(entry.path.description)
          }
        }
      }
      return gone
    }
    let purged = try PurgedDocuments(gone, in: gone.isEmpty ? [] : backups()) {
      backup throws(MigrationError) in
      do throws(MigrationError) { return try Self.entries(of: backup, context) } catch {
        // One that cannot be read holds nothing.
        guard error != .interrupted else { throw error }
        return []
      }
    }
    try note(purged.lines, as: RollbackPlaces.purged)
  }

  /// The backups of the folder, the newest first, then the one that was given.
  private func backups() throws(MigrationError) -> [String] {
    var packing = PackOptions(folder: places.folder)
    packing.backupDirectory = options.backupDirectory
    let report = try PackWorkflow(packing, context: context).list(isVerifying: false)
    return report.archives.compactMap { String(validating: $0.absolutePath, as: UTF8.self) }
      + [options.backup]
  }

  private static func entries(
    of backup: String, _ context: RunContext
  ) throws(MigrationError) -> Set<String> {
    let list = RestoreWorkflow(RestoreOptions(backup: backup, folder: ""), context: context)
    return Set(try list.list().entries.map(\.path))
  }

  private func dropTags() throws(MigrationError) {
    let json = try open(RollbackPlaces.json)
    try MigrationError.wrapping { () throws(FileError) in
      try json.remove(FolderNames.tagsFile)
    }
  }

  private func assemble() throws(MigrationError) {
    let next = try open(RollbackPlaces.next)
    let runs = try monthsAside(of: openFolder())
    let inventory = try FolderAccess.wholeInventory(of: next)
    let json = try open(RollbackPlaces.json)
    let displaced = try MigrationError.wrapping { () throws(FileError) in
      // The JSON of months that were set aside knows its names until the export is done. All of it was
      // imported before, or deleted since.
      for run in runs {
        if let directory = run.directory { try Self.removeEqualJSON(of: directory, in: next) }
      }
      for document in Self.documents(of: inventory) {
        guard let (directory, name) = try next.openParent(of: inventory.path(of: document))
        else { continue }
        try directory.remove(name)
      }
      if try next.stateIfPresent(of: FolderNames.state) != nil {
        try next.removeOwnTree(FolderNames.state)
      }
      try next.remove(FolderNames.writeLock)
      return try Self.displaced(by: json, in: next, at: places.folder)
    }
    try note(displaced, as: RollbackPlaces.displaced)
    try MigrationError.wrapping { () throws(FileError) in try json.moveContent(to: next) }
  }

  /// The paths of files that are about to be replaced by others: they hold what no document has.
  private static func displaced(
    by new: Directory, in old: Directory, at folder: String, below path: String = ""
  ) throws(FileError) -> [String] {
    var displaced: [String] = []
    let entries = try new.entries()
    for entry in entries.sorted(by: { $0.name < $1.name }) {
      guard let there = try old.stateIfPresent(of: entry.name) else { continue }
      let place = path + entry.name.description
      guard (there.kind == .directory) == (entry.kind == .directory) else {
        throw .inTheWay(path: "\(folder)/\(place)", found: there.kind)
      }
      guard entry.kind == .directory else {
        guard there.kind == .regular, try old.hash(of: entry.name) == new.hash(of: entry.name)
        else {
          displaced.append(place)
          continue
        }
        continue
      }
      displaced += try Self.displaced(
        by: new.openDirectory(entry.name), in: old.openDirectory(entry.name), at: folder,
        below: place + "/")
    }
    return displaced
  }

  /// Removes the legacy files of a copy that hold the same bytes as those of a run.
  private static func removeEqualJSON(
    of run: Directory, in copy: Directory
  ) throws(FileError) {
    for entry in try run.entries() {
      if entry.kind == .directory {
        guard let inner = try copy.openDirectoryIfPresent(RelativePath(entry.name)) else {
          continue
        }
        try removeEqualJSON(of: run.openDirectory(entry.name), in: inner)
      } else if entry.kind == .regular, entry.name.hasSuffix(".json"),
        try copy.stateIfPresent(of: entry.name)?.kind == .regular,
        try copy.hash(of: entry.name) == run.hash(of: entry.name)
      {
        try copy.remove(entry.name)
      }
    }
  }

  private func note(_ lines: [String], as name: FileName) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in try work?.note(lines, as: name) }
  }

  private func openFolder(
    _ unfinishedRestore: FolderAccess.UnfinishedRestore = .refused
  ) throws(MigrationError) -> Directory {
    try FolderAccess.open(
      places.folder, context: context, unfinishedRestore: unfinishedRestore)
  }

  /// Opens a directory of the work.
  private func open(_ name: FileName) throws(MigrationError) -> Directory {
    guard let work else { throw .brokenInvariant("nothing was begun") }
    return try MigrationError.wrapping { () throws(FileError) in
      try work.directory.openDirectory(name)
    }
  }
}

extension Directory {
  /// Removes a file of a copy, if it is there.
  fileprivate func remove(_ name: FileName) throws(FileError) {
    guard let state = try stateIfPresent(of: name) else { return }
    try removeFile(name, ifUnchangedSince: state)
  }
}

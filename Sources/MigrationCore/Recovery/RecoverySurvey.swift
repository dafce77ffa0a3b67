import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles

/// Looks for what puts right what a verification found wrong.
struct RecoverySurvey {
  /// What is wrong, and what cannot be looked at.
  private(set) var findings: RecoveryFindings
  /// The documents that wait for a backup that cannot be used.
  private(set) var waiting: Set<RelativePath> = []
  /// Images that are left to a person, and the newest backup, which has others.
  private(set) var changedImages: [(path: RelativePath, backup: String)] = []

  private let folder: Directory
  private let inventory: FolderInventory
  private let places: RecoveryPlaces
  private let backups: RecoveryBackups
  private let context: RunContext

  init(
    _ folder: Directory, _ inventory: FolderInventory, _ places: RecoveryPlaces,
    _ findings: RecoveryFindings,
    _ backups: RecoveryBackups, context: RunContext
  ) {
    self.folder = folder
    self.inventory = inventory
    self.places = places
    self.findings = findings
    self.backups = backups
    self.context = context
  }

  mutating func look(
    _ status: FolderStatus, missing images: [RelativePath], _ situation: inout RecoverySituation
  ) throws(MigrationError) {
    switch status {
    case .legacy: return
    case .empty, .unknown:
      guard findings.unseen.isEmpty else { return }
      situation.content = try backups.content { name throws(MigrationError) in
        try isThere(RelativePath(name))
      }
      return
    case .migrating, .migrated, .cleaned, .mixed: break
    }
    let salvaged = try SalvagedDocuments(of: folder, named: places, context: context)
    findings.add(salvaged.findings)
    for path in findings.paths(.damagedDocument) {
      guard let document = try damaged(path, salvaged) else { continue }
      situation.damaged.append(document)
    }
    let marked = salvaged.paths.filter(SalvagedDocuments.isMarked).compactMap {
      SalvagedDocuments.original(of: $0).without(FolderNames.documentExtension)
    }
    let dated = findings.datedKindsInQuarantine(context.kinds)
    let inBackups =
      dated.isEmpty
      ? []
      : backups.documents(of: dated).compactMap { $0.without(FolderNames.documentExtension) }
    let rules = EntityRules(numericDates: situation.numericDates)
    let stems = Set(
      try findings.stemsInQuarantine(context.kinds) + datedStemsInQuarantine(rules) + marked
        + inBackups
    ).sorted()
    for stem in stems where try isGone(stem) {
      let source = try source(of: stem)
      situation.gone.append(
        .init(stem: stem, source: source, files: files(of: stem, in: source)))
    }
    let images = try backups.images(gone: Set(images), in: folder, besides: findings)
    findings.add(images.unseen)
    situation.images = images.images
    changedImages = images.changed
    situation.bringingBack = findings.bringingBack
    let isTold = findings.contains(.conflictCopy)
    situation.hasConflictCopies = isTold ? true : try mergesCertainCopies()
    situation.hasChangedJSON = findings.holdsInFolder(.diverged)
    situation.hasChangedPrivateJSON = findings.all.contains {
      $0.code == .diverged && $0.command?.asksForPrivateKinds ?? false
    }
    situation.hasNewJSON = findings.holdsInFolder(.missingEntity)
    try noteDirectories(for: &situation)
  }

  // MARK: Documents

  /// Returns the documents that dates in quarantine name, of files with something that is in no document.
  private func datedStemsInQuarantine(
    _ rules: EntityRules
  ) throws(MigrationError) -> [RelativePath] {
    let files = findings.datedFilesInQuarantine(context.kinds)
    if files.isEmpty { return [] }
    var documents: Set<RelativePath> = []
    // What cannot be looked at the verification has told.
    var told: [Finding] = []
    for run in try Quarantine.runs(of: folder, noting: &told) {
      guard let paths = files[run.path] else { continue }
      let inventory = try Quarantine.inventory(of: run, as: context.kinds, noting: &told)
      var reader = LegacyReader(run.directory, inventory, rules: rules)
      for file in paths.compactMap(inventory.file(at:)) {
        if context.isInterrupted() { throw .interrupted }
        reader.read(file)
        for entity in reader.batch.entities
        where context.kinds.hasDocument(of: entity.kind, month: entity.month) {
          documents.insert(context.kinds.documentPath(of: entity.kind, month: entity.month))
        }
      }
    }
    return documents.compactMap { $0.without(FolderNames.documentExtension) }
  }

  /// Returns what becomes of a damaged document; nil if no command can be told its path.
  private mutating func damaged(
    _ path: RelativePath, _ salvaged: SalvagedDocuments
  ) throws(MigrationError) -> RecoverySituation.DamagedDocument? {
    guard String(validating: path.bytes, as: UTF8.self) != nil,
      let stem = path.without(FolderNames.documentExtension)
    else { return nil }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try folder.contents(of: path, limit: DocumentLoader.largestDocument)
    } catch {
      // It went, or came back as something else, since it was verified.
      switch error {
      case .missing, .wrongKind, .tooLarge: return nil
      default: throw MigrationError(error)
      }
    }
    let (place, salvage) = try salvaged.place(for: path, bytes: bytes, named: places)
    let source = try source(of: stem)
    return .init(
      path: path, salvage: salvage, place: place, aside: try salvaged.aside(for: path, in: place),
      source: source, files: files(of: stem, in: source))
  }

  /// Returns the files of a source that hold the JSON of a document, where no one path says that.
  private func files(
    of stem: RelativePath, in source: RecoverySituation.Source
  ) -> [RelativePath] {
    switch source {
    case .legacy(let backup): return backups.files(of: stem, in: backup)
    case .quarantine(let run):
      guard let legacy = LegacyContent(of: stem, context.kinds), legacy.chosen == nil else {
        return []
      }
      return findings.paths(.missingEntity).compactMap(\.inQuarantine)
        .filter { $0.run == run && legacy.holds($0.path, context.kinds) }.map(\.path)
    case .document, .waits, .nowhere: return []
    }
  }

  private mutating func source(
    of stem: RelativePath
  ) throws(MigrationError) -> RecoverySituation.Source {
    let source = try backups.source(of: stem, besides: findings.quarantine(of: stem, context.kinds))
    if source == .waits,
      let document = RelativePath(stem.bytes + Array(FolderNames.documentExtension.utf8))
    {
      waiting.insert(document)
    }
    return source
  }

  /// Whether a document was there and is not. Where each record has its own, one that is not there may
  /// have been deleted, and stays so.
  private func isGone(_ stem: RelativePath) throws(MigrationError) -> Bool {
    guard !findings.isUnseen(stem),
      let document = RelativePath(stem.bytes + Array(FolderNames.documentExtension.utf8)),
      try !isThere(document)
    else { return false }
    if try isSetAside(document) { return false }
    return !inventory.documents.contains { stem.contains(inventory.path(of: Int($0))) }
  }

  /// Whether old months were set aside with this document; whatever else moved one of its path to
  /// quarantine did not take it from the folder for good.
  private func isSetAside(_ document: RelativePath) throws(MigrationError) -> Bool {
    for run in try Quarantine.runsOfMonths(of: folder) where !run.isPurged {
      if findings.isUnseen(run.path.appending(document)) { return true }
      guard let directory = run.directory else { continue }
      let isThere = try MigrationError.wrapping { () throws(FileError) in
        try Quarantine.isFile(document, in: directory)
      }
      if isThere { return true }
    }
    return false
  }

  private func isThere(_ path: RelativePath) throws(MigrationError) -> Bool {
    do throws(FileError) {
      return try folder.stateIfPresent(of: path) != nil
    } catch {
      // Something else has the name of one of its directories.
      if case .wrongKind = error { return false }
      throw MigrationError(error)
    }
  }

  // MARK: Copies

  /// Whether a merge would bring together copies that a verification reads like any other file, and so
  /// does not tell. A merge that was killed may have left only these.
  private func mergesCertainCopies() throws(MigrationError) -> Bool {
    let isThere = inventory.copies.values.contains { copy in
      copy.strength == .strong && copy.baseFile != nil
        && inventory.nominalClass(of: copy.file).isLegacy
    }
    guard isThere else { return false }
    let plan = try MergeWorkflow(MergeOptions(folder: places.folder), context: context).plan()
    return plan.bases.contains { $0.copies.contains(where: \.outcome.leavesItsName) }
  }

  // MARK: Beside the folder

  /// Notes which of the directories that are needed exist.
  private func noteDirectories(
    for situation: inout RecoverySituation
  ) throws(MigrationError) {
    for step in RecoveryPlanner.steps(for: situation) {
      guard case .makeDirectory(let path) = step.action else { continue }
      // What is in the way is told when the directory is made.
      if try FolderAccess.openBeside(path, context: context) != nil {
        situation.directories.insert(path)
      }
    }
  }
}

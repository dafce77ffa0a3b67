import Backups
import Diagnostics
import FolderDocuments
import FolderState
package import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// What `verify-counts` is asked to do.
package struct VerificationOptions {
  /// What the documents are compared with.
  package enum Reference {
    /// The legacy files in the folder, else those in its quarantine.
    case automatic
    /// Another folder.
    case folder(path: String)
    /// A backup archive.
    case backup(path: String)
    /// An interchange stream.
    case stream(ByteSource)
    /// A store of SwiftData, or a directory of stores.
    case stores(path: String)

    /// Whether somebody said what it is.
    var isGiven: Bool { if case .automatic = self { false } else { true } }
  }

  /// The folder whose documents are verified.
  package var folder: String
  /// What they are compared with.
  package var reference: Reference = .automatic
  /// What a date that is written as a number counts; nil makes such a date a finding.
  package var numericDates: NumericDates?
  /// Whether what was edited or deleted in a document since its import counts as a difference.
  package var requiresEqual = false
  /// Whether entities of private kinds are expected in documents, too.
  package var includesPrivate = false

  /// Whether `--status` opens no file: names tell what the folder holds, but not what is in it.
  package var looksAtNamesOnly = false
  /// Whether a folder that holds nothing of the app may be one that has lost it.
  package var mayHaveLostAll = false

  /// Creates options for a folder.
  package init(folder: String) {
    self.folder = folder
  }
}

/// Compares every field of every entity with the documents, in both directions.
package struct VerificationWorkflow {
  private let options: VerificationOptions
  private var context: RunContext

  /// Creates a workflow; nothing is read yet.
  package init(_ options: VerificationOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Verifies and returns what was found; reads only, and takes no lock.
  package func perform() throws(MigrationError) -> VerificationReport {
    var stores: StoreSource?
    var listed: VerificationReferences.Listed?
    switch options.reference {
    case .stores(let path):
      stores = try StoreSource.open(path, context: context, checking: .byReader)
    case .folder(let path):
      let folder = try VerificationReferences.Listed(path, context: context)
      if folder.holdsNothing {
        stores = try StoreSource.open(path, context: context, checking: .byReader)
      }
      listed = folder
    case .backup(let path):
      if try StoreSource.isStore(options.folder, context: context) {
        try requireNoStore(inBackupAt: path)
      }
    case .automatic, .stream: break
    }
    return try SoundnessProofs.making(stores?.pendingChecks ?? [], context: context) {
      _ throws(MigrationError) in try perform(against: stores, or: listed)
    }
  }

  /// Verifies against stores that are proven to be sound meanwhile, or what else is compared with.
  private func perform(
    against stores: StoreSource?, or listed: VerificationReferences.Listed?
  ) throws(MigrationError) -> VerificationReport {
    var run = self
    // What stores hold tells what the folder is.
    if let stores {
      run.context.kinds = stores.kinds
      if let own = try StoreSource.open(file: options.folder, context: run.context) {
        return try run.compare(own, with: stores, RunClock())
      }
    }
    guard case .backup(let path) = options.reference else {
      return try run.perform(with: stores, or: listed)
    }
    do throws(MigrationError) {
      let report = try run.perform(with: stores, or: listed)
      if report.findings.contains(where: { $0.code == .nothingToCompare }) {
        try requireNoStore(inBackupAt: path)
      }
      return report
    } catch {
      // Without its profile a folder of documents of a store is nobody's.
      if error.diagnostic.kind == .conflictsWithData { try requireNoStore(inBackupAt: path) }
      throw error
    }
  }

  /// Throws if a backup is one of a store: its rows are in a database, which has to be in a place first.
  private func requireNoStore(inBackupAt path: String) throws(MigrationError) {
    let store: StoreSummary?
    do throws(BackupError) {
      store = try BackupArchive(path: path, operations: context.operations).summary().store
    } catch {
      // What is wrong in an archive is told by whoever reads all of it.
      guard error.diagnostic.kind == .damagedInput else { throw MigrationError(error) }
      return
    }
    guard let store else { return }
    let place = "restored"
    let restore = NextCommand(.restoreBackup, [path, "--into", place])
    let verify = NextCommand(
      .verifyCounts, [options.folder, "--against", "\(place)/\(store.name)"])
    throw .underlying(
      Diagnostic(
        .conflictsWithData, subject: path,
        problem: "is the backup of a store, whose rows nobody reads in an archive",
        remedy: "bring it back to a new directory, and compare with that: \(restore.shellText) && "
          + verify.shellText))
  }

  /// Compares stores with stores.
  private func compare(
    _ own: StoreSource, with reference: StoreSource, _ clock: RunClock
  ) throws(MigrationError) -> VerificationReport {
    var comparison = StoreComparison(own, with: reference, context: context)
    var report = try comparison.run()
    report.seconds = clock.seconds
    return report
  }

  private func perform(
    with stores: StoreSource?, or listed: VerificationReferences.Listed?
  ) throws(MigrationError) -> VerificationReport {
    let clock = RunClock()
    let folder = try FolderAccess.open(options.folder, context: context)
    try FolderAccess.requireFinishedSteps(in: folder)
    var unlisted: [Finding] = []
    let inventory = try FolderAccess.inventory(
      of: folder, as: context.kinds, threads: context.workerCount, noting: &unlisted)
    if let stores, unlisted.isEmpty, inventory.documents.isEmpty, !inventory.hasLegacyFiles,
      let own = try StoreSource.open(options.folder, context: context)
    {
      return try compare(own, with: stores, clock)
    }
    if !options.mayHaveLostAll {
      try inventory.requireKnownApp(in: folder, at: options.folder, unlisted: unlisted)
    }
    let rules = EntityRules(numericDates: options.numericDates)
    let references: VerificationReferences =
      switch options.reference {
      case _ where stores != nil: try .stores(stores, at: stores?.path ?? "", rules: rules)
      case .automatic: try .inPlace(folder, inventory, rules: rules)
      case .folder(let path):
        if let listed {
          try .folder(listed, rules: rules, context: context)
        } else {
          VerificationReferences(name: path)
        }
      case .stream(let source): try .stream(source, rules: rules, context: context)
      case .backup(let path): try .backup(path, rules: rules, context: context)
      case .stores(let path): try .stores(nil, at: path, rules: rules)
      }
    context.explain(
      options.folder,
      message: "is compared with \(references.name), "
        + (options.reference.isGiven ? "as --against says" : "as nothing else was given"))
    var run = VerificationRun(
      folder, inventory, unlisted: unlisted, against: references,
      withholding: context.kinds.withheld(unlessAsked: options.includesPrivate), context: context)
    var report = try run.run().report
    if options.requiresEqual {
      for index in report.findings.indices
      where [.editedSince, .deletedSince].contains(report.findings[index].code) {
        report.findings[index].severity = .error
      }
      report.findings = report.findings.inReportOrder()
    }
    report.seconds = clock.seconds
    return report
  }
}

/// What all workers of a verification share.
struct VerificationInput: Sendable {
  /// Where legacy files lie that the documents are compared with.
  enum Place: Hashable, Sendable {
    case folder
    /// A run of the folder's quarantine.
    case quarantine
    /// Another folder, a backup or a stream.
    case elsewhere
  }

  /// A set of legacy files the documents are compared with.
  package struct Reference: Sendable {
    var directory: Directory
    var inventory: FolderInventory
    var rules: EntityRules
    /// What stands before the paths of its files in messages; empty for the folder itself.
    var pathPrefix: String
    /// Where the files lie.
    var place: Place
    /// The files that could not be read when the months of their dates were wanted.
    var undatedFiles: Set<UInt32> = []
    /// Whether these are the files of the folder itself, which readers see beside the documents.
    var isFolder: Bool { place == .folder }
  }

  var folder: Directory
  var inventory: FolderInventory
  var references: [Reference]
  /// The images that those of the folder are compared with.
  var images: ReferenceImages?
  /// The rows of stores that the documents are compared with, as far as cells alone say what they are.
  var plainRows: PlainRows?
  /// Where the stores are that the documents are compared with; nil if they are compared with something
  /// else.
  var stores: String?
  /// Whether legacy files of which everything is proven are listed with their digests.
  var listsProvenFiles = false
  /// Whether it is noted what each document takes and how much is in it.
  var takesFigures = false
  /// Whether months are looked through for changes that somebody else made.
  var looksForEditedMonths = false
  /// Files that look like conflict copies: what only they hold is not safe there.
  var copies: Set<Int> = []
  /// The private kinds that nobody asked for.
  var withheld: Set<EntityKind> = []
  /// Those of them of which there is no document: what is wrong with their files is nobody's concern.
  var untouched: Set<EntityKind> = []
  /// Old months in quarantine: what is said of them there or in a backup is not compared.
  var setAside = SetAsideMonths()

  /// The documents of each group.
  var documents: [EntityGroup: [Int]] = [:]
  /// Documents whose place and name tell no group.
  var others: [Int] = []

  /// The groups either side has, tags first, then months in order.
  var groups: [EntityGroup] {
    var groups = Set(documents.keys)
    for reference in references {
      groups.formUnion(reference.inventory.legacyGroups)
    }
    return groups.sorted()
  }

  /// Returns the legacy files of a group in a reference, ascending by path.
  func files(of group: EntityGroup, in reference: Int) -> [Int] {
    references[reference].inventory.legacyFiles(of: group)
  }

  /// Returns the command that imports the files of a kind to the documents; nil unless they are
  /// those of the folder itself.
  func importing(
    _ kind: EntityKind, of reference: Int, updates: Bool = false
  ) -> NextCommand? {
    guard references[reference].isFolder else { return nil }
    return command(
      .importCRDT, rules: references[reference].rules,
      (updates ? ["--update"] : []) + inventory.kinds.privateOptions(of: kind))
  }

  /// Returns the command that imports the rows of the stores to the documents; nil if the documents are
  /// compared with something else.
  func importingRows(of kind: EntityKind, updates: Bool = false) -> NextCommand? {
    guard let stores, let folder = DisplayText.word(shownAs: folder.path) else { return nil }
    return NextCommand(
      .importCRDT,
      (updates ? ["--update"] : []) + inventory.kinds.privateOptions(of: kind)
        + inventory.kinds.options + [stores, "--into", folder])
  }

  /// Returns what brings back an entity of a reference that no document holds; nil if that is not
  /// known.
  func bringingBack(_ kind: EntityKind, of reference: Int) -> NextCommand? {
    references[reference].place == .quarantine
      ? command(.recoverFolder, rules: references[reference].rules)
      : importing(kind, of: reference)
  }

  /// Whether an entity of a reference that no document ever held was left out on purpose. What is in
  /// quarantine was in a document.
  func isLeftOut(_ kind: EntityKind, of reference: Int) -> Bool {
    withheld.contains(kind) && references[reference].place != .quarantine
  }

  private func command(
    _ name: NextCommand.Name, rules: EntityRules, _ options: [String] = []
  ) -> NextCommand? {
    DisplayText.word(shownAs: folder.path).map { folder in
      NextCommand(
        name,
        options + inventory.kinds.options + NextCommand.options(numericDates: rules.numericDates)
          + [folder])
    }
  }

  /// Returns the path of a legacy file for a message.
  func path(of file: Int, in reference: Int) -> String {
    references[reference].pathPrefix + references[reference].inventory.path(of: file).description
  }
}

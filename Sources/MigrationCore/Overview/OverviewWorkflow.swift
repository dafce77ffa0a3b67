import Automerge
import Diagnostics
import FolderDocuments
package import Folders
package import Runs
import SafeFiles

/// What `report-folder` is asked to look at.
package struct OverviewOptions {
  /// The folder.
  package var folder: String
  /// Where its backups are; nil means `FOLDER-backups` beside it.
  package var backupDirectory: String?
  /// What a date that is written as a number counts; nil makes such a date a finding.
  package var numericDates: NumericDates?
  /// Whether entities of private kinds are expected in documents, too.
  package var includesPrivate = false
  /// The system that this runs on, in words.
  package var system = ""

  /// Creates options for a folder.
  package init(folder: String) {
    self.folder = folder
  }
}

/// Looks at everything in a folder that a person wants to see; writes nothing, and takes no lock.
package struct OverviewWorkflow {
  private let options: OverviewOptions
  private let context: RunContext
  private let clock = RunClock()

  /// So many conflicts are kept with their values.
  private static let largestConflictCount = 200

  /// Creates a workflow; nothing is read yet.
  package init(_ options: OverviewOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Looks at everything. What cannot be looked at is a gap of the overview, and the rest is shown; a
  /// folder that is not there, or of which no profile knows anything, throws.
  package func perform() throws(MigrationError) -> FolderOverview {
    let folder = try FolderAccess.open(
      options.folder, context: context, unfinishedRestore: .expected)
    var overview = FolderOverview(
      options.folder, context, system: options.system, at: clock.begin)
    try attempt(.standing, in: &overview) { overview throws(MigrationError) in
      try survey(folder, to: &overview)
    }
    try attempt(.history, in: &overview) { overview throws(MigrationError) in
      overview.history = try HistoryWorkflow(folder: options.folder, context: context).perform()
    }
    try attempt(.backups, in: &overview) { overview throws(MigrationError) in
      var pack = PackOptions(folder: options.folder)
      pack.backupDirectory = options.backupDirectory
      overview.backups = try PackWorkflow(pack, context: context).list(isVerifying: false)
    }
    try attempt(.quarantine, in: &overview) { overview throws(MigrationError) in
      overview.quarantine = try QuarantineWorkflow(
        folder: options.folder, context: context
      ).perform()
    }
    return overview
  }

  private func attempt(
    _ part: FolderOverview.Part, in overview: inout FolderOverview,
    _ look: (inout FolderOverview) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    do throws(MigrationError) {
      try look(&overview)
    } catch {
      switch error {
      case .interrupted, .unknownApp: throw error
      default:
        overview.gaps.append(FolderOverview.Gap(part: part, reason: error.diagnostic))
      }
    }
  }

  /// Where the folder stands, and what its documents hold: each of them is loaded once, and those with
  /// conflicts once more.
  private func survey(
    _ folder: Directory, to overview: inout FolderOverview
  ) throws(MigrationError) {
    // A restore that died in the middle leaves nothing to survey.
    _ = try FolderAccess.open(options.folder, context: context)
    // Neither does a step of a plan that some documents have, and others not.
    try FolderAccess.requireFinishedSteps(in: folder)
    var verification = VerificationOptions(folder: options.folder)
    verification.numericDates = options.numericDates
    verification.includesPrivate = options.includesPrivate
    let (status, result) = try StatusWorkflow(verification, context: context).survey(
      folder, takesFigures: true)
    let inventory = result.input.inventory
    let documents = result.figures.map { figures in
      FolderOverview.Document(
        path: inventory.path(of: figures.file).description, figures: figures)
    }.sorted {
      ($1.figures.byteCount, $0.path) < ($0.figures.byteCount, $1.path)
    }
    var loader = DocumentLoader(folder, inventory)
    for figures in result.figures where figures.conflictCount > 0 {
      if context.isInterrupted() { throw .interrupted }
      try addConflicts(of: figures, with: &loader, to: &overview)
    }
    // A folder that changed meanwhile is not the one that was verified.
    (overview.status, overview.verification) = (status, result.report)
    overview.documents = documents
  }

  private func addConflicts(
    of figures: DocumentFigures, with loader: inout DocumentLoader,
    to overview: inout FolderOverview
  ) throws(MigrationError) {
    let path = loader.inventory.path(of: figures.file).description
    guard overview.conflicts.count < Self.largestConflictCount else {
      overview.furtherConflictCount += figures.conflictCount
      return
    }
    do throws(DocumentDefect) {
      let document = try loader.load(figures.file).document
      ConflictWalk(document: document, view: nil).forEach { conflict in
        if overview.conflicts.count < Self.largestConflictCount {
          overview.conflicts.append(FieldConflict(conflict, in: document, at: path))
        } else {
          overview.furtherConflictCount += 1
        }
      }
    } catch {
      throw .folderChanging(path: path)
    }
  }
}

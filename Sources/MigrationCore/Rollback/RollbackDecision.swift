import Diagnostics
package import Folders
import Runs

/// What `rollback-folder` is asked to do.
package struct RollbackOptions: Sendable {
  /// The folder that is to hold JSON again.
  package var folder: String
  /// The backup that was made before the migration.
  package var backup: String
  /// Whether what was deleted since that backup comes back.
  package var bringsBackDeleted = false
  /// Where backups are; nil means beside the folder.
  package var backupDirectory: String?
  /// What a date that is written as a number counts; nil makes such a date a finding.
  package var numericDates: NumericDates?

  /// Creates options for a folder and a backup.
  package init(folder: String, backup: String) {
    self.folder = folder
    self.backup = backup
  }
}

/// What follows from what a folder and the work beside it show; reads no file.
package struct RollbackDecision: Hashable, Sendable {
  /// What is to be done.
  package enum Course: Hashable, Sendable {
    /// To finish the restore that an earlier run began, and look again.
    case finishing
    /// To make the JSON, and put it in the place of the documents.
    case rollingBack
    /// To say that it is done: an earlier run put the JSON in place.
    case done
    /// Nothing: there never was a document.
    case nothing
  }

  /// Whether a restore of the folder is unfinished; then nobody knows what it holds.
  package var isInRestore = false
  /// Whether the folder holds documents, those included that are not downloaded.
  package var holdsDocuments = false
  /// Whether it holds conflict copies.
  package var holdsConflictCopies = false
  /// The runs in quarantine that set old months aside, in the order in which they did.
  package var monthsAside: [String] = []
  /// The backup of what the folder held before the JSON that an earlier run was about to put in place.
  package var replaced: String?
  /// Whether this run has finished the restore of an earlier one.
  package var hasFinished = false
  /// Whether what was deleted since the backup is to come back.
  package var bringsBackDeleted = false

  /// Creates a decision over an empty folder.
  package init() {}

  /// What is to be done: the folder decides.
  package var course: Course {
    if isInRestore { return .finishing }
    if holdsDocuments || !monthsAside.isEmpty { return .rollingBack }
    if hasFinished { return .done }
    // What was to come back from the backup does not show: that work is done again.
    if bringsBackDeleted { return .rollingBack }
    return replaced == nil ? .nothing : .done
  }

  /// Why nothing can be done: somebody else restores the folder.
  func refusal(of folder: String, told options: [String] = []) -> MigrationError? {
    guard isInRestore, replaced == nil else { return nil }
    let finish = NextCommand(.restoreBackup, ["--finish", folder] + options)
    return .underlying(
      Diagnostic(
        .busy, subject: folder, problem: "is in the middle of a restore",
        remedy: "\(finish.shellText), then run rollback-folder again", command: finish))
  }
}

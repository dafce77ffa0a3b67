import Folders
package import Runs

/// What `cleanup-legacy` is asked to do.
package struct CleanUpOptions: Sendable {
  /// The folder to clean.
  package var folder: String
  /// The backup that must hold every file that moves; needed to apply.
  package var backup: String?
  /// What a date that is written as a number counts; nil makes such a date a finding.
  package var numericDates: NumericDateChoice?
  /// The month, written `YYYY-MM`, before which whole months are set aside; nil moves proven JSON
  /// instead.
  package var monthsBefore: String?

  /// Creates options for a folder.
  package init(folder: String, backup: String? = nil) {
    self.folder = folder
    self.backup = backup
  }

  /// Returns whether a text is a month written `YYYY-MM`.
  package static func isMonth(_ text: String) -> Bool { Month(wholeName: text) != nil }
}

/// What `cleanup-legacy --purge` is asked to do.
package struct PurgeOptions: Sendable {
  /// The folder whose quarantine is purged.
  package var folder: String
  /// The backup that must hold every file that is unlinked; needed to apply.
  package var backup: String?
  /// Only runs of the quarantine at least this old are purged.
  package var minimumAgeSeconds: Int

  /// Creates options for a folder.
  package init(folder: String, backup: String? = nil, minimumAgeSeconds: Int) {
    self.folder = folder
    self.backup = backup
    self.minimumAgeSeconds = minimumAgeSeconds
  }
}

/// What `cleanup-legacy --bring-back` is asked to do.
package struct BringBackOptions: Sendable {
  /// The folder whose quarantine holds the files.
  package var folder: String
  /// The name of the run that moved them there.
  package var run: String

  /// Creates options for a run of a folder.
  package init(folder: String, run: String) {
    self.folder = folder
    self.run = run
  }
}

package import Backups
package import Diagnostics
package import Runs

/// What a backup command did.
package struct BackupReport: RunReport {
  package static let name = "pack-backup"

  /// One backup archive.
  package struct Archive: Hashable, Sendable {
    /// What became of an archive.
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
      case created
      case reused
      /// It is so young that no other one was made.
      case fresh
      case listed
      case kept
      case dropped
    }

    /// The path in display form.
    package var path: String
    /// The absolute path byte for byte, of an archive that was made, found again or listed.
    package var absolutePath: [UInt8] = []
    /// What became of it.
    package var outcome: Outcome
    /// The size of the archive.
    package var byteCount: Int
    /// How many files it holds.
    package var fileCount: Int
    /// When it was made, as UTC text; empty if its manifest cannot be read.
    package var madeAt: String
    /// Whether every hash matched; nil if that was not tried.
    package var isVerified: Bool?
    /// Whether it holds legacy files; nil if that is not known.
    package var holdsLegacyFiles: Bool?
    /// Where the folder was when it was made; nil if that is not known.
    package var origin: String?
    /// The name of the profile it was made with; nil if none was told, or that is not known.
    package var profile: String?
    /// Whether it is the app's own copy of its store, and no archive.
    package var isMadeByApp = false
    /// Whether it holds the files of a store as they were, and nobody knows what is in them.
    package var isUnopened = false
    /// Why it stays, or would; nil if nobody asked.
    package var keptBy: [RetentionPolicy.Reason]?
    /// Whether a run by the same rules would drop it, of a list.
    package var wouldDrop = false
  }

  /// The archives, newest first.
  package var archives: [Archive] = []
  package var findings: [Finding] = []
  /// What kept some of several stores from getting a backup.
  package var failures: [Diagnostic.Kind] = []
  package var isDryRun: Bool
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of nothing.
  package init(isDryRun: Bool) {
    self.isDryRun = isDryRun
  }

  package var items: [ReportObject] {
    archives.map { archive in
      var item = ReportObject()
      item.add("type", "backup")
      item.add("path", archive.path)
      item.add("outcome", archive.outcome.rawValue)
      item.add("byteCount", archive.byteCount)
      item.add("fileCount", archive.fileCount)
      item.add("madeAt", archive.madeAt)
      item.add("verified", archive.isVerified.map { .boolean($0) } ?? .null)
      item.add("legacyFiles", archive.holdsLegacyFiles.map { .boolean($0) } ?? .null)
      if let origin = archive.origin { item.add("origin", origin) }
      if let profile = archive.profile { item.add("profile", profile) }
      if archive.isMadeByApp { item.add("madeBy", "app") }
      if archive.isUnopened { item.add("unopened", true) }
      if let reasons = archive.keptBy {
        item.add("keptBy", .array(reasons.map { .string($0.text) }))
      }
      if archive.wouldDrop { item.add("wouldDrop", true) }
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    for outcome in Archive.Outcome.allCases {
      summary.add(outcome.rawValue, archives.count { $0.outcome == outcome })
    }
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

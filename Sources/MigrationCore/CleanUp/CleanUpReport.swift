package import Diagnostics
package import Folders
package import Runs

/// What `cleanup-legacy` is asked to do.
package struct CleanUpOptions: Sendable {
  /// The folder to clean.
  package var folder: String
  /// The backup that must hold every file that moves; needed to apply.
  package var backup: String?
  /// What a date that is written as a number counts; nil makes such a date a finding.
  package var numericDates: NumericDates?
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

/// What a clean-up or a purge did, or would do.
package struct CleanUpReport: RunReport {
  package static let name = "cleanup-legacy"

  /// One file and what became of it.
  package struct File: Hashable, Sendable {
    /// What becomes of a file.
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
      /// It is in quarantine now, or would be.
      case moved
      /// It stays where it is; a finding says why.
      case kept
      /// It was unlinked from quarantine, or would be.
      case purged
      /// It is back in the folder, or would be.
      case returned
    }

    /// The path relative to the folder.
    package var path: String
    /// What became of it.
    package var outcome: Outcome
    /// Its size.
    package var byteCount: Int
    /// Whether what it holds besides entities stays in its place.
    package var leavesRest = false
  }

  /// What is done with files.
  package enum Task: Hashable, Sendable {
    /// They move to quarantine.
    case quarantine
    /// They are unlinked from quarantine.
    case purge
    /// They move back from quarantine.
    case bringBack
  }

  /// A month that was to be set aside whole.
  package struct Month: Hashable, Sendable {
    /// The month as `YYYY-MM`.
    package var month: String
    /// `moved`, or `kept` with findings that say why.
    package var outcome: File.Outcome
    /// How many files it has.
    package var fileCount: Int
    /// Their size.
    package var byteCount: Int
    /// How many of them are in quarantine, or would be; of a month that was kept those that could
    /// not go back.
    package var movedCount: Int
  }

  /// The months that were looked at if whole months are set aside, ascending.
  package var months: [Month] = []
  /// The quarantine directory of this run, relative to the folder; empty if there is none.
  package var quarantine = ""
  /// The files that were looked at, in path order.
  package var files = Files()
  package var findings: [Finding] = []
  package var isDryRun: Bool
  /// What was to be done with the files.
  package let task: Task
  /// The command that undoes this; nil if none is needed.
  package var undo: NextCommand?
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of nothing.
  package init(_ task: Task, isDryRun: Bool) {
    self.task = task
    self.isDryRun = isDryRun
  }

  /// The report in the order it is shown in, at the end of a run.
  func finished(after clock: RunClock) -> CleanUpReport {
    var report = self
    report.findings = findings.inReportOrder()
    report.months.sort { $0.month < $1.month }
    report.files.sort()
    report.seconds = clock.seconds
    return report
  }

  package var items: [ReportObject] {
    months.map { month in
      var item = ReportObject()
      item.add("type", "month")
      item.add("month", month.month)
      item.add("outcome", month.outcome.rawValue)
      item.add("fileCount", month.fileCount)
      item.add("byteCount", month.byteCount)
      item.add("movedCount", month.movedCount)
      return item
    }
      + files.map { file in
        var item = ReportObject()
        item.add("type", "file")
        item.add("path", file.path)
        item.add("outcome", file.outcome.rawValue)
        item.add("byteCount", file.byteCount)
        if file.leavesRest { item.add("leavesRest", true) }
        return item
      }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("quarantine", quarantine)
    if let undo {
      summary.add("undo", undo.shellText)
      summary.add("undoCommand", ReportValue(undo))
    }
    for outcome in File.Outcome.allCases {
      summary.add(outcome.rawValue, files.count(of: outcome))
    }
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

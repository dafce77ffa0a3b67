package import Diagnostics
package import Runs

/// What a restore did, or would do.
package struct RestoreReport: RunReport {
  package static let name = "restore-backup"

  /// One entry of a backup.
  package struct Entry: Hashable, Sendable {
    /// The path relative to the folder.
    package var path: String
    /// Its size.
    package var byteCount: Int
    /// What became of it; nil if only whole backups are spoken of.
    package var outcome: Outcome?
    /// Where what was in its place is now, relative to the folder; empty if nothing was.
    package var setAside = ""

    /// What becomes of an entry that was asked for.
    package enum Outcome: String, CaseIterable, Hashable, Sendable {
      /// It is in its place now, or would be.
      case restored
      /// It was there already with the same bytes, and was left alone.
      case unchanged
    }
  }

  /// How far the run went.
  package enum Outcome: String, CaseIterable, Hashable, Sendable {
    /// The entries were listed.
    case listed
    /// Every entry was read and its hash compared.
    case checked
    /// What a restore would do was found out.
    case planned
    /// Everything was unpacked, and waits to be moved to its place.
    case staged
    /// The folder holds the backup's content.
    case restored
    /// No restore of the folder is unfinished any more, or none was.
    case finished
    /// What an unfinished restore of the folder had moved is where it was, or there was none.
    case aborted
  }

  /// How far the run went; every operation of `RestoreWorkflow` sets its own.
  package var outcome: Outcome = .listed
  /// The entries of the backup.
  package var entries: [Entry] = []
  /// Whether every hash of the backup matched; nil if that was not tried.
  package var isVerified: Bool?
  /// Where the old content of the folder is now, relative to the folder; empty if none was set aside.
  package var setAside = ""
  /// Whether an earlier, interrupted restore was finished by this run.
  package var finishedEarlierRestore = false
  /// Whether an earlier, interrupted restore was undone by this run.
  package var abortedEarlierRestore = false
  /// Whether a restore that waited to be moved to its place was given up by this run.
  package var gaveUpWaiting = false
  /// Whether what was brought back is a copy that an app made, which has no hashes.
  package var isCopyOfApp = false
  package var findings: [Finding] = []
  package var isDryRun = false
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of nothing.
  package init() {}

  package var items: [ReportObject] {
    entries.map { entry in
      var item = ReportObject()
      item.add("type", "entry")
      item.add("path", entry.path)
      item.add("byteCount", entry.byteCount)
      if let outcome = entry.outcome { item.add("outcome", outcome.rawValue) }
      if !entry.setAside.isEmpty { item.add("setAside", entry.setAside) }
      return item
    }
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("outcome", outcome.rawValue)
    summary.add("entries", entries.count)
    summary.add("verified", isVerified.map { .boolean($0) } ?? .null)
    summary.add("setAside", setAside)
    summary.add("finishedEarlierRestore", finishedEarlierRestore)
    summary.add("abortedEarlierRestore", abortedEarlierRestore)
    if gaveUpWaiting { summary.add("gaveUpWaiting", true) }
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

package import Diagnostics
package import Runs

/// What is known of the past of a store.
package struct StoreHistoryReport: RunReport {
  package static let name = "inspect-crdt"

  /// A backup of the store.
  package struct Backup: Hashable, Sendable {
    /// Where it is.
    package var path: String
    /// When it was made, as UTC text; empty if its manifest cannot be read.
    package var madeAt: String
    /// The size of the archive.
    package var byteCount: Int
    /// What the store called its version.
    package var versionIdentifiers: [String]
    /// How many rows it holds; nil if its manifest cannot be read.
    package var rowCount: Int?
  }

  /// The store.
  package var store: String
  /// The runs that wrote beside the store, then those that wrote to the folder it was imported into.
  package var histories: [HistoryReport] = []
  /// Whether such a folder was given.
  package var hasFolder = false
  /// Whether a restore died in the middle, so that nobody knows what the store is.
  package var isInRestore = false
  /// Where its backups are by default.
  package var backupPlace = ""
  /// Those that are there, the oldest first.
  package var backups: [Backup] = []
  /// What the app wrote down; nil if its preferences were not given.
  package var appLog: AppLog?
  /// The version of the store; empty if nobody asked, or nothing tells it.
  package var storeVersion = ""
  /// Versions that the app came to and that no profile knows, so that nothing says whether the store is
  /// of them.
  package var uncomparedVersions: [String] = []
  package var findings: [Finding] = []
  /// Seconds from start to end.
  package var seconds = 0.0

  /// Creates a report of nothing.
  package init(store: String) { self.store = store }

  /// Runs with the folders that they wrote to, by the time when they began.
  package var runs: [(folder: String, run: HistoryReport.Run)] {
    let all = histories.flatMap { history in history.runs.map { (history.folder, $0) } }
    return all.enumerated().sorted {
      ($0.element.1.start, $0.offset) < ($1.element.1.start, $1.offset)
    }.map(\.element)
  }

  /// What the answer says nothing about, for people.
  package var notLookedAt: [String] {
    var places: [String] = []
    if !hasFolder {
      places.append("imports, which the history of their folder tells: give it, too")
    }
    if appLog == nil {
      places.append("what the app itself wrote down: give its --preferences")
    }
    if appLog != nil, isInRestore {
      places.append("of which version the store is, until its restore is finished")
    }
    for version in uncomparedVersions {
      places.append("whether the store is of version \(version), which no profile knows")
    }
    return places
  }

  package var items: [ReportObject] {
    histories.flatMap { history in
      history.items.map { item in
        var item = item
        item.add("folder", history.folder)
        return item
      }
    } + backups.map(\.item) + (appLog?.runs.map(\.item) ?? [])
  }

  package var summary: ReportObject {
    var summary = ReportObject()
    summary.add("store", store)
    summary.add("runs", runs.count)
    summary.add("unreadableLines", histories.reduce(0) { $0 + $1.unreadableLines })
    summary.add("backups", backups.count)
    if let appLog {
      summary.add("profile", appLog.profile)
      summary.add("storeVersion", storeVersion)
      summary.add("lastVersion", appLog.lastVersion)
      if let isAtWork = appLog.isAtWork { summary.add("atWork", isAtWork) }
      summary.add("appRuns", appLog.runs.count)
      for outcome in AppRun.Outcome.allCases {
        summary.add(outcome.rawValue, appLog.count(outcome))
      }
      summary.add("successPercent", appLog.successPercent.map { .integer($0) } ?? .null)
      summary.add("averageSeconds", appLog.averageDuration.map { .seconds($0) } ?? .null)
      summary.add("unreadableRuns", appLog.unreadableRuns)
    }
    summary.add("notLookedAt", .array(notLookedAt.map { .string($0) }))
    summary.add("findings", findings.countsBySeverity)
    summary.add("seconds", .seconds(seconds))
    return summary
  }
}

extension StoreHistoryReport.Backup {
  fileprivate var item: ReportObject {
    var item = ReportObject()
    item.add("type", "backup")
    item.add("path", path)
    item.add("outcome", BackupReport.Archive.Outcome.listed.rawValue)
    item.add("byteCount", byteCount)
    item.add("madeAt", madeAt)
    item.add("versionIdentifiers", .array(versionIdentifiers.map { .string($0) }))
    item.add("rows", rowCount.map { .integer($0) } ?? .null)
    return item
  }
}

extension AppRun {
  fileprivate var item: ReportObject {
    var item = ReportObject()
    item.add("type", "app-run")
    item.add("from", from)
    item.add("to", to)
    item.add("outcome", outcome.rawValue)
    for (name, text) in [
      ("start", start), ("end", end), ("problem", problem), ("change", change), ("system", system),
      ("device", device),
    ] where !text.isEmpty { item.add(name, text) }
    if let duration { item.add("duration", .seconds(duration)) }
    if let rowCount { item.add("rows", rowCount) }
    return item
  }
}

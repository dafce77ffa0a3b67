import Diagnostics
import Folders
import Runs
import SwiftDataStores

/// What an app wrote down in its preferences about bringing its data to its versions.
package struct AppLog: Hashable, Sendable {
  /// Where it was found.
  package var path: String
  /// The built-in profile of the app; empty if nothing was found.
  package var profile = ""
  /// The attempts that it knows, in the order in which they began. An app keeps the last few, and one
  /// of them forgets an attempt when another between the same versions begins.
  package var runs: [AppRun] = []
  /// Whether the app says that it is at work, or died at it; nil if it does not keep that.
  package var isAtWork: Bool?
  /// The version that the app came to last; empty if it does not say.
  package var lastVersion = ""
  /// The path of the backup that the app will bring back when it starts; empty if there is none.
  package var waitingRestore = ""
  /// How many attempts cannot be read.
  package var unreadableRuns = 0

  /// Reads the preferences of an app; what is worth telling about their form is added to `findings`.
  static func read(
    _ path: String, context: RunContext, noting findings: inout [Finding]
  ) throws(MigrationError) -> AppLog {
    let root = try AppPreferences.read(path, context: context).root
    var log = AppLog(path: path)
    guard let keys = MigrationKeys.all.first(where: { !$0.isAbsent(from: root) }) else {
      let names = MigrationKeys.all.map { $0.runs[0].description }.joined(separator: " or ")
      findings.append(
        Finding(
          .notLookedAt, .warning, path: path,
          message: "holds nothing that an app writes down about its versions, such as \(names)",
          next: "give the preferences of the app that the store is of"))
      return log
    }
    log.profile = keys.profile
    for name in keys.runs {
      guard let value = root[name] else { continue }
      guard let list = AppRunList(value) else {
        findings.append(
          Finding(
            .unreadable, .error, path: path,
            message: "\(name) is no list of what the app did, or a larger one than apps keep"))
        continue
      }
      log.runs += list.runs
      log.unreadableRuns += list.unreadableCount
      if list.leftOutCount > 0 {
        findings.append(
          Finding(
            .notLookedAt, .warning, path: path,
            message: "\(name) has \(list.leftOutCount.counted("attempt")) more than the newest "
              + "\(AppRunList.maximumCount.grouped), which were read"))
      }
    }
    log.isAtWork = keys.atWork.flatMap { root[$0]?.boolean }
    log.lastVersion = text(keys.lastVersion, in: root) ?? ""
    log.waitingRestore = keys.waitingRestore.flatMap { text($0, in: root) } ?? ""
    return log
  }

  private static func text(_ name: StaticString, in root: PropertyListValue) -> String? {
    guard let value = root[name], (value.byteCount ?? 0) <= 1 << 14 else { return nil }
    return value.text
  }

  /// How many attempts ended in a way.
  package func count(_ outcome: AppRun.Outcome) -> Int { runs.count { $0.outcome == outcome } }

  /// How many of a hundred attempts succeeded, rounded down; nil if there were none.
  package var successPercent: Int? {
    runs.isEmpty ? nil : 100 * count(.succeeded) / runs.count
  }

  /// How long the attempts took that say it, in seconds, together and divided by their number; nil if
  /// none does.
  package var averageDuration: Double? {
    let durations = runs.compactMap(\.duration)
    return durations.isEmpty ? nil : durations.reduce(0, +) / Double(durations.count)
  }
}

extension MigrationKeys {
  /// Whether preferences hold nothing under any of these names.
  fileprivate func isAbsent(from root: PropertyListValue) -> Bool {
    (runs + [lastVersion] + [atWork, waitingRestore].compactMap(\.self)).allSatisfy {
      root[$0] == nil
    }
  }
}

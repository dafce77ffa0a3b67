import Diagnostics
package import MigrationCore
import Runs

extension StoreHistoryReport: ReadableReport {
  package var tables: [TextTable] {
    var ours = TextTable(heading: ["start", "command", "ended", "backup", "folder"])
    for (folder, run) in runs {
      let ended = run.problem.isEmpty ? run.status : "\(run.status): \(run.problem)"
      ours.add([run.start, run.command, ended, run.backup, folder].map(\.safeForTerminal))
    }
    var backups = TextTable(heading: ["made", "rows", "version", "bytes", "backup"])
    for backup in self.backups {
      let version = backup.versionIdentifiers.joined(separator: ", ")
      backups.add(
        [
          backup.madeAt, backup.rowCount?.grouped ?? "unreadable", version,
          backup.byteCount.grouped, backup.path,
        ].map(\.safeForTerminal))
    }
    var attempts = TextTable(
      heading: ["start", "from", "to", "ended", "seconds", "rows", "system", "device"])
    for run in appLog?.runs ?? [] {
      let ended =
        run.problem.isEmpty ? run.outcome.rawValue : "\(run.outcome.rawValue): \(run.problem)"
      attempts.add(
        [
          run.moment, run.from, run.to, ended, run.duration.map { "\($0)" } ?? "",
          run.rowCount?.grouped ?? "", run.system, run.device,
        ].map(\.safeForTerminal))
    }
    return [ours, backups, attempts]
  }

  package var conclusion: [String] {
    var sentences = [
      "\(runs.count.counted("run")) wrote beside \(DisplayText.subject(store))"
        + (hasFolder ? " or to its folder." : "."),
      "\(backups.count.counted("backup")) in \(DisplayText.subject(backupPlace))"
        + (backups.last.flatMap(\.rowCount).map { "; the newest holds \($0.counted("row"))." }
          ?? "."),
    ]
    if let appLog, !appLog.profile.isEmpty { sentences += Self.sentences(about: appLog) }
    if !storeVersion.isEmpty { sentences.append("The store is of version \(storeVersion).") }
    let unreadable = histories.reduce(0) { $0 + $1.unreadableLines }
    if unreadable > 0 {
      sentences.append("\(unreadable.counted("line")) of the history cannot be read.")
    }
    return sentences + notLookedAt.map { "not looked at: \($0)" }
  }

  private static func sentences(about log: AppLog) -> [String] {
    let ends = AppRun.Outcome.allCases.filter { log.count($0) > 0 }.map {
      "\(log.count($0).grouped) \($0.rawValue)"
    }
    var sentence =
      "The app (\(log.profile)) wrote down \(log.runs.count.counted("attempt")) to change versions"
    if let percent = log.successPercent {
      sentence += ": \(ends.joined(separator: ", ")), \(percent) of 100 succeeded"
    }
    if let average = log.averageDuration {
      sentence += ", in \(Duration.seconds(average).text) on average"
    }
    var sentences = [sentence + "."]
    if !log.lastVersion.isEmpty {
      sentences.append("The last version that it came to is \(log.lastVersion).")
    }
    if log.unreadableRuns > 0 {
      sentences.append("\(log.unreadableRuns.counted("attempt")) cannot be read.")
    }
    return sentences
  }
}

import Diagnostics
package import MigrationCore

extension CleanUpReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(heading: ["month", "", "files", "size"])
    for month in months {
      table.add([
        month.month, month.isInPart ? "in part" : month.outcome.rawValue, month.fileCount.grouped,
        month.byteCount.byteCountText,
      ])
    }
    return [table]
  }

  package var conclusion: [String] {
    let kept = files.count(of: .kept)
    let done = files.count - kept
    var sentences: [String] = []
    if done == 0 {
      sentences.append(nothing(kept: kept))
    } else {
      let (would, did, place) = words
      sentences.append(sentence(isDryRun ? would : did, done, place))
    }
    let leaving = files.restCount
    if leaving > 0 {
      sentences.append(
        "What \(leaving.counted("of them holds", "of them hold")) besides stays in "
          + (leaving == 1 ? "its place." : "their places."))
    }
    let keptMonths = months.count { $0.outcome == .kept && !$0.isInPart }
    let monthsInPart = months.count(where: \.isInPart)
    if monthsInPart > 0 {
      sentences.append(
        "Of \(monthsInPart.counted("month")) only a part could go back.")
    }
    if keptMonths > 0 {
      sentences.append("Kept \(keptMonths.counted("month")) whole.")
    } else if monthsInPart == 0, kept > 0 {
      sentences.append(
        "Kept \(kept.counted(task == .quarantine ? "legacy file" : "file")).")
    }
    if isDryRun, done > 0 {
      sentences.append(
        "Nothing was changed; --apply\(task == .bringBack ? "" : " --backup FILE") does it.")
    }
    if let undo { sentences.append("To undo this: \(undo.shellText)") }
    return sentences
  }

  private var words: (would: String, did: String, place: String) {
    switch task {
    case .quarantine:
      ("Would move", "Moved", "to \(quarantine.isEmpty ? "quarantine" : quarantine)")
    case .purge: ("Would purge", "Purged", "from quarantine and restores")
    case .bringBack: ("Would bring back", "Brought back", "from \(quarantine)")
    }
  }

  private func nothing(kept: Int) -> String {
    switch task {
    case .quarantine: kept == 0 ? "Nothing to move." : "Nothing was moved."
    case .purge:
      "Nothing to purge\(kept == 0 ? ": nothing in quarantine or restores is that old" : "")."
    case .bringBack: "Nothing was brought back."
    }
  }

  private func sentence(_ verb: String, _ done: Int, _ place: String) -> String {
    "\(verb) \(done.counted("file")) (\(files.goingByteCount.byteCountText)) \(place) "
      + "(\(Duration.seconds(seconds).text))."
  }
}

extension CleanUpReport.Month {
  /// Whether it stays and some of its files are in quarantine all the same.
  fileprivate var isInPart: Bool { outcome == .kept && movedCount > 0 }
}

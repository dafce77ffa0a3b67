package import MigrationCore

extension CleanUpReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(heading: ["month", "", "files", "size"])
    for month in months {
      table.add([
        month.month, month.outcome.rawValue, month.fileCount.grouped,
        month.byteCount.byteCountText,
      ])
    }
    return [table]
  }

  package var conclusion: [String] {
    let moved = files.filter { $0.outcome == .moved }
    let purged = files.filter { $0.outcome == .purged }
    let kept = files.count { $0.outcome == .kept }
    var sentences: [String] = []
    if !purged.isEmpty {
      sentences.append(sentence(isDryRun ? "Would purge" : "Purged", purged, "from quarantine"))
    }
    if isPurge, purged.isEmpty {
      sentences.append("Nothing to purge\(kept == 0 ? ": nothing in quarantine is that old" : "").")
    } else if !isPurge, moved.isEmpty {
      sentences.append(kept == 0 ? "Nothing to move." : "Nothing was moved.")
    } else if !moved.isEmpty {
      let place = quarantine.isEmpty ? "to quarantine" : "to \(quarantine)"
      sentences.append(sentence(isDryRun ? "Would move" : "Moved", moved, place))
    }
    let keptMonths = months.count { $0.outcome == .kept }
    if keptMonths > 0 {
      sentences.append("Kept \(keptMonths.counted("month")) whole: see above.")
    } else if kept > 0 {
      sentences.append("Kept \(kept.counted(isPurge ? "file" : "legacy file")): see above.")
    }
    if isDryRun, !moved.isEmpty || !purged.isEmpty {
      sentences.append("Nothing was changed; --apply --backup FILE does it.")
    }
    return sentences
  }

  private func sentence(_ verb: String, _ files: [File], _ place: String) -> String {
    let size = files.reduce(0) { $0 + $1.byteCount }
    return "\(verb) \(files.count.counted("file")) (\(size.byteCountText)) \(place) "
      + "(\(Duration.seconds(seconds).text))."
  }
}

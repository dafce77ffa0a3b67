import Backups
import Diagnostics
import Folders
package import MigrationCore

extension BackupReport: ReadableReport {
  /// The path of the backup that was written or reused, byte for byte, as a command takes it; in a
  /// dry run where it would be written. Of a list, those that were not found to be damaged, without
  /// stores that were packed as they were.
  package var paths: [[UInt8]] {
    archives.filter {
      [.created, .reused, .fresh, .listed].contains($0.outcome) && $0.isVerified != false
        && !($0.isUnopened && $0.outcome == .listed)
    }.map { $0.absolutePath.isEmpty ? Array($0.path.utf8) : $0.absolutePath }
  }

  package var tables: [TextTable] {
    var table = TextTable(
      heading: ["made", "age", "size", "files", "verified", "", "kept by", "backup"])
    for archive in archives where ![.created, .reused, .fresh].contains(archive.outcome) {
      table.add([
        archive.madeAt, UTCText.age(of: archive.madeAt, at: SystemCalls.secondsSince1970),
        archive.byteCount.byteCountText, archive.fileCount.grouped,
        archive.isVerified.map { $0 ? "yes" : "NO" } ?? "not tried",
        archive.mark, archive.keptBy?.map(\.text).joined(separator: ", ") ?? "", archive.path,
      ])
    }
    return [table]
  }

  package var conclusion: [String] {
    var sentences: [String] = []
    for archive in archives {
      let content = "\(archive.fileCount.counted("file")), \(archive.byteCount.byteCountText)"
      switch archive.outcome {
      case .created:
        sentences.append(
          isDryRun
            ? "Would write \(archive.path) (\(content))."
            : "Wrote \(archive.path) (\(content)), read back and verified "
              + "(\(Duration.seconds(seconds).text)).")
      case .reused:
        sentences.append("Reused \(archive.path) (\(content)): it holds the folder as it is now.")
      case .fresh:
        sentences.append(
          "Made no backup: \(archive.path) (\(content)) verifies and is young enough.")
      case .listed, .kept, .dropped: break
      }
    }
    if sentences.isEmpty, !archives.contains(where: { $0.outcome == .dropped }) {
      sentences.append(archives.count.counted("backup") + ".")
    }
    let dropped = archives.count { $0.outcome == .dropped || $0.wouldDrop }
    if dropped > 0 {
      let isDone = !isDryRun && !archives.contains(where: \.wouldDrop)
      sentences.append("\(isDone ? "Dropped" : "Would drop") \(dropped.counted("older backup")).")
    }
    return sentences
  }
}

extension BackupReport.Archive {
  /// What a row says of it in a word.
  fileprivate var mark: String {
    if isMadeByApp { return "by the app" }
    if isUnopened { return "as it was" }
    if wouldDrop { return "would go" }
    return outcome == .listed ? "" : outcome.rawValue
  }
}

extension RestoreReport: ReadableReport {
  package var tables: [TextTable] {
    if outcome == .listed {
      var table = TextTable(heading: ["bytes", "path"])
      for entry in entries { table.add([entry.byteCount.grouped, entry.path]) }
      return [table]
    }
    var table = TextTable(heading: ["bytes", "", "path", "the old one"])
    for entry in entries {
      guard let outcome = entry.outcome else { continue }
      table.add([entry.byteCount.grouped, outcome.rawValue, entry.path, entry.setAside])
    }
    return [table]
  }

  /// What was proven of what was brought back.
  private var proof: String {
    isCopyOfApp
      ? "equal to the app's copy, which SQLite found whole and which has no hashes"
      : "every hash verified"
  }

  package var conclusion: [String] {
    let moved = entries.filter { $0.outcome != .unchanged }
    let unchanged = entries.count - moved.count
    let size = moved.reduce(0) { $0 + $1.byteCount }
    let content = "\(moved.count.counted("entry", "entries")), \(size.byteCountText)"
    let time = Duration.seconds(seconds).text
    var sentences: [String] = []
    if finishedEarlierRestore {
      sentences.append(
        "\(isDryRun ? "Would finish" : "Finished") an earlier, interrupted restore.")
    }
    if abortedEarlierRestore {
      sentences.append(
        isDryRun
          ? "Would put back what an earlier, interrupted restore had moved."
          : "Put back what an earlier, interrupted restore had moved.")
    }
    if gaveUpWaiting {
      sentences.append(
        isDryRun
          ? "Would give up the restore that waits: nothing of it was moved."
          : "Gave up the restore that waited: nothing of it had been moved.")
    }
    switch outcome {
    case .listed: sentences.append(content + ".")
    case .checked where isCopyOfApp:
      sentences.append(
        "The database is whole as SQLite checks it: \(content) (\(time)). A copy that an app made has no "
          + "hashes, so nobody can tell whether a value in it was changed.")
    case .checked:
      sentences.append("Every entry has the hash it should have: \(content) (\(time)).")
    case .planned: sentences.append("Would restore \(content).")
    case .staged:
      sentences.append(
        "Unpacked \(content), \(proof); restore-backup --finish moves them to their place.")
    case .restored:
      let proof = isVerified == true ? ", \(proof)" : ""
      sentences.append("Restored \(content)\(proof) (\(time)).")
    case .finished:
      if !finishedEarlierRestore, !abortedEarlierRestore {
        sentences.append("No restore was interrupted.")
      }
    case .aborted:
      if !abortedEarlierRestore, !gaveUpWaiting { sentences.append("No restore was interrupted.") }
    }
    if unchanged > 0 {
      sentences.append("Left \(unchanged.counted("entry", "entries")) alone: nothing differs.")
    }
    if !setAside.isEmpty {
      let isWhole = entries.allSatisfy { $0.outcome == nil }
      sentences.append(
        "Set aside \(isWhole ? "what the folder held" : "what was in the way") in \(setAside).")
    }
    return sentences
  }
}

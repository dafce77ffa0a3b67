import Diagnostics
package import MigrationCore

extension BackupReport: ReadableReport {
  /// The path of the backup that was written or reused, byte for byte, as a command takes it; in a
  /// dry run where it would be written. Of a list, those that were not found to be damaged.
  package var paths: [[UInt8]] {
    archives.filter {
      [.created, .reused, .listed].contains($0.outcome) && $0.isVerified != false
    }.map { $0.absolutePath.isEmpty ? Array($0.path.utf8) : $0.absolutePath }
  }

  package var tables: [TextTable] {
    var table = TextTable(
      heading: ["made", "age", "size", "files", "verified", "", "backup"])
    for archive in archives where archive.outcome != .created && archive.outcome != .reused {
      table.add([
        archive.madeAt, Age.text(of: archive.madeAt, at: SystemCalls.secondsSince1970),
        archive.byteCount.byteCountText, archive.fileCount.grouped,
        archive.isVerified.map { $0 ? "yes" : "NO" } ?? "not tried",
        archive.outcome == .listed ? "" : archive.outcome.rawValue, archive.path,
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
      case .listed, .kept, .dropped: break
      }
    }
    let dropped = archives.count { $0.outcome == .dropped }
    if dropped > 0 {
      sentences.append(
        "\(isDryRun ? "Would drop" : "Dropped") \(dropped.counted("older backup")).")
    }
    return sentences.isEmpty ? [archives.count.counted("backup") + "."] : sentences
  }
}

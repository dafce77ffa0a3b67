import Diagnostics
import Runs

/// Documents of months that were purged from quarantine: they are in no JSON, but backups may hold them.
struct PurgedDocuments: Hashable, Sendable {
  /// How many of them a backup holds that no earlier one of the list does.
  struct Holder: Hashable, Sendable {
    var backup: String
    var count: Int
  }

  private(set) var holders: [Holder] = []
  /// How many are in none of the backups.
  private(set) var lostCount: Int

  /// Looks for documents in backups, in the order of these, until all are found.
  init(
    _ paths: Set<String>, in backups: [String],
    entries: (_ backup: String) throws(MigrationError) -> Set<String>
  ) throws(MigrationError) {
    var left = paths
    for backup in backups where !left.isEmpty {
      let held = try left.intersection(entries(backup))
      if held.isEmpty { continue }
      holders.append(Holder(backup: backup, count: held.count))
      left.subtract(held)
    }
    lostCount = left.count
  }

  /// What is told of them, and of backups and places that nobody could look at.
  func lines(unseen: [String] = []) -> [String] {
    if holders.isEmpty, lostCount == 0 { return [] }
    var lines = ["Months that were purged from quarantine are in no JSON:"]
    for holder in holders {
      let list = NextCommand(.restoreBackup, [holder.backup, "--list"])
      lines.append("  \(holder.count.grouped) of their documents: \(list.shellText)")
    }
    if lostCount > 0 {
      lines.append("  \(lostCount.grouped) of their documents: in no backup that is found here")
      lines += unseen.map { "  not looked at: \($0)" }
    }
    return lines
  }
}

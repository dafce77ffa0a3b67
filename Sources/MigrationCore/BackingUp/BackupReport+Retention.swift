import Backups
import Diagnostics
import Folders
import SafeFiles

extension BackupReport {
  /// Reads backups whole, notes those that do not verify, and returns by their paths which do.
  mutating func verify(
    _ items: [BackupStore.Item], context: BackupContext
  ) throws(BackupError) -> [String: Bool] {
    var isSound: [String: Bool] = [:]
    for item in items {
      do throws(BackupError) {
        _ = try item.archive.verify(context: context)
        isSound[item.archive.path] = true
      } catch {
        if case .interrupted = error { throw error }
        isSound[item.archive.path] = false
        findings.append(
          Finding(
            .unverifiedBackup, .error, path: item.archive.path,
            message: error.diagnostic.problem,
            next: "make a new backup; keep this one until that verifies"))
      }
    }
    return isSound
  }

  /// Adds the backups, with what keeps each of them, and which ones a run would drop.
  mutating func list(_ retention: Retention, in store: BackupStore) throws(BackupError) {
    for decision in retention.decisions {
      var archive = Archive(decision.item, .listed, isVerified: decision.isVerified)
      archive.absolutePath = try decision.item.archive.absolutePath()
      archive.keptBy = decision.reasons
      archive.wouldDrop = decision.isDropped
      archives.append(archive)
    }
    noteSize(retention, in: store)
  }

  /// Drops the backups that a retention gives up, unless that is only to be shown, and adds all of
  /// them but the one that the report begins with: that was made before, or is to be made.
  mutating func carryOut(
    _ retention: Retention, in store: BackupStore, made: VerifiedBackup?
  ) throws(BackupError) {
    if !archives.isEmpty, !retention.reasonsForUpcoming.isEmpty {
      archives[0].keptBy = retention.reasonsForUpcoming
    }
    for decision in retention.decisions {
      if let made, decision.item.state.isSameFile(as: made.state) {
        archives[0].keptBy = decision.reasons
        continue
      }
      var reasons = decision.reasons
      if decision.isDropped, !isDryRun, try !store.drop(decision.item) {
        reasons = [.inUse]
        findings.append(Self.inUse(decision.item))
      }
      let isDropped = decision.isDropped && reasons.isEmpty
      var archive = Archive(
        decision.item, isDropped ? .dropped : .kept, isVerified: decision.isVerified)
      archive.keptBy = reasons
      archives.append(archive)
    }
    noteSize(retention, in: store)
    // What others go for stays until they are gone.
    withExtendedLifetime((retention, made)) {}
  }

  private mutating func noteSize(_ retention: Retention, in store: BackupStore) {
    guard let byteCount = retention.byteCountOverLimit else { return }
    findings.append(
      Finding(
        .kept, .warning, path: store.directory.path,
        message:
          "the backups that are never dropped have \(byteCount.byteCountText), which is more "
          + "than --keep-size says",
        next: "give them more with --keep-size, or move some to another place"))
  }

  private static func inUse(_ item: BackupStore.Item) -> Finding {
    Finding(
      .kept, .info, path: item.archive.path,
      message: "stays: another command relies on it, or files cannot be locked there",
      next: "run again when that is done")
  }
}

extension BackupReport.Archive {
  init(_ item: BackupStore.Item, _ outcome: Outcome, isVerified: Bool?) {
    self.init(
      path: item.archive.path, outcome: outcome, byteCount: Int(clamping: item.state.size),
      fileCount: item.summary?.fileCount ?? 0, madeAt: item.summary?.created ?? "",
      isVerified: isVerified, holdsLegacyFiles: item.summary?.holdsLegacyFiles,
      origin: item.summary?.origin, profile: item.summary?.scope.profile)
  }

  init(_ backup: VerifiedBackup, _ outcome: Outcome) throws(BackupError) {
    let summary = backup.manifest.summary
    self.init(
      path: backup.archive.path, absolutePath: try backup.archive.absolutePath(), outcome: outcome,
      byteCount: Int(clamping: try backup.archive.state().size), fileCount: summary.fileCount,
      madeAt: summary.created, isVerified: true, holdsLegacyFiles: summary.holdsLegacyFiles,
      origin: summary.origin, profile: summary.scope.profile)
  }
}

package import Folders
import SafeFiles

/// Decides which backups of a folder stay.
///
/// The newest N stay; and, whatever N is, the newest one that verifies, and the newest one that
/// verifies and holds legacy files, by the profile that it was made with, or else by that of the run;
/// where no profile was ever told, JSON of an unknown app counts. One that a purge relied on stays, because it may be the only
/// place that holds what was purged; one whose manifest cannot be read stays too: nobody knows what
/// it is. If none verifies, all stay. One that may have been made of another copy of the folder
/// stays, and lets no other go.
package struct Retention: Sendable {
  /// Why a backup stays.
  package enum Reason: String, Hashable, Sendable {
    /// It is among the newest.
    case recent
    /// It is the newest that verifies.
    case newestVerified
    /// It is the newest that verifies and holds legacy files.
    case newestWithLegacyFiles
    /// Files were purged because it holds them.
    case reliedOn
    /// Its manifest cannot be read.
    case unreadable
    /// No backup verifies.
    case noneVerified
    /// It may have been made of another folder with the same content.
    case ofAnotherCopy
  }

  /// What becomes of one backup.
  package struct Decision: Sendable {
    /// The backup.
    package let item: BackupStore.Item
    /// Why it stays; nil if it goes.
    package let reason: Reason?
    /// Whether it was read whole and is sound; nil if that did not matter.
    package let isVerified: Bool?
  }

  /// The decisions, newest backup first.
  package let decisions: [Decision]
  /// The sound backups for which others may go; nobody else drops them as long as this is kept.
  private let reliedOn: [VerifiedBackup]

  /// Decides for the backups of a store, newest first; reads as many of them as it must.
  ///
  /// `verified` is one that was read whole in this run already.
  package init(
    _ items: [BackupStore.Item], keeping count: Int, of kinds: EntityKinds = .minuta,
    verified: VerifiedBackup? = nil, context: BackupContext = BackupContext()
  ) throws(BackupError) {
    func isVerified(_ item: BackupStore.Item) -> Bool {
      verified.map { item.state.isSameFile(as: $0.state) } ?? false
    }
    var checked: [String: Bool] = [:]
    var reliedOn: [VerifiedBackup] = []
    func isSound(_ item: BackupStore.Item) throws(BackupError) -> Bool {
      if isVerified(item) { return true }
      if let known = checked[item.archive.path] { return known }
      do throws(BackupError) {
        // The first that is sound ends the search, so each of these is needed.
        reliedOn.append(try item.archive.verify(context: context))
        checked[item.archive.path] = true
        return true
      } catch {
        if case .interrupted = error { throw error }
        checked[item.archive.path] = false
        return false
      }
    }
    func isMarked(_ item: BackupStore.Item) throws(BackupError) -> Bool {
      do { return try KeepMark(of: item.archive).isThere() } catch { throw .file(error) }
    }
    func firstSound(_ items: [BackupStore.Item]) throws(BackupError) -> String? {
      for item in items where try isSound(item) { return item.archive.path }
      return nil
    }
    let readable = items.filter { $0.summary != nil && $0.bond == .own }
    let newest = try firstSound(readable)
    var newestWithLegacyFiles: String?
    for item in readable where newestWithLegacyFiles == nil {
      guard try Self.holdsLegacyFiles(item, of: kinds) else { continue }
      newestWithLegacyFiles = try firstSound([item])
    }
    let recent = Set(readable.prefix(max(count, 1)).map(\.archive.path))
    var decisions: [Decision] = []
    for item in items {
      let reason: Reason? =
        if item.summary == nil {
          .unreadable
        } else if item.bond != .own {
          .ofAnotherCopy
        } else if recent.contains(item.archive.path) {
          .recent
        } else if newest == nil {
          .noneVerified
        } else if item.archive.path == newest {
          .newestVerified
        } else if item.archive.path == newestWithLegacyFiles {
          .newestWithLegacyFiles
        } else if try isMarked(item) {
          .reliedOn
        } else {
          nil
        }
      let isKnownSound = isVerified(item) ? true : checked[item.archive.path]
      decisions.append(Decision(item: item, reason: reason, isVerified: isKnownSound))
    }
    self.decisions = decisions
    self.reliedOn = reliedOn
  }

  private static func holdsLegacyFiles(
    _ item: BackupStore.Item, of kinds: EntityKinds
  ) throws(BackupError) -> Bool {
    guard let summary = item.summary else { return false }
    if summary.holdsLegacyFiles || summary.scope.profile != nil { return summary.holdsLegacyFiles }
    let manifest: BackupManifest
    do throws(BackupError) { manifest = try item.archive.manifest() } catch {
      if case .interrupted = error { throw error }
      // What is damaged does not verify, either.
      return false
    }
    return kinds.toldName == nil
      ? manifest.mayHoldForeignJSON : manifest.holdsLegacyFiles(of: kinds)
  }
}

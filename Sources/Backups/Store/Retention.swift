package import Folders
package import SafeFiles

/// Which backups of a folder stay, by a policy and by what is in them.
///
/// A backup that a purge relied on stays, because it may be the only place that holds what was purged;
/// so does one that holds rows which were gone by the next, or files that the store has lost. One whose
/// manifest cannot be read stays, too: nobody knows what it is. One that may have been made of another
/// copy of the folder stays, and lets no other go: neither counts for the policy.
package struct Retention: Sendable {
  /// What becomes of one backup.
  package struct Decision: Sendable {
    /// The backup.
    package let item: BackupStore.Item
    /// Why it stays; nothing if it goes, or if the policy lets everything stay.
    package let reasons: [RetentionPolicy.Reason]
    /// Whether it goes.
    package let isDropped: Bool
    /// Whether it was read whole and is sound; nil if that did not matter.
    package let isVerified: Bool?
  }

  /// The decisions, newest backup first.
  package let decisions: [Decision]
  /// Why the backup stays that is yet to be made.
  package let reasonsForUpcoming: [RetentionPolicy.Reason]
  /// Whether there are backups that stay only because of the obstacles.
  package let isHeldBack: Bool
  /// How many bytes those have together that are never dropped, if that is more than they may have.
  package let byteCountOverLimit: Int64?
  /// The sound backups for which others may go; nobody else drops them as long as this is kept.
  private let reliedOn: [VerifiedBackup]

  /// Decides for the backups of a store, newest first; reads as many of them as it must, and none
  /// whole if nothing can go.
  ///
  /// Whether a backup holds legacy files is told by the profile that it was made with, or else by that
  /// of the run; where no profile was ever told, JSON of an unknown app counts.
  ///
  /// - Parameters:
  ///   - upcoming: what a backup will hold that is to be made, and will be the newest.
  ///   - withLostFiles: the numbers of backups that hold files which their store names and no longer has.
  ///   - obstacles: why none goes, whatever the policy says.
  ///   - soundness: says of a backup that was read whole in this run whether it is sound.
  package init(
    _ items: [BackupStore.Item], by policy: RetentionPolicy, at now: FileTime,
    of kinds: EntityKinds = .minuta, upcoming: BackupManifest? = nil,
    withLostFiles: Set<Int> = [], obstacles: [RetentionPolicy.Reason] = [],
    context: BackupContext = BackupContext(),
    knowing soundness: (BackupStore.Item) -> Bool? = { _ in nil }
  ) throws(BackupError) {
    let own = items.indices.filter { items[$0].summary != nil && items[$0].bond == .own }
    var search = SoundnessSearch(
      own.map { items[$0] }, soundness, isReading: !policy.isEmpty, of: kinds, context)
    try search.run(before: upcoming)
    let lost = Self.rowsLost(since: items, before: upcoming)
    var backups: [RetentionPolicy.Backup] = []
    for (position, index) in own.enumerated() {
      var exemptions: [RetentionPolicy.Reason] = []
      if try Self.isMarked(items[index]) { exemptions.append(.inUse) }
      exemptions += lost[index] ?? []
      if withLostFiles.contains(index) { exemptions.append(.holdsLostFiles) }
      backups.append(
        RetentionPolicy.Backup(
          made: items[index].made, byteCount: items[index].state.size,
          isVerified: search.isSound[position],
          holdsLegacyFiles: search.withLegacyFiles.contains(position), exemptions: exemptions))
    }
    if let upcoming {
      // Only a size asks for the length, which nobody knows of one that is compressed.
      let length = policy.byteCount.map { _ in ArchiveLayout(upcoming, threads: 1).length }
      backups.insert(
        RetentionPolicy.Backup(
          made: now, byteCount: length ?? 0, isVerified: true,
          holdsLegacyFiles: search.holdsLegacyFiles(upcoming)), at: 0)
    }
    var reasons = policy.reasons(toKeep: backups, at: now)
    let byteCount = RetentionPolicy.byteCount(of: backups, keptBy: reasons)
    byteCountOverLimit = policy.byteCount.flatMap { byteCount > $0 ? byteCount : nil }
    isHeldBack = !obstacles.isEmpty && !policy.isEmpty && reasons.contains { $0.isEmpty }
    reasonsForUpcoming = upcoming == nil ? [] : reasons.removeFirst()
    reliedOn = search.reliedOn
    var decisions = items.map { item in
      Decision(
        item: item, reasons: [item.summary == nil ? .unreadable : .ofAnotherCopy],
        isDropped: false, isVerified: soundness(item))
    }
    for (position, index) in own.enumerated() {
      let goes = !policy.isEmpty && reasons[position].isEmpty
      decisions[index] = Decision(
        item: items[index], reasons: goes ? obstacles : reasons[position],
        isDropped: goes && obstacles.isEmpty, isVerified: search.isSound[position])
    }
    self.decisions = decisions
  }

  private static func isMarked(_ item: BackupStore.Item) throws(BackupError) -> Bool {
    do { return try KeepMark(of: item.archive).isThere() } catch { throw .file(error) }
  }

  /// Returns which backups hold rows of a store that were gone by the next one, and which ones tell that:
  /// without those the store might be the same again by then.
  private static func rowsLost(
    since items: [BackupStore.Item], before upcoming: BackupManifest?
  ) -> [Int: [RetentionPolicy.Reason]] {
    var reasons: [Int: [RetentionPolicy.Reason]] = [:]
    var newer = (store: upcoming?.summary.store, index: Int?.none)
    for (index, item) in items.enumerated() {
      guard let then = item.summary?.store else { continue }
      if newer.store?.lacksRows(of: then) ?? false {
        reasons[index, default: []].append(.holdsLostRows)
        if let teller = newer.index { reasons[teller, default: []].append(.tellsLostRows) }
      }
      newer = (then, index)
    }
    return reasons
  }
}

/// Reads backups until those are known that stay because they verify.
private struct SoundnessSearch {
  /// Whether each was read whole and is sound; nil if that is not known.
  private(set) var isSound: [Bool?]
  /// Which hold legacy files, as far as that was looked at.
  private(set) var withLegacyFiles: Set<Int> = []
  /// Those that were found to be sound, each of which is needed: the first one ends a search.
  private(set) var reliedOn: [VerifiedBackup] = []

  private let items: [BackupStore.Item]
  private let isReading: Bool
  private let kinds: EntityKinds
  private let context: BackupContext

  init(
    _ items: [BackupStore.Item], _ soundness: (BackupStore.Item) -> Bool?, isReading: Bool,
    of kinds: EntityKinds, _ context: BackupContext
  ) {
    (self.items, self.isReading, self.kinds, self.context) = (items, isReading, kinds, context)
    isSound = items.map(soundness)
  }

  /// Finds the newest sound backup, and the newest sound one with legacy files; what is to be made is
  /// sound.
  mutating func run(before upcoming: BackupManifest?) throws(BackupError) {
    if upcoming == nil {
      for index in items.indices where try look(index) { break }
    }
    if let upcoming, holdsLegacyFiles(upcoming) { return }
    for index in items.indices where isSound[index] ?? isReading {
      guard try holdsLegacyFiles(items[index]) else { continue }
      withLegacyFiles.insert(index)
      if try look(index) { break }
    }
  }

  private mutating func look(_ index: Int) throws(BackupError) -> Bool {
    if let known = isSound[index] { return known }
    guard isReading else { return false }
    do throws(BackupError) {
      reliedOn.append(try items[index].archive.verify(context: context))
      isSound[index] = true
      return true
    } catch {
      if case .interrupted = error { throw error }
      isSound[index] = false
      return false
    }
  }

  private func holdsLegacyFiles(_ item: BackupStore.Item) throws(BackupError) -> Bool {
    guard let summary = item.summary else { return false }
    // What the summary says needs no look at each name.
    if summary.holdsLegacyFiles || summary.scope.profile != nil { return summary.holdsLegacyFiles }
    do throws(BackupError) { return holdsLegacyFiles(try item.archive.manifest()) } catch {
      if case .interrupted = error { throw error }
      // What is damaged does not verify, either.
      return false
    }
  }

  func holdsLegacyFiles(_ manifest: BackupManifest) -> Bool {
    let summary = manifest.summary
    if summary.holdsLegacyFiles || summary.scope.profile != nil { return summary.holdsLegacyFiles }
    return kinds.toldName == nil
      ? manifest.mayHoldForeignJSON : manifest.holdsLegacyFiles(of: kinds)
  }
}

extension BackupStore.Item {
  /// When it was made, as its manifest says; nil if nobody can tell, or if the name tells nonsense.
  fileprivate var made: FileTime? {
    guard name.moment != nil, let summary else { return nil }
    return RFC3339(summary.created).map { FileTime(seconds: $0.milliseconds / 1000) }
  }
}

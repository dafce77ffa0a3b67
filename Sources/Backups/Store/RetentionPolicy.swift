package import Folders
package import SafeFiles

/// Which backups of a folder are to stay: a backup stays if one of the rules keeps it, and what stays
/// is then made to fit in a size.
///
/// Days and months are those of UTC. The rules go by values alone, so the same backups and the same
/// time give the same answer.
package struct RetentionPolicy: Hashable, Sendable {
  /// How many of the newest stay; nil if that is no rule, as with the others.
  package var count: Int?
  /// How old the backups are at most that stay.
  package var within: Age?
  /// Of how many days the newest backup stays: the last ones that have a backup.
  package var dayCount: Int?
  /// Of how many months the newest backup stays, likewise.
  package var monthCount: Int?
  /// How many bytes all that stay may have together. The oldest ones go until they fit.
  package var byteCount: Int64?

  /// Creates a policy without a rule, by which everything stays.
  package init() {}

  /// Whether no backup ever goes.
  package var isEmpty: Bool { self == RetentionPolicy() }

  /// Why a backup stays.
  package enum Reason: Hashable, Sendable {
    /// It is the newest that verifies.
    case newestVerified
    /// It is the newest that verifies and holds legacy files.
    case holdsLegacyFiles
    /// It is the newest, and not known to verify.
    case newest
    /// Files were purged because it holds them, or another command relies on it just now.
    case inUse
    /// It holds the rows of a store that were gone by the next one.
    case holdsLostRows
    /// It tells that rows were gone which the one before it holds.
    case tellsLostRows
    /// It holds files that its store names and no longer has.
    case holdsLostFiles
    /// No backup verifies.
    case noneVerified
    /// It is among as many of the newest as are to stay.
    case count
    /// It is not older than that.
    case within(Age)
    /// It is the newest of its day.
    case daily
    /// It is the newest of its month.
    case monthly
    /// When it was made is not known, or lies in the future, so it has neither an age nor a day.
    case undated
    /// It fits in the size that all may have together, and there is no other rule.
    case size
    /// Its manifest cannot be read.
    case unreadable
    /// It may have been made of another folder with the same content.
    case ofAnotherCopy
    /// A document of the folder does not load, so an older backup may be the last that holds it whole.
    case damagedDocument
    /// A step of a plan is unfinished in the folder, and an older backup holds it as it was before.
    case unfinishedStep
    /// A file of the folder is a link or not downloaded, so an older backup may be the last that holds it.
    case contentElsewhere
    /// Some of the backups were made with a profile that this run was not told.
    case otherProfile
    /// It is no backup that a rule is about: a copy that the app made, or the files of a store as
    /// they were.
    case outsideRules

    /// The reason as reports write it.
    package var text: String {
      switch self {
      case .newestVerified: "newest verified"
      case .holdsLegacyFiles: "holds legacy files"
      case .newest: "newest"
      case .inUse: "in use"
      case .holdsLostRows: "holds lost rows"
      case .tellsLostRows: "tells of lost rows"
      case .holdsLostFiles: "holds lost files"
      case .noneVerified: "none verified"
      case .count: "count"
      case .within(let age): "within \(age.text)"
      case .daily: "daily"
      case .monthly: "monthly"
      case .undated: "time unknown"
      case .size: "size"
      case .unreadable: "unreadable"
      case .ofAnotherCopy: "of another copy"
      case .damagedDocument: "damaged document"
      case .unfinishedStep: "unfinished step"
      case .contentElsewhere: "content elsewhere"
      case .otherProfile: "other profile"
      case .outsideRules: "never dropped"
      }
    }
  }

  /// What the rules look at of one backup.
  package struct Backup: Hashable, Sendable {
    /// When it was made; nil if nobody can tell.
    package var made: FileTime?
    /// Its size.
    package var byteCount: Int64
    /// Whether it verifies; nil if nobody looked.
    package var isVerified: Bool?
    /// Whether it holds legacy files; false is enough for one that is not known to verify.
    package var holdsLegacyFiles: Bool
    /// Why it stays whatever the rules say.
    package var exemptions: [Reason] = []

    /// Describes a backup.
    package init(
      made: FileTime?, byteCount: Int64, isVerified: Bool?, holdsLegacyFiles: Bool,
      exemptions: [Reason] = []
    ) {
      (self.made, self.byteCount, self.isVerified) = (made, byteCount, isVerified)
      (self.holdsLegacyFiles, self.exemptions) = (holdsLegacyFiles, exemptions)
    }
  }

  /// Returns why each of the backups stays, which are given newest first; nothing for one that goes.
  ///
  /// Above every rule the newest one stays, the newest that verifies, the newest that verifies and holds
  /// legacy files, and what is exempt; and all do if none verifies. Without a rule everything stays, and
  /// only those are given a reason. A backup whose time is not known stays if a rule goes by times, and
  /// takes no other one's day. "Oldest" is the order that is given, which no clock decides.
  package func reasons(toKeep backups: [Backup], at now: FileTime) -> [[Reason]] {
    var reasons = protections(of: backups)
    guard !isEmpty else { return reasons }
    let isProtected = reasons.map { !$0.isEmpty }
    let days = newest(of: dayCount, backups, at: now) { UTCText.long($0).prefix(10) }
    let months = newest(of: monthCount, backups, at: now) { UTCText.long($0).prefix(7) }
    let goesByTimes = within != nil || dayCount != nil || monthCount != nil
    for (index, backup) in backups.enumerated() {
      if let count, index < count { reasons[index].append(.count) }
      if let time = backup.time(at: now) {
        if let within, now.seconds - time.seconds <= within.seconds {
          reasons[index].append(.within(within))
        }
        if days.contains(index) { reasons[index].append(.daily) }
        if months.contains(index) { reasons[index].append(.monthly) }
      } else if goesByTimes {
        reasons[index].append(.undated)
      }
      if count == nil, !goesByTimes, !isProtected[index] { reasons[index].append(.size) }
    }
    guard let byteCount else { return reasons }
    var total = Self.byteCount(of: backups, keptBy: reasons)
    for index in backups.indices.reversed() where !isProtected[index] && !reasons[index].isEmpty {
      guard total > byteCount else { break }
      total -= backups[index].byteCount
      reasons[index] = []
    }
    return reasons
  }

  /// Returns how many bytes the backups have together that stay for a reason.
  package static func byteCount(of backups: [Backup], keptBy reasons: [[Reason]]) -> Int64 {
    zip(backups, reasons).reduce(0) { sum, next in
      let (backup, reasons) = next
      guard !reasons.isEmpty else { return sum }
      // A sparse file may be said to have any size.
      let (whole, overflow) = sum.addingReportingOverflow(backup.byteCount)
      return overflow ? .max : whole
    }
  }

  /// Why backups stay whatever the rules say.
  private func protections(of backups: [Backup]) -> [[Reason]] {
    let newest = backups.firstIndex { $0.isVerified == true }
    let legacy = backups.firstIndex { $0.isVerified == true && $0.holdsLegacyFiles }
    return backups.enumerated().map { index, backup in
      var reasons: [Reason] = []
      if index == newest { reasons.append(.newestVerified) }
      if index == legacy { reasons.append(.holdsLegacyFiles) }
      if index == 0, index != newest { reasons.append(.newest) }
      if newest == nil, !isEmpty { reasons.append(.noneVerified) }
      return reasons + backup.exemptions
    }
  }

  /// Returns which backups are the newest of the last periods that have one.
  private func newest(
    of periodCount: Int?, _ backups: [Backup], at now: FileTime, in period: (FileTime) -> Substring
  ) -> Set<Int> {
    guard let periodCount else { return [] }
    var newest: [Substring: Int] = [:]
    for (index, backup) in backups.enumerated() {
      guard let time = backup.time(at: now) else { continue }
      if newest[period(time)] == nil { newest[period(time)] = index }
    }
    return Set(newest.keys.sorted(by: >).prefix(periodCount).compactMap { newest[$0] })
  }
}

extension RetentionPolicy.Backup {
  /// When it was made, unless a clock was wrong then or is now.
  fileprivate func time(at now: FileTime) -> FileTime? {
    made.flatMap { $0.seconds <= now.seconds ? $0 : nil }
  }
}

import Backups
import FileFaults
import Folders
import SafeFiles
import Testing

/// The rules by which backups stay, over values alone.
@Suite struct RetentionPolicyTests {
  private static let now = time("2026-01-31T12:00:00Z") ?? FileTime(seconds: 0)

  private static func time(_ text: some StringProtocol) -> FileTime? {
    RFC3339(text).map { FileTime(seconds: $0.milliseconds / 1000) }
  }

  /// Backups, newest first, a line each: `TIME SIZE MARKS`. The marks: it verifies (`v`) or does not
  /// (`x`), holds legacy files (`l`), is relied on (`u`), has rows that were gone later (`r`).
  private static func backups(_ lines: [String]) -> [RetentionPolicy.Backup] {
    lines.map { line in
      let words = line.split(separator: " ")
      let marks = words.count > 2 ? words[2] : ""
      return RetentionPolicy.Backup(
        made: time(words[0]), byteCount: Int64(words[1]) ?? 0,
        isVerified: marks.contains("v") ? true : marks.contains("x") ? false : nil,
        holdsLegacyFiles: marks.contains("l"),
        exemptions: (marks.contains("u") ? [.inUse] : [])
          + (marks.contains("r") ? [.holdsLostRows] : []))
    }
  }

  /// A policy, backups, and why each of them stays; nothing for one that goes.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let policy: RetentionPolicy
    let backups: [String]
    let reasons: [String]

    init(
      _ name: String, _ backups: [String], _ reasons: [String],
      _ adapt: (inout RetentionPolicy) -> Void
    ) {
      var policy = RetentionPolicy()
      adapt(&policy)
      (testDescription, self.policy, self.backups, self.reasons) = (name, policy, backups, reasons)
    }
  }

  static let rows: [Row] = [
    Row(
      "without a rule everything stays, and what never goes is named",
      ["2026-01-31T10:00:00Z 5 v", "2026-01-30T10:00:00Z 5", "2026-01-29T10:00:00Z 5 vl"],
      ["newest verified", "", "holds legacy files"]
    ) { _ in },
    Row(
      "the newest stay by their count",
      ["2026-01-31T10:00:00Z 5 vl", "2026-01-30T10:00:00Z 5", "2026-01-29T10:00:00Z 5"],
      ["newest verified, holds legacy files, count", "count", ""]
    ) { $0.count = 2 },
    Row(
      "an age is counted to the second",
      [
        "2026-01-31T12:00:00Z 5 v", "2026-01-30T12:00:00Z 5", "2026-01-30T11:59:59Z 5",
        "1969-12-31T23:59:59Z 5",
      ],
      ["newest verified, within 24h", "within 24h", "", ""]
    ) { $0.within = Age("24h") },
    Row(
      "of several on one day the newest stays, and days without any do not count",
      [
        "2026-01-31T10:00:00Z 5 v", "2026-01-31T09:00:00Z 5", "2026-01-20T23:59:59Z 5",
        "2026-01-20T00:00:00Z 5", "2026-01-19T23:59:59Z 5",
      ],
      ["newest verified, daily", "", "daily", "", ""]
    ) { $0.dayCount = 2 },
    Row(
      "of several in one month the newest stays, and so over the end of a year",
      [
        "2026-01-31T10:00:00Z 5 v", "2026-01-01T00:00:00Z 5", "2025-12-31T23:59:59Z 5",
        "2025-12-01T00:00:00Z 5", "2025-03-01T00:00:00Z 5", "2025-02-28T00:00:00Z 5",
      ],
      ["newest verified, monthly", "", "monthly", "", "monthly", ""]
    ) { $0.monthCount = 3 },
    Row(
      "one rule is enough, and each that keeps a backup is named",
      [
        "2026-01-31T10:00:00Z 5 v", "2026-01-31T09:00:00Z 5", "2026-01-30T09:00:00Z 5",
        "2026-01-10T09:00:00Z 5", "2026-01-09T09:00:00Z 5", "2025-12-09T09:00:00Z 5 vl",
        "2025-11-09T09:00:00Z 5",
      ],
      [
        "newest verified, count, within 2d, daily, monthly", "count, within 2d",
        "within 2d, daily", "daily", "", "holds legacy files, monthly", "",
      ]
    ) {
      ($0.count, $0.within, $0.dayCount, $0.monthCount) = (2, Age("2d"), 3, 2)
    },
    Row(
      "what does not verify is no reason for others to go",
      ["2026-01-31T10:00:00Z 5 x", "2026-01-30T10:00:00Z 5 xl", "2026-01-29T10:00:00Z 5 v"],
      ["newest, count", "", "newest verified"]
    ) { $0.count = 1 },
    Row(
      "nothing goes while nothing verifies",
      ["2026-01-31T10:00:00Z 5 x", "2020-01-30T10:00:00Z 5 x", "2020-01-29T10:00:00Z 5"],
      ["newest, none verified, within 1d", "none verified", "none verified"]
    ) { ($0.within, $0.byteCount) = (Age("1d"), 1) },
    Row(
      "what somebody relies on stays, and so do rows that were gone later",
      ["2026-01-31T10:00:00Z 5 v", "2020-01-30T10:00:00Z 5 u", "2020-01-29T10:00:00Z 5 r"],
      ["newest verified, count", "in use", "holds lost rows"]
    ) { ($0.count, $0.byteCount) = (1, 1) },
    Row(
      "a time that is not known, or lies in the future, takes no day and makes nothing go",
      [
        "2026-01-31T10:00:00Z 5 v", "- 5", "2099-01-31T10:00:00Z 5", "2026-01-30T10:00:00Z 5",
        "2026-01-29T10:00:00Z 5",
      ],
      ["newest verified, daily", "time unknown", "time unknown", "daily", ""]
    ) { $0.dayCount = 2 },
    Row(
      "a time that is not known does not matter to a count",
      ["2026-01-31T10:00:00Z 5 v", "- 5", "2099-01-31T10:00:00Z 5"],
      ["newest verified, count", "count", ""]
    ) { $0.count = 2 },
    Row(
      "the oldest go until the rest fits in the size",
      [
        "2026-01-31T10:00:00Z 5 v", "2026-01-30T10:00:00Z 6", "2026-01-29T10:00:00Z 7",
        "2026-01-28T10:00:00Z 8 vl", "2026-01-27T10:00:00Z 9",
      ],
      ["newest verified", "size", "", "holds legacy files", ""]
    ) { $0.byteCount = 20 },
    Row(
      "what fits exactly stays",
      ["2026-01-31T10:00:00Z 5 v", "2026-01-30T10:00:00Z 5"],
      ["newest verified", "size"]
    ) { $0.byteCount = 10 },
    Row(
      "the size comes after the other rules, and counts what they keep",
      [
        "2026-01-31T10:00:00Z 5 v", "2026-01-30T10:00:00Z 5", "2026-01-29T10:00:00Z 100",
        "2025-12-28T10:00:00Z 5", "2025-11-28T10:00:00Z 5",
      ],
      ["newest verified, count, monthly", "count", "", "monthly", ""]
    ) { ($0.count, $0.monthCount, $0.byteCount) = (2, 3, 15) },
    Row(
      "the oldest is who stands last, whatever the clock said",
      ["2020-01-31T10:00:00Z 5 v", "2021-01-30T10:00:00Z 5", "2026-01-29T10:00:00Z 5"],
      ["newest verified", "size", ""]
    ) { $0.byteCount = 10 },
    Row(
      "what never goes stays, although it does not fit",
      ["2026-01-31T10:00:00Z 5 v", "2026-01-30T10:00:00Z 5", "2026-01-29T10:00:00Z 5 vl"],
      ["newest verified, count", "", "holds legacy files, count"]
    ) { ($0.count, $0.byteCount) = (3, 1) },
    Row("there may be none", [], []) { $0.count = 1 },
  ]

  @Test(arguments: rows)
  func `a rule says which backups stay, and why`(row: Row) {
    let reasons = row.policy.reasons(toKeep: Self.backups(row.backups), at: Self.now)
    #expect(reasons.map { $0.map(\.text).joined(separator: ", ") } == row.reasons)
  }

  @Test func `sizes beyond all measure are added all the same`() {
    let backups = Self.backups([
      "2026-01-31T10:00:00Z \(Int64.max) v", "2026-01-30T10:00:00Z \(Int64.max)",
    ])
    var policy = RetentionPolicy()
    policy.byteCount = 1
    let reasons = policy.reasons(toKeep: backups, at: Self.now)
    #expect(reasons == [[.newestVerified], []])
    #expect(RetentionPolicy.byteCount(of: backups, keptBy: [[.size], [.size]]) == .max)
  }

  // MARK: What holds for all backups

  private static func somePolicy(_ random: inout TestRandom) -> RetentionPolicy {
    var policy = RetentionPolicy()
    if random.isOne(in: 2) { policy.count = 1 + random.number(below: 6) }
    if random.isOne(in: 2) { policy.within = Age("\(1 + random.number(below: 40))d") }
    if random.isOne(in: 2) { policy.dayCount = 1 + random.number(below: 5) }
    if random.isOne(in: 2) { policy.monthCount = 1 + random.number(below: 4) }
    if random.isOne(in: 3) { policy.byteCount = Int64(1 + random.number(below: 60)) }
    return policy
  }

  private static func someBackups(_ random: inout TestRandom) -> [RetentionPolicy.Backup] {
    (0..<random.number(below: 14)).map { _ in
      // Hours over four months and a little of the future; the order is not that of the times.
      let made = FileTime(seconds: now.seconds + Int64(48 - random.number(below: 2_900)) * 3_600)
      return RetentionPolicy.Backup(
        made: random.isOne(in: 8) ? nil : made, byteCount: Int64(random.number(below: 20)),
        isVerified: random.isOne(in: 3) ? true : random.isOne(in: 2) ? false : nil,
        holdsLegacyFiles: random.isOne(in: 3), exemptions: random.isOne(in: 9) ? [.inUse] : [])
    }
  }

  private static func kept(
    _ backups: [RetentionPolicy.Backup], by policy: RetentionPolicy
  ) -> Set<Int> {
    let reasons = policy.reasons(toKeep: backups, at: now)
    return Set(reasons.indices.filter { policy.isEmpty || !reasons[$0].isEmpty })
  }

  private static let seeds = 0..<UInt64(2_000)

  @Test func `what is protected never goes, whatever the policy`() {
    for seed in Self.seeds {
      var random = TestRandom(seed: seed)
      let (policy, backups) = (Self.somePolicy(&random), Self.someBackups(&random))
      let kept = Self.kept(backups, by: policy)
      let sound = backups.indices.filter { backups[$0].isVerified == true }
      if sound.isEmpty { #expect(kept.count == backups.count, "seed \(seed)") }
      let protected =
        [backups.indices.first, sound.first, sound.first { backups[$0].holdsLegacyFiles }]
        .compactMap { $0 } + backups.indices.filter { !backups[$0].exemptions.isEmpty }
      #expect(kept.isSuperset(of: protected), "seed \(seed)")
    }
  }

  @Test func `a backup stays by the rules that say so, one by one`() {
    for seed in Self.seeds {
      var random = TestRandom(seed: seed)
      var policy = Self.somePolicy(&random)
      policy.byteCount = nil
      let backups = Self.someBackups(&random)
      let reasons = policy.reasons(toKeep: backups, at: Self.now)
      for (index, backup) in backups.enumerated() {
        func isNewest(of periodCount: Int?, _ length: Int) -> Bool {
          guard let periodCount, let made = backup.made, made <= Self.now else { return false }
          func period(_ time: FileTime) -> Substring { UTCText.long(time).prefix(length) }
          let dated = backups.indices.filter { backups[$0].made.map { $0 <= Self.now } ?? false }
          let periods = dated.compactMap { backups[$0].made.map(period) }
          return Set(periods.filter { $0 > period(made) }).count < periodCount
            && !zip(dated, periods).contains { $0 < index && $1 == period(made) }
        }
        let hasRule = !policy.isEmpty
        let isSound = backups.contains { $0.isVerified == true }
        let age = backup.made.map { Self.now.seconds - $0.seconds }
        #expect(
          reasons[index].contains(.count) == (index < policy.count ?? 0), "seed \(seed)")
        #expect(
          reasons[index].contains { if case .within = $0 { true } else { false } }
            == (age.map { $0 >= 0 && $0 <= policy.within?.seconds ?? -1 } ?? false),
          "seed \(seed)")
        #expect(
          reasons[index].contains(.daily) == isNewest(of: policy.dayCount, 10), "seed \(seed)")
        #expect(
          reasons[index].contains(.monthly) == isNewest(of: policy.monthCount, 7), "seed \(seed)")
        #expect(reasons[index].contains(.noneVerified) == (hasRule && !isSound), "seed \(seed)")
      }
    }
  }

  @Test func `keeping more never drops more`() {
    for seed in Self.seeds {
      var random = TestRandom(seed: seed)
      var policy = Self.somePolicy(&random)
      policy.byteCount = nil
      guard !policy.isEmpty else { continue }
      var more = policy
      // Each rule is raised, or is there where it was not.
      if random.isOne(in: 2) { more.count = (policy.count ?? 0) + 1 + random.number(below: 3) }
      if random.isOne(in: 2) {
        more.within = Age("\((policy.within?.seconds ?? 0) + random.number(below: 900_000))s")
      }
      if random.isOne(in: 2) { more.dayCount = (policy.dayCount ?? 0) + 1 }
      if random.isOne(in: 2) { more.monthCount = (policy.monthCount ?? 0) + 1 }
      let backups = Self.someBackups(&random)
      let (few, many) = (Self.kept(backups, by: policy), Self.kept(backups, by: more))
      #expect(many.isSuperset(of: few), "seed \(seed)")
    }
  }

  @Test func `more room never drops more, and no more goes than has to`() {
    for seed in Self.seeds {
      var random = TestRandom(seed: seed)
      var policy = Self.somePolicy(&random)
      policy.byteCount = nil
      let backups = Self.someBackups(&random)
      var before: Set<Int> = []
      let all = Self.kept(backups, by: policy)
      for byteCount in [1, 5, 20, 60, 300] as [Int64] {
        policy.byteCount = byteCount
        let kept = Self.kept(backups, by: policy)
        #expect(kept.isSuperset(of: before) && all.isSuperset(of: kept), "seed \(seed)")
        // What went last, the newest of what went, would not have fitted.
        if let last = all.subtracting(kept).min() {
          let total = kept.reduce(0) { $0 + backups[$1].byteCount }
          #expect(total + backups[last].byteCount > byteCount, "seed \(seed)")
        }
        before = kept
      }
    }
  }

  @Test func `a sound backup that was just made stays`() {
    for seed in Self.seeds {
      var random = TestRandom(seed: seed)
      let (policy, backups) = (Self.somePolicy(&random), Self.someBackups(&random))
      let new = RetentionPolicy.Backup(
        made: Self.now, byteCount: 5, isVerified: true, holdsLegacyFiles: true)
      #expect(Self.kept([new] + backups, by: policy).contains(0), "seed \(seed)")
    }
  }
}

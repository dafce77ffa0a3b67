import FileFaults
import Foundation
import Runs
import Testing

#if os(Linux)
  /// Two commands, or three, that meet on one place: the first is stopped at a system call, the
  /// others run meanwhile, and then it goes on or dies.
  final class Interleavings {
    /// A command or script with what it is told; `%` and a name is a path of the place.
    struct Work: Sendable, CustomStringConvertible {
      var words: [String]

      init(_ text: String) { words = text.split(separator: " ").map(String.init) }

      var description: String { words.joined(separator: " ") }
      var isDropping: Bool { words.contains("--keep") }
      var runsOthers: Bool { words[0].hasSuffix("-folder") }
    }

    struct Counts {
      /// Points at which a command was stopped.
      var stopped = 0
      /// Points that were not reached.
      var missed = 0
      /// Those of which the other one did its work, and was not told to wait.
      var met = 0
      /// Those at which the first one died.
      var killed = 0
    }

    /// What is always tried: one relies on a backup, the other one drops it or relies on it, too.
    static let gravest: [(first: Work, second: Work)] =
      beside("PURGE", "PACK", "NEIGHBOUR-PACK", "COPY-PACK", "PRUNE", "PURGE", "RESTORE")
      + beside("COPY-PURGE", "PACK", "PRUNE")

    static let pairs: [(first: Work, second: Work)] =
      gravest + beside("PURGE", "OTHER-PURGE")
      + beside("PACK", "PURGE", "PRUNE", "PACK", "MONTHS", "CLEAN", "ROLLBACK")
      + beside("PRUNE", "PURGE", "COPY-PURGE", "MONTHS")
      + beside("COPY-PACK", "PURGE") + beside("NEIGHBOUR-PACK", "PURGE", "PACK")
      + beside("RESTORE", "PURGE", "PACK", "EXPORT", "RESTORE", "REPLACE", "MERGE")
      + beside("REPLACE", "IMPORT", "PURGE") + beside("ONLY", "PURGE", "RESTORE", "IMPORT")
      + beside("HALF-FINISH", "HALF-FINISH", "HALF-RESTORE", "HALF-EXPORT", "HALF-ABORT")
      + beside("HALF-ABORT", "HALF-FINISH", "HALF-ABORT", "HALF-RESTORE", "HALF-EXPORT")
      + beside("MERGE", "IMPORT", "MERGE", "PACK", "RESTORE", "EXPORT")
      + beside("IMPORT", "MERGE", "IMPORT", "RESTORE", "EXPORT")
      + beside("MONTHS", "PRUNE", "BACK", "IMPORT", "EXPORT") + beside("BACK", "PURGE", "MONTHS")
      + beside("CLEAN", "PACK", "RESTORE", "CLEAN")
      + beside("MIGRATE", "PACK", "PURGE", "MERGE") + beside("LEGACY-MIGRATE", "LEGACY-MIGRATE")
      + beside("ROLLBACK", "PACK", "PURGE", "MERGE", "IMPORT", "ROLLBACK")
      + beside("RECOVER", "PACK", "MERGE", "PURGE")

    private static let works: [String: Work] = [
      "PACK": "pack-backup %Minuta --backup-dir %backups --keep 1 --print-path",
      "PRUNE": "pack-backup %Minuta --backup-dir %backups --prune --keep 1 --apply",
      "NEIGHBOUR-PACK":
        "pack-backup %Neighbour/Minuta --backup-dir %backups --keep 1 --print-path",
      "COPY-PACK": "pack-backup %Copy --backup-dir %backups --keep 1 --print-path",
      "PURGE": "cleanup-legacy %Minuta --purge --older-than 0d --apply --backup %@2",
      "OTHER-PURGE": "cleanup-legacy %Minuta --purge --older-than 0d --apply --backup %@1",
      "COPY-PURGE": "cleanup-legacy %Copy --purge --older-than 0d --apply --backup %@3",
      "CLEAN": "cleanup-legacy %Minuta --apply --backup %@3",
      "MONTHS": "cleanup-legacy %Minuta --months-before 2024-01 --apply --backup %@3",
      "BACK": "cleanup-legacy %Minuta --bring-back %RUN --apply",
      "RESTORE": "restore-backup %@2 --into %Minuta",
      "REPLACE": "restore-backup %@2 --into %Minuta --replacing %@3",
      "ONLY": "restore-backup %@2 --into %Minuta --only tags.automerge records/2023",
      "HALF-FINISH": "restore-backup --finish %Half",
      "HALF-ABORT": "restore-backup --abort %Half",
      "HALF-RESTORE": "restore-backup %@2 --into %Half",
      "HALF-EXPORT": "export-json %Half",
      "MERGE": "merge-conflicts %Minuta",
      "IMPORT": "import-crdt %Minuta --update",
      "EXPORT": "export-json %Minuta",
      "MIGRATE": "migrate-folder %Minuta --backup-dir %backups --cleanup --layout monthly",
      "LEGACY-MIGRATE": "migrate-folder %Legacy --backup-dir %backups --cleanup --layout monthly",
      "ROLLBACK": "rollback-folder %Minuta %@1",
      "RECOVER": "recover-folder %Minuta --backup-dir %backups --apply",
    ].mapValues(Work.init)

    private static func beside(
      _ first: String, _ others: String...
    ) -> [(first: Work, second: Work)] {
      others.compactMap { other in
        guard let first = works[first], let other = works[other] else { return nil }
        return (first, other)
      }
    }

    let place: LivedInPlace
    private(set) var counts = Counts()
    private var random: TestRandom
    private let stoppable: StoppableCommands
    private let second: StoppableCommands
    private let scripts: InstalledScripts
    private var points: [String: [StopPoint]] = [:]
    /// What an export shows of a folder that nobody writes to.
    private var exports: [String: Set<String>] = [:]

    init(seed: UInt64) throws {
      random = TestRandom(seed: seed)
      place = try LivedInPlace()
      stoppable = try StoppableCommands()
      second = try StoppableCommands()
      scripts = try InstalledScripts()
      // What runs meanwhile does not wait for a command that has been stopped.
      for name in [
        "cleanup-legacy", "import-crdt", "merge-conflicts", "pack-backup", "restore-backup",
      ] {
        try scripts.replace(name, with: #"exec "$real" "$@" --lock-timeout 0"#)
      }
    }

    /// Points of a command, so many of them or all, in an order that depends on the seed.
    func points(of work: Work, atMost count: Int) throws -> ArraySlice<StopPoint> {
      if points[work.description] == nil {
        try place.reset()
        points[work.description] = try stoppable.points(of: words(work))
      }
      return (points[work.description] ?? []).shuffled(using: &random).prefix(count)
    }

    /// Lets the second run while the first is stopped, and looks at what became of the place.
    func meet(_ first: Work, at point: StopPoint, _ other: Work, isKilled: Bool) throws {
      let story = "\(first) stopped at \(point)\(isKilled ? " and killed" : ""), meanwhile \(other)"
      let exported = try exportsAround(first, other)
      try place.reset()
      let stopped = try stoppable.start(words(first), at: point)
      guard try stopped.waitUntilStopped() != nil else {
        counts.missed += 1
        _ = try stopped.ended()
        return
      }
      let otherRun = try run(other)
      try expectKept(other, otherRun, isAlone: true, story)
      if let exported, otherRun.status == 0 {
        expectExport(Values.all(in: Array(otherRun.output.utf8)), exported, first, story)
      }
      let firstRun = try isKilled ? stopped.killed() : stopped.ended()
      counts.stopped += 1
      if otherRun.status != 75 { counts.met += 1 }
      if isKilled {
        counts.killed += 1
      } else {
        try expectKept(first, firstRun, isAlone: otherRun.status == 75, story)
      }
      let ends = "\(story); they end with \(firstRun.status) and \(otherRun.status)"
      try expectHeld("\(ends)\n\(said(firstRun))\(said(otherRun))")
      try settle([first, other], ends)
    }

    /// Stops two, lets a third run, and lets the two go on, the second first.
    func meet(_ first: Work, at point: StopPoint, _ middle: Work, at other: StopPoint, _ last: Work)
      throws
    {
      let story = "\(first) stopped at \(point), \(middle) at \(other), meanwhile \(last)"
      try place.reset()
      let stopped = try stoppable.start(words(first), at: point)
      let isFirstThere = try stopped.waitUntilStopped() != nil
      let also = try second.start(words(middle, waitsForLock: false), at: other)
      let isSecondThere = try also.waitUntilStopped() != nil
      let lastRun = try run(last)
      let runs = try [also.ended(), stopped.ended(), lastRun]
      counts.stopped += isFirstThere && isSecondThere ? 1 : 0
      counts.missed += isFirstThere && isSecondThere ? 0 : 1
      counts.met += runs.contains { $0.status == 75 } ? 0 : 1
      for (work, run) in zip([middle, first, last], runs) {
        try expectKept(work, run, isAlone: false, story)
      }
      try expectHeld("\(story)\n\(runs.map(said).joined())")
      try settle([first, middle, last], story)
    }

    // MARK: What must hold

    private static let usual: Set<Int32> = [0, 1, 65, 66, 73, 75, 78]

    /// A run ends with a status it has a meaning for, and with 0 only if what it says is so.
    private func expectKept(
      _ work: Work, _ run: CommandRun, isAlone: Bool, _ story: String
    ) throws {
      #expect(
        Self.usual.contains(run.status),
        "\(story): \(work) ended with \(run.status): \(run.errors)")
      guard run.status == 0, isAlone else { return }
      if work.words.contains("--print-path") {
        let path = run.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let check = try CommandTests.run("restore-backup", path, "--check", "--quiet")
        #expect(check.status == 0, "\(story): \(path) does not verify: \(check.errors)")
      } else if work.words[0] == "restore-backup", work.words[1].hasPrefix("%@"),
        !work.words.contains("--only")
      {
        let shown = try place.shown(in: URL(filePath: words(work)[3]))
        let held = try place.values(inBackup: words(work)[1])
        #expect(shown == held, "\(story): \(work) said that it is done")
      }
    }

    /// While a restore is at work an export shows all of before or all of after; while files change
    /// one by one, what is the same before and after is in it.
    private func expectExport(
      _ shown: Set<String>, _ exported: [Set<String>], _ first: Work, _ story: String
    ) {
      let common = exported.dropFirst().reduce(exported[0]) { $0.intersection($1) }
      let isWhole = exported.contains(shown)
      #expect(
        isWhole || first.words[0] != "restore-backup" && common.isSubset(of: shown),
        "\(story): the export shows \(shown.sorted()), neither before nor after")
    }

    private func expectHeld(_ story: String) throws {
      let lost = try place.lost()
      guard !lost.isEmpty else {
        return #expect(try place.danglingMarks().isEmpty, "\(story)")
      }
      let verified = try scripts.run("verify-counts", place.folder.path)
      Issue.record("lost \(lost): \(story)\nverify-counts then says \(verified.status)")
    }

    /// What was interrupted or refused is done when it is run again, and leaves nothing behind.
    private func settle(_ works: [Work], _ story: String) throws {
      let folders = Set(
        works.flatMap(\.words).filter {
          ["%Minuta", "%Copy", "%Half", "%Legacy", "%Neighbour/Minuta"].contains($0)
        }
      ).map { place.path(String($0.dropFirst())) }
      for folder in folders.sorted() {
        try expectDone(["restore-backup", "--finish", folder], story)
      }
      // The other way round, so that the first is not always the first.
      for var work in works.reversed() {
        // What went back with a backup that was dropped goes back with another.
        if work.words[0] == "rollback-folder", !exists(words(work)[2]), let newest = newestBackup {
          work.words[2] = newest
        }
        let again = try run(work)
        #expect(
          Self.usual.contains(again.status),
          "\(story); \(work) again ends with \(again.status): \(again.errors)")
      }
      for folder in folders.sorted() {
        try expectDone(["restore-backup", "--finish", folder], story)
        try expectDone(["merge-conflicts", folder], story)
        try expectDone(["import-crdt", folder, "--update"], story)
        try expectDone(["pack-backup", folder, "--backup-dir", place.backups.path], story)
      }
      let debris = place.debris().filter { path in
        folders.contains { place.path(path).hasPrefix($0) }
      }
      #expect(debris.isEmpty, "\(story)")
      try expectHeld("\(story), and then everything once more")
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private var newestBackup: String? {
      let names = try? FileManager.default.contentsOfDirectory(atPath: place.backups.path)
      return names?.filter { $0.hasSuffix(".tar") }.sorted().last
        .map { place.backups.appending(path: $0).path }
    }

    private func expectDone(_ words: [String], _ story: String) throws {
      let run = try scripts.run(words[0], Array(words.dropFirst()))
      #expect(
        run.status <= 1, "\(story); then \(words) ends with \(run.status): \(run.errors)")
    }

    /// What an export may show while the first is at work: all of before or all of after.
    private func exportsAround(_ first: Work, _ other: Work) throws -> [Set<String>]? {
      guard other.words[0] == "export-json" else { return nil }
      return try [nil, first].map { work in
        let key = "\(other) after \(work?.description ?? "nothing")"
        if let known = exports[key] { return known }
        try place.reset()
        if let work { _ = try run(work) }
        let shown = Values.all(in: Array(try run(other).output.utf8))
        exports[key] = shown
        return shown
      }
    }

    // MARK: Running

    private func run(_ work: Work) throws -> CommandRun {
      let words = words(work, waitsForLock: false)
      return try scripts.run(words[0], Array(words.dropFirst()))
    }

    /// What a run said, with short paths.
    private func said(_ run: CommandRun) -> String {
      (run.output + run.errors).replacing(place.root.path + "/", with: "")
    }

    private func words(_ work: Work, waitsForLock: Bool = true) -> [String] {
      let words = work.words.map { word in
        guard word.hasPrefix("%") else { return word }
        return word == "%RUN" ? place.monthsRun : place.path(String(word.dropFirst()))
      }
      return !work.runsOthers || waitsForLock ? words : words + ["--lock-timeout", "0"]
    }
  }
#endif

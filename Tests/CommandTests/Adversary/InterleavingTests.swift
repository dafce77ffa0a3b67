import FileFaults
import Foundation
import Runs
import Testing

#if os(Linux)
  /// Wherever one command is when another one comes, nothing is lost, no status says what is not so,
  /// and the next runs complete both.
  @Suite struct InterleavingTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isSlow = environment["AUTOMERGE_MIGRATE_SLOW"] != nil
    /// At how many points each command is stopped beside each other one.
    private static let pointCount =
      environment["INTERLEAVING_POINTS"].flatMap(Int.init) ?? (isSlow ? 40 : 1)
    private static let seed = environment["INTERLEAVING_SEED"].flatMap(UInt64.init) ?? 1
    /// Half of the pairs each, so that two of them run at a time.
    private static let halves = [0, 1]

    private static let canAbort =
      (try? run("restore-backup", "--help"))?.output.contains("--abort") ?? false

    /// All pairs; of a short run the gravest and some others.
    private static let pairs: [(first: Interleavings.Work, second: Interleavings.Work)] = {
      var random = TestRandom(seed: seed)
      let others = Interleavings.pairs.dropFirst(Interleavings.gravest.count).filter { pair in
        canAbort || ![pair.first, pair.second].contains { $0.words.contains("--abort") }
      }
      return Interleavings.gravest
        + others.shuffled(using: &random).prefix(isSlow || pointCount > 1 ? others.count : 6)
    }()

    @Test(
      .enabled(if: StoppableCommands.canTrace, "stopping at a system call takes ptrace"),
      arguments: halves)
    func `a command that is stopped while another runs loses nothing`(_ half: Int) throws {
      var random = TestRandom(seed: Self.seed)
      let interleavings = try Interleavings(seed: Self.seed)
      for (number, pair) in Self.pairs.enumerated() where number % 2 == half {
        for point in try interleavings.points(of: pair.first, atMost: Self.pointCount) {
          try interleavings.meet(
            pair.first, at: point, pair.second, isKilled: random.isOne(in: 4))
        }
      }
      let counts = interleavings.counts
      #expect(counts.met * 3 > counts.stopped)
      print(
        "seed \(Self.seed), half \(half): \(counts.stopped) commands stopped while another ran, "
          + "\(counts.met) beside one that did its work, \(counts.killed) of them killed, "
          + "\(counts.missed) points not reached")
    }

    @Test(.enabled(if: StoppableCommands.canTrace, "stopping at a system call takes ptrace"))
    func `two that are stopped while a third runs lose nothing`() throws {
      var random = TestRandom(seed: Self.seed)
      let interleavings = try Interleavings(seed: Self.seed)
      for _ in 1...(Self.isSlow ? 200 : 2) {
        let pair = Self.pairs[random.number(below: Self.pairs.count)]
        let third = Self.pairs[random.number(below: Self.pairs.count)].second
        guard let point = try interleavings.points(of: pair.first, atMost: 1).first,
          let other = try interleavings.points(of: pair.second, atMost: 1).first
        else { continue }
        try interleavings.meet(pair.first, at: point, pair.second, at: other, third)
      }
      let counts = interleavings.counts
      print(
        "seed \(Self.seed): \(counts.stopped) times two were stopped while a third ran, "
          + "\(counts.met) of them did their work")
    }

    @Test(
      .enabled(if: StoppableCommands.canTrace, "the place is made with a restore that is killed"))
    func `a place tells what it lost`() throws {
      let place = try LivedInPlace()
      #expect(try place.lost().isEmpty)
      // Of what is in this run the first backup holds the JSON and the image, the second the
      // documents and the image, and nothing else anything.
      let run = place.folder.path + "/.automerge-migrate.nosync/quarantine/" + place.monthsRun
      try FileManager.default.removeItem(atPath: run)
      #expect(try place.lost().isEmpty)
      try FileManager.default.removeItem(atPath: place.path("@2"))
      #expect(try place.lost().isEmpty)
      try FileManager.default.removeItem(atPath: place.path("@1"))
      #expect(try place.lost().isEmpty == false)
      try place.reset()
      #expect(try place.lost().isEmpty)
    }
  }
#endif

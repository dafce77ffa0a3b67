import Diagnostics
import Testing

@testable import MigrationCore

/// What is planned for stores, by values alone.
@Suite struct StoreRecoveryPlannerTests {
  private static let backup = StoreSituation.Backup(path: "/b/one.tar", rowCount: 300)

  private func situation(
    _ problem: StoreSituation.Problem?, backup: StoreSituation.Backup? = Self.backup,
    isKept: Bool = false, hasLogToKeep: Bool = false
  ) -> StoreSituation {
    var situation = StoreSituation(store: "/d/a.store")
    (situation.problem, situation.backup) = (problem, backup)
    (situation.isKept, situation.hasLogToKeep) = (isKept, hasLogToKeep)
    return situation
  }

  private func lines(_ stores: StoreSituation..., backupDirectory: String? = nil) -> [String] {
    StoreRecoveryPlanner.steps(for: stores, backupDirectory: backupDirectory).map(\.shellText)
  }

  private static let keep = "pack-backup /d/a.store --as-it-is --brief"
  private static let restore = "restore-backup /b/one.tar --into /d/a.store --brief"

  @Test func `a store with nothing wrong needs nothing`() {
    #expect(lines(situation(nil)).isEmpty)
    #expect(lines(situation(nil, isKept: true, hasLogToKeep: true)).isEmpty)
  }

  @Test func `what is wrong is kept as it is before a backup takes its place`() {
    for problem in [StoreSituation.Problem.damaged, .emptied, .missing(isSomethingLeft: true)] {
      #expect(lines(situation(problem)) == [Self.keep, Self.restore])
      #expect(lines(situation(problem, isKept: true)) == [Self.restore])
      #expect(lines(situation(problem, backup: nil)) == [Self.keep])
      #expect(lines(situation(problem, backup: nil, isKept: true)).isEmpty)
    }
    #expect(lines(situation(.missing(isSomethingLeft: false))) == [Self.restore])
    #expect(lines(situation(nil, hasLogToKeep: true)) == [Self.keep])
  }

  @Test func `steps are those of one store after the other, in the place that was told`() {
    var other = situation(.damaged)
    other.store = "/d/b.store"
    let all = lines(situation(.emptied), other, backupDirectory: "/e f")
    #expect(
      all == [
        "pack-backup /d/a.store --as-it-is --backup-dir '/e f' --brief", Self.restore,
        "pack-backup /d/b.store --as-it-is --backup-dir '/e f' --brief",
        "restore-backup /b/one.tar --into /d/b.store --brief",
      ])
  }

  @Test func `an interrupted restore is finished before anything else is looked at`() {
    let steps = StoreRecoveryPlanner.steps(for: [situation(.damaged)], finishing: "/d")
    #expect(steps.map(\.shellText) == ["restore-backup --finish /d --brief"])
    #expect(steps.allSatisfy { $0.finishesRestore })
  }
}

import Diagnostics
import Folders
import Runs
import Testing

@testable import MigrationCore

/// What follows from what a folder and the work beside it show, and in which steps; without a folder.
@Suite struct RollbackDecisionTests {
  private func decision(_ change: (inout RollbackDecision) -> Void) -> RollbackDecision {
    var decision = RollbackDecision()
    change(&decision)
    return decision
  }

  @Test func `documents are rolled back, wherever they are and whatever was begun`() {
    for replaced in [nil, "/b.tar"] {
      for hasFinished in [false, true] {
        let documents = decision {
          $0.holdsDocuments = true
          $0.replaced = replaced
          $0.hasFinished = hasFinished
        }
        let months = decision {
          $0.monthsAside = ["20260106T120000Z"]
          $0.replaced = replaced
          $0.hasFinished = hasFinished
        }
        #expect(documents.course == .rollingBack && months.course == .rollingBack)
      }
    }
  }

  @Test func `without documents it is done, or there was nothing to do`() {
    #expect(RollbackDecision().course == .nothing)
    #expect(decision { $0.replaced = "/b.tar" }.course == .done)
    #expect(decision { $0.hasFinished = true }.course == .done)
    // What was deleted comes back from the backup alone.
    #expect(decision { $0.bringsBackDeleted = true }.course == .rollingBack)
    #expect(
      decision {
        $0.bringsBackDeleted = true
        $0.replaced = "/b.tar"
      }.course == .rollingBack)
    #expect(
      decision {
        $0.bringsBackDeleted = true
        $0.hasFinished = true
      }.course == .done)
  }

  @Test func `only its own restore is finished`() {
    let own = decision {
      $0.isInRestore = true
      $0.replaced = "/b.tar"
    }
    #expect(own.course == .finishing && own.refusal(of: "/F") == nil)
    let foreign = decision { $0.isInRestore = true }.refusal(of: "/F")?.diagnostic
    #expect(foreign?.kind == .busy)
    #expect(foreign?.command == NextCommand(.restoreBackup, ["--finish", "/F"]))
    #expect(decision { $0.holdsDocuments = true }.refusal(of: "/F") == nil)
  }

  // MARK: Steps

  private func steps(
    _ change: (inout RollbackOptions) -> Void = { _ in }, months: [String] = []
  ) -> [RollbackStep] {
    var options = RollbackOptions(folder: "/F", backup: "/old.tar")
    change(&options)
    return RollbackPlan(
      places: RollbackPlaces(folder: "/F"), options: options, monthsAside: months,
      today: "/new.tar"
    ).steps
  }

  private func commands(_ steps: [RollbackStep]) -> [NextCommand] {
    steps.compactMap { step in
      switch step {
      case .run(let command, _, _), .putInPlace(let command): command
      case .say, .act: nil
      }
    }
  }

  @Test func `the folder is touched by the last step alone, once the next content is whole`() {
    let steps = steps()
    let last = NextCommand(
      .restoreBackup, ["/F-rollback.nosync/next.tar", "--into", "/F", "--replacing", "/new.tar"])
    #expect(steps.last == .putInPlace(last))
    #expect(steps.dropLast().last == .act(.settle(replacing: "/new.tar")))
    for command in commands(steps).dropLast() { #expect(!command.arguments.contains("/F")) }
  }

  @Test func `nothing follows a comparison that finds a difference`() throws {
    let steps = steps()
    let verifying = try #require(
      steps.firstIndex { step in
        if case .run(let command, _, false) = step { command.name == .verifyCounts } else { false }
      })
    let assembling = try #require(steps.firstIndex(of: .act(.assemble)))
    #expect(verifying < assembling)
  }

  @Test func `months come back to the copy before anything is exported`() {
    #expect(!commands(steps()).contains { $0.name == .mergeConflicts })
    let names = commands(steps(months: ["A", "B"])).map(\.name)
    #expect(
      names == [
        .restoreBackup, .cleanupLegacy, .cleanupLegacy, .mergeConflicts, .importCRDT, .exportJSON,
        .verifyCounts, .cleanupLegacy, .packBackup, .restoreBackup,
      ])
  }

  @Test func `what was deleted is compared without it, and then written`() throws {
    let steps = steps { $0.bringsBackDeleted = true }
    let exports = commands(steps).filter { $0.name == .exportJSON }.map(\.arguments)
    #expect(exports.map { $0.contains("--with-deleted") } == [false, true])
    let dropping = try #require(steps.firstIndex(of: .act(.dropShared)))
    let comparing = try #require(
      steps.firstIndex { step in
        if case .run(let command, _, _) = step { command.name == .verifyCounts } else { false }
      })
    #expect(comparing < dropping)
  }

  @Test func `whoever reads or writes dates is told what numbers count`() {
    let commands = commands(steps { $0.numericDates = .unix })
    let told = commands.filter { $0.arguments.contains("--numeric-dates") }.map(\.name)
    #expect(told == [.importCRDT, .exportJSON, .verifyCounts, .cleanupLegacy])
  }

  // MARK: Purged months

  @Test func `each purged document is counted for the first backup that holds it`() throws {
    let held: [String: Set<String>] = ["/a": ["1", "2"], "/b": ["2", "3", "9"], "/c": ["3"]]
    let purged = try PurgedDocuments(["1", "2", "3", "4"], in: ["/a", "/b", "/c"]) {
      held[$0] ?? []
    }
    #expect(purged.holders.map(\.backup) == ["/a", "/b"])
    #expect(purged.holders.map(\.count) == [2, 1])
    #expect(
      purged.lines() == [
        "Months that were purged from quarantine are in no JSON:",
        "  2 of their documents: restore-backup /a --list",
        "  1 of their documents: restore-backup /b --list",
        "  1 of their documents: in no backup that is found here",
      ])
    #expect(purged.lines(unseen: ["/d: why"]) == purged.lines() + ["  not looked at: /d: why"])
  }

  @Test func `backups are read only as long as something is to be found`() throws {
    var read: [String] = []
    let purged = try PurgedDocuments(["1"], in: ["/a", "/b"]) { backup in
      read.append(backup)
      return ["1"]
    }
    #expect(read == ["/a"] && purged.lostCount == 0)
    #expect(try PurgedDocuments([], in: ["/a"]) { _ in [] }.lines() == [])
  }
}

@testable import Automerge
import EngineMeasurements
import Foundation
import Testing

/// Files in which something is there very often: a key that was written a thousand times, a thousand
/// marks on one letter, a thousand authors. Nothing may cost the square of it.
@Suite struct DoublingTests {
  /// How many, and how many times as many for comparison.
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
  private static let count = isSlow ? 1_000 : 250
  private static let factor = 6

  /// Six times as much costs six times the time, or thirty-six times where every one looks at every
  /// other. What is in between is left to what else the machine does.
  private static let mostGrowth = 15.0

  @Test(arguments: DoublingPattern.allCases)
  func `what there is more of costs no more than its share`(pattern: DoublingPattern) throws {
    let hasDocument = (try? DoublingForm.document.file(of: pattern, Self.count)) != nil
    for form in DoublingForm.allCases {
      // Once loaded, both are the same: short of time, what is done then is done with one of them.
      let stages: [DoublingStage] =
        Self.isSlow || form == .document || !hasDocument
        ? DoublingStage.allCases : [.load, .salvage]
      guard let few = try? form.file(of: pattern, Self.count),
        let many = try? form.file(of: pattern, Self.count * Self.factor)
      else {
        // What waits for others does not load without a document in front, and has no document.
        #expect(form == .document, "\(pattern) does not load")
        continue
      }
      for stage in stages where pattern.isMeant(for: stage) {
        let growth = try growth(stage, from: few, to: many)
        #expect(growth < Self.mostGrowth, "\(stage) of \(form) \(pattern)")
      }
    }
  }

  /// Returns how many times longer the greater file takes, at the least of a few times. What takes
  /// next to no time does not grow.
  private func growth(
    _ stage: DoublingStage, from few: [UInt8], to many: [UInt8]
  ) throws -> Double {
    var (less, more) = (Double.infinity, Double.infinity)
    for _ in 0..<4 {
      less = min(less, try ThreadTime.milliseconds(of: stage.work(on: few)))
      more = min(more, try ThreadTime.milliseconds(of: stage.work(on: many)))
      if more < 20 || more / less < Self.mostGrowth { break }
    }
    return more < 20 ? 1 : more / less
  }

  @Test func `marks of many names cost little more than marks of one name`() throws {
    let files = try [DoublingPattern.marksOfOneName, .marksOfManyNames].map {
      try DoublingForm.document.file(of: $0, 6_000)
    }
    var (one, many) = (Double.infinity, Double.infinity)
    // What else the machine does lengthens one of a few times, and never shortens any.
    for _ in 0..<12 {
      one = min(one, try ThreadTime.milliseconds(of: DoublingStage.read.work(on: files[0])))
      many = min(many, try ThreadTime.milliseconds(of: DoublingStage.read.work(on: files[1])))
      if many < 2 * one { break }
    }
    #expect(many < 2 * one)
  }

  @Test func `documents that were rewritten still hold what the changes hold`() throws {
    for pattern in DoublingPattern.allCases {
      let changes = pattern.changes(60)
      let loaded = try DocumentState(loading: changes)
      let again = try DocumentState(loading: loaded.encoded())
      #expect(again.heads == loaded.heads, "\(pattern)")
      #expect(again.queuedCount == loaded.queuedCount, "\(pattern)")
      #expect(loaded.operations.brokenInvariants().isEmpty, "\(pattern)")
      #expect(again.operations.brokenInvariants().isEmpty, "\(pattern)")
    }
  }

  @Test func `a value has many successors in the order of their ids, wherever they come from`()
    throws
  {
    // Two authors count at the same time, the one with the younger operations first.
    let counter = ForgedChange(.set("c", .counter(0)), .set("d", .counter(0)))
    func increments(_ author: UInt8, from start: UInt64) -> [UInt8] {
      var change = ForgedChange()
      change.dependencies = [counter.hash]
      change.author = [author]
      change.startCounter = start
      for index in 0..<3_000 {
        change.operations.append(
          ForgedOperation(
            .increment, .name(index % 2 == 0 ? "c" : "d"), .signed(1),
            predecessors: [counter.id(index % 2)]))
      }
      return change.bytes
    }
    let file = counter.bytes + increments(1, from: 100_000) + increments(2, from: 3)
    let state = try DocumentState(loading: file)
    #expect(state.operations.brokenInvariants().isEmpty)
    let document = try Document(Data(state.encoded()))
    #expect(try document.get(obj: .ROOT, key: "c") == .Scalar(.Counter(3_000)))
    #expect(try document.get(obj: .ROOT, key: "d") == .Scalar(.Counter(3_000)))
    // A loaded row takes further ones.
    var more = ForgedChange(
      ForgedOperation(.increment, .name("c"), .signed(1), predecessors: [counter.id(0)]))
    more.dependencies = [counter.hash]
    more.author = [3]
    more.startCounter = 50_000
    try document.applyEncodedChanges(encoded: Data(more.bytes))
    #expect(try document.get(obj: .ROOT, key: "c") == .Scalar(.Counter(3_001)))
    #expect(document.state.operations.brokenInvariants().isEmpty)
  }
}

import Foundation
import Testing

/// Whatever is done to a folder, in whatever order, no value disappears from documents, JSON,
/// backups and quarantine taken together.
@Suite struct AdversaryTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
  private static let seeds = Array(
    UInt64(
      1)...(ProcessInfo.processInfo.environment["ADVERSARY_SEEDS"].flatMap(UInt64.init)
      ?? (isSlow ? 300 : 2)))
  private static let companySeeds = Array(
    UInt64(
      1)...(ProcessInfo.processInfo.environment["COMPANY_SEEDS"].flatMap(UInt64.init)
      ?? (isSlow ? 200 : 1)))

  @Test(arguments: seeds) func `nobody can make a value disappear`(_ seed: UInt64) throws {
    let adversary = try Adversary(seed: seed)
    for step in 1...30 {
      try adversary.step()
      if step.isMultiple(of: 10) { try adversary.expectNothingLost("seed \(seed), step \(step)") }
    }
    try adversary.settle()
    try adversary.expectNothingLost("seed \(seed), at rest")
    let counts = adversary.counts
    print(
      "seed \(seed): \(counts.runs) commands, \(counts.killed) killed, \(counts.limited) with little "
        + "room, \(counts.accompanied) with another beside, \(counts.edits) edits under them, "
        + "\(counts.damaged) documents damaged")
  }

  @Test(arguments: companySeeds)
  func `commands in pairs and threes make no value disappear`(_ seed: UInt64) throws {
    let adversary = try Adversary(seed: seed)
    try adversary.gather()
    for step in 1...24 {
      try adversary.stepInCompany()
      if step.isMultiple(of: 8) { try adversary.expectNothingLost("seed \(seed), step \(step)") }
    }
    try adversary.settleCompany()
    try adversary.expectNothingLost("seed \(seed), at rest")
    let counts = adversary.counts
    let carried = try #require(adversary.peer?.counts)
    print(
      "seed \(seed): \(counts.runs) commands, \(counts.accompanied) of them in pairs and threes, "
        + "\(counts.killed) killed, \(counts.edits) edits under them, \(carried.files) files, "
        + "\(carried.deletions) deletions and \(carried.conflicts) conflicts carried over")
  }

  @Test func `a value that was deleted for good is missed`() throws {
    let adversary = try Adversary(seed: 1)
    #expect(try adversary.lostValues().isEmpty)
    try adversary.destroy("tags.json")
    #expect(try adversary.lostValues().count == 3)
  }
}

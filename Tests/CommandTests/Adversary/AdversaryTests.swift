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

  @Test(arguments: AdversaryApp.all, seeds)
  func `nobody can make a value disappear`(_ app: AdversaryApp, _ seed: UInt64) throws {
    let adversary = try Adversary(app, seed: seed)
    for step in 1...30 {
      try adversary.step()
      if step.isMultiple(of: 10) {
        try adversary.expectNothingLost("\(app.name), seed \(seed), step \(step)")
      }
    }
    try adversary.settle()
    try adversary.expectNothingLost("\(app.name), seed \(seed), at rest")
    let counts = adversary.counts
    print(
      "\(app.name), seed \(seed): \(counts.runs) commands, \(counts.killed) killed, \(counts.limited) with little "
        + "room, \(counts.accompanied) with another beside, \(counts.edits) edits under them, "
        + "\(counts.damaged) documents damaged")
  }

  @Test(arguments: AdversaryApp.all, companySeeds)
  func `commands in pairs and threes make no value disappear`(
    _ app: AdversaryApp, _ seed: UInt64
  ) throws {
    let adversary = try Adversary(app, seed: seed)
    try adversary.gather()
    for step in 1...24 {
      try adversary.stepInCompany()
      if step.isMultiple(of: 8) {
        try adversary.expectNothingLost("\(app.name), seed \(seed), step \(step)")
      }
    }
    try adversary.settleCompany()
    try adversary.expectNothingLost("\(app.name), seed \(seed), at rest")
    let counts = adversary.counts
    let carried = try #require(adversary.peer?.counts)
    print(
      "\(app.name), seed \(seed): \(counts.runs) commands, \(counts.accompanied) of them in pairs and threes, "
        + "\(counts.killed) killed, \(counts.edits) edits under them, \(carried.files) files, "
        + "\(carried.deletions) deletions and \(carried.conflicts) conflicts carried over")
  }

  @Test(arguments: AdversaryApp.all)
  func `a value that was deleted for good is missed`(_ app: AdversaryApp) throws {
    let adversary = try Adversary(app, seed: 1)
    #expect(try adversary.lostValues().isEmpty)
    try adversary.destroy(app.parts[0])
    #expect(try adversary.lostValues().count == 3)
  }
}

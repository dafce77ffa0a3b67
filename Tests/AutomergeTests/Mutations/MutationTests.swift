import Automerge
import Foundation
import Testing

/// Damaged documents never stop the program, never keep it busy, and what is accepted of them is
/// not lost on the next save.
@Suite struct MutationTests {
  static let inputsPerBatch = 1_000

  @Test func `damaged documents are refused or kept`() async {
    await run(0..<2)
  }

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil,
      "set AUTOMERGE_MIGRATE_SLOW=1"))
  func `two hundred thousand damaged documents are refused or kept`() async {
    await run(2..<220)
  }

  /// Runs batches side by side, as many at a time as there are cores.
  private func run(_ seeds: Range<UInt64>) async {
    let lanes = UInt64(max(1, ProcessInfo.processInfo.activeProcessorCount))
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<lanes {
        group.addTask {
          for seed in seeds where seed % lanes == lane { await self.run(seed) }
        }
      }
    }
  }

  /// Runs a batch in a process of its own, which a trap ends; the input it was at stays behind.
  private func run(_ seed: UInt64) async {
    let input = Self.inputFile(seed)
    await #expect(
      processExitsWith: .success, "seed \(seed); the input that did it is in \(input.path())"
    ) { [seed] in
      var mutator = Mutator(seed: seed, corpus: .golden)
      var accepted = 0
      for step in 0..<MutationTests.inputsPerBatch {
        let bytes = mutator.next()
        try Data(bytes).write(to: MutationTests.inputFile(seed))
        // A reader that hangs is ended by the signal, which the parent reports like a trap.
        alarm(20)
        do {
          if try MutationTests.keeps(bytes) { accepted += 1 }
        } catch {
          Issue.record("seed \(seed), step \(step): \(error)")
          exit(EXIT_FAILURE)
        }
      }
      // Damage that nothing survives would test the frame only.
      #expect(accepted > MutationTests.inputsPerBatch / 50, "seed \(seed)")
      try FileManager.default.removeItem(at: MutationTests.inputFile(seed))
    }
  }

  static func inputFile(_ seed: UInt64) -> URL {
    FileManager.default.temporaryDirectory
      .appending(path: "automerge-migrate-mutation-\(ProcessInfo.processInfo.userName)-\(seed)")
  }

  /// Whether the engine takes the input; throws if it then loses something.
  static func keeps(_ bytes: [UInt8]) throws -> Bool {
    guard let state = try? DocumentState(loading: bytes) else { return false }
    let saved = state.encoded()
    let again = try DocumentState(loading: saved)
    try require(again.heads == state.heads, "the heads changed")
    try require(again.changeCount == state.changeCount, "changes were lost")
    try require(again.queuedCount == state.queuedCount, "waiting changes were lost")
    try require(again.encoded() == saved, "the second save differs")
    let document = try Document(Data(bytes))
    let before = try TypedRendering(document: document).state()
    let after = try TypedRendering(document: try Document(Data(saved))).state()
    try require(before == after, "the state changed")
    return true
  }

  private struct Loss: Error, CustomStringConvertible {
    let description: String
  }

  private static func require(_ condition: Bool, _ loss: String) throws {
    if !condition { throw Loss(description: loss) }
  }
}

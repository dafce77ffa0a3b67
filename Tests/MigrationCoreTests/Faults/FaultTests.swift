import FileFaults
import Foundation
import SafeFiles
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Every system call of every kind of work fails once; every power cut leaves what can be completed.
///
/// A slice runs always, all of it with AUTOMERGE_MIGRATE_SLOW=1.
@Suite struct FaultTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
  private static let seed: UInt64 = 20_240_115

  @Test(arguments: try DisturbedWork.all())
  func `a fault at any call leaves old or new, and the next run completes the work`(
    _ work: DisturbedWork
  ) throws {
    let faults: [FaultPlan.Fault] = [
      .stop, .failure(EIO), .failure(ENOSPC), .interruption, .shortWrite,
    ]
    var counts: [String] = []
    for calls in [FaultPlan.Calls.changing, .looking] {
      var injected = 0
      let total = try callCount(of: work, calls)
      #expect(total > 5)
      for fault in calls == .changing ? faults : [.failure(EIO)] {
        // The first calls, then every so many.
        let stride = Self.isSlow ? 1 : max(1, total / (calls == .changing ? work.sliceCount : 6))
        for call in Swift.stride(from: 1, through: total, by: stride) {
          let folder = try work.folder()
          let plan = FaultPlan(atCall: call, fault, calls: calls)
          // Whether the run could go on is up to it; what it left is looked at.
          do { try work.perform(folder, plan) } catch {
            #expect(
              fault != .interruption && fault != .shortWrite, "\(work.name): \(fault) \(error)")
          }
          let comment: Comment = "\(work.name): \(fault) at call \(call) (\(calls))"
          try work.check(folder, calls == .looking, comment)
          let debris = try folder.debris()
          #expect(debris.isEmpty, "\(comment): \(debris)")
          injected += plan.hasFired ? 1 : 0
        }
      }
      #expect(injected > 0)
      counts.append("\(injected) faults at \(total) \(calls) calls")
    }
    print("\(work.name): \(counts.joined(separator: ", "))")
  }

  @Test(arguments: try DisturbedApp.all())
  func `a restore that died when all was in its place leaves nothing to the next`(
    _ app: DisturbedApp
  ) throws {
    let work = try DisturbedWork.restoringSome(app)
    let total = try callCount(of: work, .changing)
    for call in max(1, total - 12)...total {
      let folder = try work.folder()
      // Who dies after the last call that matters may have said that all is done.
      do { try work.perform(folder, FaultPlan(atCall: call, .stop)) } catch {}
      try work.perform(folder, SystemFileOperations())
      // The mark of a run that died stays until the next one that writes.
      let debris = try folder.debris().filter { !$0.hasSuffix("/run.json") }
      #expect(debris == [], "call \(call) of \(total)")
    }
  }

  private func callCount(of work: DisturbedWork, _ calls: FaultPlan.Calls) throws -> Int {
    let plan = FaultPlan(atCall: .max, .stop, calls: calls)
    try work.perform(work.folder(), plan)
    return plan.callCount
  }

  @Test(arguments: try DisturbedWork.all())
  func `after any power cut there is old or new, and the next run completes the work`(
    _ work: DisturbedWork
  ) throws {
    let folder = try work.folder()
    let recorder = try OperationRecorder(root: Directory.open(path: folder.beside(".")))
    try work.perform(folder, recorder)
    let recording = recorder.recording
    #expect(recording.stepCount > 5)
    var random = TestRandom(seed: Self.seed)
    var seen: Set<StoredTree> = []
    var states: [(tree: StoredTree, step: Int)] = []
    for step in 0...recording.stepCount {
      let cut = PowerCut(recording, afterSteps: step)
      for tree in cut.states(sampling: Self.isSlow ? 16 : 4, using: &random)
      where seen.insert(tree).inserted {
        states.append((tree, step))
      }
    }
    let possible = states.count
    if !Self.isSlow { states = Array(states.shuffled(using: &random).prefix(3 * work.sliceCount)) }
    for (tree, step) in states {
      let folder = try work.folder(tree)
      let comment: Comment = "\(work.name): power cut after step \(step), seed \(Self.seed)"
      try work.check(folder, false, comment)
      let debris = try folder.debris()
      #expect(debris.isEmpty, "\(comment): \(debris)")
    }
    print(
      "\(work.name): power cuts after \(recording.stepCount) steps, "
        + "\(states.count) of \(possible) states rebuilt, seed \(Self.seed)")
  }
}

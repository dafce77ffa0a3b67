package import Diagnostics
import SafeFiles
import Synchronization

/// Shares the items of a batch between workers.
///
/// Each worker keeps its own buffers from item to item. Items are handed out in order, so the
/// first ones should be the largest.
package enum Workers {
  /// Returns the output of every item, in the order of the items.
  ///
  /// The first error ends the batch: the items that are being worked on are finished, no new one
  /// is begun, and the error of the lowest item is thrown. Where the caller wants to fail fast an
  /// output with a finding of severity error ends the batch, too: the outputs then are fewer than the
  /// items, and those of the first ones.
  package static func map<State, Output: Sendable>(
    _ count: Int, phase: RunProgress.Phase, context: RunContext,
    findings: @Sendable (Output) -> [Finding] = { _ in [] },
    makeState: @Sendable () -> State,
    _ body: @Sendable (_ item: Int, _ state: inout State) throws(MigrationError) -> Output
  ) throws(MigrationError) -> [Output] {
    let results = Mutex(Results<Output>(count: count))
    try ParallelJobs.runWhile(count, threads: context.workerCount, makeState: makeState) {
      item, state throws(MigrationError) in
      if context.isInterrupted() { throw .interrupted }
      let output = try body(item, &state)
      let goesOn = !context.endsBatch(after: findings(output))
      let completed = results.withLock { $0.add(output, of: item) }
      context.reportProgress?(RunProgress(phase, completed: completed, total: count))
      return goesOn
    }
    return results.withLock { $0.outputs.compactMap(\.self) }
  }

  /// Works on items in their order; while some outputs are used the next ones are made, a few at most.
  ///
  /// Each worker keeps its own buffers from item to item. An error that `body` throws comes once what is
  /// before its item was used.
  ///
  /// - Parameter use: takes each output and how many come behind it; returns whether to go on.
  /// - Returns: whether it went on to the last of them.
  package static func inOrder<State: Sendable, Output: Sendable>(
    _ count: Int, phase: RunProgress.Phase, context: RunContext,
    makeState: @escaping @Sendable () -> State,
    _ body:
      @escaping @Sendable (_ item: Int, _ state: inout State) throws(MigrationError) -> Output,
    use: (Output, _ rest: Int) throws(MigrationError) -> Bool
  ) throws(MigrationError) -> Bool {
    let idle = Mutex<[State]>([])
    let ahead = PiecesAhead<Output, MigrationError>(makers: context.workerCount) {
      item throws(MigrationError) in
      guard item < count else { return nil }
      if context.isInterrupted() { throw .interrupted }
      var state = idle.withLock { $0.popLast() } ?? makeState()
      defer { idle.withLock { $0.append(state) } }
      return try body(item, &state)
    }
    return try ahead.whileMaking(threads: context.workerCount) { () throws(MigrationError) in
      var completed = 0
      while let output = try ahead.next() {
        completed += 1
        guard try use(output, count - completed) else { return false }
        context.reportProgress?(RunProgress(phase, completed: completed, total: count))
      }
      return true
    }
  }

  /// What the workers have made so far.
  private struct Results<Output: Sendable>: Sendable {
    private(set) var outputs: [Output?]
    private var completed = 0

    init(count: Int) { outputs = Array(repeating: nil, count: count) }

    /// Returns how many outputs there are now.
    mutating func add(_ output: Output, of item: Int) -> Int {
      outputs[item] = output
      completed += 1
      return completed
    }
  }
}

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
    let board = Board<Output>(count: count)
    WorkerThreads.perform(upTo: min(context.workerCount, count)) {
      var state = makeState()
      while let item = board.next() {
        if context.isInterrupted() {
          board.fail(item, .interrupted)
          return
        }
        do throws(MigrationError) {
          let output = try body(item, &state)
          if context.endsBatch(after: findings(output)) { board.stop() }
          let completed = board.finish(item, output)
          context.reportProgress?(RunProgress(phase, completed: completed, total: count))
        } catch {
          board.fail(item, error)
        }
      }
    }
    return try board.outputs()
  }

  /// What the workers share.
  private final class Board<Output: Sendable>: Sendable {
    private struct Content {
      var nextItem = 0
      var completed = 0
      var outputs: [Output?]
      var failure: (item: Int, error: MigrationError)?
      var isStopped = false
    }

    private let content: Mutex<Content>

    init(count: Int) {
      content = Mutex(Content(outputs: Array(repeating: nil, count: count)))
    }

    func next() -> Int? {
      content.withLock { content in
        guard content.failure == nil, !content.isStopped,
          content.nextItem < content.outputs.count
        else { return nil }
        content.nextItem += 1
        return content.nextItem - 1
      }
    }

    func finish(_ item: Int, _ output: Output) -> Int {
      content.withLock { content in
        content.outputs[item] = output
        content.completed += 1
        return content.completed
      }
    }

    func stop() { content.withLock { $0.isStopped = true } }

    func fail(_ item: Int, _ error: MigrationError) {
      content.withLock { content in
        if let failure = content.failure, failure.item < item { return }
        content.failure = (item, error)
      }
    }

    func outputs() throws(MigrationError) -> [Output] {
      let (outputs, failure) = content.withLock { ($0.outputs, $0.failure) }
      if let failure { throw failure.error }
      return outputs.compactMap { $0 }
    }
  }
}

import SafeFiles
import Synchronization

/// Shares numbered jobs between threads; the first error stops them all.
enum ParallelJobs {
  /// Runs every job once; jobs start in order, and each thread keeps one state.
  ///
  /// Throws the error of the lowest job that failed, after the running ones are done.
  static func run<State>(
    _ count: Int, threads: Int, makeState: () -> State,
    _ body: (_ job: Int, _ state: inout State) throws(BackupError) -> Void
  ) throws(BackupError) {
    let board = Board(count: count)
    // SAFETY: perform returns only after every call is done, so these closures are never used after
    // this one; what they share is behind locks, as their callers see to.
    nonisolated(unsafe) let (body, makeState) = (body, makeState)
    WorkerThreads.perform(upTo: min(threads, count)) {
      var state = unsafe makeState()
      while let job = board.next() {
        do throws(BackupError) { try unsafe body(job, &state) } catch { board.fail(job, error) }
      }
    }
    if let error = board.error { throw error }
  }

  /// What the threads share.
  private final class Board: Sendable {
    private struct Content {
      var next = 0
      var failure: (job: Int, error: BackupError)?
    }

    private let count: Int
    private let content = Mutex(Content())

    init(count: Int) { self.count = count }

    var error: BackupError? { content.withLock { $0.failure?.error } }

    func next() -> Int? {
      content.withLock { content in
        guard content.failure == nil, content.next < count else { return nil }
        content.next += 1
        return content.next - 1
      }
    }

    func fail(_ job: Int, _ error: BackupError) {
      content.withLock { content in
        if let failure = content.failure, failure.job < job { return }
        content.failure = (job, error)
      }
    }
  }
}

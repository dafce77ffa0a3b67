import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Shares numbered jobs between threads; the first error stops them all.
package enum ParallelJobs {
  /// Runs every job once; jobs start in order, so the first ones should be the largest, and each
  /// thread keeps one state.
  ///
  /// Throws the error of the lowest job that failed, after the running ones are done.
  package static func run<State, Failure: Error>(
    _ count: Int, threads: Int, makeState: () -> State,
    _ body: (_ job: Int, _ state: inout State) throws(Failure) -> Void
  ) throws(Failure) {
    try runWhile(count, threads: threads, makeState: makeState) { job, state throws(Failure) in
      try body(job, &state)
      return true
    }
  }

  /// Runs jobs as `run` does as long as `body` returns true: after that no new one starts.
  package static func runWhile<State, Failure: Error>(
    _ count: Int, threads: Int, makeState: () -> State,
    _ body: (_ job: Int, _ state: inout State) throws(Failure) -> Bool
  ) throws(Failure) {
    let board = Board<Failure>(count: count)
    // SAFETY: perform returns only after every call is done, so these closures are never used after
    // this one; what they share is behind locks, as their callers see to.
    nonisolated(unsafe) let (body, makeState) = (body, makeState)
    WorkerThreads.perform(upTo: min(threads, count)) {
      var state = unsafe makeState()
      while let job = board.next() {
        do throws(Failure) {
          if try unsafe !body(job, &state) { board.stop() }
        } catch {
          board.fail(job, error)
        }
      }
    }
    if let error = board.error { throw error }
  }

  /// What the threads share.
  private final class Board<Failure: Error>: Sendable {
    private struct Content {
      var next = 0
      var isStopped = false
      var failure: (job: Int, error: Failure)?
    }

    private let count: Int
    private let content = Mutex(Content())

    init(count: Int) { self.count = count }

    var error: Failure? { content.withLock { $0.failure?.error } }

    func next() -> Int? {
      content.withLock { content in
        guard !content.isStopped, content.next < count else { return nil }
        content.next += 1
        return content.next - 1
      }
    }

    func stop() { content.withLock { $0.isStopped = true } }

    func fail(_ job: Int, _ error: Failure) {
      content.withLock { content in
        content.isStopped = true
        if let failure = content.failure, failure.job < job { return }
        content.failure = (job, error)
      }
    }
  }
}

/// Threads for the length of one call.
///
/// The threads of Dispatch wait for ever where the system gives no more of them; these do with those
/// there are, were it the calling one alone.
package enum WorkerThreads {
  private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Calls `body` on up to `count` threads at once, this one among them; returns when all calls have.
  ///
  /// The calls share the work: there may be fewer of them, though never none.
  package static func perform(upTo count: Int, _ body: @Sendable () -> Void) {
    // The check that this makes at run time names its file: that is not to differ by where the clone is.
    #sourceLocation(file:"ParallelJobs",line:1)
    withoutActuallyEscaping(body) { body in
      var threads: [pthread_t] = []
      while threads.count + 1 < count, let thread = begin(Job(body)) { threads.append(thread) }
      body()
      for thread in threads { pthread_join(thread, nil) }
    }
    #sourceLocation()
  }

  private static func begin(_ job: Job) -> pthread_t? {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    // SAFETY: the thread takes over this reference to the job; without one it is given back.
    let job = unsafe Unmanaged.passRetained(job)
    // SAFETY: as above.
    guard unsafe pthread_create(&thread, nil, run, job.toOpaque()) == 0 else {
      // SAFETY: as above.
      unsafe job.release()
      return nil
    }
    return thread
  }

  #if canImport(Darwin)
    private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
      // SAFETY: this is the reference that was handed over.
      unsafe Unmanaged<Job>.fromOpaque($0).takeRetainedValue().body()
      return nil
    }
  #else
    private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
      {
        // SAFETY: this is the reference that was handed over.
        if let job = unsafe $0 { unsafe Unmanaged<Job>.fromOpaque(job).takeRetainedValue().body() }
        return nil
      }
  #endif
}

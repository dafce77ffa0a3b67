#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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
    withoutActuallyEscaping(body) { body in
      var threads: [pthread_t] = []
      while threads.count + 1 < count, let thread = begin(Job(body)) { threads.append(thread) }
      body()
      for thread in threads { pthread_join(thread, nil) }
    }
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

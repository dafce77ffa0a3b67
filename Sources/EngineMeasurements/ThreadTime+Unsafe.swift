#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The processor time of the thread that asks, for work that takes no other thread.
///
/// A test that bounds it holds on a busy machine, too: while others have the processor, it stands.
package enum ThreadTime {
  /// Returns the milliseconds that `work` takes.
  package static func milliseconds(of work: () throws -> Void) rethrows -> Double {
    let start = now
    try work()
    return now - start
  }

  /// Returns the seconds that `work` takes.
  package static func seconds(of work: () throws -> Void) rethrows -> Double {
    try milliseconds(of: work) / 1e3
  }

  private static var now: Double {
    var time = timespec()
    // SAFETY: the call fills the local it is given.
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

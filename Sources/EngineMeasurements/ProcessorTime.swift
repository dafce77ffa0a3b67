#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The processor time of this process, all threads together.
///
/// Other work on the machine lengthens it far less than the time on the wall.
enum ProcessorTime {
  /// Returns the milliseconds that `work` takes; giving its result back is not work.
  static func milliseconds<Result>(of work: () throws -> Result) rethrows -> Double {
    let start = clock()
    let result = try work()
    let end = clock()
    return withExtendedLifetime(result) { Double(end - start) / 1000 }
  }
}

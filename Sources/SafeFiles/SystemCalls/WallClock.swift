#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The only place that asks what time it is.
package enum WallClock {
  /// Returns the time of day.
  package static func now() -> FileTime {
    var time = timespec()
    // SAFETY: the call fills the structure it is given; CLOCK_REALTIME always exists.
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return FileTime(time)
  }
}

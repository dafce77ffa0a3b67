#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A point in time as file systems keep it: seconds since 1970 and nanoseconds.
package struct FileTime: Comparable, Hashable, Sendable {
  /// Whole seconds since 1970-01-01T00:00:00Z, negative before.
  package var seconds: Int64
  /// Nanoseconds after `seconds`, 0 to 999,999,999.
  package var nanoseconds: Int32

  /// Creates a time from its parts.
  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: timespec) {
    seconds = Int64(time.tv_sec)
    nanoseconds = Int32(truncatingIfNeeded: time.tv_nsec)
  }

  var timespec: timespec {
    var time = Self.emptyTimespec
    time.tv_sec = Int(seconds)
    time.tv_nsec = Int(nanoseconds)
    return time
  }

  package static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  #if canImport(Glibc)
    private static var emptyTimespec: Glibc.timespec { Glibc.timespec() }
  #elseif canImport(Darwin)
    private static var emptyTimespec: Darwin.timespec { Darwin.timespec() }
  #endif
}

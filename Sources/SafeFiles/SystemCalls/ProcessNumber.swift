#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The number that the system gave a process.
package enum ProcessNumber {
  /// Whether a process has this number, which may be another one by now than the one that had it.
  package static func isInUse(_ number: Int32) -> Bool {
    number > 0 && (kill(number, 0) == 0 || errno == EPERM)
  }
}

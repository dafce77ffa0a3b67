#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The error number of a failed system call.
package struct SystemCallError: Error, CustomStringConvertible {
  /// The number, as `errno` has it.
  package let number: Int32

  /// Creates an error.
  package init(number: Int32) { self.number = number }

  /// Takes the number the last system call of this thread left.
  static var last: SystemCallError { SystemCallError(number: errno) }

  package var description: String {
    // SAFETY: strerror returns a string that stays valid until this thread asks again; it is
    // copied at once.
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    // SAFETY: as above.
    return unsafe String(cString: text)
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The one order of names and paths: unsigned bytes, a prefix before what it starts.
package enum ByteOrder {
  /// Returns whether `left` sorts before `right`.
  package static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    let shared = min(left.count, right.count)
    // SAFETY: memcmp reads `shared` bytes, which both arrays have.
    let order = unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        guard shared > 0, let left = left.baseAddress, let right = right.baseAddress else {
          return Int32(0)
        }
        return unsafe memcmp(left, right, shared)
      }
    }
    return order != 0 ? order < 0 : left.count < right.count
  }
}

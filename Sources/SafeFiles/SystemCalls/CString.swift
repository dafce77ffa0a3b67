/// Lends bytes as a zero-terminated C string.
enum CString {
  /// Safe to call: the pointer is only unsafe to use, which the closure has to say.
  @safe static func with<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result)
    -> Result
  {
    // SAFETY: the buffer has room for all bytes and the zero; it is filled completely before the
    // body sees it, does not outlive this call, and has an address because it is not empty.
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
      for position in bytes.indices {
        unsafe buffer[position] = CChar(bitPattern: bytes[position])
      }
      unsafe buffer[bytes.count] = 0
      return unsafe body(UnsafePointer(buffer.baseAddress.unsafelyUnwrapped))
    }
  }
}

extension FileName {
  /// Lends the name as a zero-terminated C string.
  @safe func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    CString.with(bytes, body)
  }
}

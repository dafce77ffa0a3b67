internal import CZlib

/// Raw DEFLATE streams, as stores hold their model.
enum Inflation {
  /// Inflates all of the bytes.
  ///
  /// - Throws: `corruptDeflate` for anything but one whole stream, `limitExceeded` once there are more
  ///   than `limit` bytes.
  static func inflate(_ bytes: [UInt8], limit: Int) throws(PropertyListError) -> [UInt8] {
    guard bytes.count <= UInt32.max else {
      throw PropertyListError(.limitExceeded("bytes"), at: bytes.count)
    }
    // SAFETY: all zeros is what zlib wants to see; it is initialised here and ended below.
    var stream = unsafe z_stream()
    // SAFETY: as above.
    guard
      unsafe inflateInit2_(
        &stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw PropertyListError(.corruptDeflate, at: 0) }
    // SAFETY: ends the stream initialised above, once, on every way out.
    defer { _ = unsafe inflateEnd(&stream) }

    var output: [UInt8] = []
    var consumed = 0
    var status = Z_OK
    while status != Z_STREAM_END {
      // One byte more than allowed, which proves that there are too many.
      guard output.count <= limit else {
        throw PropertyListError(.limitExceeded("inflated bytes"), at: consumed)
      }
      let room = min(limit + 1 - output.count, max(4 * bytes.count, output.count, 1 << 12))
      // SAFETY: zlib says how many of the bytes it has written.
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        // SAFETY: zlib reads only what is left of `bytes` and writes at most `room` bytes of the
        // buffer; both pointers are used only during this call.
        unsafe bytes.withUnsafeBufferPointer { input in
          unsafe stream.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress.map { unsafe $0 + consumed })
          unsafe stream.avail_in = UInt32(bytes.count - consumed)
          unsafe stream.next_out = buffer.baseAddress
          unsafe stream.avail_out = UInt32(room)
          status = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
          consumed = bytes.count - Int(unsafe stream.avail_in)
          count = room - Int(unsafe stream.avail_out)
        }
      }
      guard status == Z_STREAM_END || (status == Z_OK && !piece.isEmpty) else {
        throw PropertyListError(.corruptDeflate, at: consumed)
      }
      output += piece
    }
    guard output.count <= limit else {
      throw PropertyListError(.limitExceeded("inflated bytes"), at: consumed)
    }
    guard consumed == bytes.count else { throw PropertyListError(.corruptDeflate, at: consumed) }
    return output
  }
}

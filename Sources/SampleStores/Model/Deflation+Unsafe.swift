import CZlib

/// Deflates bytes without a header around them, as stores keep their models.
package enum Deflation {
  /// Returns the deflated bytes.
  package static func deflate(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    // SAFETY: the stream is initialised here and ended below; the buffers outlive the calls.
    var stream = unsafe z_stream()
    unsafe deflateInit2_(
      &stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 100)
    let count = unsafe bytes.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        unsafe CZlib.deflate(&stream, Z_FINISH)
        return Int(unsafe stream.total_out)
      }
    }
    unsafe deflateEnd(&stream)
    return Array(output.prefix(count))
  }
}

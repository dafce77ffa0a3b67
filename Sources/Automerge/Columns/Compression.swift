internal import CZlib

/// Raw DEFLATE streams (RFC 1951, no header), as columns and compressed changes hold them
/// (format.md 1.1, 2.8).
package enum Compression {
  /// Deflate columns and changes from this size on; the reference does the same.
  static let threshold = 256

  /// The level documents are written with where nothing else is asked for; the reference has it too.
  package static let standardLevel: Int32 = 6

  /// Inflates the bytes of `reader` and takes what they grow to from what the whole input may.
  static func inflate(
    _ reader: ByteReader, budget: inout LoadBudget
  ) throws(FormatError) -> [UInt8] {
    var room = budget.inflationRoom
    let output = try inflate(reader, budget: &room)
    try budget.spendInflated(output.count, at: reader.offset)
    return output
  }

  /// Inflates the bytes of `reader` and takes what they grow to from `budget`.
  ///
  /// - Parameter keepsBeginning: whether a stream that breaks off or makes no sense from some byte
  ///   on is inflated up to there, instead of being an error.
  /// - Throws: `corruptDeflate` for anything but one whole stream, `limitExceeded` as soon as the
  ///   budget is used up.
  static func inflate(
    _ reader: ByteReader, budget: inout Int, keepsBeginning: Bool = false
  ) throws(FormatError) -> [UInt8] {
    // SAFETY: all zeros is what zlib wants to see; it is initialised here and ended below.
    var stream = unsafe z_stream()
    // SAFETY: as above.
    guard
      unsafe inflateInit2_(
        &stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw reader.error(.corruptDeflate) }
    // SAFETY: ends the stream initialised above, once, on every way out.
    defer { _ = unsafe inflateEnd(&stream) }

    guard reader.remaining <= UInt32.max else { throw reader.error(.corruptDeflate) }
    var output: [UInt8] = []
    var status = Z_OK
    var consumed = 0
    while status != Z_STREAM_END {
      guard output.count < budget else {
        if keepsBeginning { break }
        throw reader.error(.limitExceeded(.inflatedByteCount, UInt64(max(0, budget))))
      }
      let room = min(budget - output.count, max(4 * reader.remaining, output.count, 1 << 10))
      // SAFETY: zlib says how many of the bytes it has written.
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        // SAFETY: zlib reads only inside `reader`'s range and writes at most `room` bytes of the
        // buffer; both pointers are used only during this call.
        unsafe reader.bytes.withUnsafeBufferPointer { input in
          unsafe stream.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress.map { unsafe $0 + reader.position + consumed })
          unsafe stream.avail_in = UInt32(reader.remaining - consumed)
          unsafe stream.next_out = buffer.baseAddress
          unsafe stream.avail_out = UInt32(room)
          status = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
          consumed = reader.remaining - Int(unsafe stream.avail_in)
          count = room - Int(unsafe stream.avail_out)
        }
      }
      let isSound = status == Z_STREAM_END || (status == Z_OK && !piece.isEmpty)
      guard isSound || keepsBeginning else { throw reader.error(.corruptDeflate) }
      if output.isEmpty { output = piece } else { output += piece }
      if !isSound { break }
    }
    guard consumed == reader.remaining || keepsBeginning else {
      throw reader.error(.leftoverBytes(count: reader.remaining - consumed))
    }
    budget -= output.count
    return output
  }

  /// Deflates a long column in the way that suits it.
  ///
  /// It is worth a sample: identifiers and hashes repeat nothing, so that to look for
  /// repetitions takes eight times as long as coding their digits and gives a longer result (100,000
  /// UUIDs: 293 ms and 2.14 MB against 38 ms and 1.95 MB); what does repeat does so early.
  ///
  /// - Parameters:
  ///   - bytes: at least `longColumn`.
  ///   - level: the most zlib is to look for repetitions.
  static func deflateLongColumn(_ bytes: [UInt8], level: Int32) -> [UInt8] {
    var sample: [UInt8] = []
    sample.reserveCapacity(sampleParts * samplePart)
    for part in 0..<sampleParts {
      let start = (bytes.count - samplePart) / (sampleParts - 1) * part
      sample.append(from: bytes, start..<start + samplePart)
    }
    let matched = deflate(sample, level: wideColumnLevel).count
    let coded = deflate(sample, level: wideColumnLevel, strategy: Z_HUFFMAN_ONLY).count
    return deflate(
      bytes, level: min(level, wideColumnLevel),
      strategy: coded <= matched ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY)
  }

  static let longColumn = 1 << 17
  /// Columns from this size on are deflated at zlib's first level: at the sixth those of a month of 830
  /// records are 4 % shorter, and take 2.5 times as long.
  private static let wideColumn = 1 << 14
  private static let wideColumnLevel: Int32 = 1
  private static let sampleParts = 4
  private static let samplePart = 1 << 12

  /// Deflates a column of any length below `longColumn`.
  static func deflateShortColumn(_ bytes: [UInt8], level: Int32) -> [UInt8] {
    deflate(bytes, level: bytes.count < wideColumn ? level : min(level, wideColumnLevel))
  }

  /// Deflates `bytes` at zlib's `level` (1 fastest, 9 smallest).
  static func deflate(
    _ bytes: [UInt8], level: Int32, strategy: Int32 = Z_DEFAULT_STRATEGY
  ) -> [UInt8] {
    // SAFETY: all zeros is what zlib wants to see; it is initialised here and ended below.
    var stream = unsafe z_stream()
    // SAFETY: as above.
    let isReady =
      unsafe deflateInit2_(
        &stream, level, Z_DEFLATED, -MAX_WBITS, 8, strategy, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    precondition(isReady, "zlib has no memory or is another version than this was built for")
    // SAFETY: ends the stream initialised above.
    defer { _ = unsafe deflateEnd(&stream) }
    // SAFETY: the bound is zlib's own for one call with Z_FINISH; both buffers outlive the call.
    let bound = Int(unsafe deflateBound(&stream, UInt(bytes.count)))
    return unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
      // SAFETY: as above.
      unsafe bytes.withUnsafeBufferPointer { input in
        unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.avail_in = UInt32(bytes.count)
        unsafe stream.next_out = buffer.baseAddress
        unsafe stream.avail_out = UInt32(bound)
        let status = unsafe CZlib.deflate(&stream, Z_FINISH)
        precondition(status == Z_STREAM_END, "zlib did not finish within its own bound")
        count = bound - Int(unsafe stream.avail_out)
      }
    }
  }
}

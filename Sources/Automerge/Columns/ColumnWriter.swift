/// The finished columns of one table on their way into a chunk; empty ones leave no trace.
///
/// Two buffers, the descriptions and the data, that are used again from chunk to chunk.
struct ColumnWriter: Sendable {
  private var count = 0
  private var layout: [UInt8] = []
  private var data: [UInt8] = []
  private let compressionLevel: Int32?

  /// - Parameter compressionLevel: zlib's, for the long columns of documents; nil compresses
  ///   nothing.
  init(compressionLevel: Int32? = nil) {
    self.compressionLevel = compressionLevel
  }

  mutating func reset() {
    count = 0
    layout.removeAll(keepingCapacity: true)
    data.removeAll(keepingCapacity: true)
  }

  /// Columns are appended in ascending order of their specifications.
  mutating func append(_ spec: ColumnSpec, _ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    if let compressionLevel, bytes.count >= Compression.threshold {
      describe(spec.deflated, Compression.deflateColumn(bytes, level: compressionLevel))
    } else {
      describe(spec, bytes)
    }
  }

  private mutating func describe(_ spec: ColumnSpec, _ bytes: [UInt8]) {
    count += 1
    layout.appendULEB(UInt64(spec.raw))
    layout.appendULEB(bytes.count)
    data.append(from: bytes, 0..<bytes.count)
  }

  func writeLayout(to output: inout [UInt8]) {
    output.appendULEB(count)
    output.append(from: layout, 0..<layout.count)
  }

  func writeData(to output: inout [UInt8]) {
    output.append(from: data, 0..<data.count)
  }
}

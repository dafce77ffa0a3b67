/// The finished columns of one table on their way into a chunk; empty ones leave no trace.
struct ColumnWriter {
  private var columns: [(spec: ColumnSpec, bytes: [UInt8])] = []

  init() { columns.reserveCapacity(16) }

  /// Columns are appended in ascending order of their specifications.
  mutating func append(_ spec: ColumnSpec, _ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    columns.append((spec, bytes))
  }

  /// Deflates the columns that documents store deflated.
  mutating func deflate(level: Int32) {
    for index in columns.indices where columns[index].bytes.count >= Compression.threshold {
      columns[index].bytes = Compression.deflate(columns[index].bytes, level: level)
      columns[index].spec = columns[index].spec.deflated
    }
  }

  func writeLayout(to output: inout [UInt8]) {
    output.appendULEB(columns.count)
    for (spec, bytes) in columns {
      output.appendULEB(UInt64(spec.raw))
      output.appendULEB(bytes.count)
    }
  }

  func writeData(to output: inout [UInt8]) {
    for (_, bytes) in columns { output.append(contentsOf: bytes) }
  }
}

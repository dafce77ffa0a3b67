internal import Dispatch
internal import Synchronization

/// The finished columns of one table on their way into a chunk; empty ones leave no trace.
///
/// Two buffers, the descriptions and the data, that are used again from chunk to chunk.
struct ColumnWriter: Sendable {
  private var count = 0
  private var layout: [UInt8] = []
  private var data: [UInt8] = []
  private let compressionLevel: Int32?
  /// Columns that wait to be deflated together.
  private var waiting: [(spec: ColumnSpec, bytes: [UInt8])] = []

  /// - Parameter compressionLevel: zlib's, for the long columns of documents; nil compresses
  ///   nothing.
  init(compressionLevel: Int32? = nil) {
    self.compressionLevel = compressionLevel
  }

  mutating func reset() {
    count = 0
    layout.removeAll(keepingCapacity: true)
    data.removeAll(keepingCapacity: true)
    waiting.removeAll(keepingCapacity: true)
  }

  /// Columns are appended in ascending order of their specifications.
  mutating func append(_ spec: ColumnSpec, _ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    if compressionLevel == nil { describe(spec, bytes) } else { waiting.append((spec, bytes)) }
  }

  /// Deflates what was appended. Each column is worked on by itself, long ones at the same time.
  mutating func compress() {
    guard let compressionLevel else { return }
    let long = waiting.indices.filter { waiting[$0].bytes.count >= Compression.longColumn }
    let shared = Mutex(waiting)
    waiting = []
    DispatchQueue.concurrentPerform(iterations: long.count) { index in
      let column = long[index]
      // Taken out, so that it is gone as soon as it is deflated.
      let bytes = shared.withLock { columns in
        defer { columns[column].bytes = [] }
        return columns[column].bytes
      }
      let deflated = Compression.deflateLongColumn(bytes, level: compressionLevel)
      shared.withLock { $0[column].bytes = deflated }
    }
    let columns = shared.withLock { columns in
      defer { columns = [] }
      return columns
    }
    var nextLong = 0
    for (index, column) in columns.enumerated() {
      if nextLong < long.count, long[nextLong] == index {
        nextLong += 1
        describe(column.spec.deflated, column.bytes)
      } else if column.bytes.count >= Compression.threshold {
        describe(
          column.spec.deflated,
          Compression.deflateShortColumn(column.bytes, level: compressionLevel))
      } else {
        describe(column.spec, column.bytes)
      }
    }
  }

  private mutating func describe(_ spec: ColumnSpec, _ bytes: [UInt8]) {
    count += 1
    layout.appendULEB(UInt64(spec.raw))
    layout.appendULEB(bytes.count)
    // Few columns are long; growing for one of them would double the room for all.
    if bytes.count > 1 << 16 { data.reserveCapacity(data.count + bytes.count) }
    data.append(from: bytes, 0..<bytes.count)
  }

  /// Gives back the room that a great chunk took.
  mutating func releaseLongColumns() {
    if data.capacity > 1 << 16 { data = [] }
  }

  /// The number of bytes of all columns.
  var dataByteCount: Int { data.count }

  func writeLayout(to output: inout [UInt8]) {
    output.appendULEB(count)
    output.append(from: layout, 0..<layout.count)
  }

  func writeData(to output: inout [UInt8]) {
    if output.count < data.count, output.capacity - output.count < data.count {
      output.reserveCapacity(output.count + data.count + 64)
    }
    output.append(from: data, 0..<data.count)
  }
}

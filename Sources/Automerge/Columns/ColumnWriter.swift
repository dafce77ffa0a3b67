internal import Dispatch
internal import Synchronization

/// The finished columns of one table on their way into a chunk; empty ones leave no trace.
///
/// They are the arrays that their encoders made: none is copied before it is written.
struct ColumnWriter: Sendable {
  private var columns: [Column] = []
  private let compressionLevel: Int32?

  private struct Column: Sendable {
    var spec: ColumnSpec
    var bytes: [UInt8]
    /// How many bytes it has that are somewhere else.
    var absentCount = 0

    var byteCount: Int { bytes.count + absentCount }
  }

  /// - Parameter compressionLevel: zlib's, for the long columns of documents; nil compresses
  ///   nothing.
  init(compressionLevel: Int32? = nil) {
    self.compressionLevel = compressionLevel
  }

  /// Lets go of all columns, so that their encoders can use the arrays again.
  mutating func reset() { columns.removeAll(keepingCapacity: true) }

  /// Columns are appended in ascending order of their specifications.
  mutating func append(_ spec: ColumnSpec, _ bytes: [UInt8]) {
    if !bytes.isEmpty { columns.append(Column(spec: spec, bytes: bytes)) }
  }

  /// Appends a column whose bytes are somewhere else; whoever writes or hashes the columns has them.
  mutating func append(_ spec: ColumnSpec, absentCount: Int) {
    if absentCount > 0 { columns.append(Column(spec: spec, bytes: [], absentCount: absentCount)) }
  }

  /// Deflates what was appended. Each column is worked on by itself, long ones at the same time.
  mutating func compress() {
    guard let compressionLevel else { return }
    let long = columns.indices.filter { columns[$0].bytes.count >= Compression.longColumn }
    let shared = Mutex(columns)
    columns = []
    DispatchQueue.concurrentPerform(iterations: long.count) { index in
      let column = long[index]
      // Taken out, so that it is gone as soon as it is deflated.
      let bytes = shared.withLock { columns in
        defer { columns[column].bytes = [] }
        return columns[column].bytes
      }
      let deflated = Compression.deflateLongColumn(bytes, level: compressionLevel)
      shared.withLock { $0[column] = Column(spec: $0[column].spec.deflated, bytes: deflated) }
    }
    columns = shared.withLock { columns in
      defer { columns = [] }
      return columns
    }
    for index in columns.indices
    where !long.contains(index) && columns[index].bytes.count >= Compression.threshold {
      let deflated = Compression.deflateShortColumn(columns[index].bytes, level: compressionLevel)
      columns[index] = Column(spec: columns[index].spec.deflated, bytes: deflated)
    }
  }

  /// The number of bytes of all columns.
  var dataByteCount: Int { columns.reduce(0) { $0 + $1.byteCount } }

  func writeLayout(to output: inout [UInt8]) {
    output.appendULEB(columns.count)
    for column in columns {
      output.appendULEB(UInt64(column.spec.raw))
      output.appendULEB(column.byteCount)
    }
  }

  /// Hashes them one behind the other, after the layout, and lets go of them.
  ///
  /// - Parameter appendAbsent: appends the bytes of a column whose bytes are somewhere else.
  mutating func moveData(
    to hash: inout PiecewiseHash, appendAbsent: (ColumnSpec, inout PiecewiseHash) -> Void
  ) {
    for column in columns {
      if column.absentCount > 0 {
        appendAbsent(column.spec, &hash)
      } else {
        hash.append(column.bytes)
      }
    }
    reset()
  }

  /// Writes them one behind the other, after the layout that says how long each is, and lets go of each
  /// that is written: those of a great document are as long as all that is written.
  mutating func moveData(to output: inout [UInt8]) {
    let byteCount = dataByteCount
    // Otherwise growing would double the room for one great chunk.
    if output.count < byteCount, output.capacity - output.count < byteCount {
      output.reserveCapacity(output.count + byteCount + 64)
    }
    for index in columns.indices {
      precondition(columns[index].absentCount == 0, "a column to write is somewhere else")
      output.append(from: columns[index].bytes, 0..<columns[index].bytes.count)
      columns[index].bytes = []
    }
  }
}

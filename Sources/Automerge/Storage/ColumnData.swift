/// The columns of one table, inflated, to be taken out by specification.
struct ColumnData {
  private var columns: [(spec: UInt32, reader: ByteReader)] = []
  let tableOffset: Int

  init(tableOffset: Int) { self.tableOffset = tableOffset }

  var isEmpty: Bool { columns.isEmpty }

  mutating func add(_ spec: ColumnSpec, _ reader: ByteReader) {
    columns.append((spec.normalized, reader))
  }

  /// The size of a column that was not taken out yet.
  func byteCount(of spec: ColumnSpec) -> Int {
    columns.first { $0.spec == spec.raw }?.reader.remaining ?? 0
  }

  /// Takes a column out; an empty one if it is absent, which every optional column may be.
  mutating func take(_ spec: ColumnSpec) -> ByteReader {
    guard let index = columns.firstIndex(where: { $0.spec == spec.raw }) else {
      return ByteReader([], standingAt: tableOffset)
    }
    return columns.remove(at: index).reader
  }

  /// Takes out a column whose rows are all null when it is absent.
  mutating func takeOptional(_ spec: ColumnSpec) -> ByteReader? {
    let reader = take(spec)
    return reader.isAtEnd ? nil : reader
  }

  mutating func takeRequired(_ spec: ColumnSpec) throws(FormatError) -> ByteReader {
    guard let reader = takeOptional(spec) else {
      throw FormatError(.missingColumn(spec.raw), at: tableOffset)
    }
    return reader
  }

  /// Throws if a column is left that nobody took: dropping it would change hashes.
  func expectNoneLeft() throws(FormatError) {
    guard let column = columns.first else { return }
    throw FormatError(.unknownColumn(column.spec), at: column.reader.offset)
  }
}

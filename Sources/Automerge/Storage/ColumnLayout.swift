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

/// The columns of one table of a chunk: which there are and where their bytes are (format.md 2.8).
struct ColumnLayout {
  private(set) var columns: [(spec: ColumnSpec, byteCount: Int)] = []
  /// Where the table's description stands, for errors about missing columns.
  let offset: Int

  /// Reads the description that stands before the columns' data.
  ///
  /// - Parameter isCut: whether the input ends early, so that columns may be longer than all of it.
  init(
    _ reader: inout ByteReader, allowsDeflate: Bool, isCut: Bool = false
  ) throws(FormatError) {
    offset = reader.offset
    let count = try reader.readCount(unit: 2)
    columns.reserveCapacity(count)
    for _ in 0..<count {
      let start = reader
      let spec = ColumnSpec(try reader.readUInt32())
      let length = try reader.readULEB()
      // The data follow the descriptions; their lengths are checked when they are split off.
      guard length <= (isCut ? UInt64(Int32.max) : UInt64(reader.end)) else {
        throw start.error(.truncated(missing: Int(clamping: length)))
      }
      guard allowsDeflate || !spec.isDeflated else {
        throw start.error(.deflatedColumnInChange(spec.raw))
      }
      if let last = columns.last?.spec {
        guard last.normalized != spec.normalized else {
          throw start.error(.duplicateColumn(spec.normalized))
        }
        guard last.normalized < spec.normalized else { throw start.error(.columnsOutOfOrder) }
      }
      if spec.kind == .value {
        guard let last = columns.last?.spec, last.kind == .valueMetadata, last.id == spec.id else {
          throw start.error(.strayValueColumn(spec.normalized))
        }
      }
      columns.append((spec, Int(length)))
    }
  }

  /// Splits the data off `reader`, inflating what is deflated.
  func readData(
    _ reader: inout ByteReader, budget: inout LoadBudget
  ) throws(FormatError) -> ColumnData {
    var data = ColumnData(tableOffset: offset)
    for (spec, byteCount) in columns {
      let part = try reader.readPart(byteCount)
      if spec.isDeflated {
        let inflated = try Compression.inflate(part, budget: &budget)
        data.add(spec, ByteReader(inflated, standingAt: part.offset))
      } else {
        data.add(spec, part)
      }
    }
    return data
  }
}

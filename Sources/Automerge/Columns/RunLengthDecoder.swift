/// Reads a run-length column item by item; a run is never expanded (format.md 2.3).
struct RunLengthDecoder<Item: RunItem> {
  private var reader: ByteReader
  private let column: UInt32
  private var remaining: UInt64 = 0
  private var state = State.idle

  private enum State {
    case idle
    case literal
    case null
    case repeated(Item)
  }

  /// `reader` covers exactly the column's bytes.
  init(_ reader: ByteReader, column: ColumnSpec) {
    self.reader = reader
    self.column = column.normalized
  }

  /// Whether every row has been read.
  var isAtEnd: Bool { remaining == 0 && reader.isAtEnd }

  var offset: Int { reader.offset }

  /// Returns the next item, nil for a null row.
  @inline(__always)
  mutating func next() throws(FormatError) -> Item? {
    if remaining == 0 { try startRun() }
    remaining &-= 1
    switch state {
    case .repeated(let item): return item
    case .literal: return try Item.read(&reader)
    case .null, .idle: return nil
    }
  }

  /// Returns the next item of a column that may hold no nulls.
  @inline(__always)
  mutating func nextValue() throws(FormatError) -> Item {
    guard let item = try next() else { throw reader.error(.unexpectedNull(column)) }
    return item
  }

  func expectEnd() throws(FormatError) {
    guard isAtEnd else { throw reader.error(.columnTooLong(column)) }
  }

  /// The number of rows, counted without expanding any run.
  func countRows(limit: Int) throws(FormatError) -> Int {
    var copy = self
    var count: UInt64 = 0
    while !copy.reader.isAtEnd {
      try copy.startRun()
      let (sum, overflow) = count.addingReportingOverflow(copy.remaining)
      guard !overflow, sum <= UInt64(limit) else {
        throw copy.reader.error(.limitExceeded(.operations, UInt64(limit)))
      }
      count = sum
      if case .literal = copy.state {
        while copy.remaining > 0 {
          _ = try Item.read(&copy.reader)
          copy.remaining &-= 1
        }
      }
    }
    return Int(count)
  }

  private mutating func startRun() throws(FormatError) {
    guard !reader.isAtEnd else { throw reader.error(.columnTooShort(column)) }
    let length = try reader.readSLEB()
    if length > 0 {
      state = .repeated(try Item.read(&reader))
      remaining = UInt64(length)
    } else if length < 0 {
      // Each literal takes at least one byte, so the input bounds the run.
      guard length.magnitude <= UInt64(reader.remaining) else {
        throw reader.error(.columnTooShort(column))
      }
      state = .literal
      remaining = length.magnitude
    } else {
      state = .null
      remaining = try reader.readULEB()
      guard remaining > 0 else { throw reader.error(.columnTooLong(column)) }
    }
  }
}

/// What a run-length column can repeat.
///
/// Strings live as ranges of a byte pool, so comparing and writing items takes the pool along.
protocol RunItem: Sendable {
  static func areEqual(_ left: Self, _ right: Self, in pool: [UInt8]) -> Bool
  static func append(_ item: Self, from pool: [UInt8], to output: inout [UInt8])
  static func read(_ reader: inout ByteReader) throws(FormatError) -> Self
}

extension UInt64: RunItem {
  @inline(__always)
  static func areEqual(_ left: UInt64, _ right: UInt64, in pool: [UInt8]) -> Bool { left == right }

  @inline(__always)
  static func append(_ item: UInt64, from pool: [UInt8], to output: inout [UInt8]) {
    output.appendULEB(item)
  }

  @inline(__always)
  static func read(_ reader: inout ByteReader) throws(FormatError) -> UInt64 {
    try reader.readULEB()
  }
}

extension Int64: RunItem {
  @inline(__always)
  static func areEqual(_ left: Int64, _ right: Int64, in pool: [UInt8]) -> Bool { left == right }

  @inline(__always)
  static func append(_ item: Int64, from pool: [UInt8], to output: inout [UInt8]) {
    output.appendSLEB(item)
  }

  @inline(__always)
  static func read(_ reader: inout ByteReader) throws(FormatError) -> Int64 {
    try reader.readSLEB()
  }
}

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

  /// How many of the next items are the one that was read last, as far as the run at hand says.
  @inline(__always)
  var repeatCount: Int {
    if case .literal = state { return 0 }
    return Int(clamping: remaining)
  }

  /// The item that a run repeats.
  @inline(__always)
  var repeatedItem: Item? {
    if case .repeated(let item) = state { item } else { nil }
  }

  /// Steps over some of the next items, no more than `repeatCount`.
  @inline(__always)
  mutating func skipRepeats(_ count: Int) { remaining &-= UInt64(truncatingIfNeeded: count) }

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

/// Writes a run-length column in its canonical form with constant state (format.md 2.3).
struct RunLengthEncoder<Item: RunItem>: Sendable {
  private var output: [UInt8] = []
  /// Where the run of literals at the end begins, with a byte kept free for its length.
  private var literalStart = 0
  private var literalCount: Int64 = 0
  private var repeated: Item?
  private var repeatCount: Int64 = 0
  private var nullCount: UInt64 = 0
  private var hasItems = false

  init() {}

  mutating func reset() {
    // Most columns of most changes are empty; looking costs less than touching.
    if !output.isEmpty { output.removeAll(keepingCapacity: true) }
    literalCount = 0
    repeated = nil
    repeatCount = 0
    nullCount = 0
    hasItems = false
  }

  @inline(__always)
  mutating func append(_ item: Item, from pool: [UInt8]) {
    if nullCount > 0 { flushNulls() }
    if let last = repeated {
      if Item.areEqual(last, item, in: pool) {
        repeatCount &+= 1
        return
      }
      settle(last, from: pool)
    }
    repeated = item
    repeatCount = 1
  }

  /// Appends an item several times, at least once.
  mutating func append(_ item: Item, count: Int64, from pool: [UInt8]) {
    append(item, from: pool)
    repeatCount &+= count &- 1
  }

  /// Appends what was appended last, an item or null, so many times more.
  mutating func repeatLast(_ count: Int64) {
    if nullCount > 0 { nullCount &+= UInt64(count) } else { repeatCount &+= count }
  }

  @inline(__always)
  mutating func appendNull(from pool: [UInt8]) { appendNulls(1, from: pool) }

  @inline(__always)
  mutating func appendNulls(_ count: UInt64, from pool: [UInt8]) {
    if nullCount == 0 {
      if let last = repeated { settle(last, from: pool) }
      flushLiterals()
    }
    nullCount &+= count
  }

  /// Completes the column; empty if there was nothing but nulls.
  mutating func finish(from pool: [UInt8]) -> [UInt8] {
    complete(from: pool) ? output : []
  }

  /// Completes the column and writes it, unless there was nothing but nulls.
  mutating func finish(_ spec: ColumnSpec, from pool: [UInt8], into columns: inout ColumnWriter) {
    if complete(from: pool) { columns.append(spec, output) }
    // Only the columns of great changes are as long as that, and they come one at a time.
    if output.capacity > 1 << 16 { output = [] }
  }

  /// Returns whether the column has any item.
  private mutating func complete(from pool: [UInt8]) -> Bool {
    if let last = repeated { settle(last, from: pool) }
    guard hasItems else { return false }
    flushLiterals()
    if nullCount > 0 { flushNulls() }
    return true
  }

  /// Moves the finished group of equal items to the output, or to the literals if it is single.
  private mutating func settle(_ item: Item, from pool: [UInt8]) {
    hasItems = true
    if repeatCount == 1 {
      if literalCount == 0 {
        literalStart = output.count
        output.append(0)
      }
      Item.append(item, from: pool, to: &output)
      literalCount &+= 1
    } else {
      flushLiterals()
      output.appendSLEB(repeatCount)
      Item.append(item, from: pool, to: &output)
    }
    repeated = nil
    repeatCount = 0
  }

  private mutating func flushLiterals() {
    guard literalCount > 0 else { return }
    if literalCount <= 64 {
      output[literalStart] = UInt8(truncatingIfNeeded: -literalCount) & 0x7f
    } else {
      var length: [UInt8] = []
      length.appendSLEB(-literalCount)
      output.replaceSubrange(literalStart...literalStart, with: length)
    }
    literalCount = 0
  }

  private mutating func flushNulls() {
    output.append(0)
    output.appendULEB(nullCount)
    nullCount = 0
  }
}

extension RunLengthEncoder where Item == UInt64 {
  @inline(__always)
  mutating func append(_ item: UInt64) { append(item, from: []) }
  @inline(__always)
  mutating func appendNull() { appendNull(from: []) }
  mutating func finish() -> [UInt8] { finish(from: []) }
  mutating func finish(_ spec: ColumnSpec, into columns: inout ColumnWriter) {
    finish(spec, from: [], into: &columns)
  }
}

/// Reads booleans from alternating run lengths, the first of which counts false (format.md 2.5).
struct BooleanDecoder {
  private var reader: ByteReader
  private let column: UInt32
  private var value = true
  private var remaining: UInt64 = 0
  private var isFirst = true

  init(_ reader: ByteReader, column: ColumnSpec) {
    self.reader = reader
    self.column = column.normalized
  }

  @inline(__always)
  mutating func next() throws(FormatError) -> Bool {
    while remaining == 0 {
      guard !reader.isAtEnd else { throw reader.error(.columnTooShort(column)) }
      remaining = try reader.readULEB()
      guard remaining > 0 || isFirst else { throw reader.error(.columnTooLong(column)) }
      isFirst = false
      value.toggle()
    }
    remaining &-= 1
    return value
  }

  /// How many of the next values are the one that was read last, as far as the run at hand says.
  @inline(__always)
  var repeatCount: Int { Int(clamping: remaining) }

  /// Steps over some of the next values, no more than `repeatCount`.
  @inline(__always)
  mutating func skipRepeats(_ count: Int) { remaining &-= UInt64(truncatingIfNeeded: count) }

  func expectEnd() throws(FormatError) {
    guard remaining == 0, reader.isAtEnd else { throw reader.error(.columnTooLong(column)) }
  }
}

/// Writes booleans as alternating run lengths, beginning with false (format.md 2.5).
struct BooleanEncoder: Sendable {
  private var output: [UInt8] = []
  private var last = false
  private var count: UInt64 = 0
  private(set) var hasTrue = false

  init() {}

  mutating func reset() {
    output.removeAll(keepingCapacity: true)
    last = false
    count = 0
    hasTrue = false
  }

  @inline(__always)
  mutating func append(_ value: Bool) { append(value, count: 1) }

  /// Appends a value several times, at least once.
  @inline(__always)
  mutating func append(_ value: Bool, count added: UInt64) {
    if value == last {
      count &+= added
    } else {
      output.appendULEB(count)
      last = value
      count = added
      hasTrue = true
    }
  }

  mutating func finish() -> [UInt8] {
    if count > 0 { output.appendULEB(count) }
    count = 0
    return output
  }

  mutating func finish(_ spec: ColumnSpec, into columns: inout ColumnWriter) {
    columns.append(spec, finish())
  }
}

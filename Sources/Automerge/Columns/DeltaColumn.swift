/// Reads numbers that are stored as differences (format.md 2.4).
struct DeltaDecoder {
  private var differences: RunLengthDecoder<Int64>
  private var last: Int64 = 0
  private let column: UInt32

  init(_ reader: ByteReader, column: ColumnSpec) {
    differences = RunLengthDecoder(reader, column: column)
    self.column = column.normalized
  }

  var isAtEnd: Bool { differences.isAtEnd }

  /// Returns the next number, nil for a null row.
  @inline(__always)
  mutating func next() throws(FormatError) -> Int64? {
    guard let difference = try differences.next() else { return nil }
    let (sum, overflow) = last.addingReportingOverflow(difference)
    guard !overflow else { throw FormatError(.integerTooLarge, at: differences.offset) }
    last = sum
    return sum
  }

  /// Returns the next number of a column that may go from one end of Int64 to the other; a
  /// difference that wrapped in writing wraps back here.
  mutating func nextWrapping() throws(FormatError) -> Int64 {
    guard let difference = try differences.next() else {
      throw FormatError(.unexpectedNull(column), at: differences.offset)
    }
    last &+= difference
    return last
  }

  @inline(__always)
  mutating func nextValue() throws(FormatError) -> Int64 {
    guard let value = try next() else {
      throw FormatError(.unexpectedNull(column), at: differences.offset)
    }
    return value
  }

  /// Returns the next number as an operation counter or row number, which must fit 32 bits.
  @inline(__always)
  mutating func nextCounter() throws(FormatError) -> UInt32 {
    guard let counter = UInt32(exactly: try nextValue()) else {
      throw FormatError(.counterOutOfRange, at: differences.offset)
    }
    return counter
  }

  /// How many of the next numbers are one more than the one before, as far as the run at hand says.
  @inline(__always)
  var ascendingCount: Int { differences.repeatedItem == 1 ? differences.repeatCount : 0 }

  /// Steps over some of the next numbers, no more than `ascendingCount`.
  @inline(__always)
  mutating func skipAscending(_ count: Int) {
    differences.skipRepeats(count)
    last &+= Int64(truncatingIfNeeded: count)
  }

  func expectEnd() throws(FormatError) { try differences.expectEnd() }
}

/// Writes numbers as run-length coded differences (format.md 2.4).
struct DeltaEncoder: Sendable {
  private var differences = RunLengthEncoder<Int64>()
  private var last: Int64 = 0

  init() {}

  mutating func reset() {
    differences.reset()
    last = 0
  }

  @inline(__always)
  mutating func append(_ value: Int64) {
    // Only times can be so far apart that their difference wraps; their reader wraps it back.
    differences.append(value &- last, from: [])
    last = value
  }

  /// Appends a number and those that come after it, at least one in all.
  mutating func appendAscending(from first: Int64, count: Int64) {
    append(first)
    guard count > 1 else { return }
    differences.append(1, count: count - 1, from: [])
    last = first &+ count &- 1
  }

  @inline(__always)
  mutating func appendNull() { differences.appendNull(from: []) }

  mutating func finish() -> [UInt8] { differences.finish(from: []) }

  mutating func finish(_ spec: ColumnSpec, into columns: inout ColumnWriter) {
    differences.finish(spec, from: [], into: &columns)
  }
}

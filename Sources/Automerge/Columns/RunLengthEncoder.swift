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

  @inline(__always)
  mutating func appendNull(from pool: [UInt8]) {
    if nullCount == 0 {
      if let last = repeated { settle(last, from: pool) }
      flushLiterals()
    }
    nullCount &+= 1
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

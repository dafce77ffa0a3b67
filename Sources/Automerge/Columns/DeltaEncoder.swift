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

  @inline(__always)
  mutating func appendNull() { differences.appendNull(from: []) }

  mutating func finish() -> [UInt8] { differences.finish(from: []) }

  mutating func finish(_ spec: ColumnSpec, into columns: inout ColumnWriter) {
    differences.finish(spec, from: [], into: &columns)
  }
}

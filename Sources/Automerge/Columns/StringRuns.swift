/// The runs of a string column whose strings stay where they are (format.md 2.3).
///
/// The column says how long a run is before it says what is in it, and the chunk how long the column is
/// before that. So the rows are gone through twice: first they are appended, then they are hashed.
struct StringRuns {
  private struct Run {
    enum Kind: UInt8 { case literals, repeats, nulls }

    let kind: Kind
    var count: UInt32
  }

  private var runs: [Run] = []
  /// The one at the end.
  private var run = Run(kind: .nulls, count: 0)
  private var last: PoolRange?
  private var lastCount: UInt32 = 0
  private var hasItems = false
  private var stringByteCount = 0

  init() {}

  /// Appends a row; nil is a null. There are fewer than 2^32 of them.
  @inline(__always)
  mutating func append(_ item: PoolRange?, from pool: [UInt8]) {
    guard let item else {
      settle()
      extend(.nulls)
      return
    }
    if let last, PoolRange.areEqual(last, item, in: pool) {
      lastCount &+= 1
      return
    }
    settle()
    (last, lastCount) = (item, 1)
  }

  /// Completes the column; to be called before it is written.
  mutating func finish() {
    settle()
    begin(Run(kind: .nulls, count: 0))
  }

  @inline(__always)
  private mutating func settle() {
    guard let item = last else { return }
    last = nil
    hasItems = true
    stringByteCount &+= UInt64(item.count).byteCountOfULEB &+ Int(item.count)
    if lastCount == 1 { extend(.literals) } else { begin(Run(kind: .repeats, count: lastCount)) }
  }

  @inline(__always)
  private mutating func extend(_ kind: Run.Kind) {
    if run.kind == kind { run.count &+= 1 } else { begin(Run(kind: kind, count: 1)) }
  }

  @inline(never)
  private mutating func begin(_ next: Run) {
    if run.count > 0 { runs.append(run) }
    run = next
  }

  /// How many bytes the column has: none if there is nothing but nulls.
  var byteCount: Int {
    guard hasItems else { return 0 }
    var head: [UInt8] = []
    return runs.reduce(stringByteCount) { sum, run in
      head.removeAll(keepingCapacity: true)
      Self.append(headOf: run, to: &head)
      return sum + head.count
    }
  }

  /// Hashes the column.
  ///
  /// - Parameter item: returns a row as it was appended, by its number.
  @inline(__always)
  func write(
    from pool: [UInt8], to hash: inout PiecewiseHash, item: (Int) -> PoolRange?
  ) {
    var row = 0
    var head: [UInt8] = []
    for run in runs {
      head.removeAll(keepingCapacity: true)
      Self.append(headOf: run, to: &head)
      hash.append(head)
      let count = run.kind == .nulls ? 0 : run.kind == .repeats ? 1 : Int(run.count)
      for place in row..<row + count {
        guard let string = item(place) else { continue }
        var length = string.count
        while length >= 0x80 {
          hash.append(UInt8(truncatingIfNeeded: length) | 0x80)
          length &>>= 7
        }
        hash.append(UInt8(truncatingIfNeeded: length))
        hash.append(from: pool, string.range)
      }
      row += Int(run.count)
    }
  }

  private static func append(headOf run: Run, to output: inout [UInt8]) {
    switch run.kind {
    case .literals: output.appendSLEB(-Int64(run.count))
    case .repeats: output.appendSLEB(Int64(run.count))
    case .nulls:
      output.append(0)
      output.appendULEB(UInt64(run.count))
    }
  }
}

extension UInt64 {
  /// How many bytes it is in LEB128.
  fileprivate var byteCountOfULEB: Int { Swift.max(1, (bitWidth - leadingZeroBitCount + 6) / 7) }
}

/// A change with so many keys and values that there is no second copy of them: they are hashed where they
/// stand, in the rows of the document.
struct GreatChange {
  let absent: OperationEncoder.AbsentColumns
  private let keys: StringRuns
  private let slots: Range<Int>
  private let rebuilder: HistoryRebuilder

  /// Measures the columns of the change with the operations in `slots`; nil if it is not great.
  init?(_ slots: Range<Int>, of rebuilder: HistoryRebuilder) {
    let pool = rebuilder.document.pool
    guard slots.count >= KeptChunks.greatOperationCount,
      pool.count >= KeptChunks.greatValueByteCount
    else { return nil }
    self.slots = slots
    self.rebuilder = rebuilder
    let valueByteCount = rebuilder.values(in: slots).reduce(0) { $0 + Int($1.count) }
    guard valueByteCount >= KeptChunks.greatValueByteCount else { return nil }
    var keys = StringRuns()
    for key in rebuilder.keys(in: slots) { keys.append(key, from: pool) }
    keys.finish()
    self.keys = keys
    absent = OperationEncoder.AbsentColumns(
      keyByteCount: keys.byteCount, valueByteCount: valueByteCount)
  }

  /// Hashes one of the columns.
  func append(_ column: ColumnSpec, to hash: inout PiecewiseHash) {
    let pool = rebuilder.document.pool
    if column == .keyString {
      keys.write(rebuilder.keys(in: slots), from: pool, to: &hash)
    } else {
      for value in rebuilder.values(in: slots) { hash.append(from: pool, value.range) }
    }
  }
}

extension HistoryRebuilder {
  /// The keys of operations in the order of their change; nil for those in lists and texts.
  fileprivate func keys(in slots: Range<Int>) -> some Sequence<PoolRange?> {
    self.slots[slots].lazy.map { row in
      let operation = self.row(Int(row >= 0 ? row : ~row))
      return operation.isMapOperation ? operation.name : nil
    }
  }

  /// Their values; deletes have none.
  fileprivate func values(in slots: Range<Int>) -> some Sequence<PoolRange> {
    self.slots[slots].lazy.map { $0 >= 0 ? self.row(Int($0)).value : .empty }
  }
}

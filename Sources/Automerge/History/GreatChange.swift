/// A change with so many keys and values that there is no second copy of them: they are hashed where they
/// stand, in the rows of the document.
struct GreatChange {
  fileprivate let slots: Range<Int>
  fileprivate let keys: StringRuns
  fileprivate let valueByteCount: Int

  /// How many bytes its keys and values are.
  fileprivate var byteCount: Int { keys.byteCount + valueByteCount }

  var absent: OperationEncoder.AbsentColumns {
    OperationEncoder.AbsentColumns(keyByteCount: keys.byteCount, valueByteCount: valueByteCount)
  }
}

extension HistoryRebuilder {
  /// Measures the columns of the change with the operations in `slots`; nil if it is not great.
  @inline(__always)
  func greatChange(of slots: Range<Int>) -> GreatChange? {
    guard slots.count >= KeptChunks.greatOperationCount else { return nil }
    return measuredChange(of: slots)
  }

  @inline(never)
  private func measuredChange(of slots: Range<Int>) -> GreatChange? {
    guard document.pool.count + document.nameByteCount >= KeptChunks.greatByteCount
    else { return nil }
    let valueByteCount = values(in: slots).reduce(0) { $0 + Int($1.count) }
    var runs = StringRuns()
    for key in keys(in: slots) { runs.append(key, from: document.pool) }
    runs.finish()
    let change = GreatChange(slots: slots, keys: runs, valueByteCount: valueByteCount)
    return change.byteCount >= KeptChunks.greatByteCount ? change : nil
  }

  /// Hashes a column of a great change.
  func append(_ column: ColumnSpec, of change: GreatChange, to hash: inout PiecewiseHash) {
    if column == .keyString {
      change.keys.write(keys(in: change.slots), from: document.pool, to: &hash)
    } else {
      for value in values(in: change.slots) { hash.append(from: document.pool, value.range) }
    }
  }

  /// The keys of operations in the order of their change; nil for those in lists and texts.
  private func keys(in slots: Range<Int>) -> some Sequence<PoolRange?> {
    self.slots[slots].lazy.map { row in
      let operation = self.row(Int(row >= 0 ? row : ~row))
      return operation.isMapOperation ? operation.name : nil
    }
  }

  /// Their values; deletes have none.
  private func values(in slots: Range<Int>) -> some Sequence<PoolRange> {
    self.slots[slots].lazy.map { $0 >= 0 ? self.row(Int($0)).value : .empty }
  }
}

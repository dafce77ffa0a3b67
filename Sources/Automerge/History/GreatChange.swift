/// A change with so many keys and values that there is no second copy of them: they are hashed where they
/// stand, in the rows of the document.
struct GreatChange {
  fileprivate let slots: Range<Int>
  fileprivate let keys: StringRuns
  fileprivate let valueByteCount: Int

  var absent: OperationEncoder.AbsentColumns {
    OperationEncoder.AbsentColumns(keyByteCount: keys.byteCount, valueByteCount: valueByteCount)
  }
}

extension HistoryRebuilder {
  /// Measures the columns of the change with the operations in `slots`; nil if it is not great.
  func greatChange(of slots: Range<Int>) -> GreatChange? {
    guard slots.count >= KeptChunks.greatOperationCount,
      likelyByteCount(of: slots) >= KeptChunks.greatByteCount
    else { return nil }
    var (runs, valueByteCount) = (StringRuns(), 0)
    for slot in slots {
      runs.append(key(at: slot), from: document.pool)
      valueByteCount &+= Int(value(at: slot).count)
    }
    runs.finish()
    return GreatChange(slots: slots, keys: runs, valueByteCount: valueByteCount)
  }

  /// Returns about how many bytes the keys and values of operations are, without a look at each.
  private func likelyByteCount(of slots: Range<Int>) -> Int {
    let share = Double(slots.count) / Double(max(rowCount, slots.count))
    return Int(Double(document.pool.count + document.nameByteCount) * share)
  }

  /// Hashes a column of a great change.
  func append(_ column: ColumnSpec, of change: GreatChange, to hash: inout PiecewiseHash) {
    if column == .keyString {
      let first = change.slots.lowerBound
      change.keys.write(from: document.pool, to: &hash) { key(at: first + $0) }
    } else {
      for slot in change.slots { hash.append(from: document.pool, value(at: slot).range) }
    }
  }

  /// The key of an operation; nil in lists and texts.
  @inline(__always)
  private func key(at slot: Int) -> PoolRange? {
    let row = slots[slot]
    let operation = self.row(Int(row >= 0 ? row : ~row))
    return operation.isMapOperation ? operation.name : nil
  }

  /// Its value; a delete has none.
  @inline(__always)
  private func value(at slot: Int) -> PoolRange {
    slots[slot] >= 0 ? row(Int(slots[slot])).value : .empty
  }
}

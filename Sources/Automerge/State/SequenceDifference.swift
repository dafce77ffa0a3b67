/// The fewest deletions and insertions that turn one sequence into another.
///
/// Greedy: for 0, 1, 2, ... edits it keeps how far each diagonal reaches, until one reaches the end
/// (E. W. Myers, An O(ND) Difference Algorithm and Its Variations, 1986). What differs in more than
/// `editLimit` edits is replaced as a whole, so time and memory stay bounded.
package struct SequenceDifference {
  /// What stands at `old` becomes what stands at `new` of the other sequence.
  package struct Edit: Equatable {
    package var old: Range<Int>
    package var new: Range<Int>
  }

  static let editLimit = 1_000

  /// Ascending; between two edits the sequences are equal.
  package private(set) var edits: [Edit] = []

  /// - Parameter areEqual: whether an element of the first equals one of the second.
  package init(from oldCount: Int, to newCount: Int, areEqual: (Int, Int) -> Bool) {
    var start = 0
    while start < min(oldCount, newCount), areEqual(start, start) { start += 1 }
    var (oldEnd, newEnd) = (oldCount, newCount)
    while oldEnd > start, newEnd > start, areEqual(oldEnd - 1, newEnd - 1) {
      oldEnd -= 1
      newEnd -= 1
    }
    guard start < oldEnd || start < newEnd else { return }
    guard start < oldEnd, start < newEnd,
      let steps = Self.steps(start..<oldEnd, start..<newEnd, areEqual)
    else {
      edits = [Edit(old: start..<oldEnd, new: start..<newEnd)]
      return
    }
    for step in steps {
      if let last = edits.last, last.old.upperBound == step.old.lowerBound,
        last.new.upperBound == step.new.lowerBound
      {
        edits[edits.count - 1].old = last.old.lowerBound..<step.old.upperBound
        edits[edits.count - 1].new = last.new.lowerBound..<step.new.upperBound
      } else {
        edits.append(step)
      }
    }
  }

  /// Returns single deletions and insertions in order, nil if there are too many.
  private static func steps(
    _ old: Range<Int>, _ new: Range<Int>, _ areEqual: (Int, Int) -> Bool
  ) -> [Edit]? {
    let limit = min(editLimit, old.count + new.count)
    // reach[k + limit + 1]: how much of `old` is done on diagonal k, where k = old done - new done.
    var reach = [Int](repeating: 0, count: 2 * limit + 3)
    var trace: [[Int]] = []
    for count in 0...limit {
      trace.append(Array(reach[(limit - count)...(limit + count + 2)]))
      for k in stride(from: -count, through: count, by: 2) {
        let center = k + limit + 1
        let isInsertion = k == -count || (k != count && reach[center - 1] < reach[center + 1])
        var x = isInsertion ? reach[center + 1] : reach[center - 1] + 1
        var y = x - k
        while x < old.count, y < new.count, y >= 0,
          areEqual(old.lowerBound + x, new.lowerBound + y)
        {
          x += 1
          y += 1
        }
        reach[center] = x
        if x >= old.count, y >= new.count {
          return walkBack(trace, old.lowerBound, new.lowerBound, old.count, new.count)
        }
      }
    }
    return nil
  }

  /// Follows the traces from the end to the start. Trace `count` holds the diagonals from
  /// `-count - 1` to `count + 1` as they were before edit `count`.
  private static func walkBack(
    _ trace: [[Int]], _ oldStart: Int, _ newStart: Int, _ oldCount: Int, _ newCount: Int
  ) -> [Edit] {
    var steps: [Edit] = []
    var (x, y) = (oldCount, newCount)
    for count in stride(from: trace.count - 1, to: 0, by: -1) {
      let reach = trace[count]
      let k = x - y
      let center = k + count + 1
      let isInsertion = k == -count || (k != count && reach[center - 1] < reach[center + 1])
      let lastX = isInsertion ? reach[center + 1] : reach[center - 1]
      let lastY = lastX - (isInsertion ? k + 1 : k - 1)
      let (o, n) = (oldStart + lastX, newStart + lastY)
      steps.append(
        isInsertion ? Edit(old: o..<o, new: n..<n + 1) : Edit(old: o..<o + 1, new: n..<n))
      (x, y) = (lastX, lastY)
    }
    return steps.reversed()
  }
}

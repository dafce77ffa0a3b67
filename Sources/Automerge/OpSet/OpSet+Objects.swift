// Where the rows of an object are. The ids of objects are mostly spread evenly over the rows, so a place is
// guessed from the ids at both ends, and searched for from there on: two or three looks instead of twenty.
extension OpSet {
  /// Returns the first page that does not begin with a row of an earlier object.
  @inline(__always)
  func firstPage(reaching object: OpID) -> Int {
    let (objects, ranks) = (directory.objects, ranks)
    var low = 0
    var high = objects.count
    var guess = guess(object, low, high) { objects[$0] }
    // The rows of the root come first, and how many there are says nothing about the others.
    if let first = guess {
      if objects[first].precedes(object, ranks) { low = first &+ 1 } else { high = first }
      guess = self.guess(object, low, high) { objects[$0] }
    }
    return Self.search(low, high, from: guess) { objects[$0].precedes(object, ranks) }
  }

  /// Returns the first row of a page that is of an object and `isReached` holds for, or that is of a later
  /// one.
  @inline(__always)
  func firstSlot(
    of object: OpID, in rows: [Operation], where isReached: (Operation) -> Bool
  ) -> Int {
    let ranks = ranks
    let guess = guess(object, 0, rows.count) { rows[$0].object }
    return Self.search(0, rows.count, from: guess) { slot in
      let row = rows[slot]
      return row.object == object ? !isReached(row) : row.object.precedes(object, ranks)
    }
  }

  /// Guesses where in `low..<high` an object begins; nil where the ids at both ends say nothing.
  @inline(__always)
  private func guess(
    _ object: OpID, _ low: Int, _ high: Int, _ objectAt: (Int) -> OpID
  ) -> Int? {
    guard high &- low > 2, objectAt((low &+ high) >> 1) != object else { return nil }
    let (first, last) = (order(of: objectAt(low)), order(of: objectAt(high &- 1)))
    guard first < last else { return nil }
    let wanted = order(of: object)
    guard wanted > first else { return low }
    guard wanted < last else { return high &- 1 }
    let share = Double(wanted &- first) / Double(last &- first)
    return low &+ Int(share * Double(high &- 1 &- low))
  }

  /// A number that ascends as ids do.
  @inline(__always)
  private func order(of id: OpID) -> UInt64 {
    id.isRoot ? 0 : UInt64(id.counter) &<< 32 | UInt64(ranks[id.actor])
  }

  /// Returns the first of `low..<high` that `isBefore` does not hold for, `high` if it holds for all; what
  /// comes behind it must not be before either. Logarithmic in the distance from a guess.
  @inline(__always)
  private static func search(
    _ low: Int, _ high: Int, from guess: Int?, isBefore: (Int) -> Bool
  ) -> Int {
    var (low, high) = (low, high)
    var step = 1
    if let guess, isBefore(guess) {
      low = guess &+ 1
      while low < high {
        let probe = min(low &+ step, high) &- 1
        guard isBefore(probe) else {
          high = probe
          break
        }
        low = probe &+ 1
        step &*= 2
      }
    } else if let guess {
      high = guess
      while low < high {
        let probe = max(high &- step, low)
        guard !isBefore(probe) else {
          low = probe &+ 1
          break
        }
        high = probe
        step &*= 2
      }
    }
    while low < high {
      let middle = (low &+ high) >> 1
      if isBefore(middle) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}

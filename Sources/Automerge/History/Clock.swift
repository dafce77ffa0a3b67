/// A point in a document's history: for each actor the greatest operation counter it covers
/// (format.md 6.7).
struct Clock: Sendable {
  private var counters: [UInt32]

  init(actorCount: Int) {
    counters = [UInt32](repeating: 0, count: actorCount)
  }

  /// Whether the operation had happened.
  @inline(__always)
  func covers(_ id: OpID) -> Bool {
    // The open transaction's actor may have no change yet.
    id.actor < counters.count && id.counter <= counters[id.actor]
  }

  mutating func include(_ change: History.Change) {
    counters[Int(change.actor)] = max(counters[Int(change.actor)], change.maxCounter)
  }
}

extension History {
  /// Returns which changes are ancestors of `hashes`, these included; unknown hashes do not count.
  func ancestors(of hashes: some Sequence<ChangeHash>) -> [Bool] {
    var isAncestor = [Bool](repeating: false, count: changes.count)
    var pending = hashes.compactMap { row(of: $0) }
    while let row = pending.popLast() {
      guard !isAncestor[row] else { continue }
      isAncestor[row] = true
      for dependency in dependencies(of: row) where !isAncestor[Int(dependency)] {
        pending.append(Int(dependency))
      }
    }
    return isAncestor
  }

  /// Returns the point in history that `hashes` stand for.
  func clock(at hashes: some Sequence<ChangeHash>) -> Clock {
    var clock = Clock(actorCount: rowsOfActor.count)
    for (row, isAncestor) in ancestors(of: hashes).enumerated() where isAncestor {
      clock.include(changes[row])
    }
    return clock
  }

  /// Whether the change at `row` is among `rows` or their ancestors.
  func isAncestor(_ row: UInt32, of rows: some Sequence<UInt32>) -> Bool {
    Self.isAncestor(row, of: rows) { dependencies(of: Int($0)) }
  }

  /// Whether `row` is among `rows` or their ancestors in any graph whose edges lead to smaller rows,
  /// so that nothing below `row` needs a visit.
  static func isAncestor(
    _ row: UInt32, of rows: some Sequence<UInt32>,
    dependencies: (UInt32) -> ArraySlice<UInt32>
  ) -> Bool {
    var visited: Set<UInt32> = []
    var pending = rows.filter { $0 >= row }
    while let next = pending.popLast() {
      if next == row { return true }
      guard visited.insert(next).inserted else { continue }
      for dependency in dependencies(next) where dependency >= row { pending.append(dependency) }
    }
    return false
  }
}

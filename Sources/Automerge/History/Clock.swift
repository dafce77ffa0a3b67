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
}

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

  /// Goes back to a change of an actor, or in front of the first.
  mutating func reset(_ actor: Int, to change: History.Change?) {
    counters[actor] = change?.maxCounter ?? 0
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

  /// Returns the point in history at which there was everything but some rows, of which none is what
  /// another row depends on that is not among them.
  func clock(without rows: [Int]) -> Clock {
    var clock = Clock(actorCount: rowsOfActor.count)
    for actor in 0..<rowsOfActor.count {
      if let last = rowsOfActor.last(of: actor) { clock.include(changes[Int(last)]) }
    }
    var counts: [Int: Int] = [:]
    for row in rows { counts[Int(changes[row].actor), default: 0] += 1 }
    for (actor, count) in counts {
      let rest = rowsOfActor[actor].dropLast(count)
      clock.reset(actor, to: rest.last.map { changes[Int($0)] })
    }
    return clock
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

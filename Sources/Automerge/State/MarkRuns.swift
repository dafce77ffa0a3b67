/// Marks from name to name and from left to right, each as long as its value stays.
struct MarkRuns {
  private var open: [Int: (start: Int, value: ScalarValue)] = [:]
  private var closed: [(name: Int, start: Int, end: Int, value: ScalarValue)] = []

  init() {}

  /// From `position` on exactly these values hold, by the numbers of the names.
  mutating func set(_ values: [Int: ScalarValue], at position: Int) {
    for name in Array(open.keys) where values[name] == nil { set(name, nil, at: position) }
    for (name, value) in values { set(name, value, at: position) }
  }

  /// From `position` on a name has this value, or none.
  mutating func set(_ name: Int, _ value: ScalarValue?, at position: Int) {
    if let run = open[name] {
      if let value, value.isIdentical(to: run.value) { return }
      open[name] = nil
      if run.start < position { closed.append((name, run.start, position, run.value)) }
    }
    if let value { open[name] = (position, value) }
  }

  /// Ends all marks at `position` and returns them by the bytes of their names, then by start.
  mutating func finish(at position: Int, _ names: MarkNames, in pool: [UInt8]) -> [Mark] {
    set([:], at: position)
    let ranks = names.ranks(in: pool)
    return closed.sorted { (ranks[$0.name], $0.start) < (ranks[$1.name], $1.start) }.map {
      Mark(
        start: UInt64($0.start), end: UInt64($0.end), name: names.string($0.name, in: pool),
        value: $0.value)
    }
  }
}

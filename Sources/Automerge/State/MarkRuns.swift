/// Marks from name to name and from left to right, each as long as its value stays.
struct MarkRuns {
  private var open: [[UInt8]: (start: Int, value: ScalarValue)] = [:]
  private var closed: [(name: [UInt8], mark: Mark)] = []

  init() {}

  /// From `position` on exactly these values hold.
  mutating func set(_ values: [[UInt8]: ScalarValue], at position: Int) {
    for name in Array(open.keys) where values[name] == nil { set(name, nil, at: position) }
    for (name, value) in values { set(name, value, at: position) }
  }

  /// From `position` on a name has this value, or none.
  mutating func set(_ name: [UInt8], _ value: ScalarValue?, at position: Int) {
    if let run = open[name] {
      if let value, value.isIdentical(to: run.value) { return }
      close(name, run, at: position)
    }
    if let value { open[name] = (position, value) }
  }

  private mutating func close(
    _ name: [UInt8], _ run: (start: Int, value: ScalarValue), at position: Int
  ) {
    open[name] = nil
    guard run.start < position else { return }
    closed.append(
      (
        name,
        Mark(
          start: UInt64(run.start), end: UInt64(position),
          name: String(decoding: name, as: UTF8.self), value: run.value)
      ))
  }

  /// Ends all marks at `position` and returns them by the bytes of their names, then by start.
  mutating func finish(at position: Int) -> [Mark] {
    set([:], at: position)
    return closed.sorted {
      $0.name == $1.name
        ? $0.mark.start < $1.mark.start : $0.name.lexicographicallyPrecedes($1.name)
    }
    .map(\.mark)
  }
}

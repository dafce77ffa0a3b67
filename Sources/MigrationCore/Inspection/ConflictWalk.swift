import Automerge
import Runs

/// Finds every key and index that concurrent changes left with more than one value, in visible and in
/// losing objects alike.
///
/// Depth first with a stack of its own, as documents nest as deep as they like: a conflict, then what
/// lies inside its values by ascending operation id, then the next key.
struct ConflictWalk {
  let document: DocumentState
  let view: HistoricalView?

  /// A name or an index on the way to a value.
  enum Step {
    case key(Range<Int>)
    case index(Int)
  }

  /// Several values in one place.
  struct Conflict {
    /// The object whose key or element it is.
    let object: OpID
    /// The way there from the root; the key or index itself is the last.
    let path: [Step]
    /// The values in ascending order of their operations; readers see the last, if they see any.
    let values: [DocumentValue]
    /// Whether readers see the object that it is in.
    let isSeen: Bool
  }

  private struct Entry {
    let step: Step
    let values: [DocumentValue]
  }

  private struct Frame {
    let object: OpID
    /// How many steps of the path lead here.
    let depth: Int
    let entries: [Entry]
    /// Whether readers see the object.
    let isSeen: Bool
    var next = 0
  }

  /// Calls `body` with each conflict, in order.
  func forEach<E>(_ body: (Conflict) throws(E) -> Void) throws(E) {
    var path: [Step] = []
    var stack = [Frame(object: .root, depth: 0, entries: entries(of: .root, .map), isSeen: true)]
    while var frame = stack.popLast() {
      guard frame.next < frame.entries.count else { continue }
      let entry = frame.entries[frame.next]
      path.removeSubrange(frame.depth...)
      path.append(entry.step)
      frame.next += 1
      let (object, depth, isSeen) = (frame.object, frame.depth + 1, frame.isSeen)
      stack.append(frame)
      if entry.values.count > 1 {
        try body(Conflict(object: object, path: path, values: entry.values, isSeen: isSeen))
      }
      for value in entry.values.reversed() {
        guard case .object(let kind) = value.content, kind != .text else { continue }
        stack.append(
          Frame(
            object: value.id, depth: depth, entries: entries(of: value.id, kind),
            isSeen: isSeen && value.id == entry.values.last?.id))
      }
    }
  }

  /// How many conflicts there are.
  var count: Int {
    var count = 0
    forEach { _ in count += 1 }
    return count
  }

  /// The keys or elements of an object that hold several values, or an object that may.
  private func entries(of object: OpID, _ kind: ObjectKind) -> [Entry] {
    var entries: [Entry] = []
    func add(_ step: @autoclosure () -> Step, _ group: ValueGroup) {
      guard let (winner, count) = document.winnerAndCount(in: group, at: view) else { return }
      if count == 1 {
        guard case .object(let kind) = winner.content, kind != .text else { return }
        entries.append(Entry(step: step(), values: [winner]))
      } else {
        entries.append(Entry(step: step(), values: document.values(in: group, at: view)))
      }
    }
    if kind == .map {
      document.forEachKey(of: object) { name, group in add(.key(name), group) }
    } else {
      var index = 0
      document.forEachElement(of: object, at: view) { _, group in
        add(.index(index), group)
        index += 1
      }
    }
    return entries
  }
}

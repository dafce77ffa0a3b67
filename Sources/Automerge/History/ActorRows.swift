/// For each actor the rows of its changes, ascending: the one with sequence number n is at n - 1.
///
/// In a document that was imported nearly every change has an author of its own: a single row takes
/// no array.
struct ActorRows: Sendable {
  private enum Rows: Sendable {
    case one(UInt32)
    case many([UInt32])
  }

  private var actors: [Rows] = []

  init(actorCount: Int = 0) {
    setActors(count: actorCount)
  }

  /// The number of actors.
  var count: Int { actors.count }

  /// Whether an actor has no row.
  var hasGap: Bool {
    actors.contains { rows in
      if case .many(let rows) = rows { return rows.isEmpty }
      return false
    }
  }

  mutating func setActors(count: Int) {
    guard count > actors.count else { return }
    actors += [Rows](repeating: .many([]), count: count - actors.count)
  }

  /// All rows of an actor.
  subscript(actor: Int) -> [UInt32] {
    switch actors[actor] {
    case .one(let row): [row]
    case .many(let rows): rows
    }
  }

  /// Returns the row of an actor at an index; there must be one.
  @inline(__always)
  func row(of actor: Int, at index: Int) -> UInt32 {
    switch actors[actor] {
    case .one(let row):
      precondition(index == 0, "an actor with one row")
      return row
    case .many(let rows): return rows[index]
    }
  }

  /// Returns how many rows an actor has.
  @inline(__always)
  func count(of actor: Int) -> Int {
    switch actors[actor] {
    case .one: 1
    case .many(let rows): rows.count
    }
  }

  func last(of actor: Int) -> UInt32? {
    switch actors[actor] {
    case .one(let row): row
    case .many(let rows): rows.last
    }
  }

  mutating func append(_ row: UInt32, of actor: Int) {
    switch actors[actor] {
    case .one(let first): actors[actor] = .many([first, row])
    case .many(let rows) where rows.isEmpty: actors[actor] = .one(row)
    case .many(var rows):
      // Taken out, so that appending copies nothing.
      actors[actor] = .many([])
      rows.append(row)
      actors[actor] = .many(rows)
    }
  }

  /// Returns the first row of an actor whose value reaches `target`; values must ascend.
  @inline(__always)
  func first(of actor: Int, reaching target: UInt32, _ value: (UInt32) -> UInt32) -> UInt32? {
    switch actors[actor] {
    case .one(let row): return value(row) < target ? nil : row
    case .many(let rows):
      let index = rows.firstIndex(reaching: target, value)
      return index < rows.count ? rows[index] : nil
    }
  }
}

extension OpSet {
  /// Whether an operation that follows another hides it: all do, but for increments of counters
  /// (format.md 5.3).
  @inline(__always)
  static func hides(_ action: Action, _ target: Operation) -> Bool {
    !(action == .increment && target.isCounter)
  }

  /// Returns the row that readers see of a group, nil if they see nothing: the last that they can
  /// see. Passes over pages without visible rows.
  func winner(in group: Group) -> Place? {
    var (page, slot) = (group.end.page, group.end.slot)
    while true {
      let first = page == group.start.page ? group.start.slot : 0
      if slot > first, directory.visibleCounts[page] > 0 {
        let rows = directory.pages[page].rows
        repeat {
          slot &-= 1
          if rows[slot].isVisible { return Place(page: page, slot: slot) }
        } while slot > first
      }
      guard page > group.start.page else { return nil }
      page = directory.visiblePage(before: page, downTo: group.start.page)
      slot = directory.pages[page].count
    }
  }

  /// Calls `body` with the rows of a group that readers can see, ascending by id.
  @inline(__always)
  func forEachVisible(in group: Group, _ body: (Place) -> Void) {
    var place = group.start
    while place < group.end {
      if place.slot == 0, directory.visibleCounts[place.page] == 0 {
        place.page = directory.visiblePage(from: place.page, to: group.end.page)
        continue
      }
      if self[place].isVisible { body(place) }
      place = after(place)
    }
  }

  /// Lets the greatest of the visible rows of a group be its winner: to be called when rows have been
  /// hidden.
  mutating func refreshWinner(in group: Group) {
    if let winner = winner(in: group) { setVisible(winner, isWinner: true) }
  }

  /// Lets readers see a row, as one of several or as the winner.
  @inline(__always)
  mutating func setVisible(_ place: Place, isWinner: Bool) {
    directory.setVisibility(
      page: place.page, slot: place.slot, isVisible: true, isWinner: isWinner)
  }

  /// Adds an operation to the successors of a row.
  mutating func link(_ id: OpID, _ action: Action, to target: Place) {
    directory.addSuccessor(id, page: target.page, slot: target.slot, ranks)
    if Self.hides(action, self[target]) {
      directory.setVisibility(
        page: target.page, slot: target.slot, isVisible: false, isWinner: false)
    }
  }

  /// Returns what a row adds to the length of its object.
  @inline(__always)
  func width(of row: Operation, in kind: ObjectKind) -> UInt32 {
    guard kind == .text else { return 1 }
    guard row.isString else {
      return textEncoding == .utf8 ? 3 : 1
    }
    // Nearly every element is one character, and nearly every character one byte.
    if row.value.count == 1 { return 1 }
    return UInt32(truncatingIfNeeded: textEncoding.width(of: pool, row.value.range))
  }
}

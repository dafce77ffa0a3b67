extension DocumentState {
  /// Returns a cursor on the element that an index falls on, or behind the last one.
  func cursor(in object: OpID, at index: Int, _ view: HistoricalView?) -> Cursor {
    guard let element = element(of: object, at: index, view),
      let winner = operations.winner(in: element.group, at: view?.clock)
    else { return Cursor(.end) }
    let id = operations[winner].id
    return Cursor(
      .operation(actor: actors[id.actor], counter: id.counter, movesBefore: false))
  }

  /// Returns how many units come before the place that a cursor holds (format.md 10).
  func position(
    of cursor: Cursor, in object: OpID, at view: HistoricalView?
  ) throws(DocError) -> Int {
    switch cursor.target {
    case .start:
      return 0
    case .end:
      return length(of: object, at: view)
    case .operation(let actor, let counter, let movesBefore):
      guard let index = actors.index(of: actor) else { throw DocError(reason: .invalidCursor) }
      let id = OpID(counter: counter, actor: UInt32(index))
      // A place that came later was nowhere then.
      guard view?.clock.covers(id) ?? true,
        let place = operations.scannedPlace(of: id, in: object)
      else { throw DocError(reason: .invalidCursor) }
      return position(of: operations.group(around: place), in: object, movesBefore, view)
    case nil:
      throw DocError(reason: .invalidCursor)
    }
  }

  private func position(
    of element: OpSet.Group, in object: OpID, _ movesBefore: Bool, _ view: HistoricalView?
  ) -> Int {
    var element = element
    // Who is to move to the left does so along the elements that this one was inserted after.
    while movesBefore, operations.winner(in: element, at: view?.clock) == nil {
      let reference = operations[element.start].element
      guard !reference.isRoot,
        let place = operations.scannedPlace(of: reference, in: object)
      else { return 0 }
      element = operations.group(around: place)
    }
    guard view != nil else { return operations.width(of: object, before: element.start) }
    var position = 0
    forEachWinner(of: object, at: view) { group, _, width in
      if group.start < element.start { position += width }
    }
    return position
  }
}

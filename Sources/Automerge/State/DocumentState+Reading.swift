/// The values of one key of a map or one element of a list, and what was ever done to it.
package struct ValueGroup: Sendable {
  /// The operations on it, in the document's order.
  let rows: OpSet.Group
}

/// One value that readers see, as it lies in the document.
package struct DocumentValue: Sendable {
  package enum Content: Hashable, Sendable {
    case object(ObjectKind)
    case scalar(ScalarPlace)
  }

  /// The operation that wrote the value; of an object, its identity.
  package let id: OpID
  package let content: Content

  package init(id: OpID, content: Content) {
    self.id = id
    self.content = content
  }
}

/// A scalar where it lies in `DocumentState.pool`.
package struct ScalarPlace: Hashable, Sendable {
  package let type: ValueType
  package let range: Range<Int>
  /// Of a counter: its start plus all increments.
  package let counter: Int64
}

extension DocumentState {
  /// The bytes that keys and scalars are ranges of.
  package var pool: [UInt8] { operations.pool }

  /// The kind of an object, or nil if nothing ever made it.
  package func kind(of object: OpID) -> ObjectKind? { operations.objects.kind(of: object) }

  // MARK: Points in history

  /// Returns what reads at `heads` need. Linear in the history; unknown hashes do not count.
  package func view(at heads: some Sequence<ChangeHash>) -> HistoricalView {
    HistoricalView(clock: history.clock(at: heads))
  }

  // MARK: Maps

  /// Calls `body` with every key of a map that any operation ever touched, visible or not,
  /// ascending by bytes. The name is a range of `pool`.
  package func forEachKey<E>(
    of object: OpID, _ body: (_ name: Range<Int>, _ group: ValueGroup) throws(E) -> Void
  ) throws(E) {
    guard kind(of: object) == .map else { return }
    // No closure: one would take along the whole state, reference by reference, for each map.
    var place = operations.start(of: object)
    while let rows = operations.group(at: place, of: object) {
      place = rows.end
      try body(operations[rows.start].name.range, ValueGroup(rows: rows))
    }
  }

  /// Returns what was ever done to a key, or nil if nothing was. Logarithmic.
  package func group(of object: OpID, key: [UInt8]) -> ValueGroup? {
    guard kind(of: object) == .map else { return nil }
    let rows = operations.group(of: object, key: 0..<key.count, in: key)
    return rows.isEmpty ? nil : ValueGroup(rows: rows)
  }

  /// Returns the value reads of a key see, or nil.
  package func value(
    of object: OpID, key: [UInt8], at view: HistoricalView? = nil
  ) -> DocumentValue? {
    group(of: object, key: key).flatMap { winner(in: $0, at: view) }
  }

  // MARK: Groups

  /// Whether a group has a value that readers see.
  package func isVisible(_ group: ValueGroup, at view: HistoricalView? = nil) -> Bool {
    operations.winner(in: group.rows, at: view?.clock) != nil
  }

  /// Returns the value that wins, or nil if there is none.
  package func winner(in group: ValueGroup, at view: HistoricalView? = nil) -> DocumentValue? {
    operations.winner(in: group.rows, at: view?.clock).map {
      value(at: $0, in: group.rows, view?.clock)
    }
  }

  /// Returns all values that readers can see, ascending by id: the last one wins.
  package func values(in group: ValueGroup, at view: HistoricalView? = nil) -> [DocumentValue] {
    operations.visiblePlaces(in: group.rows, at: view?.clock).map {
      value(at: $0, in: group.rows, view?.clock)
    }
  }

  /// Returns every value that was ever written to a group, whether readers see it or not, in the
  /// document's order.
  package func everyValue(in group: ValueGroup) -> [DocumentValue] {
    var values: [DocumentValue] = []
    var place = group.rows.start
    while place < group.rows.end {
      let action = operations[place].action
      if action == .set || action.madeObject != nil {
        values.append(value(at: place, in: group.rows, nil))
      }
      place = operations.after(place)
    }
    return values
  }

  /// Returns the value that wins and how many readers can see; nil if there is none.
  @inline(__always)
  package func winnerAndCount(
    in group: ValueGroup, at view: HistoricalView? = nil
  ) -> (winner: DocumentValue, count: Int)? {
    var winner: OpSet.Place?
    var count = 0
    operations.forEachVisible(in: group.rows, at: view?.clock) { place in
      winner = place
      count += 1
    }
    return winner.map { (value(at: $0, in: group.rows, view?.clock), count) }
  }

  /// Whether a group's only operation is the one that made its value.
  package func isUnchanged(_ group: ValueGroup) -> Bool {
    operations.after(group.rows.start) == group.rows.end
  }

  /// Returns the ids of all operations ever done to a group, deletes excepted.
  package func operationIDs(in group: ValueGroup) -> [OpID] {
    var ids: [OpID] = []
    var place = group.rows.start
    while place < group.rows.end {
      ids.append(operations[place].id)
      place = operations.after(place)
    }
    return ids
  }

  /// Returns the actor that wrote an operation.
  package func author(of id: OpID) -> ActorId { actors[id.actor] }

  func value(at place: OpSet.Place, in group: OpSet.Group, _ clock: Clock?) -> DocumentValue {
    let operation = operations[place]
    if let kind = operation.action.madeObject {
      return DocumentValue(id: operation.id, content: .object(kind))
    }
    let counter =
      operation.valueType == .counter ? operations.counterValue(place, in: group, at: clock) : 0
    return DocumentValue(
      id: operation.id,
      content: .scalar(
        ScalarPlace(
          type: operation.valueType, range: operation.value.range, counter: counter)))
  }

  // MARK: Lists and texts

  /// Calls `body` with each element of a list or text that readers see, in sequence. Linear.
  package func forEachElement<E>(
    of object: OpID, at view: HistoricalView? = nil,
    _ body: (_ element: OpID, _ group: ValueGroup) throws(E) -> Void
  ) throws(E) {
    guard kind(of: object)?.isSequence == true else { return }
    var place = operations.start(of: object)
    while let rows = operations.group(at: place, of: object) {
      place = rows.end
      guard operations.winner(in: rows, at: view?.clock) != nil else { continue }
      try body(operations[rows.start].id, ValueGroup(rows: rows))
    }
  }

  /// Returns the UTF-8 of a text: its elements one after another, U+FFFC for what is no string
  /// (format.md 5.7).
  package func textBytes(of object: OpID, at view: HistoricalView? = nil) -> [UInt8] {
    guard kind(of: object)?.isSequence == true else { return [] }
    guard let view else { return operations.textBytes(of: object) }
    let (operations, clock) = (operations, view.clock)
    var bytes: [UInt8] = []
    operations.forEachGroup(of: object) { group in
      guard let winner = operations.winner(in: group, at: clock) else { return }
      operations.appendText(of: winner, to: &bytes)
    }
    return bytes
  }

  // MARK: Scalars

  /// The value of an int or timestamp.
  package func signed(_ place: ScalarPlace) -> Int64 {
    place.type == .counter ? place.counter : pool.signed(at: PoolRange(place.range))
  }

  /// The value of a uint.
  package func unsigned(_ place: ScalarPlace) -> UInt64 {
    pool.unsigned(at: PoolRange(place.range))
  }

  /// The value of a float.
  package func double(_ place: ScalarPlace) -> Double {
    pool.double(at: PoolRange(place.range))
  }

  /// The bytes of a string, byte array or unknown value.
  package func bytes(_ place: ScalarPlace) -> [UInt8] { [UInt8](pool[place.range]) }
}

/// A point in a document's history to read at.
package struct HistoricalView: Sendable {
  let clock: Clock
}

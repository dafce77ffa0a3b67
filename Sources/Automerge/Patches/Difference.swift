/// The patches that turn what a document was at one point of its history into what it was at another
/// (format.md 6.7); either may be the older.
///
/// Containers come before what is in them, and the patches of one container run from left to right,
/// so the indexes in a path are those of the end.
struct Difference {
  /// An object that both points show in the same place, or one that is new to its place.
  private struct Visit {
    let object: OpID
    let isNew: Bool
    let path: [PathElement]
  }

  let points: ComparedPoints
  private(set) var patches: [Patch] = []
  private var pending: [Visit] = []
  private var found: [Visit] = []

  /// - Parameter document: what it knows of where elements are may grow.
  init(
    of document: inout DocumentState, from before: Set<ChangeHash>, to after: Set<ChangeHash>
  ) throws(FormatError) {
    points = try ComparedPoints(&document, before, after)
    compare()
  }

  /// Visits objects depth first without recursion: they may be nested without end.
  private mutating func compare() {
    pending = [Visit(object: .root, isNew: false, path: [])]
    while let visit = pending.popLast() {
      found = []
      switch points.document.kind(of: visit.object) {
      case .map: compareMap(visit.object, isNew: visit.isNew, visit.path)
      case .list: compareList(visit.object, isNew: visit.isNew, visit.path)
      case .text: compareText(visit.object, isNew: visit.isNew, visit.path)
      case nil: break
      }
      pending.append(contentsOf: found.reversed())
    }
  }

  mutating func emit(_ action: PatchAction, _ path: [PathElement]) {
    patches.append(Patch(action: action, path: path))
  }

  /// Has an object compared later.
  mutating func enter(
    _ object: OpID, isNew: Bool, _ container: OpID, _ prop: Prop, _ path: [PathElement]
  ) {
    let step = PathElement(obj: points.document.publicID(container), prop: prop)
    found.append(Visit(object: object, isNew: isNew, path: path + [step]))
  }

  // MARK: Maps

  private mutating func compareMap(_ map: OpID, isNew: Bool, _ path: [PathElement]) {
    if isNew {
      points.document.forEachKey(of: map) { _, group in
        compareKey(group.rows, of: map, isNew: true, path)
      }
      return
    }
    let touched = points.touched
    for name in touched.names(in: map) {
      let group = points.document.operations.group(of: map, key: name, in: touched.pool)
      if !group.isEmpty { compareKey(group, of: map, isNew: false, path) }
    }
    enterChildren(of: map, path)
  }

  private mutating func compareKey(
    _ group: OpSet.Group, of map: OpID, isNew: Bool, _ path: [PathElement]
  ) {
    let key = points.document.operations.key(of: group)
    let change = ValueChange(group, at: points, isNew: isNew)
    switch change.kind {
    case .none, .kept:
      break
    case .deleted:
      emit(.DeleteMap(points.document.publicID(map), key), path)
    case .appeared, .replaced:
      guard let value = change.value else { return }
      emit(
        .Put(points.document.publicID(map), .Key(key), points.document.convert(value)), path)
    }
    emitDetails(of: change, map, .Key(key), path)
  }

  /// Tells what is new of a value besides that it is there, and goes into objects.
  mutating func emitDetails(
    of change: ValueChange, _ container: OpID, _ prop: Prop, _ path: [PathElement]
  ) {
    if change.kind == .kept {
      if let amount = change.increment {
        emit(.Increment(points.document.publicID(container), prop, amount), path)
      }
      if change.hasNewConflict { emit(.Conflict(points.document.publicID(container), prop), path) }
    }
    if let value = change.value, case .object = value.content {
      enter(value.id, isNew: change.kind != .kept, container, prop, path)
    }
  }

  /// Goes into objects that were touched although their own keys were not.
  private mutating func enterChildren(of map: OpID, _ path: [PathElement]) {
    var entered = OpIDTable(minimumCapacity: found.count)
    for visit in found { entered.set(visit.object, 0) }
    let document = points.document
    for child in points.touched.children(of: map, in: document.operations)
    where entered[child] == nil {
      guard let name = document.operations.objects[child]?.name.range else { continue }
      let group = document.operations.group(of: map, key: name, in: document.pool)
      guard !group.isEmpty,
        document.winner(in: ValueGroup(rows: group), at: points.after)?.id == child
      else { continue }
      enter(child, isNew: false, map, .Key(document.operations.key(of: group)), path)
    }
  }

  // MARK: Lists

  private mutating func compareList(_ list: OpID, isNew: Bool, _ path: [PathElement]) {
    guard isNew || points.touched.contains(sequence: list) || points.touched.hasChildren(list)
    else { return }
    let id = points.document.publicID(list)
    var index = 0
    var inserted: [Value] = []
    var deleted = 0
    var details: [(ValueChange, Int)] = []
    func flush(_ self: inout Self) {
      if deleted > 0 {
        self.emit(
          .DeleteSeq(DeleteSeq(obj: id, index: UInt64(index), length: UInt64(deleted))), path)
      }
      if !inserted.isEmpty {
        self.emit(
          .Insert(obj: id, index: UInt64(index - inserted.count), values: inserted), path)
      }
      (inserted, deleted) = ([], 0)
    }
    points.forEachGroup(of: list, isNew: isNew) { count in
      flush(&self)
      index += count
    } _: { group in
      let change = ValueChange(group, at: points, isNew: isNew)
      switch change.kind {
      case .none:
        return
      case .deleted:
        if !inserted.isEmpty { flush(&self) }
        deleted += 1
        return
      case .appeared:
        if deleted > 0 { flush(&self) }
        if let value = change.value { inserted.append(points.document.convert(value)) }
      case .replaced:
        flush(&self)
        if let value = change.value {
          emit(.Put(id, .Index(UInt64(index)), points.document.convert(value)), path)
        }
      case .kept:
        flush(&self)
      }
      details.append((change, index))
      index += 1
    }
    flush(&self)
    for (change, index) in details {
      emitDetails(of: change, list, .Index(UInt64(index)), path)
    }
  }
}

/// What became of the value of one key or element between two points.
struct ValueChange {
  enum Kind {
    /// There was nothing and there is nothing.
    case none
    case appeared
    case deleted
    case replaced
    /// The same operation wins.
    case kept
  }

  let kind: Kind
  /// The value afterwards.
  let value: DocumentValue?
  /// What a counter that was kept has gained.
  private(set) var increment: Int64?
  /// The winner was alone and no longer is.
  private(set) var hasNewConflict = false

  /// - Parameter isNew: whether what holds the value is new, so that nothing was there.
  init(_ group: OpSet.Group, at points: ComparedPoints, isNew: Bool) {
    let rows = ValueGroup(rows: group)
    let new = points.document.winnerAndCount(in: rows, at: points.after)
    let old = isNew ? nil : points.document.winnerAndCount(in: rows, at: points.before)
    value = new?.winner
    switch (old, new) {
    case (nil, nil): kind = .none
    case (nil, _?): kind = .appeared
    case (_?, nil): kind = .deleted
    case (let (before, countBefore)?, let (after, count)?):
      guard before.id == after.id else {
        kind = .replaced
        return
      }
      kind = .kept
      if case .scalar(let from) = before.content, case .scalar(let to) = after.content,
        from.counter != to.counter
      {
        increment = to.counter &- from.counter
      }
      hasNewConflict = countBefore == 1 && count > 1
    }
  }
}

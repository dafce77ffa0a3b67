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

  let document: DocumentState
  /// The two points; a nil clock stands for the present.
  let before: HistoricalView?
  let after: HistoricalView?
  private let touched: TouchedObjects
  private(set) var patches: [Patch] = []
  private var pending: [Visit] = []
  private var found: [Visit] = []

  init(
    of document: DocumentState, from before: Set<ChangeHash>, to after: Set<ChangeHash>
  ) throws(FormatError) {
    self.document = document
    self.before = document.view(at: before)
    self.after = document.view(at: after)
    let (old, new) = (
      document.history.ancestors(of: before), document.history.ancestors(of: after)
    )
    touched = try TouchedObjects(old.indices.filter { old[$0] != new[$0] }, of: document)
    compare()
  }

  /// Visits objects depth first without recursion: they may be nested without end.
  private mutating func compare() {
    pending = [Visit(object: .root, isNew: false, path: [])]
    while let visit = pending.popLast() {
      found = []
      switch document.kind(of: visit.object) {
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
    let step = PathElement(obj: document.publicID(container), prop: prop)
    found.append(Visit(object: object, isNew: isNew, path: path + [step]))
  }

  /// The objects in a container that were touched or hold one that was.
  func touched(in container: OpID) -> [OpID] { touched.children[container] ?? [] }

  // MARK: Maps

  private mutating func compareMap(_ map: OpID, isNew: Bool, _ path: [PathElement]) {
    if isNew {
      document.forEachKey(of: map) { name, group in
        compareKey(Array(document.pool[name]), group, of: map, isNew: true, path)
      }
      return
    }
    let names = touched.keys[map] ?? []
    for name in names {
      guard let group = document.group(of: map, key: name) else { continue }
      compareKey(name, group, of: map, isNew: false, path)
    }
    enterChildren(of: map, except: Set(names), path)
  }

  private mutating func compareKey(
    _ name: [UInt8], _ group: ValueGroup, of map: OpID, isNew: Bool, _ path: [PathElement]
  ) {
    let key = String(decoding: name, as: UTF8.self)
    let change = ValueChange(group.rows, in: self, isNew: isNew)
    switch change.kind {
    case .none, .kept:
      break
    case .deleted:
      emit(.DeleteMap(document.publicID(map), key), path)
    case .appeared, .replaced:
      guard let value = change.value else { return }
      emit(.Put(document.publicID(map), .Key(key), document.convert(value)), path)
    }
    emitDetails(of: change, map, .Key(key), path)
  }

  /// Tells what is new of a value besides that it is there, and goes into objects.
  mutating func emitDetails(
    of change: ValueChange, _ container: OpID, _ prop: Prop, _ path: [PathElement]
  ) {
    if change.kind == .kept {
      if let amount = change.increment {
        emit(.Increment(document.publicID(container), prop, amount), path)
      }
      if change.hasNewConflict { emit(.Conflict(document.publicID(container), prop), path) }
    }
    if let value = change.value, case .object = value.content {
      enter(value.id, isNew: change.kind != .kept, container, prop, path)
    }
  }

  /// Goes into objects that were touched although their own keys were not.
  private mutating func enterChildren(
    of map: OpID, except names: Set<[UInt8]>, _ path: [PathElement]
  ) {
    for child in touched(in: map) {
      guard let entry = document.operations.objects[child] else { continue }
      let name = [UInt8](document.pool[entry.name.range])
      guard !names.contains(name), let group = document.group(of: map, key: name),
        document.winner(in: group, at: after)?.id == child
      else { continue }
      enter(
        child, isNew: false, map, .Key(String(decoding: name, as: UTF8.self)), path)
    }
  }

  // MARK: Lists

  private mutating func compareList(_ list: OpID, isNew: Bool, _ path: [PathElement]) {
    guard isNew || touched.sequences.contains(list) || !touched(in: list).isEmpty else { return }
    let id = document.publicID(list)
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
    document.operations.forEachGroup(of: list) { group in
      let change = ValueChange(group, in: self, isNew: isNew)
      switch change.kind {
      case .none:
        return
      case .deleted:
        if !inserted.isEmpty { flush(&self) }
        deleted += 1
        return
      case .appeared:
        if deleted > 0 { flush(&self) }
        if let value = change.value { inserted.append(document.convert(value)) }
      case .replaced:
        flush(&self)
        if let value = change.value {
          emit(.Put(id, .Index(UInt64(index)), document.convert(value)), path)
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
  init(_ group: OpSet.Group, in difference: Difference, isNew: Bool) {
    let document = difference.document
    let rows = ValueGroup(rows: group)
    let new = document.values(in: rows, at: difference.after)
    let old = isNew ? [] : document.values(in: rows, at: difference.before)
    value = new.last
    switch (old.last, new.last) {
    case (nil, nil): kind = .none
    case (nil, _?): kind = .appeared
    case (_?, nil): kind = .deleted
    case (let before?, let after?):
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
      hasNewConflict = old.count == 1 && new.count > 1
    }
  }
}

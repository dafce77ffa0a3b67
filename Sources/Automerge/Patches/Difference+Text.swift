extension Difference {
  /// Compares a text element by element and, where text stayed, the marks on it.
  mutating func compareText(_ text: OpID, isNew: Bool, _ path: [PathElement]) {
    let document = points.document
    var walk = TextWalk(document.publicID(text), path, document.pool)
    var (oldMarks, newMarks) = (OpenMarks(), OpenMarks())
    points.forEachGroup(of: text, isNew: isNew) { width in
      walk.keep(width, &oldMarks, &newMarks)
    } _: { group in
      let row = document.operations[group.start]
      if row.action == .mark {
        if !isNew { oldMarks.note(row, in: document, at: points.before, &walk.names) }
        newMarks.note(row, in: document, at: points.after, &walk.names)
        return
      }
      let old = isNew ? nil : document.operations.winner(in: group, at: points.before?.clock)
      let new = document.operations.winner(in: group, at: points.after?.clock)
      if let old, old == new {
        walk.keep(Int(document.operations[old].width), &oldMarks, &newMarks)
        return
      }
      if let old { walk.delete(Int(document.operations[old].width)) }
      guard let new else { return }
      let value = document.value(at: new, in: group, points.after?.clock)
      if case .scalar(let place) = value.content, place.type == .string {
        walk.insert(
          String(decoding: document.pool[place.range], as: UTF8.self),
          Int(document.operations[new].width), newMarks)
      } else {
        let index = walk.insert(document.convert(value), Int(document.operations[new].width))
        if case .object = value.content {
          enter(value.id, isNew: true, text, .Index(UInt64(index)), path)
        }
      }
    }
    for patch in walk.finish() { emit(patch.action, patch.path) }
    guard !isNew else { return }
    for child in points.touched.children(of: text, in: document.operations) {
      guard let place = document.operations.scannedPlace(of: child, in: text),
        document.operations.winner(
          in: document.operations.group(around: place), at: points.before?.clock) == place,
        document.operations.winner(
          in: document.operations.group(around: place), at: points.after?.clock) == place,
        let index = document.position(ofElement: child, in: text, at: points.after)
      else { continue }
      enter(child, isNew: false, text, .Index(UInt64(index)), path)
    }
  }
}

/// Gathers what changed along a text into patches.
private struct TextWalk {
  private let text: ObjId
  private let path: [PathElement]
  private let pool: [UInt8]
  var names = MarkNames()
  private var patches: [Patch] = []
  private var index = 0
  private var deleted = 0
  private var inserted = ""
  private var insertedWidth = 0
  private var insertedMarks: [Int: ScalarValue] = [:]
  /// The state of the open marks that `insertedMarks` is of.
  private var insertedGeneration = 0
  /// Marks that changed on text that stayed, as they are now.
  private var changed: [Int: ScalarValue] = [:]
  private var runs = MarkRuns()
  /// Whether `runs` has all of `changed`.
  private var isChangeKnown = true

  init(_ text: ObjId, _ path: [PathElement], _ pool: [UInt8]) {
    self.text = text
    self.path = path
    self.pool = pool
  }

  mutating func delete(_ width: Int) {
    if !inserted.isEmpty { flush() }
    deleted += width
  }

  mutating func insert(_ string: String, _ width: Int, _ open: OpenMarks) {
    breakRuns(at: index + insertedWidth)
    if deleted > 0 || inserted.isEmpty
      || (insertedGeneration != open.generation && !open.values.isIdentical(to: insertedMarks))
    {
      flush()
    }
    (insertedMarks, insertedGeneration) = (open.values, open.generation)
    inserted += string
    insertedWidth += width
  }

  /// Inserts something that is no string and returns its index.
  mutating func insert(_ value: Value, _ width: Int) -> Int {
    flush()
    breakRuns(at: index)
    emit(.Insert(obj: text, index: UInt64(index), values: [value]))
    defer { index += width }
    return index
  }

  mutating func keep(_ width: Int, _ old: inout OpenMarks, _ new: inout OpenMarks) {
    flush()
    for name in old.takeTouched() + new.takeTouched() {
      let (before, after) = (old.values[name], new.values[name])
      let isSame = after.map { before?.isIdentical(to: $0) ?? false } ?? (before == nil)
      changed[name] = isSame ? nil : after ?? .Null
      if isChangeKnown { runs.set(name, changed[name], at: index) }
    }
    if !isChangeKnown { runs.set(changed, at: index) }
    isChangeKnown = true
    index += width
  }

  /// Ends what was changed on text in front of new text, which says itself what is on it.
  private mutating func breakRuns(at position: Int) {
    guard isChangeKnown else { return }
    runs.set([:], at: position)
    isChangeKnown = false
  }

  private mutating func flush() {
    if deleted > 0 {
      emit(.DeleteSeq(DeleteSeq(obj: text, index: UInt64(index), length: UInt64(deleted))))
      deleted = 0
    }
    if !inserted.isEmpty {
      let marks = insertedMarks.map { (names.string($0, in: pool), Value.Scalar($1)) }
      emit(
        .SpliceText(
          obj: text, index: UInt64(index), value: inserted,
          marks: Dictionary(marks) { first, _ in first }))
      index += insertedWidth
      (inserted, insertedWidth) = ("", 0)
    }
    insertedMarks = [:]
  }

  private mutating func emit(_ action: PatchAction) {
    patches.append(Patch(action: action, path: path))
  }

  mutating func finish() -> [Patch] {
    flush()
    let marks = runs.finish(at: index, names, in: pool)
    if !marks.isEmpty { emit(.Marks(text, marks)) }
    return patches
  }
}

extension [Int: ScalarValue] {
  fileprivate func isIdentical(to other: Self) -> Bool {
    count == other.count
      && allSatisfy { other[$0.key]?.isIdentical(to: $0.value) ?? false }
  }
}

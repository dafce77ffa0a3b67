package import Automerge

/// One change that holds what a whole document shows: what `--history plain` writes.
///
/// The values are those of the convergent mapping, read from a document that was built with it.
/// Operations are numbered level by level (format.md 9.1), so that their order in the change is
/// their order in the document.
package enum PlainChange {
  /// A container whose content is still to be written.
  private struct Container {
    var original: OpID
    var copy: ChangeDraft.LocalID
    var isMap: Bool
  }

  /// Builds in `draft` a change on top of `base` that makes everything visible in `source`.
  ///
  /// The root keys of the two are different, so the change has no predecessors.
  package static func build(
    flattening source: DocumentState, onto base: DocumentState, in draft: inout ChangeDraft
  ) {
    draft.begin(sequence: 1, startCounter: base.maxCounter + 1, dependencies: base.heads)
    write(source, to: &draft)
    draft.finish(as: .plain)
  }

  /// Writes everything visible in `source` to a draft that has begun.
  ///
  /// - Parameter leftOut: objects that are not written, nor what is in them.
  package static func write(
    _ source: DocumentState, leavingOut leftOut: Set<OpID> = [], to draft: inout ChangeDraft
  ) {
    var level = [Container(original: .root, copy: .root, isMap: true)]
    while !level.isEmpty {
      var next: [Container] = []
      for container in level {
        if container.isMap {
          writeMembers(
            of: container, of: source, leavingOut: leftOut, to: &draft, containers: &next)
        } else {
          writeElements(of: container, of: source, to: &draft, containers: &next)
        }
      }
      level = next
    }
  }

  private static func writeMembers(
    of map: Container, of source: DocumentState, leavingOut leftOut: Set<OpID>,
    to draft: inout ChangeDraft, containers: inout [Container]
  ) {
    let pool = source.pool
    source.forEachKey(of: map.original) { name, group in
      guard let value = source.winner(in: group), !leftOut.contains(value.id) else { return }
      let key = pool.span.extracting(name)
      switch value.content {
      case .object(let kind):
        let copy = draft.makeObject(kind, in: map.copy, key: key)
        containers.append(Container(original: value.id, copy: copy, isMap: kind == .map))
      case .scalar(let place):
        if let scalar = source.draftValue(place) {
          draft.set(scalar, in: map.copy, key: key)
        } else {
          draft.set(place.type, pool.span.extracting(place.range), in: map.copy, key: key)
        }
      }
    }
  }

  private static func writeElements(
    of list: Container, of source: DocumentState, to draft: inout ChangeDraft,
    containers: inout [Container]
  ) {
    let pool = source.pool
    let marks = source.placedMarks(of: list.original).marks
    var copies: [OpID: ChangeDraft.LocalID] = [:]
    var previous = ChangeDraft.LocalID.root
    source.forEachElement(of: list.original) { element, group in
      defer { if !marks.isEmpty { copies[element] = previous } }
      guard let value = source.winner(in: group) else { return }
      switch value.content {
      case .object(let kind):
        previous = draft.insertObject(kind, in: list.copy, after: previous)
        containers.append(Container(original: value.id, copy: previous, isMap: kind == .map))
      case .scalar(let place):
        if let scalar = source.draftValue(place) {
          previous = draft.insert(scalar, in: list.copy, after: previous)
        } else {
          previous = draft.insert(
            place.type, pool.span.extracting(place.range), in: list.copy, after: previous)
        }
      }
    }
    for mark in marks { write(mark, of: source, in: list.copy, copies, to: &draft) }
  }

  /// Writes a mark when all elements of its text are there: its begin and its end are two operations
  /// that follow one another.
  private static func write(
    _ mark: PlacedMark, of source: DocumentState, in text: ChangeDraft.LocalID,
    _ copies: [OpID: ChangeDraft.LocalID], to draft: inout ChangeDraft
  ) {
    let name = source.pool.span.extracting(mark.name)
    let begin: ChangeDraft.LocalID
    let previous = copies[mark.begin.previous] ?? .root
    if let scalar = source.draftValue(mark.value) {
      begin = draft.beginMark(
        name, scalar, expands: mark.begin.expands, in: text, after: previous)
    } else {
      begin = draft.beginMark(
        name, mark.value.type, source.pool.span.extracting(mark.value.range),
        expands: mark.begin.expands, in: text, after: previous)
    }
    // Between the same two elements the order of both decides whether the mark is empty or open.
    let isEmpty =
      mark.begin.previous == mark.end.previous && mark.begin.place < mark.end.place
    draft.endMark(
      expands: mark.end.expands, in: text,
      after: isEmpty ? begin : copies[mark.end.previous] ?? .root)
  }
}

extension DocumentState {
  /// Returns a scalar as a draft takes it, nil for strings, byte arrays and unknown types.
  package func draftValue(_ place: ScalarPlace) -> DraftValue? {
    switch place.type {
    case .null: .null
    case .boolFalse: .boolean(false)
    case .boolTrue: .boolean(true)
    case .int: .int(signed(place))
    case .uint: .uint(unsigned(place))
    case .float64: .float(double(place))
    case .counter: .counter(place.counter)
    case .timestamp: .timestamp(signed(place))
    default: nil
    }
  }
}

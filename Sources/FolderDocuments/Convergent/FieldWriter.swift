package import Automerge
package import Folders

/// Writes the fields of an entity into a change, in the order the content change prescribes:
/// unknown fields by their names' bytes, each followed depth-first by its content, then all known
/// fields, Null where absent.
package struct FieldWriter {
  /// Where a value goes: under a key, which is a range of the tape's text, or after an element.
  private enum Place {
    case key(ChangeDraft.LocalID, Range<Int>, replacing: [ChangeDraft.LocalID] = [])
    case element(ChangeDraft.LocalID, after: ChangeDraft.LocalID)
  }

  /// Name nodes of the objects being walked, innermost last: a stack without an array a level.
  private var names: [UInt32] = []

  package init() {}

  /// Writes all fields of an entity of the batch into `map`.
  package mutating func write(
    _ entity: LegacyEntity, of batch: EntityBatch, in map: ChangeDraft.LocalID,
    to draft: inout ChangeDraft
  ) {
    if entity.unknownMemberCount > 0 {
      names.removeAll(keepingCapacity: true)
      batch.appendUnknownMembers(of: entity, to: &names)
      writeMembers(from: 0, of: batch, in: map, to: &draft)
    }
    for field in entity.kind.fields {
      Self.write(field, of: entity, in: batch, into: map, to: &draft)
    }
  }

  /// Writes one known field, Null where it is absent, in the place of the values `replaced`.
  package static func write(
    _ field: KnownField, of entity: LegacyEntity, in batch: EntityBatch,
    into map: ChangeDraft.LocalID, replacing replaced: [ChangeDraft.LocalID] = [],
    to draft: inout ChangeDraft
  ) {
    let key = field.memberBytes
    guard let node = entity.node(of: field), batch.tape.kind(of: node) != .null else {
      draft.set(.null, in: map, key: key.span, predecessors: replaced)
      return
    }
    switch field.valueType {
    case .date:
      draft.set(
        .timestamp(entity.milliseconds(of: field)), in: map, key: key.span, predecessors: replaced)
    case .boolean:
      draft.set(
        .boolean(batch.tape.kind(of: node) == .true), in: map, key: key.span,
        predecessors: replaced)
    case .string:
      let text = batch.tape.text.span.extracting(batch.tape.range(of: node))
      if field == .comment, batch.streamType(of: node) == .text {
        let object = draft.makeObject(.text, in: map, key: key.span, predecessors: replaced)
        insertScalars(of: node, on: batch.tape, in: object, to: &draft)
      } else if field == .tagId, let identity = Identity(text) {
        draft.set(
          .string, identity.canonicalBytes.span, in: map, key: key.span, predecessors: replaced)
      } else {
        draft.set(.string, text, in: map, key: key.span, predecessors: replaced)
      }
    }
  }

  /// Writes the value of one member with all of its content, in the place of the values `replaced`.
  package mutating func write(
    member name: Int, of batch: EntityBatch, in map: ChangeDraft.LocalID,
    replacing replaced: [ChangeDraft.LocalID], to draft: inout ChangeDraft
  ) {
    names.removeAll(keepingCapacity: true)
    write(
      name + 1, of: batch, at: .key(map, batch.tape.range(of: name), replacing: replaced),
      to: &draft)
  }

  /// Inserts a value with all of its content after an element of a list; returns the new element.
  package mutating func insert(
    _ node: Int, of batch: EntityBatch, in list: ChangeDraft.LocalID,
    after element: ChangeDraft.LocalID, to draft: inout ChangeDraft
  ) -> ChangeDraft.LocalID {
    names.removeAll(keepingCapacity: true)
    return write(node, of: batch, at: .element(list, after: element), to: &draft)
  }

  // MARK: Unknown fields

  /// Writes the members whose name nodes are in `names` from `first` on, and takes them off.
  private mutating func writeMembers(
    from first: Int, of batch: EntityBatch, in map: ChangeDraft.LocalID,
    to draft: inout ChangeDraft
  ) {
    let end = names.count
    for index in first..<end {
      let name = Int(names[index])
      write(name + 1, of: batch, at: .key(map, batch.tape.range(of: name)), to: &draft)
    }
    names.removeLast(end - first)
  }

  /// Writes a value with all of its content; returns the id of its operation.
  @discardableResult
  private mutating func write(
    _ node: Int, of batch: EntityBatch, at place: Place, to draft: inout ChangeDraft
  ) -> ChangeDraft.LocalID {
    let tape = batch.tape
    // A valid entity holds no value without an Automerge form.
    switch batch.value(of: node) ?? .null {
    case .map:
      let map = Self.make(.map, at: place, on: tape, to: &draft)
      let first = names.count
      tape.appendSortedMembers(of: node, to: &names)
      writeMembers(from: first, of: batch, in: map, to: &draft)
      return map
    case .list:
      let list = Self.make(.list, at: place, on: tape, to: &draft)
      var previous = ChangeDraft.LocalID.root
      var element = node + 1
      while element < tape.node(after: node) {
        previous = write(element, of: batch, at: .element(list, after: previous), to: &draft)
        element = tape.node(after: element)
      }
      return list
    case .text:
      let text = Self.make(.text, at: place, on: tape, to: &draft)
      Self.insertScalars(of: node, on: tape, in: text, to: &draft)
      return text
    case .string:
      return Self.set(
        .string, tape.text.span.extracting(tape.range(of: node)), at: place, on: tape, to: &draft)
    case .bytes(let bytes): return Self.set(.bytes, bytes.span, at: place, on: tape, to: &draft)
    case .unknown(let code, let bytes):
      return Self.set(ValueType(code: code), bytes.span, at: place, on: tape, to: &draft)
    case .null: return Self.set(.null, at: place, on: tape, to: &draft)
    case .boolean(let value): return Self.set(.boolean(value), at: place, on: tape, to: &draft)
    case .int(let value): return Self.set(.int(value), at: place, on: tape, to: &draft)
    case .uint(let value): return Self.set(.uint(value), at: place, on: tape, to: &draft)
    case .double(let value): return Self.set(.float(value), at: place, on: tape, to: &draft)
    case .timestamp(let value):
      return Self.set(.timestamp(value), at: place, on: tape, to: &draft)
    case .counter(let value): return Self.set(.counter(value), at: place, on: tape, to: &draft)
    }
  }

  private static func make(
    _ kind: ObjectKind, at place: Place, on tape: JSONTape, to draft: inout ChangeDraft
  ) -> ChangeDraft.LocalID {
    switch place {
    case .key(let map, let key, let replaced):
      draft.makeObject(
        kind, in: map, key: tape.text.span.extracting(key), predecessors: replaced)
    case .element(let list, let previous):
      draft.insertObject(kind, in: list, after: previous)
    }
  }

  private static func set(
    _ value: DraftValue, at place: Place, on tape: JSONTape, to draft: inout ChangeDraft
  ) -> ChangeDraft.LocalID {
    switch place {
    case .key(let map, let key, let replaced):
      draft.set(value, in: map, key: tape.text.span.extracting(key), predecessors: replaced)
    case .element(let list, let previous):
      draft.insert(value, in: list, after: previous)
    }
  }

  private static func set(
    _ type: ValueType, _ bytes: Span<UInt8>, at place: Place, on tape: JSONTape,
    to draft: inout ChangeDraft
  ) -> ChangeDraft.LocalID {
    switch place {
    case .key(let map, let key, let replaced):
      draft.set(type, bytes, in: map, key: tape.text.span.extracting(key), predecessors: replaced)
    case .element(let list, let previous):
      draft.insert(type, bytes, in: list, after: previous)
    }
  }

  /// Inserts a string into a text object, one element for each Unicode scalar value.
  package static func insertScalars(
    of node: Int, on tape: JSONTape, in text: ChangeDraft.LocalID, to draft: inout ChangeDraft
  ) {
    draft.insertText(tape.text.span.extracting(tape.range(of: node)), in: text)
  }

  /// Returns where each Unicode scalar value of a string lies in the tape's text.
  package static func scalars(of node: Int, on tape: JSONTape) -> [Range<Int>] {
    let range = tape.range(of: node)
    let text = tape.text.span
    var scalars: [Range<Int>] = []
    scalars.reserveCapacity(range.count)
    var start = range.lowerBound
    while start < range.upperBound {
      var end = start + 1
      while end < range.upperBound, text[end] & 0xc0 == 0x80 { end += 1 }
      scalars.append(start..<end)
      start = end
    }
    return scalars
  }
}

import Automerge
import FolderDocuments
import Folders

/// Writes what a legacy file says of a field into an update (convergent-import.md, Update).
struct FieldUpdater {
  private var writer = FieldWriter()
  private var comparison = ValueComparison()
  private let clearsWithNull: Bool

  /// - Parameter clearsWithNull: whether a scalar that is absent is Null from now on, whatever another
  ///   import brings later. A deletion takes away only what is seen here.
  init(clearsWithNull: Bool = true) { self.clearsWithNull = clearsWithNull }

  /// Writes the file's value of a field in the place of everything readers see there.
  mutating func write(
    _ field: EntityReconciler.Field, of entity: LegacyEntity, in batch: EntityBatch, map: OpID,
    of document: DocumentState, to change: inout UpdateChange
  ) {
    switch field.role {
    case .link(let key, let links, let isWanted):
      let place = change.reference(to: links, of: document)
      if isWanted {
        let seen = change.predecessors(in: field.group, of: document)
        change.draft.set(.boolean(true), in: place, key: key.span, predecessors: seen)
      } else if let group = field.group {
        change.delete(in: place, key: key, group, of: document)
      }
    case .property(let property):
      write(field, property, in: batch, map: map, of: document, to: &change)
    case .unnamed, .undeclared, .known, .images:
      writeField(field, of: entity, in: batch, map: map, of: document, to: &change)
    }
  }

  // MARK: Declared properties

  private mutating func write(
    _ field: EntityReconciler.Field, _ property: Property, in batch: EntityBatch, map: OpID,
    of document: DocumentState, to change: inout UpdateChange
  ) {
    let place = change.reference(to: map, of: document)
    let tape = batch.tape
    guard let member = field.member, property.type == .json || tape.kind(of: member + 1) != .null
    else {
      if property.type.form.isScalar, clearsWithNull || field.member != nil {
        let seen = change.predecessors(in: field.group, of: document)
        change.draft.set(.null, in: place, key: field.name.span, predecessors: seen)
      } else if let group = field.group {
        change.delete(in: place, key: field.name, group, of: document)
      }
      return
    }
    let node = member + 1
    if edit(field, to: node, property.type, of: batch, document, &change) { return }
    let seen = change.predecessors(in: field.group, of: document)
    // The entity is valid, so there is no number in it that no type holds.
    let target = batch.kinds.profile.kind(of: property.type.target)
    switch (try? DeclaredValue(
      node, as: property.type.form, on: tape, batch.types, to: target)) ?? nil
    {
    case .scalar(let scalar):
      change.draft.set(
        scalar, in: place, key: field.name.span, on: tape, predecessors: seen)
    case .text(let node):
      let text = change.draft.makeObject(
        .text, in: place, key: field.name.span, predecessors: seen)
      FieldWriter.insertScalars(of: node, on: tape, in: text, to: &change.draft)
    case .links(let targets):
      let links = change.draft.makeObject(
        .map, in: place, key: field.name.span, predecessors: seen)
      for target in targets {
        change.draft.set(.boolean(true), in: links, key: target.span)
      }
    case .container, nil:
      writer.write(member: member, of: batch, in: place, replacing: seen, to: &change.draft)
    }
  }

  /// Turns the list or the text that readers see into the file's; false if it has to be made anew.
  private mutating func edit(
    _ field: EntityReconciler.Field, to node: Int, _ type: PropertyType, of batch: EntityBatch,
    _ document: DocumentState, _ change: inout UpdateChange
  ) -> Bool {
    switch batch.tape.kind(of: node) {
    case .array:
      if case .links = type { return false }
      guard let list = seenObject(.list, field, document) else { return false }
      edit(list, to: node, of: batch, document, &change)
    case .string where type == .text:
      guard let text = seenObject(.text, field, document) else { return false }
      edit(text, toTextOf: node, on: batch.tape, document, &change)
    default: return false
    }
    return true
  }

  // MARK: Fields of Minuta and members that are not declared

  private mutating func writeField(
    _ field: EntityReconciler.Field, of entity: LegacyEntity, in batch: EntityBatch, map: OpID,
    of document: DocumentState, to change: inout UpdateChange
  ) {
    let place = change.reference(to: map, of: document)
    if let member = field.member, !isEmpty(field, member, in: batch) {
      if batch.tape.kind(of: member + 1) == .array,
        let list = seenObject(.list, field, document)
      {
        edit(list, to: member + 1, of: batch, document, &change)
        return
      }
      let seen = change.predecessors(in: field.group, of: document)
      if case .known(let known) = field.role {
        FieldWriter.write(
          known, of: entity, in: batch, into: place, replacing: seen, to: &change.draft)
      } else {
        writer.write(member: member, of: batch, in: place, replacing: seen, to: &change.draft)
      }
    } else if field.role == .images, let list = seenObject(.list, field, document) {
      // The list itself stays: it is the one that all devices share.
      edit(list, to: nil, of: batch, document, &change)
    } else if let group = field.group {
      change.delete(in: place, key: field.name, group, of: document)
    }
  }

  /// A known field that is `null` is one that is not there: apps read both alike.
  private func isEmpty(
    _ field: EntityReconciler.Field, _ member: Int, in batch: EntityBatch
  ) -> Bool {
    guard case .known = field.role else { return false }
    return batch.tape.kind(of: member + 1) == .null
  }

  // MARK: Sequences

  /// The object that readers see in a field, nil if they see anything else.
  private func seenObject(
    _ kind: ObjectKind, _ field: EntityReconciler.Field, _ document: DocumentState
  ) -> OpID? {
    guard let value = field.group.flatMap({ document.winner(in: $0) }),
      value.content == .object(kind)
    else { return nil }
    return value.id
  }

  /// Turns a list into another; nil is an empty one.
  private mutating func edit(
    _ list: OpID, to array: Int?, of batch: EntityBatch, _ document: DocumentState,
    _ change: inout UpdateChange
  ) {
    var new: [Int] = []
    if let array {
      var node = array + 1
      while node < batch.tape.node(after: array) {
        new.append(node)
        node = batch.tape.node(after: node)
      }
    }
    var (comparison, writer) = (comparison, writer)
    edit(list, toCount: new.count, document, &change) { value, index in
      comparison.isEqual(new[index], on: batch.tape, value, document) {
        batch.streamType(of: $0)
      }
    } insert: { index, place, previous, draft in
      writer.insert(new[index], of: batch, in: place, after: previous, to: &draft)
    }
    (self.comparison, self.writer) = (comparison, writer)
  }

  /// Turns a text into that of a string, one element for each Unicode scalar value.
  private func edit(
    _ text: OpID, toTextOf node: Int, on tape: JSONTape, _ document: DocumentState,
    _ change: inout UpdateChange
  ) {
    let scalars = FieldWriter.scalars(of: node, on: tape)
    edit(text, toCount: scalars.count, document, &change) { value, index in
      guard case .scalar(let place) = value.content, place.type == .string else { return false }
      return document.pool.span.extracting(place.range).isEqual(
        to: tape.text.span.extracting(scalars[index]))
    } insert: { index, place, previous, draft in
      draft.insert(
        .string, tape.text.span.extracting(scalars[index]), in: place, after: previous)
    }
  }

  /// Turns a sequence into another with the fewest deletions and insertions.
  ///
  /// Where elements differ, the old ones are deleted first, then the new ones inserted, one after
  /// the other behind the element before.
  private func edit(
    _ sequence: OpID, toCount count: Int, _ document: DocumentState,
    _ change: inout UpdateChange, areEqual: (DocumentValue, Int) -> Bool,
    insert: (
      Int, ChangeDraft.LocalID, _ after: ChangeDraft.LocalID, inout ChangeDraft
    ) -> ChangeDraft.LocalID
  ) {
    var old: [(element: OpID, group: ValueGroup)] = []
    document.forEachElement(of: sequence) { old.append(($0, $1)) }
    let difference = SequenceDifference(from: old.count, to: count) { left, right in
      document.winner(in: old[left].group).map { areEqual($0, right) } ?? false
    }
    let place = change.reference(to: sequence, of: document)
    for edit in difference.edits {
      for (element, group) in old[edit.old] {
        change.delete(element: element, in: sequence, group, of: document)
      }
      var previous =
        edit.old.lowerBound == 0
        ? ChangeDraft.LocalID.root
        : change.reference(to: old[edit.old.lowerBound - 1].element, of: document)
      for index in edit.new { previous = insert(index, place, previous, &change.draft) }
    }
  }
}

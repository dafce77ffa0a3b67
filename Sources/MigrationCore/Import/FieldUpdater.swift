import Automerge
import FolderDocuments
import Folders

/// Writes what a legacy file says of a field into an update (convergent-import.md, Update).
struct FieldUpdater {
  private var writer = FieldWriter()
  private var comparison = MinutaComparison()

  init() {}

  /// Writes the file's value of a field in the place of everything readers see there.
  mutating func write(
    _ field: EntityReconciler.Field, of entity: LegacyEntity, in batch: EntityBatch, map: OpID,
    of document: DocumentState, to change: inout UpdateChange
  ) {
    let place = change.reference(to: map, of: document)
    if let member = field.member, !isEmpty(field, member, in: batch) {
      if batch.tape.kind(of: member + 1) == .array, let list = seenList(field, document) {
        edit(list, to: member + 1, of: batch, document, &change)
        return
      }
      let seen = change.predecessors(in: field.group, of: document)
      if let known = field.known {
        FieldWriter.write(
          known, of: entity, in: batch, into: place, replacing: seen, to: &change.draft)
      } else {
        writer.write(member: member, of: batch, in: place, replacing: seen, to: &change.draft)
      }
    } else if field.known == nil, isImages(field, of: entity), let list = seenList(field, document)
    {
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
    field.known != nil && batch.tape.kind(of: member + 1) == .null
  }

  private func isImages(_ field: EntityReconciler.Field, of entity: LegacyEntity) -> Bool {
    entity.kind == .record && field.name == KnownField.imagesKey
  }

  /// The list that readers see in a field, nil if they see anything else.
  private func seenList(_ field: EntityReconciler.Field, _ document: DocumentState) -> OpID? {
    guard let value = field.group.flatMap({ document.winner(in: $0) }),
      value.content == .object(.list)
    else { return nil }
    return value.id
  }

  /// Turns a list into another with the fewest deletions and insertions; nil is an empty one.
  ///
  /// Where elements differ, the old ones are deleted first, then the new ones inserted, one after
  /// the other behind the element before.
  private mutating func edit(
    _ list: OpID, to array: Int?, of batch: EntityBatch, _ document: DocumentState,
    _ change: inout UpdateChange
  ) {
    var old: [(element: OpID, group: ValueGroup)] = []
    document.forEachElement(of: list) { old.append(($0, $1)) }
    var new: [Int] = []
    if let array {
      var node = array + 1
      while node < batch.tape.node(after: array) {
        new.append(node)
        node = batch.tape.node(after: node)
      }
    }
    var comparison = self.comparison
    let difference = SequenceDifference(from: old.count, to: new.count) { left, right in
      guard let value = document.winner(in: old[left].group) else { return false }
      return comparison.isEqual(new[right], in: batch, to: value, of: document)
    }
    let place = change.reference(to: list, of: document)
    for edit in difference.edits {
      for (element, group) in old[edit.old] {
        change.delete(element: element, in: list, group, of: document)
      }
      var previous =
        edit.old.lowerBound == 0
        ? ChangeDraft.LocalID.root
        : change.reference(to: old[edit.old.lowerBound - 1].element, of: document)
      for node in new[edit.new] {
        previous = writer.insert(node, of: batch, in: place, after: previous, to: &change.draft)
      }
    }
  }
}

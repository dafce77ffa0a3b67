import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

// What an earlier undoing has taken away while it was edited elsewhere, as it was edited.
extension DocumentUndoer {
  /// What an entity gets that comes back.
  private struct Returning {
    let entity: EditedAway.Entity
    /// The properties that show what was edited, where readers would see what undoing a step wrote beside it.
    let edited: [[UInt8]: StepEntities.Member?]
  }

  /// Makes entities anew that were edited while an undoing took them away: one change makes their maps, and
  /// another one fills them with what they hold. Where undoing a step wrote a property that was edited, the
  /// edit counts.
  mutating func bringBack(
    _ away: [EditedAway.Entity], _ seen: StepSurvey.Document, in document: inout DocumentState
  ) throws(MigrationError) {
    let (kinds, note) = (kinds, note)
    var returning: [Returning] = []
    for entity in away {
      let edited = try edited(entity, seen, in: document)
      _ = try now.read(entity.map, seen.kind, entity.identity, in: document)
      if try now.make(restoring: edited) != nil {
        returning.append(Returning(entity: entity, edited: edited))
      } else {
        let problem = now.batch.findings.first?.message ?? "it breaks a rule of its kind"
        add(.notConverted, .error, seen, entity.identity, "is not brought back: \(problem)")
      }
    }
    if returning.isEmpty { return }
    let identities = returning.map(\.entity.identity)
    // Before anything hides them.
    for item in returning { tellSeveral(of: item.entity, seen, in: document) }
    let making = try document.accepting(at: seen.path) {
      document throws(FormatError) -> [UInt8] in
      var change = try UpdateChange(onto: document, message: note.message)
      for identity in identities {
        let key = kinds.bytes(of: identity, seen.kind)
        let group = document.group(of: .root, key: key)
        _ = change.draft.makeObject(
          .map, in: .root, key: key.span,
          predecessors: change.predecessors(in: group, of: document))
      }
      return try change.apply(to: &document, as: .undo)
    }
    var change = try document.accepting(at: seen.path) { document throws(FormatError) in
      try UpdateChange(onto: document, message: note.message)
    }
    for item in returning {
      let identity = item.entity.identity
      _ = try now.read(item.entity.map, seen.kind, identity, in: document)
      guard let made = try now.make(restoring: item.edited),
        let map = document.value(of: .root, key: kinds.bytes(of: identity, seen.kind))?.id
      else { throw .brokenInvariant("an entity that was edited cannot be made again") }
      let fields = reconciler.differences(
        among: now.names.union(item.edited.keys).sorted { ByteOrder.precedes($0, $1) }, of: made,
        in: now.batch, map: map, document)
      for field in fields {
        writer.write(field, of: made, in: now.batch, map: map, of: document, to: &change)
      }
      outcome.changedCount += 1
      add(
        .editedSince, .info, seen, identity,
        "was edited elsewhere while the step was undone, and is back as it was edited")
    }
    let filling = try document.accepting(at: seen.path) { document throws(FormatError) in
      try change.apply(to: &document, as: .undo)
    }
    outcome.patch.add(making + filling, of: 0)
  }

  /// Returns the properties of an entity of which readers would not see what was edited, as those saw them
  /// who edited them.
  mutating func edited(
    _ entity: EditedAway.Entity, _ seen: StepSurvey.Document, in document: DocumentState
  ) throws(MigrationError) -> [[UInt8]: StepEntities.Member?] {
    let hidden = properties(of: entity, in: document) { group in
      document.hides(entity.edits, in: group, replacedBy: entity.ofSteps)
    }
    if hidden.isEmpty { return [:] }
    var rows = [Bool](repeating: false, count: document.changeCount)
    for edit in entity.edits {
      for (row, isPast) in document.past(ofChange: edit).enumerated() where isPast {
        rows[row] = true
      }
    }
    let moment = UndoneStep.Moment(try document.only(rows), seen.kind, kinds)
    guard let map = moment.maps[entity.identity] else {
      for name in hidden {
        add(
          .conflict, .warning, seen, entity.identity,
          "\(DisplayText.escaping(name)) shows what undoing a step wrote, and what was edited stays in "
            + "the history")
      }
      return [:]
    }
    _ = try after.read(map, seen.kind, entity.identity, in: moment.document)
    var members: [[UInt8]: StepEntities.Member?] = [:]
    for name in hidden { members.updateValue(after.member(name), forKey: name) }
    return members
  }

  /// Tells of properties that several devices edited: only one of the edits comes back.
  private mutating func tellSeveral(
    of entity: EditedAway.Entity, _ seen: StepSurvey.Document, in document: DocumentState
  ) {
    let several = properties(of: entity, in: document) { group in
      document.holdsSeveral(of: entity.edits, in: group)
    }
    for name in several {
      add(
        .conflict, .warning, seen, entity.identity,
        "\(DisplayText.escaping(name)) was edited in several ways: the one comes back that won, the "
          + "others stay in the history")
    }
  }

  /// Returns the names of the properties of an entity of which something holds.
  private func properties(
    of entity: EditedAway.Entity, in document: DocumentState, where holds: (ValueGroup) -> Bool
  ) -> [[UInt8]] {
    var names: [[UInt8]] = []
    document.forEachKey(of: entity.map) { name, group in
      if holds(group) { names.append(Array(document.pool[name])) }
    }
    return names
  }
}

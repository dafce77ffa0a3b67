import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

// What others wrote of a property while the step changed it: it shows, as it would without the step.
extension DocumentUndoer {
  /// An entity that gets something back.
  struct TouchedEntity {
    /// A property whose value by the step goes, so that what somebody else wrote beside it shows.
    struct Uncovered {
      let name: [UInt8]
      /// Whether somebody has edited it, and not another step.
      let isEdited: Bool
      /// Whether somebody has deleted it, so that nothing shows.
      var isDeleted = false
    }

    /// A property of it: its values as JSON.
    struct Property {
      let name: [UInt8]
      let before: [UInt8]?
      var after: [UInt8]?
    }

    let map: OpID
    let identity: Identity
    let uncovered: [Uncovered]
    var properties: [Property]
  }

  /// Takes the properties out of those that are restored in which a value stands beside what steps wrote, and
  /// deletes from them only what would not be there without the step.
  ///
  /// Where somebody edited meanwhile what the step replaced as a whole, what is restored is what they saw.
  /// What somebody has deleted that the step had not seen deleted stays so.
  ///
  /// - Parameter changed: the last change of the step to each property.
  /// - Returns: the properties that show what others wrote.
  mutating func keepOthers(
    of map: OpID, _ identity: Identity, among restored: inout [[UInt8]: StepEntities.Member?],
    _ past: UndoneStep, changed: [[UInt8]: UndoneStep.Done], _ seen: StepSurvey.Document,
    _ document: DocumentState, _ change: inout UpdateChange
  ) throws(MigrationError) -> [TouchedEntity.Uncovered] {
    var uncovered: [TouchedEntity.Uncovered] = []
    var replaced: Set<Int> = []
    for name in restored.keys.sorted(by: { ByteOrder.precedes($0, $1) }) {
      guard let group = document.group(of: map, key: name) else { continue }
      let values = document.values(in: group)
      let (own, others) = past.split(values, in: document)
      func uncover(isEdited: Bool, isDeleted: Bool = false) {
        uncovered.append(
          TouchedEntity.Uncovered(name: name, isEdited: isEdited, isDeleted: isDeleted))
        restored[name] = nil
        change.draft.delete(
          in: change.reference(to: map, of: document), key: name.span,
          predecessors: own.map { change.reference(to: $0.id, of: document) })
      }
      let isThere = restored[name].map { $0 != nil } ?? false
      if others.isEmpty, isThere, let last = changed[name],
        document.hasDeletion(in: group, besides: ofSteps, notSeenBy: last.past)
      {
        if own.isEmpty {
          restored[name] = nil
          addDeleted(name, seen, identity)
        } else {
          uncover(isEdited: true, isDeleted: true)
        }
      } else if others.isEmpty {
        if document.hasDifferentValues(group) { addSeveral(name, seen, identity) }
        replaced.formUnion(edits(besidesStepIn: group, document))
      } else if !own.isEmpty {
        let isEdited = others.contains { other in
          document.row(ofChangeThatMade: other.id).map { !ofSteps.contains($0) } ?? true
        }
        outcome.uncovered[identity, default: []].insert(name)
        uncover(isEdited: isEdited)
      } else if document.hasDifferentValues(group) {
        restored[name] = nil
        add(
          .editedSince, .info, seen, identity,
          "\(DisplayText.escaping(name)) was edited since, and stays as it is")
      }
    }
    if replaced.isEmpty { return uncovered }
    let entity = EditedAway.Entity(
      identity: identity, map: map, edits: replaced, ofSteps: ofSteps)
    for (name, member) in try edited(entity, seen, in: document)
    where restored[name] != nil && restored[name] != member {
      restored.updateValue(member, forKey: name)
      outcome.uncovered[identity, default: []].insert(name)
      add(
        .editedSince, .info, seen, identity,
        "\(DisplayText.escaping(name)) was edited elsewhere meanwhile, and is back as it was edited"
      )
    }
    _ = try now.read(map, seen.kind, identity, in: document)
    return uncovered
  }

  /// Returns the properties of an entity that were edited while what a step wrote hides that.
  mutating func hiddenEdits(in map: OpID, _ document: DocumentState) -> [[UInt8]] {
    var groups: [(name: [UInt8], group: ValueGroup)] = []
    document.forEachKey(of: map) { name, group in
      groups.append((Array(document.pool[name]), group))
    }
    return groups.compactMap { name, group in
      let edits = edits(besidesStepIn: group, document).filter { !document.isImport($0) }
      return document.hides(edits, in: group, replacedBy: ofSteps) ? name : nil
    }
  }

  /// Returns the changes, of no step, that wrote into a group of which readers see what a step left that has
  /// not seen them.
  private mutating func edits(
    besidesStepIn group: ValueGroup, _ document: DocumentState
  ) -> Set<Int> {
    var edits = document.writers(of: group, replacedBy: ofSteps).subtracting(ofSteps)
    if edits.isEmpty { return [] }
    var last: [Int] = []
    if let winner = document.winner(in: group) {
      last = document.row(ofChangeThatMade: winner.id).map { [$0] } ?? []
    } else {
      document.forEachOperation(in: group) { _, _, successors in
        last += successors.compactMap { document.row(ofChangeThatMade: $0) }
      }
    }
    last = Set(last).filter(ofSteps.contains).sorted()
    if last.isEmpty { return [] }
    for row in last {
      let past = pasts[row] ?? document.past(ofChange: row)
      pasts[row] = past
      edits = edits.filter { !past[$0] }
    }
    return edits
  }

  // MARK: Telling

  /// Says what entities show, now that the change is made.
  mutating func tellTouched(
    _ seen: StepSurvey.Document, in document: DocumentState
  ) throws(MigrationError) {
    for entity in touched {
      var properties = entity.properties
      if !entity.uncovered.isEmpty {
        _ = try now.read(entity.map, seen.kind, entity.identity, in: document)
        for index in properties.indices
        where entity.uncovered.contains(where: { $0.name == properties[index].name }) {
          properties[index].after = now.member(properties[index].name)?.json
        }
      }
      for property in entity.uncovered where property.isEdited {
        if property.isDeleted {
          addDeleted(property.name, seen, entity.identity)
          continue
        }
        add(
          .editedSince, .info, seen, entity.identity,
          "\(DisplayText.escaping(property.name)) was edited elsewhere meanwhile, and shows that")
      }
      guard notesChanges else { continue }
      outcome.changes.append(
        SchemaReport.Change(
          kind: kinds.name(of: seen.kind), id: kinds.text(of: entity.identity), isNew: false,
          properties: properties.map { property in
            .init(
              name: String(decoding: property.name, as: UTF8.self), before: property.before,
              after: property.after)
          }))
    }
  }

  private mutating func addDeleted(
    _ name: [UInt8], _ seen: StepSurvey.Document, _ identity: Identity
  ) {
    add(
      .editedSince, .info, seen, identity,
      "\(DisplayText.escaping(name)) was deleted elsewhere since, and stays so")
  }

  private mutating func addSeveral(
    _ name: [UInt8], _ seen: StepSurvey.Document, _ identity: Identity
  ) {
    add(
      .conflict, .warning, seen, identity,
      "\(DisplayText.escaping(name)) shows several values of runs of the step: what readers saw before "
        + "comes back, the others stay in the history")
  }

  /// Tells why an entity stays that is as the step made it.
  mutating func addHidden(
    _ name: [UInt8], _ seen: StepSurvey.Document, _ identity: Identity
  ) {
    add(
      .conflict, .warning, seen, identity,
      "the step made it, and it stays: \(DisplayText.escaping(name)) was edited elsewhere meanwhile, "
        + "and does not show that",
      next: HiddenEdits.decision(about: name, of: identity, kinds))
  }
}

extension UndoneStep {
  /// Returns which of some values would not be there without the step, and which ones others wrote.
  fileprivate func split(
    _ values: [DocumentValue], in document: DocumentState
  ) -> (own: [DocumentValue], others: [DocumentValue]) {
    var (own, others): ([DocumentValue], [DocumentValue]) = ([], [])
    for value in values {
      if let row = document.row(ofChangeThatMade: value.id), following.contains(row) {
        own.append(value)
      } else {
        others.append(value)
      }
    }
    return (own, others)
  }
}

extension DocumentState {
  /// Whether a change was written by an import, or by a step that made entities as these do.
  func isImport(_ row: Int) -> Bool {
    switch label(ofChange: row) {
    case .content, .images, .skeleton, .declaredContent, .property, .links, .join: true
    case .update, .unify, .plain, nil: false
    }
  }

  /// Whether a value in a group was deleted by another change than those of steps, and imports, that some
  /// changes had not seen.
  fileprivate func hasDeletion(
    in group: ValueGroup, besides steps: Set<Int>, notSeenBy past: [Bool]
  ) -> Bool {
    var values: Set<OpID> = []
    var successors: Set<OpID> = []
    forEachOperation(in: group) { id, _, next in
      values.insert(id)
      successors.formUnion(next)
    }
    return successors.subtracting(values).contains { deletion in
      guard let row = row(ofChangeThatMade: deletion) else { return false }
      return !steps.contains(row) && !isImport(row) && !(past.indices.contains(row) && past[row])
    }
  }
}

import Automerge
import FolderDocuments
import Folders

/// Entities that a step has made and that undoing it has taken away, while somebody edited them elsewhere:
/// the edit came together with the undoing, and no reader sees it.
struct EditedAway {
  /// One of them.
  struct Entity: Sendable {
    let identity: Identity
    /// The map that was edited.
    let map: OpID
    /// The rows of the changes that edited it.
    let edits: Set<Int>
    /// Those of the changes of steps, which are no edits.
    let ofSteps: Set<Int>
  }

  private(set) var entities: [Entity] = []
  /// The identities of those that the step has made anew since, so that readers see these.
  private(set) var remade: [Identity] = []

  /// Looks for them in a document of a kind that was loaded with its chunks.
  ///
  /// - Parameters:
  ///   - id: the step.
  ///   - steps: the steps of all plans, whose changes are no edits.
  init(
    by id: String, besides steps: [String], _ history: StepHistory, in document: DocumentState,
    of kind: EntityKind, _ kinds: EntityKinds
  ) {
    let undoings = history.entries.filter {
      $0.label == .undo && $0.note.id.utf8.elementsEqual(id.utf8)
    }
    if undoings.isEmpty { return }
    let pasts = Dictionary(
      undoings.map { ($0.row, document.past(ofChange: $0.row)) },
      uniquingKeysWith: { first, _ in first })
    let own = Set(
      history.entries.lazy.filter { $0.label == .step && $0.note.id.utf8.elementsEqual(id.utf8) }
        .map(\.row))
    let ofSteps = Set(history.entries.lazy.filter { steps.contains($0.note.id) }.map(\.row))
    for entity in DocumentRoot(document, of: kind, kinds).entities {
      guard let range = entity.key else { continue }
      let key = Array(document.pool[range])
      guard let group = document.group(of: .root, key: key) else { continue }
      // What the step has made anew, whether after the edit came or before, hides it like its absence.
      if let map = entity.map {
        guard let row = document.row(ofChangeThatMade: map), own.contains(row) else { continue }
      } else if !history.tookAway(key, by: id, in: document) {
        continue
      }
      var edited: Entity?
      document.forEachOperation(in: group) { map, isVisible, successors in
        if isVisible || successors.isEmpty { return }
        // What the undoing that has taken it away has seen it has judged.
        let rows = successors.compactMap { document.row(ofChangeThatMade: $0) }
        let seen = rows.compactMap { pasts[$0] }
        guard seen.count == successors.count else { return }
        let edits = document.writers(in: map, replacedBy: ofSteps).filter { row in
          !ofSteps.contains(row) && !seen.contains { $0[row] }
        }
        if edits.isEmpty { return }
        edited = Entity(identity: entity.identity, map: map, edits: edits, ofSteps: ofSteps)
      }
      guard let edited else { continue }
      if entity.map == nil {
        entities.append(edited)
      } else {
        remade.append(entity.identity)
      }
    }
  }
}

extension DocumentState {
  /// The rows of the changes that wrote what is in an object, whether readers see it, or another value, or
  /// changes of steps alone hide it.
  ///
  /// - Parameter steps: the rows of those.
  func writers(in object: OpID, replacedBy steps: Set<Int>) -> Set<Int> {
    var writers: Set<Int> = []
    forEachGroup(in: object) { _, group in
      writers.formUnion(self.writers(of: group, replacedBy: steps))
    }
    return writers
  }

  /// The same for what is in a group.
  func writers(of group: ValueGroup, replacedBy steps: Set<Int>) -> Set<Int> {
    var writers: Set<Int> = []
    forEachOperation(in: group) { id, isVisible, successors in
      if isVisible, let row = row(ofChangeThatMade: id) { writers.insert(row) }
      guard kind(of: id) != nil else { return }
      // An object that was replaced takes along what somebody else writes into it meanwhile.
      let isReplaced = successors.allSatisfy { successor in
        row(ofChangeThatMade: successor).map(steps.contains) ?? false
      }
      if isVisible || isReplaced { writers.formUnion(self.writers(in: id, replacedBy: steps)) }
    }
    return writers
  }

  /// Whether some changes wrote a value, or into one, that readers do not see in a group, or in what it holds,
  /// because what a step wrote hides it.
  func hides(_ rows: Set<Int>, in group: ValueGroup, replacedBy steps: Set<Int>) -> Bool {
    let written = writers(of: group, replacedBy: steps).intersection(rows)
    if written.isEmpty { return false }
    guard let winner = values(in: group).last else { return true }
    let isOfThem = row(ofChangeThatMade: winner.id).map(rows.contains) ?? false
    guard case .object = winner.content else { return !isOfThem }
    if !isOfThem, !writers(in: winner.id, replacedBy: steps).isSuperset(of: written) { return true }
    var hides = false
    forEachGroup(in: winner.id) { _, group in
      hides = hides || self.hides(rows, in: group, replacedBy: steps)
    }
    return hides
  }

  /// Whether several of some changes wrote values beside each other in a group, or in what it holds.
  func holdsSeveral(of rows: Set<Int>, in group: ValueGroup) -> Bool {
    let values = values(in: group)
    let writers = values.compactMap { row(ofChangeThatMade: $0.id) }.filter(rows.contains)
    if Set(writers).count > 1 { return true }
    guard let winner = values.last, case .object = winner.content else { return false }
    var several = false
    forEachGroup(in: winner.id) { _, group in
      several = several || self.holdsSeveral(of: rows, in: group)
    }
    return several
  }
}

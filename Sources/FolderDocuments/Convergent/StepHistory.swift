package import Automerge

/// The changes of steps in a document, those that undo them included.
package struct StepHistory {
  /// One of them.
  package struct Entry {
    /// Its row in the document.
    package let row: Int
    package let label: StepLabel
    package let note: StepNote
  }

  /// All of them, in the order of application.
  package private(set) var entries: [Entry] = []

  /// Looks for them in a document that was loaded with its chunks.
  ///
  /// An author is a hash of its change, so nobody else has written under its name.
  package init(of document: DocumentState) {
    for row in document.rowsWithMessages {
      let change = document.change(at: row)
      guard change.time == 0, change.sequence == 1, let note = StepNote(message: change.message),
        let label = StepLabel.allCases.first(where: {
          document.derivesAuthor(ofChange: row, from: $0.text)
        })
      else { continue }
      entries.append(Entry(row: row, label: label, note: note))
    }
  }

  /// Returns the changes of a step that nobody has undone, and whether there are others, which somebody
  /// has.
  ///
  /// What undoes a step builds on all that was there, so what it does not build on came later or from
  /// elsewhere.
  package func standing(
    of id: String, in document: DocumentState
  ) -> (done: [Entry], isUndone: Bool) {
    let own = entries.filter { $0.note.id.utf8.elementsEqual(id.utf8) }
    let pasts = own.filter { $0.label == .undo }.map { document.past(ofChange: $0.row) }
    let steps = own.filter { $0.label == .step }
    let done = steps.filter { step in !pasts.contains { $0[step.row] } }
    return (done, done.count < steps.count)
  }

  /// Returns which changes each change of a step has seen that nobody has undone, by their rows: those that
  /// it builds on, but for what another one had seen before that it found done, and that was undone since.
  ///
  /// That was on a device that had not this one: what the other one had done to that is gone, and nothing that
  /// stands has done it again.
  package func reaches(of id: String, in document: DocumentState) -> [[Bool]] {
    let (done, isUndone) = standing(of: id, in: document)
    if !isUndone { return done.map { document.past(ofChange: $0.row) } }
    let own = entries.filter { $0.note.id.utf8.elementsEqual(id.utf8) }
    let undoings = own.filter { $0.label == .undo }.map {
      (row: $0.row, past: document.past(ofChange: $0.row))
    }
    // What a change builds on was applied before it.
    var reaches: [(row: Int, reach: [Bool])] = []
    let standing = Set(done.map(\.row))
    for entry in own where entry.label == .step {
      let past = document.past(ofChange: entry.row)
      var reach = past
      for earlier in reaches where past[earlier.row] && !standing.contains(earlier.row) {
        if undoings.contains(where: { past[$0.row] && $0.past[earlier.row] }) { continue }
        for row in reach.indices where earlier.reach[row] { reach[row] = false }
      }
      reaches.append((entry.row, reach))
    }
    return done.compactMap { entry in reaches.first { $0.row == entry.row }?.reach }
  }

  /// Whether runs of a step were undone on a device that had not those which stand: none of these has found what
  /// undoing it left.
  package func isPartlyUndone(_ id: String, in document: DocumentState) -> Bool {
    let pasts = standing(of: id, in: document).done.map { document.past(ofChange: $0.row) }
    return entries.contains { entry in
      entry.label == .undo && entry.note.id.utf8.elementsEqual(id.utf8)
        && !pasts.contains { $0[entry.row] }
    }
  }

  /// Whether all that was ever under a key of the root was taken away by undoing a step, and by nothing else.
  package func tookAway(_ key: [UInt8], by id: String, in document: DocumentState) -> Bool {
    guard let group = document.group(of: .root, key: key) else { return false }
    let undoings = Set(
      entries.filter { $0.label == .undo && $0.note.id.utf8.elementsEqual(id.utf8) }.map(\.row))
    var isOurs = !undoings.isEmpty
    document.forEachOperation(in: group) { _, isVisible, successors in
      isOurs =
        isOurs && !isVisible
        && successors.allSatisfy { id in
          document.row(ofChangeThatMade: id).map { undoings.contains($0) } ?? false
        }
    }
    return isOurs
  }

  /// Returns which changes some changes of a step found, by their rows: those that they build on, but for
  /// what builds on one of them. It is what the step began with, wherever it ran.
  package func begun(by entries: [Entry], in document: DocumentState) -> [Bool] {
    var found = [Bool](repeating: false, count: document.changeCount)
    for entry in entries {
      for (row, isPast) in document.past(ofChange: entry.row).enumerated() where isPast {
        found[row] = true
      }
    }
    var follows = [Bool](repeating: false, count: document.changeCount)
    for entry in entries { follows[entry.row] = true }
    for row in found.indices where found[row] && !follows[row] {
      follows[row] = document.change(at: row).dependencies.contains { hash in
        document.row(ofChange: hash).map { follows[$0] } ?? false
      }
    }
    return found.indices.map { found[$0] && !follows[$0] }
  }

  /// Returns some changes of a step as they came behind each other, the last first: those together that
  /// no other builds on, then those that none of the rest builds on.
  ///
  /// Documents with the same changes have the same ones, whatever order these came in.
  package static func layers(
    of entries: [Entry], in document: DocumentState
  ) -> [(entries: [Entry], past: [Bool])] {
    var rest = entries.map { (entry: $0, past: document.past(ofChange: $0.row)) }
    var layers: [(entries: [Entry], past: [Bool])] = []
    while !rest.isEmpty {
      let last = rest.filter { one in
        !rest.contains { $0.entry.row != one.entry.row && $0.past[one.entry.row] }
      }
      var past = [Bool](repeating: false, count: document.changeCount)
      for row in past.indices { past[row] = last.contains { $0.past[row] } }
      layers.append((last.map(\.entry), past))
      rest.removeAll { one in last.contains { $0.entry.row == one.entry.row } }
    }
    return layers
  }

  /// Returns the rows of the changes with which entities begin that some steps have made: they were joined
  /// with the change of the step, as entities are that an import brings right behind it. So only steps
  /// that make entities of the document's kind are to be asked about.
  package func skeletonsMade(by ids: Set<String>, in document: DocumentState) -> Set<Int> {
    if ids.isEmpty { return [] }
    let steps = Set(
      entries.filter { $0.label == .step && ids.contains($0.note.id) }
        .map { document.hash(ofChange: $0.row) })
    var made: Set<Int> = []
    for row in 0..<document.changeCount where document.dependencyCount(ofChange: row) > 1 {
      let joined = document.change(at: row).dependencies
      guard joined.contains(where: steps.contains), document.label(ofChange: row) == .join else {
        continue
      }
      for hash in joined where !steps.contains(hash) {
        if let content = document.row(ofChange: hash) {
          made.formUnion(document.onlyDependency(ofChange: content).map { [$0] } ?? [])
        }
      }
    }
    return made
  }

  /// The names of the steps, each once, in the order of their first changes.
  package var ids: [String] {
    var ids: [String] = []
    for entry in entries where !ids.contains(entry.note.id) { ids.append(entry.note.id) }
    return ids
  }
}

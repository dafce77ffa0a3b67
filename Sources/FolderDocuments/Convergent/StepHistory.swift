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

  /// Returns the rows of the changes with which entities begin that steps have made: they were joined with
  /// the change of the step.
  package func skeletonsMade(in document: DocumentState) -> Set<Int> {
    let steps = Set(entries.filter { $0.label == .step }.map { document.hash(ofChange: $0.row) })
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

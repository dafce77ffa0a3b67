package import Automerge
import Folders

/// A document, verified and ready to be shown, now or at a point in its history.
package struct DocumentInspection {
  private let document: DocumentState
  private let name: String
  private let point: [ChangeHash]?

  /// Creates an inspection; `name` is what a summary calls the document, and without a point it is
  /// shown as it is now.
  package init(_ document: DocumentState, name: String, at point: [ChangeHash]?) {
    self.document = document
    self.name = name
    self.point = point
  }

  /// Whether the document as it would be saved loads again to the same history.
  var survivesSaving: Bool {
    // An error is the answer: what does not load was not saved.
    guard let again = try? DocumentState(loading: document.encoded()) else { return false }
    return again.heads == document.heads && again.queuedCount == document.queuedCount
  }

  /// Writes one view, in pieces.
  package func write(_ view: InspectionView, to sink: ByteSink) throws(MigrationError) {
    let output = InspectionOutput(sink)
    try write(view, to: output)
    try output.finish()
  }

  private func write(
    _ view: InspectionView, to output: InspectionOutput
  ) throws(MigrationError) {
    switch view {
    case .tree:
      output.text(summary)
      var tree = StateTree(of: document, to: output)
      try walk.visit(with: &tree)
    case .typed, .plain:
      var json = StateJSON(view == .typed ? .typed : .plain, of: document, to: output)
      try walk.visit(with: &json)
      output.text("\n")
    case .conflicts:
      try ConflictList(document: document, view: walk.view).write(to: output)
      output.text("\n")
    case .heads:
      for hash in (point ?? document.heads).sorted() { output.text(hash.hex + "\n") }
    case .changes:
      try writeChanges(to: output)
    case .check:
      output.text(summary)
    }
  }

  private var walk: StateWalk {
    StateWalk(document: document, view: point.map { document.view(at: $0) })
  }

  private var summary: String {
    func counted(_ count: Int, _ noun: String) -> String {
      "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
    var text = "\(name): \(counted(document.changeCount, "change"))"
    text += " by \(counted(document.actorIDs.count, "actor")), "
    text += "\(counted(document.operationCount, "operation")), "
    text += counted(document.heads.count, "head")
    if document.queuedCount > 0 {
      text += ", \(counted(document.queuedCount, "change")) waiting for "
      text += counted(document.missingDependencies.count, "missing change")
    }
    return text + "\n"
  }

  // MARK: Changes

  private func writeChanges(to output: InspectionOutput) throws(MigrationError) {
    for row in rowsToShow {
      let change = document.change(at: row)
      var line = JSONWriter()
      line.beginObject()
      line.name("hash")
      line.string(change.hash.hex)
      line.name("actor")
      line.string(change.actor.bytes.hexadecimal)
      line.name("seq")
      line.number(change.sequence)
      line.name("startOp")
      line.number(change.startCounter)
      line.name("time")
      line.number(change.time)
      line.name("message")
      if change.message.isEmpty { line.null() } else { line.string(change.message.span) }
      line.name("deps")
      line.beginArray()
      for hash in change.dependencies { line.string(hash.hex) }
      line.endArray()
      line.name("ops")
      line.number(change.operationCount)
      line.endObject()
      output.json.bytes += line.bytes
      output.text("\n")
      try output.passOn()
    }
  }

  /// The rows of the changes at the point shown, in the order of application.
  private var rowsToShow: [Int] {
    guard let point else { return Array(0..<document.changeCount) }
    var isShown = [Bool](repeating: false, count: document.changeCount)
    var pending = point.compactMap { document.row(ofChange: $0) }
    while let row = pending.popLast() {
      guard !isShown[row] else { continue }
      isShown[row] = true
      pending += document.change(at: row).dependencies.compactMap { document.row(ofChange: $0) }
    }
    return isShown.indices.filter { isShown[$0] }
  }
}

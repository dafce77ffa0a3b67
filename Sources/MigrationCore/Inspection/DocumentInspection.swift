package import Automerge
import Diagnostics
import FolderDocuments
import Folders
package import Runs

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
  ///
  /// - Parameter isNamed: whether lines and values say which document they are of.
  package func write(
    _ view: InspectionView, isNamed: Bool = false, to sink: ByteSink
  ) throws(MigrationError) {
    let output = InspectionOutput(sink)
    try write(view, isNamed, to: output)
    try output.finish()
  }

  private func write(
    _ view: InspectionView, _ isNamed: Bool, to output: InspectionOutput
  ) throws(MigrationError) {
    switch view {
    case .tree:
      output.text(summary)
      var tree = StateTree(of: document, to: output)
      try walk.visit(with: &tree)
    case .typed, .plain:
      try writeLine(of: "state", isNamed, to: output) { output throws(MigrationError) in
        var json = StateJSON(view == .typed ? .typed : .plain, of: document, to: output)
        try walk.write(to: &json)
      }
    case .conflicts:
      try writeLine(of: "conflicts", isNamed, to: output) { output throws(MigrationError) in
        try ConflictList(document: document, view: walk.view).write(to: output)
      }
    case .heads:
      let suffix = isNamed ? "  " + DisplayText.escaping(Array(name.utf8)) : ""
      for hash in (point ?? document.heads).sorted() { output.text(hash.hex + suffix + "\n") }
    case .changes:
      try writeChanges(isNamed, to: output)
    case .check:
      output.text(summary)
    }
  }

  /// Writes one value as a line: as it is, or as a member of an object that names the document.
  private func writeLine(
    of member: StaticString, _ isNamed: Bool, to output: InspectionOutput,
    _ value: (InspectionOutput) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    if isNamed {
      output.json.beginObject()
      output.json.name("path")
      output.json.string(name)
      output.json.name(member)
    }
    try value(output)
    if isNamed { output.json.endObject() }
    output.text("\n")
  }

  private var walk: StateWalk {
    StateWalk(document: document, view: point.map { document.view(at: $0) })
  }

  private var summary: String {
    var text = "\(name): \(document.changeCount.counted("change"))"
    text += " by \(document.actorIDs.count.counted("actor")), "
    text += "\(document.operationCount.counted("operation")), "
    text += document.heads.count.counted("head")
    if document.queuedCount > 0 {
      text += ", \(document.queuedCount.counted("change")) waiting for "
      text += document.missingDependencies.count.counted("missing change")
    }
    return text + "\n"
  }

  // MARK: Changes

  private func writeChanges(
    _ isNamed: Bool, to output: InspectionOutput
  ) throws(MigrationError) {
    for row in rowsToShow {
      let change = document.change(at: row)
      var line = JSONWriter()
      line.beginObject()
      if isNamed {
        line.name("path")
        line.string(name)
      }
      line.name("hash")
      line.string(change.hash.hex)
      line.name("actor")
      line.string(change.actor.bytes.hexDigits)
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

/// A document of today's values and nothing else.
enum ValuesAlone {
  /// Returns how many bytes it takes: one change by an actor of the usual length.
  static func byteCount(of document: DocumentState) -> Int {
    var draft = ChangeDraft()
    PlainChange.build(flattening: document, onto: DocumentState(), in: &draft)
    var batch = ChangeBatch()
    batch.append(draft)
    var state = DocumentState()
    // One change that depends on nothing always fits; the figure would be that of no document.
    _ = try? state.apply(batch)
    return state.encoded().count
  }
}

/// Counts the scalars and texts that readers see.
struct ValueCounter: StateVisitor {
  var count = 0

  mutating func begin(_ kind: ObjectKind, count: Int) {}
  mutating func end(_ kind: ObjectKind) {}
  mutating func key(_ name: Range<Int>, valueCount: Int) {}
  mutating func index(_ index: Int, valueCount: Int) {}
  mutating func scalar(_ place: ScalarPlace) { count += 1 }
  mutating func text(_ utf8: [UInt8]) { count += 1 }
  mutating func pause() {}
}

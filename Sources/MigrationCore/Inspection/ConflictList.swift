import Automerge
import FolderDocuments
import Folders
import Runs

/// Writes the conflicts of a document as JSON, each with all its values.
struct ConflictList {
  let document: DocumentState
  let view: HistoricalView?

  func write(to output: InspectionOutput) throws(MigrationError) {
    output.json.beginArray()
    try ConflictWalk(document: document, view: view).forEach {
      conflict throws(MigrationError) in try write(conflict, to: output)
    }
    output.json.endArray()
  }

  private func write(
    _ conflict: ConflictWalk.Conflict, to output: InspectionOutput
  ) throws(MigrationError) {
    output.json.beginObject()
    output.json.name("obj")
    output.json.string(conflict.object.isRoot ? "_root" : name(of: conflict.object))
    output.json.name("path")
    output.json.beginArray()
    for step in conflict.path { write(step, to: output) }
    output.json.endArray()
    output.json.name("prop")
    if let step = conflict.path.last { write(step, to: output) }
    output.json.name("values")
    output.json.beginArray()
    for value in conflict.values {
      output.json.beginObject()
      output.json.name("op")
      output.json.string(name(of: value.id))
      output.json.name("value")
      var json = StateJSON(.typed, of: document, to: output)
      try StateWalk(document: document, view: view).write(value, to: &json)
      output.json.endObject()
    }
    output.json.endArray()
    output.json.name("winner")
    output.json.string(conflict.values.last.map { name(of: $0.id) } ?? "")
    output.json.endObject()
    try output.passOn()
  }

  private func write(_ step: ConflictWalk.Step, to output: InspectionOutput) {
    switch step {
    case .key(let name): output.json.string(document.pool.span.extracting(name))
    case .index(let index): output.json.number(index)
    }
  }

  /// `counter@actor`, the form in which the reference prints operation ids.
  private func name(of id: OpID) -> String {
    "\(id.counter)@\(document.author(of: id).bytes.hexDigits)"
  }
}

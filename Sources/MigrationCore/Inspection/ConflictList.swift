import Automerge
import FolderDocuments
import Folders
import Runs

/// Writes every key and index that concurrent changes left with more than one value, in visible and
/// in losing objects alike.
///
/// Depth first with a stack of its own: a conflict, then what lies inside its values by ascending
/// operation id, then the next key.
struct ConflictList {
  let document: DocumentState
  let view: HistoricalView?

  private enum Step {
    case key(Range<Int>)
    case index(Int)
  }

  private struct Entry {
    let step: Step
    let values: [DocumentValue]
  }

  private struct Frame {
    let object: OpID
    /// How many steps of the path lead here.
    let depth: Int
    let entries: [Entry]
    var next = 0
  }

  func write(to output: InspectionOutput) throws(MigrationError) {
    output.json.beginArray()
    var path: [Step] = []
    var stack = [Frame(object: .root, depth: 0, entries: entries(of: .root, .map))]
    while var frame = stack.popLast() {
      guard frame.next < frame.entries.count else { continue }
      let entry = frame.entries[frame.next]
      path.removeSubrange(frame.depth...)
      path.append(entry.step)
      frame.next += 1
      let (object, depth) = (frame.object, frame.depth + 1)
      stack.append(frame)
      if entry.values.count > 1 { try write(entry, of: object, path, to: output) }
      for value in entry.values.reversed() {
        guard case .object(let kind) = value.content, kind != .text else { continue }
        stack.append(Frame(object: value.id, depth: depth, entries: entries(of: value.id, kind)))
      }
    }
    output.json.endArray()
  }

  private func entries(of object: OpID, _ kind: ObjectKind) -> [Entry] {
    var entries: [Entry] = []
    if kind == .map {
      document.forEachKey(of: object) { name, group in
        let values = document.values(in: group, at: view)
        if !values.isEmpty { entries.append(Entry(step: .key(name), values: values)) }
      }
    } else {
      document.forEachElement(of: object, at: view) { _, group in
        let values = document.values(in: group, at: view)
        entries.append(Entry(step: .index(entries.count), values: values))
      }
    }
    return entries
  }

  private func write(
    _ entry: Entry, of object: OpID, _ path: [Step], to output: InspectionOutput
  ) throws(MigrationError) {
    output.json.beginObject()
    output.json.name("obj")
    output.json.string(object.isRoot ? "_root" : name(of: object))
    output.json.name("path")
    output.json.beginArray()
    for step in path { write(step, to: output) }
    output.json.endArray()
    output.json.name("prop")
    write(entry.step, to: output)
    output.json.name("values")
    output.json.beginArray()
    for value in entry.values {
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
    output.json.string(entry.values.last.map { name(of: $0.id) } ?? "")
    output.json.endObject()
    try output.passOn()
  }

  private func write(_ step: Step, to output: InspectionOutput) {
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

import Automerge
import FolderDocuments
import Runs

/// Writes a document's state as an indented tree for people.
///
/// Names and strings come from anywhere, so nothing in them reaches a terminal as it is.
struct StateTree: StateVisitor {
  private let output: InspectionOutput
  private let document: DocumentState
  private var depth = -1
  private var note = ""

  /// Documents nest as deep as they like; indentation that follows them makes the output grow with
  /// the square of the depth.
  private static let deepestIndentation = 100

  init(of document: DocumentState, to output: InspectionOutput) {
    self.document = document
    self.output = output
  }

  mutating func begin(_ kind: ObjectKind, count: Int) {
    if depth >= 0 { line("\(kind == .map ? "map" : "list") of \(count)") }
    depth += 1
  }

  mutating func end(_ kind: ObjectKind) { depth -= 1 }

  mutating func key(_ name: Range<Int>, valueCount: Int) {
    label(StateText.quoted(document.pool[name], isName: true), valueCount)
  }

  mutating func index(_ index: Int, valueCount: Int) { label("[\(index)]", valueCount) }

  mutating func text(_ utf8: [UInt8]) { line("text " + StateText.quoted(utf8[...])) }

  mutating func pause() throws(MigrationError) { try output.passOn() }

  mutating func scalar(_ place: ScalarPlace) { line(StateText.scalar(place, of: document)) }

  private mutating func label(_ label: String, _ valueCount: Int) {
    let indentation = String(repeating: "  ", count: min(depth, Self.deepestIndentation))
    output.text(indentation + label + ": ")
    note = valueCount > 1 ? "  (wins over \(valueCount - 1) more)" : ""
  }

  private mutating func line(_ text: String) {
    output.text(text + note + "\n")
    note = ""
  }
}

import Automerge
import Diagnostics
import FolderDocuments
import Folders
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

/// What names and values of a document are called in text for people: safe on every terminal.
enum StateText {
  /// Returns what a scalar is, with its type where that cannot be told.
  static func scalar(_ place: ScalarPlace, of document: DocumentState) -> String {
    switch place.type {
    case .null: return "null"
    case .boolFalse: return "false"
    case .boolTrue: return "true"
    case .string: return quoted(document.pool[place.range])
    case .int: return "\(document.signed(place))"
    case .uint: return "uint \(document.unsigned(place))"
    case .counter: return "counter \(document.signed(place))"
    case .float64: return "\(document.double(place))"
    case .timestamp:
      var text: [UInt8] = []
      let milliseconds = document.signed(place)
      if !RFC3339(milliseconds: milliseconds).append(to: &text) {
        text = Array("\(milliseconds) ms".utf8)
      }
      return "timestamp " + String(decoding: text, as: UTF8.self)
    case .bytes: return bytes(place, "bytes", of: document)
    default: return bytes(place, "unknown type \(place.type.code)", of: document)
    }
  }

  /// Quotes a string; a name only if it could be taken for something else.
  static func quoted(_ bytes: ArraySlice<UInt8>, isName: Bool = false) -> String {
    let text = DisplayText.escaping(bytes)
    let isClear =
      !text.isEmpty && !text.hasPrefix(" ") && !text.hasSuffix(" ") && !text.hasPrefix("[")
      && !text.contains { "\":".contains($0) }
    if isName, isClear { return text }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\\\"") + "\""
  }

  private static func bytes(
    _ place: ScalarPlace, _ type: String, of document: DocumentState
  ) -> String {
    let bytes = document.bytes(place)
    return "\(type) \(bytes.isEmpty ? "" : bytes.hexDigits + " ")(\(bytes.count.counted("byte")))"
  }
}

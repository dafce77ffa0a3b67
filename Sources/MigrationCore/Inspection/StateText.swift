import Automerge
import Diagnostics
import FolderDocuments
import Folders

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

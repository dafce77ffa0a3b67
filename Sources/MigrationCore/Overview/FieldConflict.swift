import Automerge
import Diagnostics
import FolderDocuments
import Folders
import SafeFiles

/// A value of a document that several devices wrote at the same time, and nobody has decided since.
package struct FieldConflict: Hashable, Sendable {
  /// One of the values.
  package struct Value: Hashable, Sendable {
    /// The value in words, at most a few lines of it.
    package internal(set) var text: String
    /// The first digits of the actor that wrote it.
    package internal(set) var actor: String
    /// When, as UTC text; nil if the change does not say it.
    package internal(set) var time: String?
    /// Whether readers see this one.
    package let isShown: Bool
  }

  /// The document's path.
  package internal(set) var document: String
  /// The names and indexes on the way there, the key of the entity first.
  package internal(set) var place: [String]
  /// The values; readers see the last.
  package internal(set) var values: [Value]
}

extension FieldConflict {
  /// So many bytes of a value are shown.
  private static let longestText = 400

  init(_ conflict: ConflictWalk.Conflict, in document: DocumentState, at path: String) {
    self.document = path
    place = conflict.path.map { step in
      switch step {
      case .key(let name): DisplayText.escaping(document.pool[name].prefix(Self.longestText))
      case .index(let index): "\(index)"
      }
    }
    let last = conflict.values.last?.id
    values = conflict.values.map { Value($0, in: document, isShown: $0.id == last) }
  }

  fileprivate static func text(of value: DocumentValue, in document: DocumentState) -> String {
    switch value.content {
    case .scalar(let place):
      if place.type == .string { return quoted(document.pool[place.range]) }
      return String(StateText.scalar(place, of: document).prefix(longestText))
    case .object(.text): return quoted(document.textBytes(of: value.id)[...])
    case .object(.map): return "an object"
    case .object(.list): return "a list"
    }
  }

  private static func quoted(_ bytes: ArraySlice<UInt8>) -> String {
    let text = StateText.quoted(bytes.prefix(longestText))
    return bytes.count > longestText ? text + "…" : text
  }
}

extension FieldConflict.Value {
  fileprivate init(_ value: DocumentValue, in document: DocumentState, isShown: Bool) {
    text = FieldConflict.text(of: value, in: document)
    actor = String(document.author(of: value.id).bytes.hexDigits.prefix(8))
    let seconds = document.row(ofChangeThatMade: value.id).map { document.change(at: $0).time } ?? 0
    time = seconds == 0 ? nil : UTCText.long(FileTime(seconds: seconds))
    self.isShown = isShown
  }
}

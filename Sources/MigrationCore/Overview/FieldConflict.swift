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
  /// The first values and the last.
  package internal(set) var values: [Value]
  /// How many there are beside them.
  package let furtherValueCount: Int
}

extension FieldConflict {
  /// So many bytes of a value are shown, so many steps of the way to it, and so many values.
  private static let longestText = 400
  private static let mostSteps = 20
  private static let mostValues = 20

  init(_ conflict: ConflictWalk.Conflict, in document: DocumentState, at path: String) {
    self.document = path
    let steps = conflict.path.prefix(Self.mostSteps).map { step in
      switch step {
      case .key(let name): Self.shortened(document.pool[name]) { DisplayText.escaping($0) }
      case .index(let index): index.description
      }
    }
    place = conflict.path.count > Self.mostSteps ? steps + ["…"] : steps
    let last = conflict.isSeen ? conflict.values.last?.id : nil
    let shown = conflict.values.prefix(Self.mostValues - 1) + conflict.values.suffix(1)
    values = (conflict.values.count <= Self.mostValues ? conflict.values[...] : shown).map {
      Value($0, in: document, isShown: $0.id == last)
    }
    furtherValueCount = conflict.values.count - values.count
  }

  fileprivate static func text(of value: DocumentValue, in document: DocumentState) -> String {
    switch value.content {
    case .scalar(let place):
      if place.type == .string { return quoted(document.pool[place.range]) }
      let text = StateText.scalar(place, of: document)
      return text.count > longestText ? text.prefix(longestText) + "…" : text
    case .object(.text): return quoted(document.textBytes(of: value.id)[...])
    case .object(.map): return "an object"
    case .object(.list): return "a list"
    }
  }

  private static func quoted(_ bytes: ArraySlice<UInt8>) -> String {
    shortened(bytes) { StateText.quoted($0) }
  }

  /// The beginning of a text, cut between characters.
  private static func shortened(
    _ bytes: ArraySlice<UInt8>, _ show: (ArraySlice<UInt8>) -> String
  ) -> String {
    guard bytes.count > longestText else { return show(bytes) }
    var end = bytes.startIndex + longestText
    while end > bytes.startIndex, bytes[end] & 0xc0 == 0x80 { end -= 1 }
    return show(bytes[..<end]) + "…"
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

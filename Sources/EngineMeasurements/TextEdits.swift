import Automerge
import SampleFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Edits of one character each, seven in ten of them insertions, that are the same on every machine.
struct TextEdits {
  /// Where somebody edits.
  enum Positions {
    /// Where the edit before was, most of the time: how people type.
    case running
    /// Anywhere.
    case random
  }

  /// An insertion, or a deletion if there is no character.
  private struct Edit {
    let position: UInt64
    let character: String?
  }

  private var edits: [Edit] = []
  private let length: UInt64

  private static let characters = "etaoin shrdlu cmfwyp".map(String.init)

  init(count: Int, _ positions: Positions) {
    var random = SeededRandom(seed: 1)
    var length = 0
    var cursor = 0
    edits.reserveCapacity(count)
    for _ in 0..<count {
      if positions == .random || random.happens(2) { cursor = random.number(below: length + 1) }
      if cursor > 0, random.happens(30) {
        cursor -= 1
        length -= 1
        edits.append(Edit(position: UInt64(cursor), character: nil))
      } else {
        edits.append(Edit(position: UInt64(cursor), character: random.pick(Self.characters)))
        cursor += 1
        length += 1
      }
    }
    self.length = UInt64(length)
  }

  /// Returns a document whose text had all edits in one transaction.
  func document() throws -> Document {
    let document = Document()
    let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    for edit in edits { try Self.perform(edit, on: text, of: document) }
    document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
    guard document.length(obj: text) == length else {
      throw MeasurementError.wrongResult("edits were lost")
    }
    return document
  }

  /// Returns the edits as another device would send them: batches of ten changes of a hundred.
  func batches() throws -> [Data] {
    let document = Document()
    let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    var batches: [Data] = []
    for (index, edit) in edits.enumerated() {
      try Self.perform(edit, on: text, of: document)
      if index % 100 == 99 { document.commitWith(timestamp: Date(timeIntervalSince1970: 0)) }
      if index % 1000 == 999 { batches.append(document.encodeNewChanges()) }
    }
    batches.append(document.encodeNewChanges())
    return batches
  }

  private static func perform(_ edit: Edit, on text: ObjId, of document: Document) throws {
    try document.spliceText(
      obj: text, start: edit.position, delete: edit.character == nil ? 1 : 0,
      value: edit.character)
  }
}

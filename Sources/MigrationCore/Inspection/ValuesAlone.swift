import Automerge
import FolderDocuments

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

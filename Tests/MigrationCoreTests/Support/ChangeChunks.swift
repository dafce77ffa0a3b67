import Automerge
import FolderDocuments

/// The chunks of changes, one after another.
struct ChangeChunks: ChangeSink {
  var bytes: [UInt8]

  /// Creates a sink that appends to bytes.
  init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  mutating func append(_ draft: borrowing ChangeDraft) { draft.appendChunk(to: &bytes) }
}

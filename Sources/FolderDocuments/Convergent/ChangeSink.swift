package import Automerge

/// What takes changes as they are finished, one after another.
package protocol ChangeSink: ~Copyable {
  /// Takes a finished change, whose storage serves the next one.
  mutating func append(_ draft: borrowing ChangeDraft)
}

extension ChangeBatch: ChangeSink {}

/// The chunks of changes, one after another.
package struct ChangeChunks: ChangeSink {
  package var bytes: [UInt8]

  /// Creates a sink that appends to bytes.
  package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  package mutating func append(_ draft: borrowing ChangeDraft) { draft.appendChunk(to: &bytes) }
}

/// Where changes go of which only the hashes matter.
struct NoSink: ChangeSink {
  mutating func append(_ draft: borrowing ChangeDraft) {}
}

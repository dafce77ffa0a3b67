package import Automerge

/// What takes changes as they are finished, one after another.
package protocol ChangeSink: ~Copyable {
  /// Takes a finished change, whose storage serves the next one.
  mutating func append(_ draft: borrowing ChangeDraft)
}

extension ChangeBatch: ChangeSink {}

/// Where changes go of which only the hashes matter.
struct NoSink: ChangeSink {
  mutating func append(_ draft: borrowing ChangeDraft) {}
}

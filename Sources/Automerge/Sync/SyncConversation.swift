/// One side of a conversation about a document, on a connection on which the sides take turns.
///
/// The messages are those of Automerge's protocol (format.md 7); only their lists of hashes are
/// written shorter (`NumberedHashLists`).
package struct SyncConversation: Sendable {
  private var session: SyncSession
  private var lists: NumberedHashLists
  /// The heads of the other side when it spoke first; nil before.
  private var firstHeads: [ChangeHash]?

  /// Begins with the heads of which both sides say that they have them; with none if they do not know
  /// each other.
  package init(sharedHeads: [ChangeHash]) {
    session = SyncSession(resumingFrom: sharedHeads)
    lists = NumberedHashLists(sharedHeads)
  }

  /// Returns the next message for the other side, nil if there is nothing to say now.
  package mutating func nextMessage(from document: DocumentState) -> [UInt8]? {
    session.nextMessage(from: document)?.encoded(&lists)
  }

  /// Reads the next message of the other side, which is to be taken in then. The conversation cannot go
  /// on if this throws.
  package mutating func read(_ message: [UInt8]) throws(FormatError) -> SyncMessage {
    try SyncMessage(parsing: message, &lists)
  }

  /// Takes in a message of the other side.
  ///
  /// The document is then as before if this throws; the conversation cannot go on.
  package mutating func receive(
    _ message: SyncMessage, into document: inout DocumentState
  ) throws(FormatError) {
    try session.receive(message, into: &document)
    if firstHeads == nil { firstHeads = session.theirHeads }
  }

  /// How many of the first changes of a document the other side did not have when it spoke first, as far
  /// as its heads of then are known by now.
  package func countMissingThere(in document: DocumentState, ofFirst count: Int) -> Int {
    document.history.rows(notCoveredBy: firstHeads ?? []).count { $0 < count }
  }

  /// Whether the other side has said that it has the heads of the document, and no other.
  package func isInAgreement(with document: DocumentState) -> Bool {
    session.theirHeads == document.heads
  }
}

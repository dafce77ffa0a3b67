#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Synchronisation with a peer over a reliable ordered stream: each side sends what
/// `generateSyncMessage` returns and receives what comes, until both have nothing to say.
extension Document {
  /// Returns the next message for the peer of `state`, or nil if there is nothing to say now.
  public func generateSyncMessage(state: SyncState) -> Data? {
    state.withSession { session in
      withCommittedState { session.nextMessage(from: $0) }
    }
    .map { Data($0.encoded) }
  }

  /// Takes in a message from the peer of `state`.
  ///
  /// - Throws: `ReceiveSyncError`; the document and the state are then as before.
  public func receiveSyncMessage(state: SyncState, message: Data) throws {
    try receive(message, state) { (document, take) throws(FormatError) in try take(&document) }
  }

  /// Takes in a message as `receiveSyncMessage` does and returns what changed.
  public func receiveSyncMessageWithPatches(state: SyncState, message: Data) throws -> [Patch] {
    try receive(message, state) { (document, take) throws(FormatError) in
      try document.patches(of: take)
    }
  }

  /// - Parameter body: calls the function it gets, which takes the message in, with the document.
  private func receive<R: Sendable>(
    _ message: Data, _ state: SyncState,
    _ body: (
      inout DocumentState, (inout DocumentState) throws(FormatError) -> Void
    ) throws(FormatError) -> R
  ) throws -> R {
    let received: SyncMessage
    do throws(FormatError) {
      received = try SyncMessage(parsing: [UInt8](message))
    } catch {
      throw ReceiveSyncError(reason: .malformed(error))
    }
    willChange()
    defer { hasChanged() }
    return try state.withSession { session in
      try withCommittedState { document in
        do throws(FormatError) {
          return try body(&document) { document throws(FormatError) in
            try session.receive(received, into: &document)
          }
        } catch {
          throw ReceiveSyncError(reason: .unapplicable(error))
        }
      }
    }
  }
}

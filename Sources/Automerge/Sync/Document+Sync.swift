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
    let received: SyncMessage
    do throws(FormatError) {
      received = try SyncMessage(parsing: [UInt8](message))
    } catch {
      throw ReceiveSyncError(reason: .malformed(error))
    }
    willChange()
    defer { hasChanged() }
    try state.withSession { session in
      try withCommittedState { document in
        do throws(FormatError) {
          try session.receive(received, into: &document)
        } catch {
          throw ReceiveSyncError(reason: .unapplicable(error))
        }
      }
    }
  }
}

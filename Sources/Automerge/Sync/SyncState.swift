#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
internal import Synchronization

/// What a document knows of one peer: one state for each pair of document and peer.
///
/// Copies share what they know. A state belongs to one connection at a time; to go on with the next
/// one, `reset()` it, or `encode()` it and make another of the bytes.
public struct SyncState: Sendable {
  private final class Shared: Sendable {
    let session: Mutex<SyncSession>

    init(_ session: SyncSession) { self.session = Mutex(session) }
  }

  private let shared: Shared

  /// Begins with a peer nothing is known of.
  public init() { shared = Shared(SyncSession()) }

  /// Goes on from what `encode()` returned.
  ///
  /// - Throws: `DecodeSyncStateError` for anything else.
  public init(bytes: Data) throws {
    do throws(FormatError) {
      shared = Shared(try SyncSession(parsing: [UInt8](bytes)))
    } catch {
      throw DecodeSyncStateError(defect: error)
    }
  }

  /// The peer's heads as of its last message; nil before the first.
  public var theirHeads: Set<ChangeHash>? {
    shared.session.withLock { $0.theirHeads.map(Set.init) }
  }

  /// Forgets what does not outlive a connection.
  public func reset() {
    shared.session.withLock { $0 = SyncSession(resumingFrom: $0.sharedHeads) }
  }

  /// Returns what outlives a connection: the heads that both have.
  public func encode() -> Data {
    Data(shared.session.withLock { $0.encoded })
  }

  /// Calls `body` with the session under the lock, which is taken before a document's.
  func withSession<R>(_ body: (inout SyncSession) throws -> R) rethrows -> R {
    try shared.session.withLock { try body(&$0) }
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One change of a document's history.
public struct Change: Equatable, Sendable {
  public let actorId: ActorId
  /// nil if there is none; an empty message cannot be told from none.
  public let message: String?
  public let deps: [ChangeHash]
  public let timestamp: Date
  /// The change as a chunk, compressed if it is longer than 256 bytes.
  public let bytes: Data
  public let hash: ChangeHash
}

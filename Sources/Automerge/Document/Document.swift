#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
internal import Synchronization

/// An Automerge document. All calls are serialised by one lock, so it may be shared freely.
public final class Document: Sendable {
  private struct Shared {
    var state: DocumentState
    var actor: ActorId
    /// Where `encodeNewChanges` goes on.
    var exported: [ChangeHash] = []
  }

  private let shared: Mutex<Shared>

  /// The unit of text indexes.
  public let textEncoding: TextEncoding

  /// Makes an empty document with a random actor.
  public init(textEncoding: TextEncoding = .unicodeScalar, logLevel: LogVerbosity = .errorOnly) {
    self.textEncoding = textEncoding
    shared = Mutex(Shared(state: DocumentState(), actor: ActorId()))
  }

  /// Loads a document.
  ///
  /// - Throws: `LoadError` for anything that is not whole and valid to the last byte.
  public convenience init(_ bytes: Data, logLevel: LogVerbosity = .errorOnly) throws {
    do {
      self.init(try DocumentState(loading: [UInt8](bytes)))
    } catch {
      throw LoadError(defect: error)
    }
  }

  init(_ state: DocumentState, textEncoding: TextEncoding = .unicodeScalar) {
    self.textEncoding = textEncoding
    shared = Mutex(Shared(state: state, actor: ActorId()))
  }

  /// The author of further changes.
  public var actor: ActorId {
    get { shared.withLock { $0.actor } }
    set { shared.withLock { $0.actor = newValue } }
  }

  /// The document as a value, as it is at this moment.
  package var state: DocumentState { shared.withLock { $0.state } }

  /// Calls `body` with the document's state, to read or to change, under the lock.
  func withCommittedState<R>(_ body: (inout DocumentState) throws -> R) rethrows -> R {
    try shared.withLock { try body(&$0.state) }
  }

  // MARK: History

  /// Returns the hashes of the changes that no other builds on.
  public func heads() -> Set<ChangeHash> { Set(state.heads) }

  /// Returns the hashes of all changes in the order this document applied them.
  public func getHistory() -> [ChangeHash] { state.history.changes.map(\.hash) }

  /// Returns a change, or nil if the document does not have it.
  public func change(hash: ChangeHash) -> Change? {
    let state = self.state
    guard let row = state.row(ofChange: hash) else { return nil }
    let change = state.change(at: row)
    var bytes: [UInt8] = []
    state.history.appendCompressedChunk(of: row, to: &bytes)
    return Change(
      actorId: change.actor,
      message: change.message.isEmpty ? nil : String(decoding: change.message, as: UTF8.self),
      deps: change.dependencies,
      timestamp: Date(timeIntervalSince1970: TimeInterval(change.time)), bytes: Data(bytes),
      hash: hash)
  }

  // MARK: Storage and exchange

  /// Returns the document as a file.
  public func save() -> Data {
    shared.withLock { shared in
      shared.exported = shared.state.heads
      return Data(shared.state.encoded())
    }
  }

  /// Returns the changes since the last call or save as change chunks; after loading, all of them.
  public func encodeNewChanges() -> Data {
    shared.withLock { shared in
      let bytes = shared.state.chunks(since: shared.exported, isCompressed: false)
      if !bytes.isEmpty { shared.exported = shared.state.heads }
      return Data(bytes)
    }
  }

  /// Returns the changes that are not ancestors of `heads` as change chunks, long ones compressed.
  public func encodeChangesSince(heads: Set<ChangeHash>) throws -> Data {
    Data(state.chunks(since: heads, isCompressed: true))
  }

  /// Applies the changes of chunks that another document encoded, up to the first bad one.
  public func applyEncodedChanges(encoded: Data) throws {
    let bytes = [UInt8](encoded)
    try shared.withLock { shared in
      do throws(FormatError) {
        try shared.state.applyReadable(bytes)
      } catch {
        throw DocError(reason: .unapplicable(error))
      }
    }
  }

  /// Adds the changes of another document that this one lacks.
  public func merge(other: Document) throws {
    let theirs = other.state
    try shared.withLock { shared in
      do throws(FormatError) {
        try shared.state.merge(theirs)
      } catch {
        throw DocError(reason: .unapplicable(error))
      }
    }
  }

  /// Returns a copy with a new random actor.
  public func fork() -> Document { Document(state, textEncoding: textEncoding) }

  /// Returns a copy of the document as it was at `heads`.
  public func forkAt(heads: Set<ChangeHash>) throws -> Document {
    let state = self.state
    guard heads.allSatisfy(state.contains) else { throw DocError(reason: .unknownHeads) }
    let isWanted = state.history.ancestors(of: heads)
    var fork = DocumentState()
    do throws(FormatError) {
      try fork.apply(try state.batch { isWanted[$0] })
    } catch {
      throw DocError(reason: .unapplicable(error))
    }
    return Document(fork, textEncoding: textEncoding)
  }
}

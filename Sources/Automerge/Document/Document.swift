#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

#if canImport(Combine)
  public import Combine
#endif

internal import Synchronization

/// An Automerge document. All calls are serialised by one lock, so it may be shared freely.
///
/// The first edit opens a transaction. Reads of values see it at once; it becomes a change with the
/// next `commitWith` or with the next call that has to do with changes: heads and history, saving,
/// forking, merging, applying and syncing (format.md 6.1).
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

  #if canImport(Combine)
    /// Fires before each call that may change the document.
    public let objectWillChange = ObservableObjectPublisher()
    private let didChange = PassthroughSubject<(), Never>()

    /// Fires after each call that may have changed the document.
    public var objectDidChange: AnyPublisher<(), Never> { didChange.eraseToAnyPublisher() }
  #endif

  /// Makes an empty document with a random actor.
  public init(textEncoding: TextEncoding = .unicodeScalar, logLevel: LogVerbosity = .errorOnly) {
    self.textEncoding = textEncoding
    shared = Mutex(Shared(state: DocumentState(textEncoding: textEncoding), actor: ActorId()))
  }

  /// Loads a document.
  ///
  /// - Throws: `LoadError` for anything that is not whole and valid to the last byte.
  public convenience init(_ bytes: Data, logLevel: LogVerbosity = .errorOnly) throws {
    do {
      self.init(try DocumentState(loading: [UInt8](bytes), keeping: .allButGreat))
    } catch {
      throw LoadError(defect: error)
    }
  }

  init(_ state: DocumentState) {
    textEncoding = state.operations.textEncoding
    shared = Mutex(Shared(state: state, actor: ActorId()))
  }

  /// The author of further changes. Setting it closes the transaction.
  public var actor: ActorId {
    get { shared.withLock { $0.actor } }
    set {
      shared.withLock { shared in
        shared.state.commit()
        shared.actor = newValue
      }
    }
  }

  /// The document as a value, as it is at this moment; closes the transaction.
  package var state: DocumentState { withCommittedState { $0 } }

  // MARK: The lock

  /// Reads what there is, the open transaction included.
  func read<R: Sendable, E>(
    _ body: (borrowing DocumentState) throws(E) -> R
  ) throws(E) -> R {
    try shared.withLock { shared throws(E) in try body(shared.state) }
  }

  /// Reads what there was at `heads`.
  func read<R: Sendable, E>(
    at heads: Set<ChangeHash>,
    _ body: (borrowing DocumentState, HistoricalView?) throws(E) -> R
  ) throws(E) -> R {
    try shared.withLock { shared throws(E) in
      try body(shared.state, shared.state.view(at: heads))
    }
  }

  /// Adds to the open transaction, or opens one.
  func edit<R: Sendable, E>(
    _ body: (inout DocumentState, ActorId) throws(E) -> R
  ) throws(E) -> R {
    willChange()
    defer { hasChanged() }
    return try shared.withLock { shared throws(E) in try body(&shared.state, shared.actor) }
  }

  /// Closes the transaction; then reads or changes the document.
  func withCommittedState<R: Sendable, E>(
    _ body: (inout DocumentState) throws(E) -> R
  ) throws(E) -> R {
    try shared.withLock { shared throws(E) in
      shared.state.commit()
      return try body(&shared.state)
    }
  }

  /// Closes the transaction and applies changes, or fails with the document as it was.
  func apply<R: Sendable>(
    _ body: (inout DocumentState) throws(FormatError) -> R
  ) throws(DocError) -> R {
    willChange()
    defer { hasChanged() }
    do throws(FormatError) {
      return try withCommittedState(body)
    } catch {
      throw DocError(reason: .unapplicable(error))
    }
  }

  /// Announces a change to observers; call it without the lock.
  func willChange() {
    #if canImport(Combine)
      objectWillChange.send()
    #endif
  }

  /// Announces that a change was made; call it without the lock.
  func hasChanged() {
    #if canImport(Combine)
      didChange.send()
    #endif
  }

  // MARK: Storage

  /// Closes the transaction with a message and a time in whole seconds; without edits nothing
  /// happens.
  public func commitWith(message: String? = nil, timestamp: Date = Date()) {
    let seconds = Int64(exactly: timestamp.timeIntervalSince1970.rounded(.towardZero)) ?? 0
    edit { state, _ in state.commit(time: seconds, message: message ?? "") }
  }

  /// Returns the document as a file.
  public func save() -> Data {
    shared.withLock { shared in
      shared.state.commit()
      shared.exported = shared.state.heads
      return Data(shared.state.encoded())
    }
  }

  /// Returns the changes since the last call or save as change chunks; after loading, all of them.
  public func encodeNewChanges() -> Data {
    shared.withLock { shared in
      shared.state.commit()
      let bytes = shared.state.chunks(since: shared.exported, isCompressed: false)
      if !bytes.isEmpty { shared.exported = shared.state.heads }
      return Data(bytes)
    }
  }
}

#if canImport(Combine)
  extension Document: ObservableObject {}
#endif

#if INTERNAL_CHECKS
  extension Document {
    /// Returns what is wrong with the document's op set; nothing for a sound one.
    func checkInvariants() -> [String] { read { $0.operations.brokenInvariants() } }
  }
#endif

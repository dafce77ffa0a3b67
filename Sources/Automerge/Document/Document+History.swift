#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Document {
  // MARK: History

  /// Returns the hashes of the changes that no other builds on.
  public func heads() -> Set<ChangeHash> { withCommittedState { Set($0.heads) } }

  /// Returns the hashes of all changes in the order this document applied them.
  public func getHistory() -> [ChangeHash] {
    withCommittedState { $0.history.changes.map(\.hash) }
  }

  /// Returns a change, or nil if the document does not have it.
  public func change(hash: ChangeHash) -> Change? {
    withCommittedState { state in
      guard let row = state.row(ofChange: hash) else { return nil }
      let change = state.change(at: row)
      var bytes: [UInt8] = []
      state.appendCompressedChunk(of: row, to: &bytes)
      return Change(
        actorId: change.actor,
        message: change.message.isEmpty ? nil : String(decoding: change.message, as: UTF8.self),
        deps: change.dependencies,
        timestamp: Date(timeIntervalSince1970: TimeInterval(change.time)), bytes: Data(bytes),
        hash: hash)
    }
  }

  /// Returns a copy with a new random actor.
  public func fork() -> Document { Document(state) }

  /// Returns a copy of the document as it was at `heads`.
  ///
  /// - Throws: `DocError` if the document lacks one of them.
  public func forkAt(heads: Set<ChangeHash>) throws -> Document {
    let state = self.state
    guard heads.allSatisfy(state.contains) else { throw DocError(reason: .unknownHeads) }
    let isWanted = state.history.ancestors(of: heads)
    var fork = DocumentState(textEncoding: textEncoding)
    do throws(FormatError) {
      try fork.apply(try state.batch(isWanted.indices.filter { isWanted[$0] }))
    } catch {
      throw DocError(reason: .unapplicable(error))
    }
    return Document(fork)
  }

  // MARK: Exchange

  /// Returns the changes that are not ancestors of `heads` as change chunks, long ones compressed.
  public func encodeChangesSince(heads: Set<ChangeHash>) throws -> Data {
    withCommittedState { Data($0.chunks(since: heads, isCompressed: true)) }
  }

  /// Applies the changes of chunks that another document encoded, up to the first bad one.
  ///
  /// Changes that build on others that are missing wait for them; that is no error.
  ///
  /// - Throws: `DocError` if not everything was applied. `isPartlyApplied` tells whether what stands
  ///   before the defect was, or the document is as before.
  public func applyEncodedChanges(encoded: Data) throws {
    let bytes = [UInt8](encoded)
    let defect = try apply { state throws(FormatError) in try state.applyReadable(bytes) }
    if let defect { throw DocError(reason: .stopped(defect)) }
  }

  /// Adds the changes of another document that this one lacks.
  public func merge(other: Document) throws {
    let theirs = other.state
    try apply { state throws(FormatError) in _ = try state.merge(theirs) }
  }
}

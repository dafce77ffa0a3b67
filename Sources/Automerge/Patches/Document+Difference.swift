#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Document {
  /// Returns the patches that turn what the document was at `before` into what it was at `after`;
  /// either may be the older one.
  public func difference(from before: Set<ChangeHash>, to after: Set<ChangeHash>) -> [Patch] {
    withCommittedState { $0.patches(from: before, to: after) }
  }

  /// Returns the patches that turn what the document was at `lhs` into what it is now.
  public func difference(since lhs: Set<ChangeHash>) -> [Patch] {
    withCommittedState { $0.patches(from: lhs, to: Set($0.heads)) }
  }

  /// Returns the patches that turn what the document is now into what it was at `rhs`.
  public func difference(to rhs: Set<ChangeHash>) -> [Patch] {
    withCommittedState { $0.patches(from: Set($0.heads), to: rhs) }
  }

  /// Applies changes as `applyEncodedChanges` does and returns what changed.
  ///
  /// - Throws: What `applyEncodedChanges` throws; `difference(since:)` tells what changed then.
  public func applyEncodedChangesWithPatches(encoded: Data) throws -> [Patch] {
    let bytes = [UInt8](encoded)
    let (patches, defect) = try apply { state throws(FormatError) in
      let before = Set(state.heads)
      let defect = try state.applyReadable(bytes)
      return (state.patches(from: before, to: Set(state.heads)), defect)
    }
    if let defect { throw DocError(reason: .stopped(defect)) }
    return patches
  }

  /// Merges as `merge` does and returns what changed.
  public func mergeWithPatches(other: Document) throws -> [Patch] {
    let theirs = other.state
    return try apply { state throws(FormatError) in
      try state.patches { state throws(FormatError) in _ = try state.merge(theirs) }
    }
  }
}

extension DocumentState {
  /// Returns the patches from one point of history to another.
  ///
  /// What is known of where elements are may grow; nothing else changes.
  mutating func patches(from before: Set<ChangeHash>, to after: Set<ChangeHash>) -> [Patch] {
    // The changes were parsed when they came in, so they can be parsed again.
    (try? Difference(of: &self, from: before, to: after))?.patches ?? []
  }

  /// Changes the document and returns what turns its state before into the one after.
  mutating func patches<E>(
    of change: (inout DocumentState) throws(E) -> Void
  ) throws(E) -> [Patch] {
    let before = Set(heads)
    try change(&self)
    return patches(from: before, to: Set(heads))
  }
}

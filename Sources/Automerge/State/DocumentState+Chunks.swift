/// The bytes of changes.
extension DocumentState {
  /// Returns the history with the bytes of the changes at some rows. Where they are not kept, the whole
  /// history is made again out of the operations, which takes as long as to save and load the document.
  func history(withChunksOf rows: some Sequence<Int>) -> History {
    let missing = rows.filter { !history.keepsChunk(of: $0) }
    guard !missing.isEmpty else { return history }
    var document = self
    document.queue = ChangeQueue()
    // What no change has made yet is no part of the file.
    document.commit()
    var complete = history
    do throws(FormatError) {
      let whole = try DocumentState(
        loading: document.encoded(compressionLevel: nil), limits: .none, keeping: .all)
      for row in missing { complete.keepChunk(of: row, from: whole.history) }
    } catch {
      // Every hash was proven when the document was loaded, and what was added since fits it.
      preconditionFailure("a document cannot be read that was made of good changes: \(error)")
    }
    return complete
  }

  /// Returns the canonical body of the change at a row (format.md 3.1).
  package func body(ofChange row: Int) -> [UInt8] {
    let history = history(withChunksOf: CollectionOfOne(row))
    return [UInt8](history.chunks[history.bodyRange(of: row)])
  }

  /// Returns the change at a row as a chunk.
  ///
  /// - Parameter isCompressed: whether it is deflated if it is long.
  package func chunk(ofChange row: Int, isCompressed: Bool = false) -> [UInt8] {
    chunks(ofChanges: CollectionOfOne(row), isCompressed: isCompressed)
  }

  /// Returns the chunks of the changes that are not ancestors of `heads`, in the order of
  /// application (format.md 6.8).
  package func chunks(since heads: some Sequence<ChangeHash>, isCompressed: Bool) -> [UInt8] {
    chunks(ofChanges: history.rows(notCoveredBy: heads), isCompressed: isCompressed)
  }

  /// Returns the changes at some rows as chunks one behind the other.
  func chunks(ofChanges rows: some Collection<Int>, isCompressed: Bool = false) -> [UInt8] {
    let history = history(withChunksOf: rows)
    var output: [UInt8] = []
    for row in rows {
      if isCompressed {
        history.appendCompressedChunk(of: row, to: &output)
      } else {
        history.appendChunk(of: row, to: &output)
      }
    }
    return output
  }

  /// Returns the changes at some rows as a batch, in the order given.
  package func batch(_ rows: some Collection<Int>) throws(FormatError) -> ChangeBatch {
    var batch = ChangeBatch()
    // They were read before.
    try batch.append(parsing: chunks(ofChanges: rows), limits: .none)
    return batch
  }
}

/// The bytes of changes.
extension DocumentState {
  /// Returns the canonical body of the change at a row (format.md 3.1).
  package func body(ofChange row: Int) -> [UInt8] { part(ofChange: row).body }

  /// Returns the change at a row as an uncompressed chunk.
  package func chunk(ofChange row: Int) -> [UInt8] {
    var output: [UInt8] = []
    appendChunk(of: row, to: &output)
    return output
  }

  /// Returns the chunks of the changes that are not ancestors of `heads`, in the order of
  /// application (format.md 6.8).
  package func chunks(since heads: some Sequence<ChangeHash>, isCompressed: Bool) -> [UInt8] {
    var output: [UInt8] = []
    for row in history.rows(notCoveredBy: heads) {
      if isCompressed {
        appendCompressedChunk(of: row, to: &output)
      } else {
        appendChunk(of: row, to: &output)
      }
    }
    return output
  }

  /// Returns the changes at some rows as a batch, in the order given.
  package func batch(_ rows: some Sequence<Int>) throws(FormatError) -> ChangeBatch {
    var chunks: [UInt8] = []
    for row in rows { appendChunk(of: row, to: &chunks) }
    var batch = ChangeBatch()
    // They were read before.
    try batch.append(parsing: chunks, limits: .none)
    return batch
  }

  /// Appends the whole chunk of a change, uncompressed.
  func appendChunk(of row: Int, to output: inout [UInt8]) {
    part(ofChange: row).appendChunk(to: &output)
  }

  /// Appends the chunk of a change, deflated if it is longer than 256 bytes (format.md 6.8).
  func appendCompressedChunk(of row: Int, to output: inout [UInt8]) {
    part(ofChange: row).appendCompressedChunk(to: &output)
  }

  private func part(ofChange row: Int) -> History.HashedPart {
    guard let greatChunks, row < greatChunks.changeCount, !history.keepsChunk(of: row) else {
      return history.part(of: row)
    }
    let bytes = greatChunks.bytes(of: row) { remadeChunks() }
    return History.HashedPart(hash: history.changes[row].hash, bytes: bytes, range: bytes.indices)
  }

  /// Makes the bytes again of all changes that are not kept.
  private func remadeChunks() -> [Int: [UInt8]] {
    var document = self
    document.queue = ChangeQueue()
    // What no change has made yet is no part of the file.
    document.commit()
    do throws(FormatError) {
      let whole = try DocumentState(
        loading: document.encoded(compressionLevel: nil), limits: .none, keeping: .all)
      var chunks: [Int: [UInt8]] = [:]
      for row in 0..<history.count where !history.keepsChunk(of: row) {
        let part = whole.history.part(of: row)
        precondition(part.hash == history.changes[row].hash, "changes in another order")
        chunks[row] = [UInt8](part.bytes[part.range])
      }
      return chunks
    } catch {
      // Every hash was proven when the document was loaded, and what was added since fits it.
      preconditionFailure("a document cannot be read that was made of good changes: \(error)")
    }
  }
}

extension DocumentState {
  /// Adds the changes of another document that this one lacks. All or nothing.
  ///
  /// - Returns: the number of changes applied.
  @discardableResult
  package mutating func merge(_ other: DocumentState) throws(FormatError) -> Int {
    let batch = try other.batch(
      (0..<other.history.count).filter { !contains(other.history.changes[$0].hash) })
    guard !batch.isEmpty else { return 0 }
    return try apply(batch)
  }

  /// Adds everything another document holds and this one lacks, changes that wait there included.
  /// All or nothing.
  ///
  /// - Returns: the number of changes applied.
  @discardableResult
  package mutating func absorb(_ other: DocumentState) throws(FormatError) -> Int {
    var batch = try other.batch(
      (0..<other.history.count).filter { !contains(other.history.changes[$0].hash) })
    try batch.append(parsing: other.queue.chunks, limits: .none)
    guard !batch.isEmpty else { return 0 }
    return try apply(batch)
  }

  /// The hashes of the changes that wait for others.
  package var queuedHashes: [ChangeHash] { queue.hashes }

  /// Applies the chunks of `bytes` up to the first bad one, as the reference's incremental load
  /// does (format.md 1.3): of a document without changes the first chunk must be good.
  ///
  /// - Returns: why not everything was applied: the first defect, or why a change that had waited
  ///   does not fit what it builds on; nil if nothing was left out.
  @discardableResult
  package mutating func applyReadable(_ bytes: [UInt8]) throws(FormatError) -> FormatError? {
    var reader = ByteReader(bytes)
    var parser = ChangeParser(limits: .standard, inputByteCount: bytes.count)
    var batch = ChangeBatch()
    var defect: FormatError?
    do throws(FormatError) {
      while !reader.isAtEnd {
        let header = try ChunkHeader(&reader)
        switch header.kind {
        case .change, .compressedChange:
          try parser.parse(header, in: bytes, into: &batch)
        case .document:
          let document = try DocumentState(
            header, in: bytes, budget: &parser.budget, operations.textEncoding)
          for row in 0..<document.changeCount where !contains(document.history.changes[row].hash) {
            try batch.append(parsing: document.chunk(ofChange: row), with: &parser)
          }
        case .bundle:
          throw reader.error(.bundleUnsupported)
        }
      }
    } catch {
      if batch.isEmpty, changeCount == 0, queue.isEmpty { throw error }
      defect = error
    }
    var refusal: FormatError?
    try apply(batch, refusal: &refusal)
    return defect ?? refusal
  }
}

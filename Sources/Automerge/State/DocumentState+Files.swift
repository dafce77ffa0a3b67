extension DocumentState {
  /// Loads a file: any number of chunks one after another (format.md 1.2, 1.3).
  ///
  /// Strict: every byte must belong to a valid chunk, every hash and the heads are recomputed and
  /// compared. Changes may wait for others only behind a document chunk.
  ///
  /// - Parameter kept: the changes whose bytes are kept, for whoever hands them on or looks at them.
  package init(
    loading bytes: [UInt8], limits: LoadLimits = .standard,
    textEncoding: TextEncoding = .unicodeScalar, keeping kept: KeptChunks = .all
  ) throws(FormatError) {
    try self.init(
      loading: bytes, limits: limits, textEncoding: textEncoding, keeping: kept, besides: nil)
  }

  /// Loads a file, as strictly, that has most changes in common with another document.
  ///
  /// - Parameters:
  ///   - known: that document, with all hashes recomputed. The changes that both begin with, and of which
  ///     everything is the same, have the same hashes, which are not computed again.
  ///   - kept: the changes whose bytes are kept, mostly none.
  package init(
    loading bytes: [UInt8], besides known: DocumentState, keeping kept: KeptChunks = .none
  ) throws(FormatError) {
    try self.init(
      loading: bytes, limits: .standard, textEncoding: known.operations.textEncoding,
      keeping: kept, besides: known)
  }

  private init(
    loading bytes: [UInt8], limits: LoadLimits, textEncoding: TextEncoding,
    keeping kept: KeptChunks, besides known: DocumentState?
  ) throws(FormatError) {
    self.init(textEncoding: textEncoding)
    guard !bytes.isEmpty else { return }
    var reader = ByteReader(bytes)
    var parser = ChangeParser(limits: limits, inputByteCount: bytes.count)
    var batch = ChangeBatch()
    var isFirst = true
    var beginsWithDocument = false
    while !reader.isAtEnd {
      let offset = reader.offset
      let header = try ChunkHeader(&reader)
      switch header.kind {
      case .bundle:
        try header.verifyChecksum(of: ChangeHash(sha256Of: bytes, in: header.hashed))
        throw FormatError(.bundleUnsupported, at: offset)
      case .document:
        let document = try Self(
          header, in: bytes, budget: &parser.budget, textEncoding,
          keeping: isFirst ? kept : .all, besides: isFirst ? known : nil)
        if isFirst {
          self = document
          beginsWithDocument = true
        } else {
          for row in 0..<document.changeCount {
            try batch.append(parsing: document.chunk(ofChange: row), with: &parser)
          }
        }
      case .change, .compressedChange:
        try parser.parse(header, in: bytes, into: &batch)
      }
      isFirst = false
    }
    guard !batch.isEmpty else { return }
    _ = try apply(batch)
    let missing = missingDependencies
    if !beginsWithDocument, let first = missing.first {
      throw FormatError(.missingDependencies(count: missing.count, first: first.hex), at: 0)
    }
  }

  /// Loads one document chunk.
  init(
    _ header: ChunkHeader, in bytes: [UInt8], budget: inout LoadBudget,
    _ textEncoding: TextEncoding = .unicodeScalar, keeping kept: KeptChunks = .all,
    besides known: DocumentState? = nil
  ) throws(FormatError) {
    self.init()
    var document = try DocumentChunk(header, budget: &budget)
    operations = try OpSet(&document, textEncoding: textEncoding)
    let pages = operations.directory.pages
    let same = known.flatMap {
      KnownChanges(of: document, pages, in: $0.known, needsChunks: kept != .none)
    }
    history = try HistoryRebuilder(document, pages, besides: same)
      .rebuild(budget: &budget, keeping: kept)
    if kept == .allButGreat, history.leavesOutChunks {
      greatChunks = GreatChunks(changeCount: history.count)
    }
    // After parsing, as the reference does: a malformed body is reported before a wrong checksum.
    try header.verifyChecksum(of: ChangeHash(sha256Of: bytes, in: header.hashed))
    try expectEveryActorWrote(header.body.offset)
  }

  /// What files that have most of it may be compared with.
  var known: KnownDocument {
    KnownDocument(
      history: history, actors: actors, pages: operations.directory.pages, pool: operations.pool)
  }

  /// A save lists exactly the actors that wrote changes.
  private func expectEveryActorWrote(_ offset: Int) throws(FormatError) {
    guard !history.rowsOfActor.hasGap else {
      throw FormatError(.unusedActor, at: offset)
    }
  }
}

extension DocumentState {
  /// Returns the heads that a file says its document has, ascending; nil unless it is one document chunk.
  ///
  /// Its checksum is proven, and nothing else: whoever goes on with the document loads it.
  package static func statedHeads(of bytes: [UInt8]) throws(FormatError) -> [ChangeHash]? {
    var reader = ByteReader(bytes)
    let header = try ChunkHeader(&reader)
    guard header.kind == .document, reader.isAtEnd else { return nil }
    try header.verifyChecksum(of: ChangeHash(sha256Of: bytes, in: header.hashed))
    var body = header.body
    _ = try body.readActors(limits: .standard)
    let heads = try body.readHashes(limits: .standard)
    return zip(heads, heads.dropFirst()).allSatisfy { $0 < $1 } ? heads : nil
  }

  /// Whether a file is one document chunk that deflates what may be deflated: writing it again would save
  /// next to nothing.
  ///
  /// Nothing is proven of it; whoever goes on with the document loads it.
  package static func isPacked(_ bytes: [UInt8]) throws(FormatError) -> Bool {
    var reader = ByteReader(bytes)
    let header = try ChunkHeader(&reader)
    guard header.kind == .document, reader.isAtEnd else { return false }
    var body = header.body
    _ = try body.readActors(limits: .standard)
    _ = try body.readHashes(limits: .standard)
    for _ in ["changes", "operations"] {
      let layout = try ColumnLayout(&body, allowsDeflate: true)
      let isDeflated = layout.columns.allSatisfy { column in
        column.spec.isDeflated || column.byteCount < Compression.threshold
      }
      guard isDeflated else { return false }
    }
    return true
  }
}

extension DocumentState {
  /// Returns the document as a file: one document chunk, then the changes that wait in the queue
  /// (format.md 4.7, 6.8).
  ///
  /// - Parameter compressionLevel: zlib's, for columns of 256 bytes and more; nil compresses
  ///   nothing.
  package func encoded(compressionLevel: Int32? = Compression.standardLevel) -> [UInt8] {
    var output: [UInt8] = []
    let heads = history.headRows
      .map { (hash: history.changes[$0].hash, row: $0) }
      .sorted { $0.hash < $1.hash }
    var changes = ColumnWriter(compressionLevel: compressionLevel)
    let places = actors.places
    history.encode(into: &changes, actors: places)
    var rows = ColumnWriter(compressionLevel: compressionLevel)
    encodeOperations(into: &rows, actors: places)
    changes.compress()
    rows.compress()
    DocumentWriter.write(
      actors: actors.ascendingIDs, heads: heads, changes: &changes, operations: &rows, to: &output)
    output.append(contentsOf: queue.chunks)
    return output
  }

  /// - Parameter actors: the number to write for each actor.
  private func encodeOperations(into columns: inout ColumnWriter, actors: [UInt32]) {
    guard operations.directory.count > 0 else { return }
    var encoder = OperationEncoder()
    for page in operations.directory.pages.lazy.map(\.flat) {
      let rows = page.rows
      for index in rows.indices {
        if index > 0, rows[index].follows(rows[index - 1]) {
          encoder.appendFollower(rows[index], pool: operations.pool, actors: actors)
        } else {
          encoder.append(
            rows[index], related: page.successors, pool: operations.pool, actors: actors)
          encoder.appendID(rows[index].id, actors: actors)
        }
      }
    }
    encoder.finish(.document, pool: operations.pool, into: &columns)
  }
}

/// How much a document holds of what a reader has limits for.
package struct DocumentExtent: Sendable {
  fileprivate let operationCount: Int
  fileprivate let changeCount: Int
  fileprivate let poolByteCount: Int

  package init(of batch: borrowing ChangeBatch) {
    operationCount = batch.operations.count
    changeCount = batch.count
    poolByteCount = batch.pool.count
  }

  package init(of document: DocumentState) {
    operationCount = document.operationCount
    changeCount = document.changeCount
    // The pool has a key once that the file spells out again and again.
    poolByteCount = document.operations.directory.pages.reduce(document.operations.pool.count) {
      $1.rows.reduce($0) { $0 + Int($1.name.count) }
    }
  }

  /// Returns why nobody could read the file that such a document was encoded to, nil if it can be read.
  ///
  /// Deflate and run lengths make small files of much. Only what may come near a limit is tried.
  package func readingDefect(
    ofFile bytes: [UInt8], limits: LoadLimits = .standard
  ) -> FormatError? {
    guard
      limits.mayBeReached(
        byteCount: bytes.count, operationCount: operationCount, changeCount: changeCount,
        poolByteCount: poolByteCount)
    else { return nil }
    do throws(FormatError) {
      _ = try DocumentState(loading: bytes, limits: limits, keeping: .none)
      return nil
    } catch {
      return error
    }
  }
}

/// Walks through a damaged file, finds the chunks in it and sorts what they hold: changes that
/// verify, and operations that nothing proves.
///
/// What is no chunk is passed over up to the next magic bytes. A chunk whose magic bytes alone are
/// damaged is known by its checksum, where one is to be expected.
struct ChunkSearch {
  private(set) var pieces: [SalvagedPiece] = []
  private(set) var state = DocumentState()
  private(set) var loose = LooseOperations()
  private(set) var missingChanges: [ChangeHash] = []

  private let bytes: [UInt8]
  private let labels: [StaticString]
  private let limits: LoadLimits
  /// Changes that verify, as chunks, in the order of the file.
  private var chunks: [[UInt8]] = []
  /// The hashes that changes which verify build on.
  private var trusted: Set<ChangeHash> = []
  /// Documents whose changes could be rebuilt but not proven yet, each with its place in `pieces`.
  private var suspects: [(history: History, actors: ActorTable, piece: Int)] = []
  /// The bytes that may still be hashed and parsed: a file of nothing but beginnings of chunks must
  /// not cost its square.
  private var budget: Int
  /// Only the first document can be taken over as it is.
  private var hasDocument = false

  init(_ bytes: [UInt8], labels: [StaticString], limits: LoadLimits) {
    self.bytes = bytes
    self.labels = labels
    self.limits = limits
    budget = bytes.count * 8 + 1 << 20
  }

  mutating func run() {
    var position = 0
    while position < bytes.count {
      if let end = readVerified(at: position) {
        position = end
      } else {
        let next = nextMagic(after: position)
        readDamaged(position..<next)
        position = next
      }
    }
    settleSuspects()
    applyVerified()
  }

  // MARK: Chunks that verify

  /// Reads a chunk that verifies and returns where it ends; nil if there is none at `position`.
  private mutating func readVerified(at position: Int) -> Int? {
    var reader = ByteReader(bytes, position..<bytes.count)
    // What has no header is no chunk.
    guard let header = try? ChunkHeader(&reader, isMagicNeeded: false) else { return nil }
    let range = position..<reader.position
    guard range.count <= budget else { return nil }
    budget -= range.count
    do throws(FormatError) {
      try readVerified(header, range)
      return range.upperBound
    } catch {
      // What does not verify is read another way.
      return nil
    }
  }

  private mutating func readVerified(
    _ header: ChunkHeader, _ range: Range<Int>
  ) throws(FormatError) {
    switch header.kind {
    case .bundle:
      throw error(.bundleUnsupported, range)
    case .document:
      // First, so that what is damaged costs no more than its hash.
      try header.verifyChecksum(of: ChangeHash(sha256Of: bytes, in: header.hashed))
      take(try DocumentState(checked: header, in: bytes, limits: limits), range)
    case .change, .compressedChange:
      var batch = ChangeBatch()
      var parser = ChangeParser(limits: limits, inputByteCount: bytes.count)
      try parser.parse(header, in: bytes, into: &batch)
      trusted.formUnion(batch.dependencies)
      chunks += batch.entries.map { batch.frame(of: $0) }
      pieces.append(SalvagedPiece(.change, range, .verified, changeCount: 1))
    }
  }

  private mutating func take(_ document: DocumentState, _ range: Range<Int>) {
    pieces.append(
      SalvagedPiece(.document, range, .verified, changeCount: document.changeCount))
    trusted.formUnion(document.heads)
    if !hasDocument {
      hasDocument = true
      state = document
    } else {
      chunks += (0..<document.changeCount).map { document.chunk(ofChange: $0) }
    }
  }

  // MARK: What does not verify

  private func nextMagic(after position: Int) -> Int {
    let magic = ChunkHeader.magic
    var index = position + 1
    while index + magic.count <= bytes.count {
      if bytes[index] == magic[0], bytes[index..<index + magic.count].elementsEqual(magic) {
        return index
      }
      index += 1
    }
    return bytes.count
  }

  private mutating func readDamaged(_ range: Range<Int>) {
    // A file system that lost what was written last leaves zeros.
    let end = (bytes[range].lastIndex { $0 != 0 } ?? range.lowerBound - 1) + 1
    let content = range.lowerBound..<end
    let hasZeros = range.upperBound - end >= 16
    if content.isEmpty {
      pieces.append(SalvagedPiece(.zeros, range, .lost(error(.invalidMagic, range))))
      return
    }
    readChunk(hasZeros ? content : range)
    if hasZeros {
      let zeros = end..<range.upperBound
      pieces.append(SalvagedPiece(.zeros, zeros, .lost(error(.invalidMagic, zeros))))
    }
  }

  private mutating func readChunk(_ range: Range<Int>) {
    let reader = ByteReader(bytes, range)
    let header: ChunkHeader
    do throws(FormatError) {
      guard bytes[range].starts(with: ChunkHeader.magic) else {
        throw error(.invalidMagic, range)
      }
      header = try ChunkHeader(damaged: reader)
    } catch {
      pieces.append(SalvagedPiece(.debris, range, .lost(error)))
      return
    }
    let defect = defect(in: range, header)
    if header.kind == .document, rebuild(range, header, defect) { return }
    let before = loose.operations.count
    DamagedChunk(header, inputByteCount: bytes.count, limits: limits).read(into: &loose)
    let outcome: SalvagedPiece.Outcome =
      loose.operations.count > before ? .readable(defect) : .lost(defect)
    pieces.append(SalvagedPiece(.init(header.kind), range, outcome))
  }

  /// Takes the changes out of a document that only does not verify; false if it is damaged further.
  private mutating func rebuild(
    _ range: Range<Int>, _ header: ChunkHeader, _ defect: FormatError
  ) -> Bool {
    // What cannot be rebuilt is read operation by operation.
    guard
      let (history, document) = try? History.rebuilt(
        from: header, inputByteCount: bytes.count, limits: limits)
    else { return false }
    // A hash that comes out as it is stored cannot come out of other changes.
    trusted.formUnion(document.heads)
    suspects.append((history, document.actors, pieces.count))
    pieces.append(SalvagedPiece(.document, range, .readable(defect)))
    return true
  }

  /// Returns what strict reading says about a stretch of the file.
  private func defect(in range: Range<Int>, _ header: ChunkHeader) -> FormatError {
    guard range.count <= 1 << 24 || range.count <= budget else {
      return error(.limitExceeded(.inflatedByteCount, UInt64(max(0, budget))), range)
    }
    do throws(FormatError) {
      var reader = ByteReader(bytes, range)
      let whole = try ChunkHeader(&reader)
      switch whole.kind {
      case .document:
        _ = try DocumentState(
          chunk: range.lowerBound..<reader.position, of: bytes, textEncoding: .unicodeScalar)
      case .change, .compressedChange:
        var batch = ChangeBatch()
        var parser = ChangeParser(limits: limits, inputByteCount: bytes.count)
        try parser.parse(whole, in: bytes, into: &batch)
      case .bundle:
        throw error(.bundleUnsupported, range)
      }
      return error(.leftoverBytes(count: reader.remaining), range)
    } catch {
      return error
    }
  }

  private func error(_ fact: FormatError.Fact, _ range: Range<Int>) -> FormatError {
    FormatError(fact, at: range.lowerBound)
  }

  // MARK: What verifies after all

  /// Proves what can be proven of rebuilt documents: a change whose hash is known from elsewhere, or
  /// whose author proves it, and all that these build on.
  private mutating func settleSuspects() {
    for (history, actors, piece) in suspects {
      var isProven = [Bool](repeating: false, count: history.count)
      for row in (0..<history.count).reversed() {
        if !isProven[row] { isProven[row] = isTrusted(row, of: history, actors) }
        guard isProven[row] else { continue }
        for dependency in history.dependencies(of: row) { isProven[Int(dependency)] = true }
      }
      for row in 0..<history.count {
        var chunk: [UInt8] = []
        history.appendChunk(of: row, to: &chunk)
        if isProven[row] { chunks.append(chunk) } else { appendLoose(chunk) }
      }
      let count = isProven.count { $0 }
      let old = pieces[piece]
      guard case .readable(let defect) = old.outcome else { continue }
      let isWhole = count == history.count && history.heads.allSatisfy(trusted.contains)
      pieces[piece] = SalvagedPiece(
        old.kind, old.range, isWhole ? .verified : old.outcome, changeCount: count, flaw: defect)
    }
  }

  private func isTrusted(_ row: Int, of history: History, _ actors: ActorTable) -> Bool {
    let change = history.changes[row]
    if trusted.contains(change.hash) { return true }
    guard change.sequence == 1, !labels.isEmpty else { return false }
    let body = [UInt8](history.chunks[change.body(in: history.chunks)])
    let author = actors[Int(change.actor)]
    return labels.contains { author.isDerived(from: body, label: $0) }
  }

  private mutating func appendLoose(_ chunk: [UInt8]) {
    var batch = ChangeBatch()
    // It was encoded a moment ago; what still does not parse is lost.
    try? batch.append(parsing: chunk)
    for entry in batch.entries { loose.append(entry, of: batch) }
  }

  /// Applies the changes that verify; those that lack others, or contradict them, become operations
  /// without proof.
  private mutating func applyVerified() {
    do throws(FormatError) {
      var batch = ChangeBatch()
      for chunk in chunks { try batch.append(parsing: chunk, limits: limits) }
      try state.apply(batch)
    } catch {
      for chunk in chunks { applyAlone(chunk) }
    }
    missingChanges = state.missingDependencies
    var waiting = ChangeBatch()
    // They were parsed before.
    try? waiting.append(parsing: state.queue.chunks)
    loose.credibleStart = loose.operations.count
    for entry in waiting.entries { loose.append(entry, of: waiting) }
    state.queue = ChangeQueue()
  }

  private mutating func applyAlone(_ chunk: [UInt8]) {
    var batch = ChangeBatch()
    do throws(FormatError) {
      try batch.append(parsing: chunk, limits: limits)
      try state.apply(batch)
    } catch {
      for entry in batch.entries { loose.append(entry, of: batch) }
    }
  }
}

extension SalvagedPiece.Kind {
  fileprivate init(_ kind: ChunkHeader.Kind) {
    switch kind {
    case .document: self = .document
    case .change, .compressedChange: self = .change
    case .bundle: self = .bundle
    }
  }
}

extension History {
  /// Rebuilds the changes of a document chunk, whatever its checksum and its heads are.
  static func rebuilt(
    from header: ChunkHeader, inputByteCount: Int, limits: LoadLimits
  ) throws(FormatError) -> (History, DocumentChunk) {
    var document = try DocumentChunk(
      header, inputByteCount: inputByteCount, limits: limits, isTailNeeded: false)
    let operations = try OpSet(&document, textEncoding: .unicodeScalar)
    let rebuilder = try HistoryRebuilder(document, operations.directory.pages)
    return (try rebuilder.rebuild(comparesHeads: false), document)
  }
}

extension ChangeBatch {
  /// Returns a change as a chunk of its own.
  func frame(of entry: Entry) -> [UInt8] {
    var chunk: [UInt8] = []
    ChunkHeader.appendFrame(checksum: entry.hash.checksum, to: &chunk)
    chunk.append(from: chunks, entry.chunk.range)
    return chunk
  }
}

/// Walks through a damaged file, finds the chunks in it and sorts what they hold: changes that
/// verify, and operations that nothing proves.
///
/// What is no chunk is passed over up to the next magic bytes. A chunk whose magic bytes alone are
/// damaged is known by its checksum, where one is to be expected. Of a chunk whose frame is damaged
/// further each type and length is tried that the rest makes sense with; whether that is right the
/// hashes of its changes tell, as ever.
struct ChunkSearch {
  private(set) var pieces: [SalvagedPiece] = []
  private(set) var state = DocumentState()
  private(set) var loose = LooseOperations()
  private(set) var missingChanges: [ChangeHash] = []

  private let bytes: [UInt8]
  private let labels: [StaticString]
  private let limits: LoadLimits
  /// Changes that verify, chunk after chunk, in the order of the file.
  private var chunks: [UInt8] = []
  /// The hashes that changes which verify build on.
  private var trusted: Set<ChangeHash> = []
  /// The changes of chunks that do not verify, by their places in `pieces`.
  private var unproven: UnprovenChanges
  /// The bytes that may still be hashed and parsed: a file of nothing but beginnings of chunks must
  /// not cost its square.
  private var budget: Int
  /// The memory that what is found may still take, and that all attempts together may: a stretch is
  /// read in several ways until one makes sense.
  private var memory: Int
  private var attemptMemory: Int
  /// Only the first document can be taken over as it is.
  private var hasDocument = false

  init(_ bytes: [UInt8], labels: [StaticString], limits: LoadLimits) {
    self.bytes = bytes
    self.labels = labels
    self.limits = limits
    budget = bytes.count * 8 + 1 << 20
    memory = limits.memoryByteCount(forInputOf: bytes.count)
    attemptMemory = memory.multipliedReportingOverflow(by: 2).overflow ? .max : memory * 2
    unproven = UnprovenChanges()
  }

  /// Reads something and keeps what comes of it, or nothing of it.
  private mutating func attempt<Result>(
    keeps: Bool = true,
    _ read: (_ search: inout ChunkSearch, _ budget: inout LoadBudget) throws(FormatError) -> Result
  ) throws(FormatError) -> Result {
    var budget = LoadBudget(
      limits, inputByteCount: bytes.count, memory: max(0, min(memory, attemptMemory)))
    defer { attemptMemory -= budget.spentMemory }
    let result = try read(&self, &budget)
    if keeps { memory -= budget.spentMemory }
    return result
  }

  mutating func run() {
    var position = 0
    while position < bytes.count {
      if let end = readVerified(at: position) {
        position = end
      } else {
        let end = endOfDamaged(at: position)
        readDamaged(position..<end)
        position = end
      }
    }
    settle()
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
      try attempt { (search, budget) throws(FormatError) in
        try search.readVerified(header, range, &budget)
      }
      return range.upperBound
    } catch {
      // What does not verify is read another way.
      return nil
    }
  }

  private mutating func readVerified(
    _ header: ChunkHeader, _ range: Range<Int>, _ budget: inout LoadBudget
  ) throws(FormatError) {
    switch header.kind {
    case .bundle:
      throw error(.bundleUnsupported, range)
    case .document:
      // First, so that what is damaged costs no more than its hash.
      try header.verifyChecksum(of: ChangeHash(sha256Of: bytes, in: header.hashed))
      let document = try DocumentState(header, in: bytes, budget: &budget)
      if hasDocument {
        // Its changes are parsed once more when they are applied.
        try budget.spend(
          document.operationCount, LoadBudget.Cost.changeOperation, at: range.lowerBound)
      }
      take(document, range)
    case .change, .compressedChange:
      var batch = ChangeBatch()
      var parser = ChangeParser(budget)
      defer { budget = parser.budget }
      try parser.parse(header, in: bytes, into: &batch)
      trusted.formUnion(batch.dependencies)
      for entry in batch.entries { batch.appendFrame(of: entry, to: &chunks) }
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
      for row in 0..<document.changeCount { document.history.appendChunk(of: row, to: &chunks) }
    }
  }

  // MARK: What does not verify

  /// Returns where a chunk that does not verify ends: at the next magic bytes, or where its length
  /// says if a chunk without them is there.
  private mutating func endOfDamaged(at position: Int) -> Int {
    let next = nextMagic(after: position)
    var reader = ByteReader(bytes, position..<next)
    // What has no header has no length.
    guard let header = try? ChunkHeader(&reader, isMagicNeeded: false) else { return next }
    let end = header.hashed.upperBound
    guard end < next, next - end <= budget else { return next }
    // As above.
    guard let other = try? ChunkHeader(&reader, isMagicNeeded: false) else { return next }
    if reader.isAtEnd, damaged(other).isPlausible { return end }
    budget -= other.hashed.count
    let hash = ChangeHash(sha256Of: bytes, in: other.hashed)
    return hash.checksum == other.checksum ? end : next
  }

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
      pieces.add(SalvagedPiece(.zeros, range, .lost(error(.invalidMagic, range))))
      return
    }
    readChunk(hasZeros ? content : range)
    if hasZeros {
      let zeros = end..<range.upperBound
      pieces.add(SalvagedPiece(.zeros, zeros, .lost(error(.invalidMagic, zeros))))
    }
  }

  private mutating func readChunk(_ range: Range<Int>) {
    let stretch = ByteReader(bytes, range)
    let defect = defect(in: range)
    // What has no header is known only by what makes sense behind one.
    let read =
      bytes[range].starts(with: ChunkHeader.magic) ? try? ChunkHeader(damaged: stretch) : nil
    let candidates = ChunkHeader.candidates(in: stretch).filter { damaged($0).isPlausible }
    for header in [read].compactMap({ $0 }) + candidates where rebuild(header, range, defect) {
      return
    }
    // The more of the stretch there is to read the better.
    let longest = candidates.filter { $0.body.end == range.upperBound }
    for header in longest + [read].compactMap({ $0 }) + searched(stretch) {
      let before = loose.operations.count
      damaged(header, isBounded: true).read(into: &loose)
      memory -= (loose.operations.count - before) * LoadBudget.Cost.looseOperation
      guard loose.operations.count > before else { continue }
      pieces.append(SalvagedPiece(.init(header.kind), range, .readable(defect)))
      return
    }
    let kind = read.map { SalvagedPiece.Kind($0.kind) } ?? .debris
    pieces.add(SalvagedPiece(kind, range, .lost(defect)))
  }

  /// Returns headers of what is looked for behind a damaged beginning.
  private func searched(_ stretch: ByteReader) -> [ChunkHeader] {
    let candidates = ChunkHeader.candidates(in: stretch)
    let kinds: [ChunkHeader.Kind] = [.document, .change]
    return kinds.compactMap { kind in candidates.last { $0.kind == kind } }
  }

  /// - Parameter isBounded: whether to leave what there is no memory for.
  private func damaged(_ header: ChunkHeader, isBounded: Bool = false) -> DamagedChunk {
    var limits = limits
    if isBounded {
      let rest = max(0, memory)
      limits.operationCount = min(
        limits.operationCount, rest / LoadBudget.Cost.looseOperation)
      limits.inflatedByteCount = min(
        limits.inflatedByteCount, rest / LoadBudget.Cost.inflatedByte)
    }
    return DamagedChunk(header, inputByteCount: bytes.count, limits: limits)
  }

  /// Takes the changes out of a chunk that only does not verify; false if it is damaged further.
  private mutating func rebuild(
    _ header: ChunkHeader, _ range: Range<Int>, _ defect: FormatError
  ) -> Bool {
    guard header.body.remaining <= budget else { return false }
    budget -= header.body.remaining
    do throws(FormatError) {
      let isTaken = try attempt { (search, budget) throws(FormatError) in
        try search.rebuild(header, &budget)
      }
      guard isTaken else { return false }
    } catch {
      // What cannot be rebuilt is read operation by operation.
      return false
    }
    pieces.append(SalvagedPiece(.init(header.kind), range, .readable(defect)))
    return true
  }

  private mutating func rebuild(
    _ header: ChunkHeader, _ budget: inout LoadBudget
  ) throws(FormatError) -> Bool {
    switch header.kind {
    case .document:
      let (history, document) = try History.rebuilt(from: header, budget: &budget)
      // Zeros read as a document of nothing, which has four of them.
      guard history.count > 0 || header.body.remaining <= 4 else { return false }
      try unproven.append(history, piece: pieces.count, &budget)
      // A hash that comes out as it is stored cannot come out of other changes.
      trusted.formUnion(document.heads)
    case .change, .compressedChange:
      try unproven.append(header, of: bytes, piece: pieces.count, &budget)
    case .bundle:
      return false
    }
    return true
  }

  /// Returns what strict reading says about a stretch of the file.
  private mutating func defect(in range: Range<Int>) -> FormatError {
    guard range.count <= 1 << 24 || range.count <= budget else {
      return error(.limitExceeded(.inflatedByteCount, UInt64(max(0, budget))), range)
    }
    do throws(FormatError) {
      var reader = ByteReader(bytes, range)
      let whole = try ChunkHeader(&reader)
      try attempt(keeps: false) { (search, budget) throws(FormatError) in
        switch whole.kind {
        case .document:
          _ = try DocumentState(whole, in: search.bytes, budget: &budget)
        case .change, .compressedChange:
          var batch = ChangeBatch()
          var parser = ChangeParser(budget)
          defer { budget = parser.budget }
          try parser.parse(whole, in: search.bytes, into: &batch)
        case .bundle:
          throw search.error(.bundleUnsupported, range)
        }
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

  /// Tells the changes that something proves from the others.
  private mutating func settle() {
    let isProven = unproven.prove(by: &trusted, labels)
    let batch = unproven.batch
    var counts = unproven.heads.mapValues { _ in (proven: 0, all: 0) }
    for (place, entry) in batch.entries.enumerated() {
      if isProven[place] { batch.appendFrame(of: entry, to: &chunks) }
      counts[unproven.pieces[place], default: (0, 0)].proven += isProven[place] ? 1 : 0
      counts[unproven.pieces[place], default: (0, 0)].all += 1
    }
    loose.append(zip(batch.entries, isProven).lazy.filter { !$0.1 }.map(\.0), of: batch)
    for (piece, count) in counts {
      let old = pieces[piece]
      guard case .readable(let defect) = old.outcome else { continue }
      let isWhole =
        count.proven == count.all && unproven.heads[piece]?.allSatisfy(trusted.contains) ?? true
      pieces[piece] = SalvagedPiece(
        old.kind, old.range, isWhole ? .verified : old.outcome, changeCount: count.proven,
        flaw: defect)
    }
  }

  /// Applies the changes that verify; those that lack others, or contradict them, become operations
  /// without proof.
  private mutating func applyVerified() {
    var batch = ChangeBatch()
    do throws(FormatError) {
      // They were parsed before, within what all of them may cost.
      try batch.append(parsing: chunks, limits: .none)
      chunks = []
      try state.apply(batch)
    } catch {
      applySparing(&batch)
    }
    missingChanges = state.missingDependencies
    var waiting = ChangeBatch()
    // They were parsed before.
    try? waiting.append(parsing: state.queue.chunks, limits: .none)
    loose.credibleStart = loose.operations.count
    loose.append(waiting.entries, of: waiting)
    state.queue = ChangeQueue()
  }

  /// Applies all changes but those that contradict others; what builds on these waits.
  private mutating func applySparing(_ batch: inout ChangeBatch) {
    var refused: [ChangeBatch.Entry] = []
    var work = Self.mostWork
    while true {
      do throws(FormatError) {
        try state.apply(batch)
        break
      } catch {
        // Every chunk is somewhere else in what was parsed.
        let place = batch.entries.firstIndex { $0.offset == error.offset }
        work -= batch.operations.count + batch.count
        guard let place, work > 0 else {
          refused += batch.entries
          break
        }
        refused.append(batch.entries[place])
        batch.reorder(batch.entries.indices.filter { $0 != place })
      }
    }
    for entry in refused { addRefused(entry, of: batch) }
  }

  /// The changes and operations that all attempts may try again, each of which ends at a change that
  /// contradicts others. So many contradictions are no accident.
  private static let mostWork = 1 << 22

  /// Keeps the operations of a change that contradicts others; where these have their names, all
  /// that can be done is to say so.
  private mutating func addRefused(_ entry: ChangeBatch.Entry, of batch: ChangeBatch) {
    let author = state.actors.index(of: batch.actors[Int(entry.author)])
    let isNamed = author.map {
      state.history.holds(OpID(counter: entry.startCounter, actor: UInt32($0)))
    }
    if isNamed ?? false {
      loose.unreadCount += entry.operations.count
    } else {
      var single = ChangeBatch()
      // It was parsed before.
      try? single.append(parsing: batch.frame(of: entry), limits: .none)
      loose.append(single.entries, of: single)
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
    from header: ChunkHeader, budget: inout LoadBudget
  ) throws(FormatError) -> (History, DocumentChunk) {
    var document = try DocumentChunk(header, budget: &budget, isTailNeeded: false)
    let operations = try OpSet(&document, textEncoding: .unicodeScalar)
    let rebuilder = try HistoryRebuilder(document, operations.directory.pages)
    return (try rebuilder.rebuild(budget: &budget, comparesHeads: false), document)
  }
}

extension ChangeBatch {
  /// Returns a change as a chunk of its own.
  func frame(of entry: Entry) -> [UInt8] {
    var chunk: [UInt8] = []
    appendFrame(of: entry, to: &chunk)
    return chunk
  }

  /// Appends a change as a chunk of its own.
  func appendFrame(of entry: Entry, to output: inout [UInt8]) {
    ChunkHeader.appendFrame(checksum: entry.hash.checksum, to: &output)
    output.append(from: chunks, entry.chunk.range)
  }
}

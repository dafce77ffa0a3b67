/// Changes that could be taken out of chunks that do not verify, until something proves them.
///
/// A hash that stands elsewhere cannot come out of another change, and an author that is derived from
/// a change cannot come out of another one; with a change is proven all that it builds on.
struct UnprovenChanges {
  private(set) var batch = ChangeBatch()
  /// The piece of the file that each change is from.
  private(set) var pieces: [Int] = []
  /// The heads of the documents among the pieces.
  private(set) var heads: [Int: [ChangeHash]] = [:]

  init() {}

  /// Appends the changes that were rebuilt from a document.
  mutating func append(
    _ history: History, piece: Int, _ budget: inout LoadBudget
  ) throws(FormatError) {
    var chunks: [UInt8] = []
    for row in 0..<history.count { history.appendChunk(of: row, to: &chunks) }
    var parser = ChangeParser(budget)
    defer { budget = parser.budget }
    let before = batch.count
    do throws(FormatError) {
      try batch.append(parsing: chunks, with: &parser)
    } catch {
      while batch.count > before { batch.removeLastEntry() }
      throw error
    }
    heads[piece] = history.heads
    notePieces(piece)
  }

  /// Appends the change in a chunk whose checksum may be wrong.
  mutating func append(
    _ header: ChunkHeader, of bytes: [UInt8], piece: Int, _ budget: inout LoadBudget
  ) throws(FormatError) {
    var parser = ChangeParser(budget)
    defer { budget = parser.budget }
    try parser.parse(header, in: bytes, into: &batch, isChecksumNeeded: false)
    notePieces(piece)
  }

  private mutating func notePieces(_ piece: Int) {
    pieces += [Int](repeating: piece, count: batch.count - pieces.count)
  }

  /// Returns for each change whether it is proven, and adds what proven ones build on to what is
  /// trusted.
  func prove(by trusted: inout Set<ChangeHash>, _ labels: [StaticString]) -> [Bool] {
    var places: [ChangeHash: Int] = [:]
    var pending: [ChangeHash] = []
    for (place, entry) in batch.entries.enumerated() where places[entry.hash] == nil {
      places[entry.hash] = place
      if trusted.contains(entry.hash) || isDerived(entry, labels) { pending.append(entry.hash) }
    }
    var proven = Set(pending)
    while let hash = pending.popLast() {
      guard let place = places[hash] else { continue }
      for dependency in batch.dependencies[batch.entries[place].dependencies] {
        trusted.insert(dependency)
        if places[dependency] != nil, proven.insert(dependency).inserted {
          pending.append(dependency)
        }
      }
    }
    return batch.entries.map { proven.contains($0.hash) }
  }

  private func isDerived(_ entry: ChangeBatch.Entry, _ labels: [StaticString]) -> Bool {
    guard entry.sequence == 1, !labels.isEmpty else { return false }
    var reader = ByteReader(batch.chunks, entry.chunk.range)
    // It was put together from type, length and body.
    guard (try? reader.readByte()) != nil, (try? reader.readULEB()) != nil else { return false }
    let body = [UInt8](batch.chunks[reader.position..<reader.end])
    let author = batch.actors[Int(entry.author)]
    return labels.contains { author.isDerived(from: body, label: $0) }
  }
}

/// The changes of a document in the order this replica applied them, with the graph they form.
///
/// A change is known by its row. Its canonical bytes are mostly kept, so that handing it on costs a copy.
struct History: Sendable {
  struct Change: Sendable {
    let hash: ChangeHash
    let actor: UInt32
    let sequence: UInt32
    let startCounter: UInt32
    let operationCount: UInt32
    let time: Int64
    /// In `chunks`, like `extra` and `chunk`. Nil for none: documents tell that from an empty one,
    /// although the bytes of the change are the same.
    let message: PoolRange?
    let extra: PoolRange
    let chunk: Chunk
    let dependencies: Range<Int>

    /// The greatest operation counter; one less than the start if there are no operations.
    var maxCounter: UInt32 { startCounter &- 1 &+ operationCount }
  }

  /// Type, length and body of an uncompressed change chunk.
  struct Chunk: Sendable {
    let byteCount: UInt32
    private let start: UInt32

    private static let nowhere = UInt32.max

    /// In `chunks`; nil if they are not kept.
    var range: Range<Int>? {
      start == Self.nowhere ? nil : PoolRange(start: start, count: byteCount).range
    }

    /// A chunk in a range of `chunks`, or left out if that is empty.
    init(_ range: PoolRange) {
      start = range.count > 0 ? range.start : Self.nowhere
      byteCount = range.count
    }

    /// A chunk whose bytes are not kept.
    init(leftOut byteCount: Int) {
      start = Self.nowhere
      self.byteCount = UInt32(truncatingIfNeeded: byteCount)
    }
  }

  private(set) var changes: [Change] = []
  /// The rows that changes depend on, each a range of this array.
  private(set) var dependencyRows: [UInt32] = []
  private(set) var chunks: [UInt8] = []
  /// Whether the bytes of any change are not kept.
  private(set) var leavesOutChunks = false
  /// The bytes of all change chunks, those that are not kept included.
  private(set) var chunkByteCount = 0
  private(set) var maxCounter: UInt32 = 0
  private var index = RowIndex()
  private(set) var rowsOfActor = ActorRows()
  /// For each row whether another depends on it.
  private(set) var isFollowed: [Bool] = []
  /// The rows nobody depends on, ascending, and some that had nobody for a time.
  private var possibleHeads: [Int] = []
  private(set) var headCount = 0

  init() {}

  mutating func reserveCapacity(changes count: Int, chunkBytes: Int) {
    index.reserveCapacity(count) { [changes] in changes[Int($0)].hash.leadingWord }
    // A few more to many would be all copied for each few; appending makes room by doubling.
    if count > changes.count { changes.reserveCapacity(changes.count + count) }
    if chunkBytes > chunks.count { chunks.reserveCapacity(chunks.count + chunkBytes) }
  }

  var count: Int { changes.count }

  func row(of hash: ChangeHash) -> Int? {
    index.row(hash.leadingWord) { changes[Int($0)].hash == hash }.map(Int.init)
  }

  func dependencies(of row: Int) -> ArraySlice<UInt32> {
    dependencyRows[changes[row].dependencies]
  }

  func dependencyHashes(of row: Int) -> [ChangeHash] {
    dependencies(of: row).map { changes[Int($0)].hash }
  }

  /// The rows nobody depends on, ascending.
  var headRows: [Int] {
    headCount == possibleHeads.count ? possibleHeads : possibleHeads.filter { !isFollowed[$0] }
  }

  /// The hashes nobody depends on, ascending.
  var heads: [ChangeHash] { headRows.map { changes[$0].hash }.sorted() }

  /// Makes room for actors that are about to write changes.
  mutating func setActors(count: Int) {
    rowsOfActor.setActors(count: count)
  }

  /// Takes over what is known of changes that are about to be appended: for each actor their rows.
  mutating func setRows(ofActors rows: ActorRows) { rowsOfActor = rows }

  /// Appends a change whose dependencies are all here.
  ///
  /// - Parameter isListed: whether its actor's rows, as they were taken over, have it.
  mutating func append(
    hash: ChangeHash, actor: UInt32, sequence: UInt32, startCounter: UInt32, operationCount: Int,
    time: Int64, message: PoolRange?, extra: PoolRange, chunk: Chunk,
    dependencies: some Sequence<UInt32>, isListed: Bool = false
  ) {
    let row = UInt32(changes.count)
    let first = dependencyRows.count
    for dependency in dependencies {
      dependencyRows.append(dependency)
    }
    noteHead(Int(row), replacing: dependencyRows[first...])
    let change = Change(
      hash: hash, actor: actor, sequence: sequence, startCounter: startCounter,
      operationCount: UInt32(operationCount), time: time, message: message, extra: extra,
      chunk: chunk, dependencies: first..<dependencyRows.count)
    changes.append(change)
    index.insert(row) { [changes] in changes[Int($0)].hash.leadingWord }
    chunkByteCount += Int(chunk.byteCount)
    if chunk.range == nil { leavesOutChunks = true }
    if !isListed { rowsOfActor.append(row, of: Int(actor)) }
    maxCounter = max(maxCounter, change.maxCounter)
  }

  /// Every dependency that was a head no longer is. Those in the middle stay in the list for a while:
  /// to take out one of thousands again and again would cost their square.
  private mutating func noteHead(_ row: Int, replacing dependencies: ArraySlice<UInt32>) {
    for dependency in dependencies where !isFollowed[Int(dependency)] {
      isFollowed[Int(dependency)] = true
      headCount -= 1
      if possibleHeads.last == Int(dependency) { possibleHeads.removeLast() }
    }
    if possibleHeads.count > 2 * headCount { possibleHeads = headRows }
    isFollowed.append(false)
    possibleHeads.append(row)
    headCount += 1
  }

  /// Appends bytes of change chunks and returns how far ranges in them have to move.
  mutating func appendChunks(_ bytes: [UInt8]) -> Int {
    let shift = chunks.count
    if chunks.isEmpty { chunks = bytes } else { chunks.append(contentsOf: bytes) }
    return shift
  }

  /// Appends the change that an encoder has finished, whose body may be gone then.
  ///
  /// Returns where its chunk stands, and how far ranges in the body have to move.
  private mutating func appendChunk(
    of encoder: inout ChangeEncoder
  ) -> (chunk: PoolRange, shift: Int) {
    let (start, byteCount) = (chunks.count, encoder.body.count)
    if chunks.isEmpty, byteCount >= Self.greatBody {
      // All that some documents are is one such change: no second copy of it is made.
      var description: [UInt8] = []
      ChunkHeader.appendDescription(.change, bodyByteCount: byteCount, to: &description)
      chunks = []
      swap(&chunks, &encoder.body)
      chunks.insert(contentsOf: description, at: 0)
    } else {
      ChunkHeader.appendHashedPart(.change, body: encoder.body, to: &chunks)
    }
    return (PoolRange(start..<chunks.count), chunks.count - byteCount)
  }

  private static let greatBody = 1 << 20

  /// The hash of a change, and where its bytes stand.
  struct Content {
    let hash: ChangeHash
    let chunk: Chunk
    let message: PoolRange
    let extra: PoolRange
  }

  /// Takes in the bytes of the change that an encoder has finished, whose body may be gone then.
  mutating func take(_ encoder: inout ChangeEncoder, keepsChunk: Bool) -> Content {
    guard keepsChunk else {
      let (hash, byteCount) = encoder.hash()
      return leaveOut(encoder, hash: hash, byteCount: byteCount)
    }
    let (range, shift) = appendChunk(of: &encoder)
    return Content(
      hash: ChangeHash(sha256Of: chunks, in: range.range), chunk: Chunk(range),
      message: encoder.messageRange.moved(by: shift), extra: encoder.extraRange.moved(by: shift))
  }

  /// Takes in message and extra bytes of the change that an encoder has finished, and nothing else of it.
  mutating func leaveOut(_ encoder: ChangeEncoder, hash: ChangeHash, byteCount: Int) -> Content {
    let (message, extra) = appendDetails(
      of: encoder.body, message: encoder.messageRange, extra: encoder.extraRange)
    return Content(hash: hash, chunk: Chunk(leftOut: byteCount), message: message, extra: extra)
  }

  private mutating func appendDetails(
    of chunk: [UInt8], message: PoolRange, extra: PoolRange
  ) -> (message: PoolRange, extra: PoolRange) {
    let start = chunks.count
    chunks.append(from: chunk, message.range)
    let middle = chunks.count
    chunks.append(from: chunk, extra.range)
    return (PoolRange(start..<middle), PoolRange(middle..<chunks.count))
  }

  /// Appends a change that another history has.
  ///
  /// - Parameters:
  ///   - row: its row there.
  ///   - actor: its author's number here.
  ///   - keepsChunk: whether its bytes come along.
  mutating func append(known history: History, row: Int, actor: UInt32, keepsChunk: Bool) {
    let change = history.changes[row]
    var (message, extra) = (change.message ?? .empty, change.extra)
    var chunk = Chunk(leftOut: Int(change.chunk.byteCount))
    if keepsChunk, let range = change.chunk.range {
      let shift = chunks.count - range.lowerBound
      chunks.append(from: history.chunks, range)
      chunk = Chunk(PoolRange(range).moved(by: shift))
      (message, extra) = (message.moved(by: shift), extra.moved(by: shift))
    } else {
      (message, extra) = appendDetails(of: history.chunks, message: message, extra: extra)
    }
    append(
      hash: change.hash, actor: actor, sequence: change.sequence,
      startCounter: change.startCounter, operationCount: Int(change.operationCount),
      time: change.time, message: change.message.map { _ in message }, extra: extra,
      chunk: chunk, dependencies: history.dependencies(of: row), isListed: true)
  }

  /// Whether the bytes of a change are here.
  func keepsChunk(of row: Int) -> Bool { changes[row].chunk.range != nil }

  /// Returns the bytes of a change, which are kept.
  func part(of row: Int) -> HashedPart {
    guard let range = changes[row].chunk.range else {
      preconditionFailure("the document was loaded without its chunks")
    }
    return HashedPart(hash: changes[row].hash, bytes: chunks, range: range)
  }

  /// Appends the whole chunk of a change, uncompressed.
  func appendChunk(of row: Int, to output: inout [UInt8]) { part(of: row).appendChunk(to: &output) }

  /// Type, length and body of an uncompressed change chunk.
  struct HashedPart {
    let hash: ChangeHash
    /// What they are a range of.
    let bytes: [UInt8]
    let range: Range<Int>

    var body: [UInt8] {
      var start = range.lowerBound + 1
      while bytes[start] & 0x80 != 0 { start += 1 }
      return [UInt8](bytes[start + 1..<range.upperBound])
    }

    /// Appends the whole chunk, uncompressed.
    func appendChunk(to output: inout [UInt8]) {
      ChunkHeader.appendFrame(checksum: hash.checksum, to: &output)
      output.append(from: bytes, range)
    }

    /// Appends the chunk, deflated if it is longer than 256 bytes (format.md 6.8).
    func appendCompressedChunk(to output: inout [UInt8]) {
      guard range.count + 8 > Compression.threshold else { return appendChunk(to: &output) }
      let deflated = Compression.deflate(body, level: Compression.standardLevel)
      ChunkHeader.appendFrame(checksum: hash.checksum, to: &output)
      ChunkHeader.appendHashedPart(.compressedChange, body: deflated, to: &output)
    }
  }
}

extension History {
  /// Appends the change columns of a document, in the order of application (format.md 4.2).
  ///
  /// - Parameter actors: the number to write for each actor.
  func encode(into columns: inout ColumnWriter, actors: [UInt32]) {
    guard !changes.isEmpty else { return }
    var encoder = ChangeRowEncoder()
    for change in changes {
      encoder.append(
        actor: actors[Int(change.actor)], sequence: change.sequence, maxCounter: change.maxCounter,
        time: change.time, message: change.message, extra: change.extra, pool: chunks,
        dependencies: dependencyRows[change.dependencies])
    }
    encoder.finish(pool: chunks, into: &columns)
  }
}

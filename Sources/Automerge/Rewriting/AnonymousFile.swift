/// A file with the structure and the damage of another and nothing of its content.
///
/// What can be decoded is written again with other content, chunk by chunk and of the same kind;
/// checksums and heads that are wrong stay wrong. Bytes that cannot be decoded are zeros, as many,
/// behind a chunk's frame where they have one: what is not understood could be content.
package struct AnonymousFile: Sendable {
  /// The bytes.
  package private(set) var bytes: [UInt8] = []
  /// The stretches of the original that were written as zeros, and why.
  package private(set) var leftOut: [SalvagedPiece] = []
  /// The number of changes that were written again.
  package private(set) var changeCount = 0

  /// A stretch of the original, decoded.
  private struct Part {
    var piece: SalvagedPiece
    var kind: ChunkHeader.Kind
    /// The places of its changes in the batch.
    var changes: Range<Int>
    var isDeflated: Bool
    var hasWrongMagic = false
    var hasWrongChecksum = false
    var hasWrongHeads = false
    /// How many bytes follow that no chunk needs.
    var trailingCount = 0
  }

  /// Limits for what is to be written again: all of it is in memory several times.
  package static let limits: LoadLimits = {
    var limits = SalvagedDocument.limits
    limits.memoryByteCount = 40 << 20
    return limits
  }()

  /// Writes `original` again.
  package init(
    of original: [UInt8], _ replacement: some ContentReplacement,
    limits: LoadLimits = limits
  ) {
    var batch = ChangeBatch()
    var budget = LoadBudget(limits, inputByteCount: original.count)
    // One for all: it knows each author by a number, and would have to begin again with each change.
    var parser = ChangeParser(limits: .none, inputByteCount: original.count)
    var parts: [(piece: SalvagedPiece, part: Part?)] = []
    for piece in Self.pieces(of: original, limits) {
      // What cannot be decoded is left out.
      parts.append((piece, try? Self.part(piece, of: original, &budget, &parser, into: &batch)))
    }
    var rewriter = ChangeRewriter(batch, replacement)
    rewriter.run()
    for (piece, part) in parts {
      // As above.
      if let part, let chunk = try? Self.chunk(part, rewriter.chunks) {
        bytes += chunk
        changeCount += part.changes.count
      } else {
        appendEmptied(original, piece.range)
        leftOut.append(piece)
      }
    }
  }

  // MARK: Decoding

  /// What else was found is not needed, and gone before anything is written.
  private static func pieces(of original: [UInt8], _ limits: LoadLimits) -> [SalvagedPiece] {
    var search = ChunkSearch(original, labels: [], limits: limits)
    search.run()
    return search.pieces
  }

  private static func part(
    _ piece: SalvagedPiece, of original: [UInt8], _ budget: inout LoadBudget,
    _ known: inout ChangeParser, into batch: inout ChangeBatch
  ) throws(FormatError) -> Part {
    var reader = ByteReader(original, piece.range)
    let header = try ChunkHeader(&reader, isMagicNeeded: piece.outcome != .verified)
    var part = Part(
      piece: piece, kind: header.kind, changes: batch.count..<batch.count, isDeflated: false,
      trailingCount: reader.remaining)
    part.hasWrongMagic = !original[piece.range].starts(with: ChunkHeader.magic)
    var found = ChangeBatch()
    switch header.kind {
    case .bundle:
      throw FormatError(.bundleUnsupported, at: piece.range.lowerBound)
    case .document:
      let (history, document) = try History.rebuilt(from: header, budget: &budget)
      for row in 0..<history.count {
        var chunk: [UInt8] = []
        history.appendChunk(of: row, to: &chunk)
        try found.append(parsing: chunk, with: &known)
      }
      part.hasWrongHeads = Set(history.heads) != Set(document.heads)
      part.hasWrongChecksum =
        ChangeHash(sha256Of: original, in: header.hashed).checksum != header.checksum
      part.isDeflated = try hasDeflatedColumns(header, budget.limits)
    case .change, .compressedChange:
      part.isDeflated = header.kind == .compressedChange
      var parser = ChangeParser(budget)
      defer { budget = parser.budget }
      do throws(FormatError) {
        try parser.parse(header, in: original, into: &found)
      } catch {
        guard case .checksumMismatch(_, let computed) = error.fact else { throw error }
        part.hasWrongChecksum = true
        try parser.parse(header.withChecksum(computed), in: original, into: &found)
      }
    }
    for entry in found.entries { try batch.append(parsing: found.frame(of: entry), with: &known) }
    part.changes = part.changes.lowerBound..<batch.count
    return part
  }

  private static func hasDeflatedColumns(
    _ header: ChunkHeader, _ limits: LoadLimits
  ) throws(FormatError) -> Bool {
    var body = header.body
    _ = try body.readActors(limits: limits)
    _ = try body.readHashes(limits: limits)
    let changes = try ColumnLayout(&body, allowsDeflate: true)
    let operations = try ColumnLayout(&body, allowsDeflate: true)
    return (changes.columns + operations.columns).contains { $0.spec.isDeflated }
  }

  // MARK: Writing

  private static func chunk(_ part: Part, _ chunks: [[UInt8]]) throws(FormatError) -> [UInt8] {
    var output: [UInt8] = []
    switch part.kind {
    case .document:
      var batch = ChangeBatch()
      var parser = ChangeParser(limits: .none, inputByteCount: 0)
      for index in part.changes { try batch.append(parsing: chunks[index], with: &parser) }
      var state = DocumentState()
      try state.apply(batch)
      output = state.encoded(
        compressionLevel: part.isDeflated ? Compression.standardLevel : nil)
      if part.hasWrongHeads { try spoilHead(state.heads, of: &output) }
    case .change, .compressedChange, .bundle:
      for index in part.changes {
        output += part.isDeflated ? try compressed(chunks[index]) : chunks[index]
      }
    }
    if part.hasWrongMagic { output[0] ^= 0xff }
    if part.hasWrongChecksum { output[ChunkHeader.magic.count] ^= 0xff }
    return output + [UInt8](repeating: 0, count: part.trailingCount)
  }

  private static func compressed(_ chunk: [UInt8]) throws(FormatError) -> [UInt8] {
    var reader = ByteReader(chunk)
    let header = try ChunkHeader(&reader)
    let body = [UInt8](chunk[header.body.position..<header.body.end])
    var output: [UInt8] = []
    ChunkHeader.appendFrame(checksum: header.checksum, to: &output)
    ChunkHeader.appendHashedPart(
      .compressedChange, body: Compression.deflate(body, level: Compression.standardLevel),
      to: &output)
    return output
  }

  /// Makes a stored head one that no change has, under a checksum that fits.
  private static func spoilHead(
    _ heads: [ChangeHash], of chunk: inout [UInt8]
  ) throws(FormatError) {
    var reader = ByteReader(chunk)
    let header = try ChunkHeader(&reader)
    var body = header.body
    _ = try body.readActors(limits: .standard)
    guard try body.readCount(unit: ChangeHash.byteCount) > 0 else { return }
    chunk[body.position] ^= 0xff
    let checksum = ChangeHash(sha256Of: chunk, in: header.hashed).checksum
    var frame: [UInt8] = []
    ChunkHeader.appendFrame(checksum: checksum, to: &frame)
    for index in frame.indices { chunk[index] = frame[index] }
  }

  /// Appends as many zeros as a stretch is long, behind the frame of a chunk if it has one. The
  /// checksum is content too: whoever guesses the bytes could prove it with it.
  private mutating func appendEmptied(_ original: [UInt8], _ range: Range<Int>) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: range.count))
    // Without a frame there are zeros only.
    guard original[range].starts(with: ChunkHeader.magic),
      let header = try? ChunkHeader(damaged: ByteReader(original, range))
    else { return }
    for index in range.lowerBound..<header.body.position {
      let place = index - range.lowerBound
      if !(4..<8).contains(place) { bytes[start + place] = original[index] }
    }
  }
}

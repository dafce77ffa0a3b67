/// Assembles a document chunk (format.md 4.1, 4.7).
enum DocumentWriter {
  static func write(
    actors: [ActorId], heads: [(hash: ChangeHash, row: Int)], changes: ColumnWriter,
    operations: ColumnWriter, to output: inout [UInt8]
  ) {
    var front: [UInt8] = []
    front.appendULEB(actors.count)
    for actor in actors { front.appendPrefixed(actor) }
    front.appendHashes(heads.map(\.hash))
    changes.writeLayout(to: &front)
    operations.writeLayout(to: &front)
    var rows: [UInt8] = []
    for head in heads { rows.appendULEB(head.row) }
    let bodyCount = front.count + changes.dataByteCount + operations.dataByteCount + rows.count

    // Straight into the output: the document of a month has ten megabytes.
    output.reserveCapacity(output.count + bodyCount + ChunkHeader.mostByteCount)
    let checksumIndex = ChunkHeader.appendFrame(to: &output)
    let start = output.count
    ChunkHeader.appendDescription(.document, bodyByteCount: bodyCount, to: &output)
    output.append(contentsOf: front)
    changes.writeData(to: &output)
    operations.writeData(to: &output)
    output.append(contentsOf: rows)
    let hash = ChangeHash(sha256Of: output, in: start..<output.count)
    ChunkHeader.setChecksum(hash.checksum, at: checksumIndex, of: &output)
  }
}

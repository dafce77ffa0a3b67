/// Assembles a document chunk (format.md 4.1, 4.7).
enum DocumentWriter {
  static func write(
    actors: [ActorId], heads: [(hash: ChangeHash, row: Int)], changes: ColumnWriter,
    operations: ColumnWriter, to output: inout [UInt8]
  ) {
    var body: [UInt8] = []
    body.appendULEB(actors.count)
    for actor in actors { body.appendPrefixed(actor.bytes) }
    body.appendHashes(heads.map(\.hash))
    changes.writeLayout(to: &body)
    operations.writeLayout(to: &body)
    changes.writeData(to: &body)
    operations.writeData(to: &body)
    for head in heads { body.appendULEB(head.row) }

    var hashed: [UInt8] = []
    hashed.reserveCapacity(body.count + 11)
    ChunkHeader.appendHashedPart(.document, body: body, to: &hashed)
    let hash = ChangeHash(sha256Of: hashed, in: 0..<hashed.count)
    ChunkHeader.appendFrame(checksum: hash.checksum, to: &output)
    output.append(contentsOf: hashed)
  }
}

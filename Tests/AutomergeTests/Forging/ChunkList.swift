/// A file cut into its chunks, without looking inside them.
struct ChunkList {
  struct Malformed: Error {}

  var chunks: [ForgedChunk] = []

  init(_ file: [UInt8]) throws(Malformed) {
    var position = 0
    while position < file.count {
      guard file.count - position >= 10, Array(file[position..<position + 4]) == ForgedChunk.magic
      else { throw Malformed() }
      let type = file[position + 8]
      position += 9
      let length = try Self.uleb(file, &position)
      guard length <= file.count - position else { throw Malformed() }
      chunks.append(ForgedChunk(type: type, body: Array(file[position..<position + length])))
      position += length
    }
  }

  static func uleb(_ bytes: [UInt8], _ position: inout Int) throws(Malformed) -> Int {
    var value = 0
    var shift = 0
    while position < bytes.count, shift < 56 {
      let byte = bytes[position]
      position += 1
      value |= Int(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw Malformed()
  }

  /// Returns the file with every deflated column of a document chunk, and every compressed
  /// change, inflated, and with checksums that fit.
  static func inflated(_ file: [UInt8]) throws -> [UInt8] {
    try ChunkList(file).chunks.flatMap { chunk in
      switch chunk.type {
      case 0: ForgedChunk(type: 0, body: try inflatedDocument(chunk.body)).bytes
      case 2: ForgedChunk(type: 1, body: try PlainInflater.inflate(chunk.body)).bytes
      default: chunk.bytes
      }
    }
  }

  private static func inflatedDocument(_ body: [UInt8]) throws -> [UInt8] {
    var position = 0
    func skip(_ count: Int) throws(Malformed) {
      guard count <= body.count - position else { throw Malformed() }
      position += count
    }
    for _ in 0..<(try uleb(body, &position)) { try skip(try uleb(body, &position)) }
    for _ in 0..<(try uleb(body, &position)) { try skip(32) }
    let front = Array(body[..<position])

    var tables: [[(specification: Int, length: Int)]] = []
    for _ in 0..<2 {
      var table: [(specification: Int, length: Int)] = []
      for _ in 0..<(try uleb(body, &position)) {
        table.append((try uleb(body, &position), try uleb(body, &position)))
      }
      tables.append(table)
    }
    var metadata: [UInt8] = []
    var data: [UInt8] = []
    for table in tables {
      var list = ForgedColumnList([:])
      for column in table {
        let start = position
        try skip(column.length)
        let stored = Array(body[start..<position])
        list.columns.append(
          ForgedColumnList.Column(
            specification: UInt64(column.specification & ~8),
            bytes: column.specification & 8 == 0 ? stored : try PlainInflater.inflate(stored)))
      }
      metadata += list.metadata
      data += list.data
    }
    return front + metadata + data + body[position...]
  }
}

/// A file cut into its chunks, without looking inside them.
struct ChunkList {
  var chunks: [ForgedChunk] = []

  init(_ file: [UInt8]) throws(PlainReader.Malformed) {
    var reader = PlainReader(file)
    while !reader.isAtEnd {
      guard try reader.take(8).starts(with: ForgedChunk.magic) else {
        throw PlainReader.Malformed()
      }
      chunks.append(ForgedChunk(type: try reader.take(1)[0], body: try reader.prefixed()))
    }
  }

  /// Returns the file with every deflated column of a document chunk, and every compressed
  /// change, inflated, and with checksums that fit.
  static func inflated(_ file: [UInt8]) throws -> [UInt8] {
    try ChunkList(file).chunks.flatMap { try $0.inflated.bytes }
  }
}

extension ForgedChunk {
  /// The chunk with nothing compressed in it.
  var inflated: ForgedChunk {
    get throws {
      switch type {
      case 0: try ForgedDocument(parsing: body).inflated.chunk
      case 2: ForgedChunk(type: 1, body: try PlainInflater.inflate(body))
      default: self
      }
    }
  }
}

extension ChunkHeader {
  /// Returns what the beginning of a damaged stretch can have been, most credible first: as it
  /// reads, and then with each other type and length.
  ///
  /// Type and length are nine bytes and a few into a chunk; nothing of what they say is believed
  /// here. Bodies go to the end of the stretch, and those of changes also to where a length that can
  /// be read ends, since a change is as long as it is.
  static func candidates(in stretch: ByteReader) -> [ChunkHeader] {
    guard stretch.remaining > smallestFrame else { return [] }
    let type = stretch.position + typeOffset
    var bodies: [Range<Int>] = []
    var ends: [Range<Int>] = []
    var reader = ByteReader(stretch.bytes, type + 1..<stretch.end)
    // What is no number has no end.
    if let length = try? reader.readULEB() {
      bodies.append(reader.position..<stretch.end)
      if let count = Int(exactly: length), count > 0, count < reader.remaining {
        ends.append(reader.position..<reader.position + count)
      }
    }
    for count in 1...longestLength where type + 1 + count < stretch.end {
      let body = type + 1 + count..<stretch.end
      if !bodies.contains(body) { bodies.append(body) }
    }
    let read = Kind(rawValue: stretch.bytes[type])
    let kinds = [read, .document, .change, .compressedChange].compactMap { $0 }
    var candidates: [ChunkHeader] = []
    for (index, kind) in kinds.enumerated() where kinds.firstIndex(of: kind) == index {
      // A document says itself where it ends.
      let all = kind == .document || kind == .bundle ? bodies : ends + bodies
      candidates += all.map { ChunkHeader(kind, body: $0, of: stretch) }
    }
    return candidates
  }

  /// Magic bytes, checksum, type and a length of one byte.
  private static let smallestFrame = typeOffset + 2
  private static let typeOffset = 8
  /// The most bytes of a length below four gigabytes.
  private static let longestLength = 5

  private init(_ kind: Kind, body: Range<Int>, of stretch: ByteReader) {
    let start = stretch.position
    self.init(
      kind: kind, offset: start,
      checksum: stretch.bytes[start + 4..<start + 8].reduce(0) { $0 &<< 8 | UInt32($1) },
      checksumOffset: start + 4, hashed: start + 8..<body.upperBound,
      body: ByteReader(stretch.bytes, body))
  }
}

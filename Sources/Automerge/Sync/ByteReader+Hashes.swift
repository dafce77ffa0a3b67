extension ByteReader {
  /// Reads hashes with their number in front, which cannot promise more than there is.
  mutating func readHashes() throws(FormatError) -> [ChangeHash] {
    let count = try readCount(unit: ChangeHash.byteCount)
    var hashes: [ChangeHash] = []
    hashes.reserveCapacity(count)
    for _ in 0..<count { hashes.append(try readHash()) }
    return hashes
  }
}

extension Array where Element == UInt8 {
  /// Appends hashes with their number in front.
  mutating func appendHashes(_ hashes: [ChangeHash]) {
    appendULEB(hashes.count)
    for hash in hashes { hash.append(to: &self) }
  }
}

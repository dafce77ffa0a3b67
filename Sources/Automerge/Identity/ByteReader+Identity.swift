extension ByteReader {
  mutating func readHash() throws(FormatError) -> ChangeHash {
    let range = try readRange(ChangeHash.byteCount)
    return ChangeHash(bytes: bytes, at: range.lowerBound)
  }

  /// Reads hashes with their number in front, which cannot promise more than there is.
  mutating func readHashes(limits: LoadLimits? = nil) throws(FormatError) -> [ChangeHash] {
    let start = offset
    let count = try readCount(unit: ChangeHash.byteCount)
    if let limit = limits?.dependencyCount, count > limit {
      throw FormatError(.limitExceeded(.dependencies, UInt64(limit)), at: start)
    }
    var hashes: [ChangeHash] = []
    hashes.reserveCapacity(count)
    for _ in 0..<count { hashes.append(try readHash()) }
    return hashes
  }

  mutating func readActor(limits: LoadLimits) throws(FormatError) -> ActorId {
    let range = try readPrefixedRange()
    guard range.count <= limits.actorByteCount else {
      throw FormatError(
        .limitExceeded(.actorByteCount, UInt64(limits.actorByteCount)),
        at: offset(of: range.lowerBound))
    }
    return ActorId(bytes: bytes, in: range)
  }

  /// Reads actor ids with their number in front.
  mutating func readActors(limits: LoadLimits) throws(FormatError) -> [ActorId] {
    let start = self
    let count = try readCount()
    guard count <= limits.actorCount else {
      throw start.error(.limitExceeded(.actors, UInt64(limits.actorCount)))
    }
    var actors: [ActorId] = []
    actors.reserveCapacity(count)
    for _ in 0..<count { actors.append(try readActor(limits: limits)) }
    return actors
  }
}

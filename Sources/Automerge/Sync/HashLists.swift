/// How lists of hashes stand in the messages of a connection.
protocol HashListForm {
  mutating func append(_ hashes: [ChangeHash], to output: inout [UInt8])
  mutating func read(_ reader: inout ByteReader) throws(FormatError) -> [ChangeHash]
}

/// The form of the reference: `[leb128 count]`, then 32 bytes for each hash (format.md 7.1).
struct PlainHashLists: HashListForm {
  mutating func append(_ hashes: [ChangeHash], to output: inout [UInt8]) {
    output.appendHashes(hashes)
  }

  mutating func read(_ reader: inout ByteReader) throws(FormatError) -> [ChangeHash] {
    try reader.readHashes()
  }
}

/// A form in which a hash that both sides have met is a number.
///
/// Each message names all heads, and a document whose entities were imported one by one has about as
/// many as entities. `[leb128 runs]`, then for each run `[leb128 count * 2 + isMet]` and the hashes,
/// or the number of the first. Both sides number what they meet in the same order, so the messages
/// have to come one at a time, from one side or the other.
struct NumberedHashLists: HashListForm {
  private var hashes: [ChangeHash]
  private var numbers: [ChangeHash: Int]

  /// Begins with what both sides know that they have.
  init(_ shared: [ChangeHash]) {
    hashes = shared.sortedWithoutDuplicates()
    numbers = Dictionary(
      uniqueKeysWithValues: hashes.enumerated().lazy.map { ($0.element, $0.offset) })
  }

  /// - Precondition: `list` is ascending.
  mutating func append(_ list: [ChangeHash], to output: inout [UInt8]) {
    var runs: [Run] = []
    for (index, hash) in list.enumerated() {
      let number = numbers[hash]
      if let last = runs.indices.last, runs[last].goesOn(with: number) {
        runs[last].count += 1
      } else {
        runs.append(Run(first: number, start: index))
      }
    }
    output.appendULEB(runs.count)
    for run in runs {
      output.appendULEB(run.count << 1 | (run.first == nil ? 0 : 1))
      if let first = run.first {
        output.appendULEB(first)
      } else {
        for hash in list[run.start..<run.start + run.count] {
          hash.append(to: &output)
          meet(hash)
        }
      }
    }
  }

  /// Throws unless the list is ascending, as all are that we write: so it is no longer than what the
  /// reader and the bytes hold.
  mutating func read(_ reader: inout ByteReader) throws(FormatError) -> [ChangeHash] {
    var list: [ChangeHash] = []
    for _ in 0..<(try reader.readCount()) {
      let start = reader
      let head = try reader.readULEB()
      guard head & 1 == 1 else {
        for _ in 0..<(head >> 1) {
          let hash = try reader.readHash()
          try Self.add(hash, to: &list, at: start)
          meet(hash)
        }
        continue
      }
      let first = try reader.readULEB()
      let count = UInt64(hashes.count)
      guard first <= count, head >> 1 <= count - first else {
        throw start.error(.unknownHashNumber(first))
      }
      for number in first..<first + (head >> 1) {
        try Self.add(hashes[Int(truncatingIfNeeded: number)], to: &list, at: start)
      }
    }
    return list
  }

  private static func add(
    _ hash: ChangeHash, to list: inout [ChangeHash], at place: ByteReader
  ) throws(FormatError) {
    if let last = list.last, last >= hash { throw place.error(.hashesNotAscending) }
    list.append(hash)
  }

  private mutating func meet(_ hash: ChangeHash) {
    if numbers[hash] != nil { return }
    numbers[hash] = hashes.count
    hashes.append(hash)
  }

  /// Hashes beside each other that are all new, or have numbers beside each other.
  private struct Run {
    /// The number of the first hash; nil if they are new.
    var first: Int?
    /// Where in the list they begin.
    var start: Int
    var count = 1

    func goesOn(with number: Int?) -> Bool {
      guard let number, let first else { return number == nil && first == nil }
      return number == first + count
    }
  }
}

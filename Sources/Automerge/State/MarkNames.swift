/// The names of marks, numbered in the order in which they turned up.
///
/// A text may have as many names as it has letters, each of which is looked up a dozen times while
/// the text is read: by its number, and by its bytes only once. Two names may be equal as strings.
struct MarkNames {
  /// Where each name is in the pool of its document.
  private var ranges: [PoolRange] = []
  private var index = RowIndex()

  init() {}

  /// Returns the number of the name at a range of the pool.
  mutating func number(of name: PoolRange, in pool: [UInt8]) -> Int {
    let known = index.row(Self.word(name, pool)) {
      pool.areEqual(ranges[Int($0)].range, name.range)
    }
    if let known { return Int(known) }
    let number = ranges.count
    ranges.append(name)
    index.insert(UInt32(number)) { [ranges] in Self.word(ranges[Int($0)], pool) }
    return number
  }

  /// Whoever writes a document chooses its names, so they are hashed with a key.
  private static func word(_ name: PoolRange, _ pool: [UInt8]) -> UInt64 {
    var hasher = Hasher()
    pool.combine(name.range, into: &hasher)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  /// Returns the name with a number.
  func string(_ number: Int, in pool: [UInt8]) -> String {
    String(decoding: pool[ranges[number].range], as: UTF8.self)
  }

  /// Returns for each name its place in the order of their bytes.
  func ranks(in pool: [UInt8]) -> [Int] {
    var ranks = [Int](repeating: 0, count: ranges.count)
    let order = ranges.indices.sorted {
      pool.compare(ranges[$0].range, to: pool, ranges[$1].range) < 0
    }
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    return ranks
  }
}

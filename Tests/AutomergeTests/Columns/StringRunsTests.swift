import Testing

@testable import Automerge

/// A column of strings that is hashed where they stand is the column that is written.
@Suite struct StringRunsTests {
  @Test(arguments: [UInt64](0..<300))
  func `strings that stay where they are hash as their column`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    // Few of them and many; short ones, and such whose length takes two bytes and more than a piece.
    var pool: [UInt8] = []
    let strings = [0, 1, 2, 9, 127, 128, 5_000].map { count in
      let start = pool.count
      pool += [UInt8](repeating: UInt8(truncatingIfNeeded: 97 + count % 26), count: count)
      return PoolRange(start..<pool.count)
    }
    let most = generator.oneIn(10) ? 1 : strings.count
    var rows: [PoolRange?] = []
    for _ in 0..<generator.below(12) {
      let item = generator.oneIn(3) ? nil : strings[generator.below(most)]
      let isRepeated = generator.oneIn(2)
      for _ in 0..<1 + generator.below(generator.oneIn(4) ? 300 : 4) {
        rows.append(item == nil || isRepeated ? item : strings[generator.below(most)])
      }
    }

    var encoder = RunLengthEncoder<PoolRange>()
    var runs = StringRuns()
    for row in rows {
      if let row { encoder.append(row, from: pool) } else { encoder.appendNull(from: pool) }
      runs.append(row, from: pool)
    }
    runs.finish()
    let column = encoder.finish(from: pool)
    #expect(runs.byteCount == column.count, "seed \(seed)")
    guard !column.isEmpty else { return }
    var hash = PiecewiseHash()
    runs.write(from: pool, to: &hash) { rows[$0] }
    #expect(ChangeHash(hash) == ChangeHash(sha256Of: column, in: column.indices), "seed \(seed)")
  }

  @Test(arguments: [UInt64](0..<100))
  func `bytes in pieces hash as the same bytes at once`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let bytes = (0..<20_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    var hash = PiecewiseHash()
    var start = 0
    while start < bytes.count {
      let most = generator.oneIn(4) ? 9_000 : 40
      let end = min(bytes.count, start + generator.below(most))
      hash.append(from: bytes, start..<end)
      start = end
    }
    #expect(ChangeHash(hash) == ChangeHash(sha256Of: bytes, in: bytes.indices), "seed \(seed)")
  }

  @Test func `a key that comes again is put once, and any other as it is`() throws {
    var generator = SeededGenerator(seed: 7)
    var column: [UInt8] = []
    // More of them than are remembered, among them some that differ in letters nobody looks at.
    let keys = (0..<600).map { "key \($0 % 400) \($0 / 400)" } + ["", "abcdefgh", "abXdefgh"]
    let ranges = keys.map { key in
      let start = column.count
      column += Array(key.utf8)
      return start..<column.count
    }
    let reader = ByteReader(column)
    var (cache, pool) = (KeyCache(), [UInt8]())
    for _ in 0..<5_000 {
      let key = generator.below(keys.count)
      let place = try cache.range(of: ranges[key], in: reader, pool: &pool)
      #expect(pool[place.range].elementsEqual(keys[key].utf8))
    }
    let byteCount = pool.count
    for _ in 0..<10 {
      _ = try cache.range(of: ranges[0], in: reader, pool: &pool)
    }
    #expect(pool.count <= byteCount + ranges[0].count)
  }

  @Test func `a key that is no UTF-8 is refused with its place`() {
    let reader = ByteReader([0x61, 0x62, 0xff])
    var (cache, pool) = (KeyCache(), [UInt8]())
    #expect(throws: FormatError(.invalidUTF8, at: 1)) {
      try cache.range(of: 1..<3, in: reader, pool: &pool)
    }
    #expect(pool.isEmpty)
  }
}

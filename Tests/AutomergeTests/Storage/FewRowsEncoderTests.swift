@testable import Automerge
import Foundation
import Testing

/// Changes of a few rows are written column by column, those of many row by row: to the same bytes.
@Suite struct FewRowsEncoderTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `few rows are the same bytes as those of the encoder of many`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var few = FewRowsEncoder()
    for _ in 0..<50 {
      let pool = (0..<40).map { _ in UInt8(97 + generator.below(3)) }
      let actors: [UInt32] = [2, 0, 1]
      let rows = (0..<1 + generator.below(FewRowsEncoder.capacity)).map { counter in
        Self.row(UInt32(counter) + 5, pool.count, &generator)
      }
      few.reset()
      var many = OperationEncoder()
      for row in rows {
        let isTaken = few.take(row)
        #expect(isTaken, "seed \(seed)")
        many.append(row, related: [], pool: pool, actors: actors)
      }
      var written: [UInt8] = []
      few.write(pool: pool, actors: actors, to: &written)
      var columns = ColumnWriter()
      many.finish(.change, pool: pool, into: &columns)
      var expected: [UInt8] = []
      columns.writeLayout(to: &expected)
      columns.moveData(to: &expected)
      #expect(written == expected, "seed \(seed): \(rows)")
    }
  }

  @Test func `a row too many and one that replaces something are not taken`() {
    var few = FewRowsEncoder()
    var row = Automerge.Operation(id: OpID(counter: 1, actor: 0), object: .root, action: .set)
    let taken = (0...FewRowsEncoder.capacity).map { _ in few.take(row) }
    #expect(taken == [Bool](repeating: true, count: FewRowsEncoder.capacity) + [false])
    few.reset()
    row.relatedCount = 1
    let isReplacingTaken = few.take(row)
    (row.relatedCount, row.flags) = (0, .expand)
    let isMarkTaken = few.take(row)
    #expect(!isReplacingTaken && !isMarkTaken)
  }

  private static func row(
    _ counter: UInt32, _ poolCount: Int, _ generator: inout SeededGenerator
  ) -> Automerge.Operation {
    func id() -> OpID {
      generator.below(4) == 0
        ? .root
        : OpID(counter: UInt32(generator.below(3) * 100 + 1), actor: UInt32(generator.below(3)))
    }
    func range() -> PoolRange {
      let start = generator.below(poolCount - 4)
      return PoolRange(start..<start + generator.below(4))
    }
    var row = Automerge.Operation(id: OpID(counter: counter, actor: 0), object: id(), action: .set)
    if generator.below(3) == 0 { row.action = .makeMap }
    if generator.below(2) == 0 {
      row.flags = .mapKey
      row.name = range()
    } else {
      row.element = id()
      if generator.below(2) == 0 { row.flags = .insert }
    }
    if generator.below(3) > 0 {
      row.valueType = .string
      row.value = range()
    }
    return row
  }
}

import TestStores
import Testing

@testable import SwiftDataStores

/// Ranges in which several threads read the rows of an entity hold each row once.
@Suite struct RowRangeTests {
  /// The two numbers in a range's condition.
  private static func bounds(_ range: RowRange) -> (above: Int64?, through: Int64?) {
    let words = range.condition.split(separator: " ")
    func number(behind word: Substring) -> Int64? {
      words.firstIndex(of: word).flatMap { Int64(words[$0 + 1]) }
    }
    return (number(behind: ">"), number(behind: "<="))
  }

  @Test(
    arguments: [
      (0...0, 1), (1...100, 8), (1...100, 1000), (1...8193, 8192), (-50...(-3), 7),
      (Int64.min...Int64.max, 1), (Int64.min...(.min), 5), (Int64.max - 3...Int64.max, 2),
      (-1...Int64.max, 1 << 62), (1...10, 0), (1...10, -4),
    ] as [(ClosedRange<Int64>, Int64)])
  func `each ends where the next one begins, and the ends are open`(
    numbers: ClosedRange<Int64>, width: Int64
  ) {
    let ranges = RowRange.ranges(of: numbers, each: width).map(Self.bounds)
    #expect((1...66).contains(ranges.count))
    #expect(ranges.first?.above == nil && ranges.last?.through == nil)
    for (range, next) in zip(ranges, ranges.dropFirst()) {
      #expect(range.through != nil && range.through == next.above)
      if let above = range.above, let through = range.through { #expect(above < through) }
      #expect(range.through.map(numbers.contains) ?? false)
    }
  }

  @Test(arguments: [1, 2, 3, 100] as [Int64])
  func `ranges of a table hold its rows in their order`(width: Int64) throws {
    let place = try StorePlace()
    try place.write()
    let store = try place.open()
    let entity = try #require(store.layout.entity(named: "Book"))
    var numbers: [Int64] = []
    for range in try store.ranges(of: entity, each: width) {
      let rows = try store.rows(of: entity, in: range)
      while let number = try rows.advance() { numbers.append(number) }
    }
    #expect(numbers == [1, 2, 3])
    let other = try store.shared.open()
    #expect(try other.allRows(of: "Book").map(\.number) == numbers)
  }
}

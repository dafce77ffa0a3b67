/// Numbers of rows that lie together.
package struct RowRange: Hashable, Sendable {
  /// The number before the first; nil if there is none.
  private let above: Int64?
  /// The last number; nil if there is none.
  private let through: Int64?

  /// All numbers.
  package static let all = RowRange(above: nil, through: nil)

  /// There are this many ranges of an entity at most: numbers may lie far apart.
  private static let most: UInt64 = 64

  /// What a row of a statement has to be, in front of its order.
  var condition: String {
    (above.map { "AND Z_PK > \($0) " } ?? "") + (through.map { "AND Z_PK <= \($0) " } ?? "")
  }

  /// Divides numbers, of which the first range has all before and the last one all behind.
  static func ranges(of numbers: ClosedRange<Int64>, each width: Int64) -> [RowRange] {
    let span = UInt64(bitPattern: numbers.upperBound &- numbers.lowerBound)
    let step = max(UInt64(max(1, width)), span / most)
    var ranges: [RowRange] = []
    var (above, rest): (Int64?, UInt64) = (nil, span)
    var end = numbers.lowerBound
    while rest > step {
      end = end &+ Int64(bitPattern: step)
      ranges.append(RowRange(above: above, through: end))
      (above, rest) = (end, rest - step)
    }
    return ranges + [RowRange(above: above, through: nil)]
  }
}

/// A decoder of a column that can be read for as long as it makes sense.
protocol ColumnDecoder {
  associatedtype Item
  mutating func nextItem() throws(FormatError) -> Item?
}

extension RunLengthDecoder: ColumnDecoder {
  mutating func nextItem() throws(FormatError) -> Item? { try next() }
}

extension DeltaDecoder: ColumnDecoder {
  mutating func nextItem() throws(FormatError) -> Int64? { try next() }
}

extension BooleanDecoder: ColumnDecoder {
  mutating func nextItem() throws(FormatError) -> Bool? { try next() }
}

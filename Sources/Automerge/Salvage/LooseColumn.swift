/// A column of a chunk that does not hold together: from its first defect on, its rows are lost.
struct LooseColumn<Decoder: ColumnDecoder> {
  private var decoder: Decoder?
  private var isLost = false

  /// - Parameter decoder: nil for a column that the table does not have, whose rows are all null.
  init(_ decoder: Decoder?) {
    self.decoder = decoder
  }

  mutating func next() -> LooseItem<Decoder.Item> {
    guard !isLost else { return .lost }
    guard decoder != nil else { return .null }
    do throws(FormatError) {
      guard let item = try decoder?.nextItem() ?? nil else { return .null }
      return .value(item)
    } catch {
      isLost = true
      return .lost
    }
  }
}

extension LooseColumn {
  /// The number of rows before the first defect, counted on a copy.
  func count(limit: Int) -> Int {
    var copy = self
    var count = 0
    while count < limit {
      if case .lost = copy.next() { break }
      count += 1
    }
    return count
  }
}

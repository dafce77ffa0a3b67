/// The successors of a row that has very many, ascending.
///
/// In pieces, so that one more costs little wherever it belongs: a counter has all its increments
/// here, and two devices may have made thousands each.
struct SuccessorList: Sendable {
  private static let pieceCount = 1_024

  /// None is empty.
  private var pieces: [[OpID]]

  /// Takes over successors, of which there is at least one.
  init(_ successors: ArraySlice<OpID>) {
    pieces = stride(from: successors.startIndex, to: successors.endIndex, by: Self.pieceCount)
      .map { Array(successors[$0..<min($0 + Self.pieceCount, successors.endIndex)]) }
  }

  /// All of them. Linear.
  var flat: [OpID] { Array(pieces.joined()) }

  mutating func insert(_ id: OpID, _ ranks: [UInt32]) {
    // The last piece that begins before `id`, or the first.
    let place = max(1, pieces.firstIndex(beyond: { id.precedes($0[0], ranks) })) - 1
    let slot = pieces[place].firstIndex(beyond: { id.precedes($0, ranks) })
    pieces[place].insert(id, at: slot)
    guard pieces[place].count > 2 * Self.pieceCount else { return }
    let tail = Array(pieces[place][Self.pieceCount...])
    pieces[place].removeSubrange(Self.pieceCount...)
    pieces.insert(tail, at: place + 1)
  }
}

extension Array {
  /// Returns the index of the first element that is beyond a bound; what follows one that is must be
  /// so, too. Quick where that is the end.
  fileprivate func firstIndex(beyond isBeyond: (Element) -> Bool) -> Int {
    guard let last, isBeyond(last) else { return count }
    var low = 0
    var high = count - 1
    while low < high {
      let middle = (low &+ high) >> 1
      if isBeyond(self[middle]) { high = middle } else { low = middle &+ 1 }
    }
    return low
  }
}

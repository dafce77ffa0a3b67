/// The actors of a document, ascending by bytes and without duplicates, so that comparing indexes
/// is comparing actors.
struct ActorTable: Sendable {
  private(set) var ids: [ActorId] = []

  init() {}

  /// Takes ids that are already ascending; nil if they are not.
  init?(ascending ids: [ActorId]) {
    for index in ids.indices.dropFirst() where !(ids[index - 1] < ids[index]) { return nil }
    self.ids = ids
  }

  var count: Int { ids.count }

  subscript(index: Int) -> ActorId { ids[index] }

  /// Returns the index of `id`, or nil if the document does not know it. Logarithmic.
  func index(of id: ActorId) -> Int? {
    var low = 0
    var high = ids.count
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low < ids.count && ids[low] == id ? low : nil
  }

  /// Adds what is missing of `others`.
  ///
  /// - Returns: the new index of each actor held before, and of each of `others`; the first is nil
  ///   when nothing held before has moved.
  mutating func merge(_ others: [ActorId]) -> (mine: [UInt32]?, theirs: [UInt32]) {
    let order = others.indices.sorted { others[$0] < others[$1] }
    var merged: [ActorId] = []
    merged.reserveCapacity(ids.count + others.count)
    var mine = [UInt32](repeating: 0, count: ids.count)
    var theirs = [UInt32](repeating: 0, count: others.count)
    var next = 0
    var hasMoved = false
    for index in order {
      let other = others[index]
      while next < ids.count, ids[next] < other {
        mine[next] = UInt32(merged.count)
        hasMoved = hasMoved || next != merged.count
        merged.append(ids[next])
        next += 1
      }
      if next < ids.count, ids[next] == other {
        mine[next] = UInt32(merged.count)
        hasMoved = hasMoved || next != merged.count
        theirs[index] = UInt32(merged.count)
        merged.append(other)
        next += 1
      } else if let last = merged.last, last == other {
        theirs[index] = UInt32(merged.count - 1)
      } else {
        theirs[index] = UInt32(merged.count)
        merged.append(other)
      }
    }
    while next < ids.count {
      mine[next] = UInt32(merged.count)
      hasMoved = hasMoved || next != merged.count
      merged.append(ids[next])
      next += 1
    }
    ids = merged
    return (hasMoved ? mine : nil, theirs)
  }
}

/// The actors of a document, numbered in the order in which it met them.
///
/// A number never changes, so an operation can name its actor by it for good. The order of the ids
/// themselves, which decides between operations of one counter, is in `ranks`.
struct ActorTable: Sendable {
  private(set) var ids: [ActorId] = []
  /// For each actor its place in the ascending order of all ids.
  private(set) var ranks: [UInt32] = []
  /// The actors' numbers in the ascending order of their ids.
  private var order: [UInt32] = []

  init() {}

  /// Takes ids that are already ascending; nil if they are not.
  init?(ascending ids: [ActorId]) {
    for index in ids.indices.dropFirst() where !(ids[index - 1] < ids[index]) { return nil }
    self.ids = ids
    order = ids.indices.map { UInt32($0) }
    ranks = order
  }

  var count: Int { ids.count }

  subscript(index: Int) -> ActorId { ids[index] }

  /// The ids in ascending order: what a document chunk lists, each at its rank.
  var ascendingIDs: [ActorId] { order.map { ids[Int($0)] } }

  /// Returns the number of `id`, or nil if the document does not know it. Logarithmic.
  func index(of id: ActorId) -> Int? {
    let rank = rank(of: id)
    guard rank < order.count else { return nil }
    let index = Int(order[rank])
    return ids[index] == id ? index : nil
  }

  /// Returns how many ids are smaller.
  private func rank(of id: ActorId) -> Int {
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low &+ high) >> 1
      if ids[Int(order[middle])] < id { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// Adds what is missing of `others`. Linear in all actors, so many are best added at once.
  mutating func insert(_ others: some Sequence<ActorId>) {
    let added = Set(others.filter { index(of: $0) == nil }).sorted()
    guard let first = added.first else { return }
    guard added.count > 1 else { return insert(first, at: rank(of: first)) }
    var merged: [UInt32] = []
    merged.reserveCapacity(order.count + added.count)
    var next = 0
    for actor in added {
      while next < order.count, ids[Int(order[next])] < actor {
        merged.append(order[next])
        next += 1
      }
      merged.append(UInt32(ids.count))
      ids.append(actor)
    }
    merged.append(contentsOf: order[next...])
    setOrder(merged)
  }

  /// Adds one id. Documents whose changes arrive one by one get thousands like this, so that nothing
  /// is compared or copied again.
  private mutating func insert(_ id: ActorId, at rank: Int) {
    let place = UInt32(rank)
    for index in ranks.indices { ranks[index] &+= ranks[index] < place ? 0 : 1 }
    ranks.append(place)
    order.insert(UInt32(ids.count), at: rank)
    ids.append(id)
  }

  /// Forgets the actors that were added last.
  mutating func truncate(to count: Int) {
    guard count < ids.count else { return }
    ids.removeSubrange(count...)
    setOrder(order.filter { $0 < count })
  }

  private mutating func setOrder(_ order: [UInt32]) {
    self.order = order
    ranks = [UInt32](repeating: 0, count: order.count)
    for (rank, index) in order.enumerated() { ranks[Int(index)] = UInt32(rank) }
  }
}

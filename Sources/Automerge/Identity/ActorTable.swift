/// The actors of a document, numbered in the order in which it met them.
///
/// A number never changes, so an operation can name its actor by it for good. The order of the ids
/// themselves, which decides between operations of one counter, is in `ranks`.
struct ActorTable: Sendable {
  private(set) var ids: [ActorId] = []
  /// For each actor a rank: the greater the id, the greater it is. Between two there is room for more,
  /// so that one more actor seldom changes those of the others.
  private(set) var ranks: [UInt32] = []
  /// The actors' numbers in the ascending order of their ids.
  private var order: [UInt32] = []

  init() {}

  /// Takes ids that are already ascending; nil if they are not.
  init?(ascending ids: [ActorId]) {
    for index in ids.indices.dropFirst() where !(ids[index - 1] < ids[index]) { return nil }
    self.ids = ids
    order = ids.indices.map { UInt32($0) }
    spread()
  }

  var count: Int { ids.count }

  subscript(index: Int) -> ActorId { ids[index] }

  /// The ids in ascending order: what a document chunk lists, each at its place.
  var ascendingIDs: [ActorId] { order.map { ids[Int($0)] } }

  /// For each actor its place in the ascending order of all ids. Linear.
  var places: [UInt32] {
    var places = [UInt32](repeating: 0, count: order.count)
    for (place, index) in order.enumerated() { places[Int(index)] = UInt32(place) }
    return places
  }

  /// Returns the number of `id`, or nil if the document does not know it. Logarithmic.
  func index(of id: ActorId) -> Int? {
    let place = place(of: id)
    guard place < order.count else { return nil }
    let index = Int(order[place])
    return ids[index] == id ? index : nil
  }

  /// Returns how many ids are smaller.
  private func place(of id: ActorId) -> Int {
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
    guard added.count > 1 else { return insert(first, at: place(of: first)) }
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
    order = merged
    spread()
  }

  /// Adds one id. Documents whose changes arrive one by one get thousands like this, so that nothing
  /// is compared or copied again, and seldom ranked.
  private mutating func insert(_ id: ActorId, at place: Int) {
    order.insert(UInt32(ids.count), at: place)
    ids.append(id)
    let below = place > 0 ? ranks[Int(order[place - 1])] : 0
    let above = place + 1 < order.count ? ranks[Int(order[place + 1])] : .max
    let room = (above - below) / 2
    guard room > 0 else { return spread() }
    // Ids that ascend or descend must not halve what is left each time.
    let isLast = place + 1 == order.count && place > 0
    let isFirst = place == 0 && order.count > 1
    ranks.append(
      isLast
        ? below + min(room, Self.stride) : isFirst ? above - min(room, Self.stride) : below + room)
  }

  private static let stride: UInt32 = 1 << 12

  /// Forgets the actors that were added last.
  mutating func truncate(to count: Int) {
    guard count < ids.count else { return }
    ids.removeSubrange(count...)
    ranks.removeSubrange(count...)
    order.removeAll { $0 >= count }
  }

  /// Ranks all actors anew, evenly.
  private mutating func spread() {
    let step = UInt32.max / UInt32(order.count + 1)
    ranks = [UInt32](repeating: 0, count: order.count)
    for (place, index) in order.enumerated() { ranks[Int(index)] = UInt32(place + 1) * step }
  }
}

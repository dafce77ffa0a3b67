/// The actors that the indexes in a chunk's columns stand for.
struct LooseActors {
  private let numbers: [UInt32]
  /// Whether the list of actors is lost, so that indexes are all that is known of them.
  private let isLost: Bool

  init(_ actors: [ActorId], _ loose: inout LooseOperations) {
    numbers = actors.map { loose.intern($0) }
    isLost = false
  }

  /// Stands for a list that cannot be read. In a document actors ascend, and so do these.
  static let lost = LooseActors()

  private init() {
    numbers = []
    isLost = true
  }

  func number(_ index: UInt64, _ loose: inout LooseOperations) -> UInt32? {
    if index < UInt64(numbers.count) { return numbers[Int(index)] }
    guard isLost, index < 1 << 16 else { return nil }
    var bytes: [UInt8] = []
    bytes.appendBigEndian(index)
    return loose.intern(ActorId(bytes: bytes))
  }
}

/// Changes the messages of a conversation: `[leb128 length][message]`, one after another.
struct SyncMutator {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Returns messages of at most `maxCount` bytes that differ a little.
  mutating func mutated(_ messages: [UInt8], maxCount: Int) -> [UInt8] {
    if !generator.oneIn(24), var list = try? Self.split(messages), !list.isEmpty {
      let index = generator.below(list.count)
      switch generator.below(12) {
      case 0: list.remove(at: index)
      case 1: list.insert(list[generator.below(list.count)], at: index)
      case 2: list.swapAt(index, generator.below(list.count))
      default: list[index] = mutated(list[index])
      }
      let output = list.flatMap(ForgedNumber.prefixed)
      if output.count <= maxCount { return output }
    }
    return LibFuzzer.mutated(messages, maxCount: maxCount)
  }

  /// Splits a conversation into its messages.
  static func split(_ bytes: [UInt8]) throws(PlainReader.Malformed) -> [[UInt8]] {
    var reader = PlainReader(bytes)
    var messages: [[UInt8]] = []
    while !reader.isAtEnd { messages.append(try reader.prefixed()) }
    return messages
  }

  private mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    guard !generator.oneIn(6), var message = try? ForgedSyncMessage(parsing: bytes) else {
      return LibFuzzer.mutated(bytes, maxCount: bytes.count + 64)
    }
    // Hashes that mean something: what the message itself speaks of.
    let hashes = message.heads + message.need + message.have.flatMap(\.lastSync)
    switch generator.below(12) {
    case 0: message.version = [generator.oneIn(2) ? 0x42 : 0x43]
    case 1: mutate(&message.heads, hashes)
    case 2: mutate(&message.need, hashes)
    case 3: message.flags = LibFuzzer.mutated(message.flags, maxCount: 16)
    case 4 where !message.have.isEmpty:
      mutate(&message.have[generator.below(message.have.count)].lastSync, hashes)
    case 5 where !message.have.isEmpty:
      let index = generator.below(message.have.count)
      let bloom = message.have[index].bloom
      message.have[index].bloom = LibFuzzer.mutated(bloom, maxCount: bloom.count + 16)
    case 6: message.have.append(ForgedSyncMessage.Have(lastSync: hashes, bloom: []))
    default:
      guard !message.items.isEmpty else { break }
      let index = generator.below(message.items.count)
      var mutator = FileMutator(seed: generator.next())
      message.items[index] = mutator.mutated(message.items[index], maxCount: 1 << 14)
    }
    return message.bytes
  }

  private mutating func mutate(_ list: inout [[UInt8]], _ hashes: [[UInt8]]) {
    switch generator.below(4) {
    case 0 where !list.isEmpty: list.remove(at: generator.below(list.count))
    case 1 where !list.isEmpty: list[generator.below(list.count)][generator.below(32)] ^= 1
    case 2 where !hashes.isEmpty: list.append(hashes[generator.below(hashes.count)])
    default: list.append((0..<32).map { _ in generator.byte() })
    }
    if !generator.oneIn(8) { list.sort { $0.lexicographicallyPrecedes($1) } }
  }
}

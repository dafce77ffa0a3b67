/// Changes files so that much of what comes out still is a document.
///
/// Five kinds of change reach five depths: the bytes of the file test the frame; under a checksum
/// and heads that fit, the bytes of a column test the decoders, its values test what rows must
/// agree on, and operations of a change test the operation set. Chunks moved about test the order
/// of arrival. Later changes are linked to the new hash of an earlier one.
struct FileMutator {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Returns the bytes before the chunks, now and then with one replaced.
  mutating func prefix(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty, generator.oneIn(16) else { return bytes }
    var bytes = bytes
    bytes[generator.below(bytes.count)] = generator.byte()
    return bytes
  }

  /// Returns a file of at most `maxCount` bytes that differs a little.
  mutating func mutated(_ file: [UInt8], maxCount: Int) -> [UInt8] {
    if !generator.oneIn(24), let chunks = try? ChunkList(file).chunks, !chunks.isEmpty {
      let output = mutated(chunks)
      if output.count <= maxCount { return output }
    }
    return LibFuzzer.mutated(file, maxCount: maxCount)
  }

  private mutating func mutated(_ chunks: [ForgedChunk]) -> [UInt8] {
    var chunks = chunks
    // A hash names its change whatever the chunk looks like, so links are followed by place.
    let before = chunks.map(\.inflatedIfPossible.hash)
    var places = Array(chunks.indices)
    if generator.oneIn(8) {
      rearrange(&chunks, &places)
    } else {
      let index = generator.below(chunks.count)
      chunks[index] = mutated(chunks[index])
    }
    var renamed: [[UInt8]: [UInt8]] = [:]
    var output: [UInt8] = []
    for (index, place) in places.enumerated() {
      if !renamed.isEmpty { chunks[index].link(renamed) }
      let plain = chunks[index].inflatedIfPossible
      if plain.hash != before[place] { renamed[before[place]] = plain.hash }
      let isCompressed = plain.type == 1 && chunks[index].type == 2
      output += isCompressed ? plain.compressed(as: ForgedDeflate.stored(plain.body)) : plain.bytes
    }
    return output
  }

  private mutating func rearrange(_ chunks: inout [ForgedChunk], _ places: inout [Int]) {
    let index = generator.below(chunks.count)
    switch generator.below(3) {
    case 0:
      chunks.remove(at: index)
      places.remove(at: index)
    case 1:
      let other = generator.below(chunks.count)
      chunks.swapAt(index, other)
      places.swapAt(index, other)
    default:
      let other = generator.below(chunks.count)
      chunks.insert(chunks[index], at: other)
      places.insert(places[index], at: other)
    }
  }

  private mutating func mutated(_ chunk: ForgedChunk) -> ForgedChunk {
    var chunk = generator.oneIn(8) ? chunk : chunk.inflatedIfPossible
    if generator.oneIn(64) { chunk.type = UInt8(generator.below(5)) }
    if chunk.type == 0, let document = try? ForgedDocument(parsing: chunk.body) {
      return mutated(document).chunk
    }
    if chunk.type == 1, let parts = try? ForgedChange.Parts(parsing: chunk.body) {
      chunk = mutated(parts).chunk
      if generator.oneIn(24) { chunk.type = 2 }
      return chunk
    }
    chunk.body = LibFuzzer.mutated(chunk.body, maxCount: chunk.body.count + 64)
    return chunk
  }

  // MARK: Documents

  private mutating func mutated(_ document: ForgedDocument) -> ForgedDocument {
    if generator.oneIn(3), var changes = try? document.changes(), !changes.isEmpty {
      // The document of a history in which one change is another.
      let index = generator.below(changes.count)
      let old = changes.map(\.hash)
      changes[index] = mutatedOperations(of: changes[index])
      var renamed: [[UInt8]: [UInt8]] = [:]
      for index in changes.indices {
        changes[index].dependencies = changes[index].dependencies.map { renamed[$0] ?? $0 }
        renamed[old[index]] = changes[index].hash
      }
      return ForgedDocument(changes)
    }
    var document = document
    switch generator.below(16) {
    case 0 where !document.actors.isEmpty:
      let index = generator.below(document.actors.count)
      document.actors[index] = LibFuzzer.mutated(document.actors[index], maxCount: 40)
    case 1: document.trailing = LibFuzzer.mutated(document.trailing, maxCount: 16)
    case 2...5: mutate(&document.changeColumns)
    default: mutate(&document.operationColumns)
    }
    // Tables that contradict each other have no heads; the loader has to notice before.
    if !generator.oneIn(16) { try? document.forgeHeads() }
    return document
  }

  // MARK: Changes

  private mutating func mutated(_ change: ForgedChange.Parts) -> ForgedChange.Parts {
    var change = change
    switch generator.below(24) {
    case 0: change.sequence = number(change.sequence)
    case 1: change.startCounter = number(change.startCounter)
    case 2: change.time = number(change.time)
    case 3: change.message = LibFuzzer.mutated(change.message, maxCount: 64)
    case 4: change.author = LibFuzzer.mutated(change.author, maxCount: 40)
    case 5: change.extra = LibFuzzer.mutated(change.extra, maxCount: 64)
    case 6 where !change.dependencies.isEmpty:
      change.dependencies.remove(at: generator.below(change.dependencies.count))
    case 7 where !change.dependencies.isEmpty:
      change.dependencies.append(change.dependencies[generator.below(change.dependencies.count)])
    case 8 where !change.otherActors.isEmpty:
      let index = generator.below(change.otherActors.count)
      change.otherActors[index] = LibFuzzer.mutated(change.otherActors[index], maxCount: 40)
    case 9...14: mutate(&change.columns)
    default:
      guard let forged = try? ForgedChange(change) else {
        mutate(&change.columns)
        break
      }
      change = mutatedOperations(of: forged).parts
    }
    return change
  }

  private mutating func mutatedOperations(of change: ForgedChange) -> ForgedChange {
    var mutator = OperationMutator(generator: generator)
    defer { generator = mutator.generator }
    var change = change
    for _ in 0...generator.below(2) { mutator.mutate(&change) }
    return change
  }

  // MARK: Columns

  private mutating func mutate(_ list: inout ForgedColumnList) {
    guard !list.columns.isEmpty else { return }
    for _ in 0...generator.below(2) where !list.columns.isEmpty {
      let index = generator.below(list.columns.count)
      switch generator.below(32) {
      case 0: list.columns.remove(at: index)
      case 1: list.columns[index].specification ^= 1 << UInt64(generator.below(9))
      case 2: list.columns[index].claimedLength = generator.next() >> UInt64(generator.below(64))
      case 3...11:
        let bytes = list.columns[index].bytes
        list.columns[index].bytes = LibFuzzer.mutated(bytes, maxCount: bytes.count + 32)
      default:
        guard var items = try? ColumnItems(list.columns[index]) else { continue }
        mutate(&items)
        list.columns[index].bytes = items.bytes
      }
    }
  }

  private mutating func mutate(_ column: inout ColumnItems) {
    guard !column.items.isEmpty else { return }
    let row = generator.below(column.items.count)
    let other = generator.below(column.items.count)
    switch generator.below(8) {
    case 0: column.items.remove(at: row)
    case 1: column.items.insert(column.items[other], at: row)
    case 2: column.items.swapAt(row, other)
    case 3: column.items[row] = column.items[other]
    case 4: column.items[row] = column.items[row] == nil ? [0] : nil
    default: mutateValue(&column, at: row)
    }
  }

  private mutating func mutateValue(_ column: inout ColumnItems, at row: Int) {
    let item = column.items[row] ?? []
    switch column.kind {
    case .boolean: column.items[row] = [item == [1] ? 0 : 1]
    case .string, .bytes: column.items[row] = LibFuzzer.mutated(item, maxCount: item.count + 8)
    case .number: column.items[row] = number(item)
    case .delta:
      let step = Int64(generator.below(5)) - 2
      column.items[row] = ForgedNumber.sleb(ForgedNumber.signed(item) &+ step)
      // Mostly this row alone is another, not all that follow.
      if !generator.oneIn(4), row + 1 < column.items.count, let next = column.items[row + 1] {
        column.items[row + 1] = ForgedNumber.sleb(ForgedNumber.signed(next) &- step)
      }
    }
  }

  /// Returns a number near another, or one that stands at an edge.
  private mutating func number(_ bytes: [UInt8]) -> [UInt8] {
    if generator.oneIn(4) { return generator.edgeNumber() }
    let value = ForgedNumber.unsigned(bytes)
    return ForgedNumber.uleb(value &+ UInt64(generator.below(5)) &- 2)
  }
}

extension ForgedChunk {
  /// The chunk with nothing compressed in it, or as it is if that is impossible.
  var inflatedIfPossible: ForgedChunk { (try? inflated) ?? self }

  /// Replaces the hashes a change depends on.
  mutating func link(_ renamed: [[UInt8]: [UInt8]]) {
    let plain = inflatedIfPossible
    guard plain.type == 1, var parts = try? ForgedChange.Parts(parsing: plain.body),
      parts.dependencies.contains(where: { renamed[$0] != nil })
    else { return }
    parts.dependencies = parts.dependencies.map { renamed[$0] ?? $0 }
    self = parts.chunk
  }
}

extension SeededGenerator {
  /// Returns the bytes of a number at or beside one of the edges of what numbers can be.
  mutating func edgeNumber() -> [UInt8] {
    let edges: [UInt64] = [
      0, 1, 63, 64, 127, 128, 1 << 31, 1 << 32, 1 << 53, 1 << 62, 1 << 63, .max,
    ]
    let value = edges[below(edges.count)] &+ UInt64(below(3)) &- 1
    return oneIn(2) ? ForgedNumber.uleb(value) : ForgedNumber.sleb(Int64(bitPattern: value))
  }
}

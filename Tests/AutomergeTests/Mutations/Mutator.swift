/// Damages documents: the same seed damages them in the same way.
///
/// Four kinds of damage reach four depths. Bytes of the file anywhere test the frame; bytes of a
/// body under a checksum that fits test the parser; bytes of one column under lengths that fit test
/// the decoders; and a change of a history, bent and linked again, tests the operation set, because
/// much of it is still a valid change.
struct Mutator {
  private var generator: SeededGenerator
  private let corpus: MutationCorpus

  init(seed: UInt64, corpus: MutationCorpus) {
    generator = SeededGenerator(seed: seed)
    self.corpus = corpus
  }

  mutating func next() -> [UInt8] {
    switch generator.below(8) {
    case 0, 1: mutatedFile()
    case 2, 3: mutatedBody()
    case 4, 5: mutatedColumn()
    default: mutatedHistory()
    }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[generator.below(elements.count)]
  }

  private mutating func mutatedFile() -> [UInt8] {
    var bytes = pick(corpus.files)
    damage(&bytes)
    return bytes
  }

  private mutating func mutatedBody() -> [UInt8] {
    var chunks = pick(corpus.plainChunks)
    let index = generator.below(chunks.count)
    damage(&chunks[index].body)
    if generator.oneIn(8) { chunks[index].type = UInt8(generator.below(5)) }
    let isCompressed = chunks[index].type == 1 && generator.oneIn(4)
    return chunks.indices.flatMap {
      $0 == index && isCompressed
        ? chunks[$0].compressed(as: ForgedDeflate.stored(chunks[$0].body)) : chunks[$0].bytes
    }
  }

  private mutating func mutatedColumn() -> [UInt8] {
    var chunks = pick(corpus.plainChunks)
    let index = generator.below(chunks.count)
    if chunks[index].type == 0, var document = try? ForgedDocument(parsing: chunks[index].body) {
      damage(&document.operationColumns)
      if generator.oneIn(3) { damage(&document.changeColumns) }
      chunks[index] = document.chunk
    } else if let parts = try? ForgedChange.Parts(parsing: chunks[index].body) {
      chunks[index] = damaged(parts).chunk
    }
    return chunks.flatMap(\.bytes)
  }

  /// Bends one change of a history and links the later ones to its new hash.
  private mutating func mutatedHistory() -> [UInt8] {
    var changes = pick(corpus.histories)
    changes.removeSubrange((1 + generator.below(changes.count))...)
    let victim = generator.oneIn(3) ? generator.below(changes.count) : changes.count - 1
    var renamed: [[UInt8]: [UInt8]] = [:]
    var file: [UInt8] = []
    for index in changes.indices {
      let old = changes[index].chunk.hash
      for (place, hash) in changes[index].dependencies.enumerated() {
        if let new = renamed[hash] { changes[index].dependencies[place] = new }
      }
      if index == victim { changes[index] = damaged(changes[index]) }
      let chunk = changes[index].chunk
      renamed[old] = chunk.hash
      file += chunk.bytes
    }
    return file
  }

  private mutating func damaged(_ change: ForgedChange.Parts) -> ForgedChange.Parts {
    var change = change
    switch generator.below(12) {
    case 0: change.sequence = interestingInteger()
    case 1: change.startCounter = interestingInteger()
    case 2: change.time = interestingInteger()
    case 3: damage(&change.message)
    case 4: damage(&change.author)
    case 5 where !change.otherActors.isEmpty:
      change.otherActors[generator.below(change.otherActors.count)] = change.author
    case 6: damage(&change.extra)
    default: damage(&change.columns)
    }
    return change
  }

  private mutating func damage(_ list: inout ForgedColumnList) {
    guard !list.columns.isEmpty else { return }
    for _ in 0...generator.below(2) {
      let index = generator.below(list.columns.count)
      switch generator.below(16) {
      case 0: list.columns.remove(at: index)
      case 1: list.columns[index].specification ^= 1 << UInt64(generator.below(9))
      case 2: list.columns.swapAt(index, generator.below(list.columns.count))
      case 3: list.columns[index].claimedLength = generator.next() >> UInt64(generator.below(64))
      case 4: list.columns[index].bytes = interestingInteger() + interestingInteger()
      default: damage(&list.columns[index].bytes)
      }
      if list.columns.isEmpty { return }
    }
  }

  private mutating func interestingInteger() -> [UInt8] {
    let values: [UInt64] = [
      0, 1, 2, 63, 64, 127, 128, 1 << 31, 1 << 32, 1 << 53, 1 << 62, 1 << 63, .max,
    ]
    let value = pick(values)
    let moved = value &+ UInt64(generator.below(3)) &- 1
    return generator.oneIn(2)
      ? ForgedNumber.uleb(moved) : ForgedNumber.sleb(Int64(bitPattern: moved))
  }

  /// Changes a few bytes, or cuts, moves and joins pieces.
  private mutating func damage(_ bytes: inout [UInt8]) {
    for _ in 0...generator.below(3) {
      guard !bytes.isEmpty else {
        bytes = interestingInteger()
        return
      }
      let place = generator.below(bytes.count)
      switch generator.below(12) {
      case 0...3: bytes[place] ^= 1 << UInt8(generator.below(8))
      case 4: bytes[place] = pick([0, 1, 0x3f, 0x40, 0x7e, 0x7f, 0x80, 0xfe, 0xff])
      case 5: bytes[place] = generator.byte()
      case 6: bytes[place] = bytes[place] &+ (generator.oneIn(2) ? 1 : 0xff)
      case 7: bytes.removeSubrange(place..<min(bytes.count, place + 1 + generator.below(4)))
      case 8:
        bytes.insert(contentsOf: (0...generator.below(4)).map { _ in generator.byte() }, at: place)
      case 9: bytes.insert(contentsOf: interestingInteger(), at: place)
      case 10: bytes.removeSubrange(place...)
      default:
        let other = pick(corpus.files)
        let start = generator.below(other.count)
        let end = min(other.count, start + 1 + generator.below(64))
        bytes.replaceSubrange(
          place..<min(bytes.count, place + generator.below(64)), with: other[start..<end])
      }
    }
  }
}

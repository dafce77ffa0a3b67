/// Changes that wait for others they depend on (format.md 1.4, 6.5).
struct ChangeQueue: Sendable {
  private struct Waiting: Sendable {
    let hash: ChangeHash
    let author: ActorId
    let dependencies: [ChangeHash]
    let chunk: [UInt8]
  }

  private var waiting: [Waiting] = []

  init() {}

  var count: Int { waiting.count }
  var isEmpty: Bool { waiting.isEmpty }
  var hashes: [ChangeHash] { waiting.map(\.hash) }

  /// Takes in the changes of a batch that could not be applied.
  init(_ batch: ChangeBatch, entries: [Int]) {
    for index in entries {
      let entry = batch.entries[index]
      var chunk: [UInt8] = []
      ChunkHeader.appendFrame(checksum: entry.hash.checksum, to: &chunk)
      chunk.append(from: batch.chunks, entry.chunk.range)
      waiting.append(
        Waiting(
          hash: entry.hash, author: batch.actors[Int(entry.author)],
          dependencies: Array(batch.dependencies[entry.dependencies]),
          chunk: chunk))
    }
  }

  mutating func append(_ other: ChangeQueue) {
    let known = Set(hashes)
    waiting += other.waiting.filter { !known.contains($0.hash) }
  }

  /// Takes out the first change that waits for nothing any more.
  mutating func removeFirst(where isApplied: (ChangeHash) -> Bool) -> [UInt8]? {
    let index = waiting.firstIndex { $0.dependencies.allSatisfy(isApplied) }
    return index.map { waiting.remove(at: $0).chunk }
  }

  /// Forgets what waits of an author.
  mutating func removeChanges(by author: ActorId) {
    waiting.removeAll { $0.author == author }
  }

  /// The waiting changes as change chunks, one after another.
  var chunks: [UInt8] { waiting.flatMap(\.chunk) }

  /// Returns what is waited for and neither applied nor waiting itself, ascending.
  func missingDependencies(isApplied: (ChangeHash) -> Bool) -> [ChangeHash] {
    let here = Set(hashes)
    var missing: Set<ChangeHash> = []
    for change in waiting {
      for hash in change.dependencies where !here.contains(hash) && !isApplied(hash) {
        missing.insert(hash)
      }
    }
    return missing.sorted()
  }

  /// Returns what is neither applied nor waiting of `hashes` and of what they build on, ascending.
  /// What else the queue waits for does not count.
  func missingDependencies(
    towards hashes: [ChangeHash], isApplied: (ChangeHash) -> Bool
  ) -> [ChangeHash] {
    let places = Dictionary(zip(self.hashes, waiting.indices), uniquingKeysWith: { $1 })
    var isVisited = [Bool](repeating: false, count: waiting.count)
    var pending = hashes
    var missing: [ChangeHash] = []
    while let hash = pending.popLast() {
      guard let place = places[hash] else {
        if !isApplied(hash) { missing.append(hash) }
        continue
      }
      guard !isVisited[place] else { continue }
      isVisited[place] = true
      pending.append(contentsOf: waiting[place].dependencies)
    }
    return missing.sortedWithoutDuplicates()
  }
}

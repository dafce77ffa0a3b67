/// Changes that wait for others they depend on (format.md 1.4, 6.5).
///
/// Each of them stands in the list of one change that it lacks, and moves to the next it lacks when
/// that one is applied. So a change that arrives costs what it releases, however many wait.
struct ChangeQueue: Sendable {
  private struct Waiting: Sendable {
    let author: ActorId
    let dependencies: [ChangeHash]
    let chunk: [UInt8]
    /// Greater for what came later.
    let order: Int
  }

  /// A change in the list of one that it lacks.
  private struct Waiter: Sendable {
    let hash: ChangeHash
    /// Which of its dependencies the list is of; those before it are applied.
    let dependency: Int
  }

  private var waiting: [ChangeHash: Waiting] = [:]
  private var waiters: [ChangeHash: [Waiter]] = [:]
  private var hashesOfAuthor: [ActorId: [ChangeHash]] = [:]
  private var nextOrder = 0
  /// How many changes of the history were looked for in the lists.
  private var knownCount = 0

  init() {}

  private init(knownCount: Int) { self.knownCount = knownCount }

  var count: Int { waiting.count }
  var isEmpty: Bool { waiting.isEmpty }

  /// The waiting changes, those that came last first.
  var hashes: [ChangeHash] {
    waiting.sorted { $0.value.order > $1.value.order }.map(\.key)
  }

  /// The waiting changes as change chunks, one after another.
  var chunks: [UInt8] {
    waiting.values.sorted { $0.order > $1.order }.flatMap(\.chunk)
  }

  /// Takes in the changes of a batch that could not be applied, after the others were.
  mutating func append(_ batch: ChangeBatch, entries: [Int], history: History) {
    if isEmpty { self = ChangeQueue(knownCount: history.count) }
    for index in entries.reversed() where waiting[batch.entries[index].hash] == nil {
      let entry = batch.entries[index]
      var chunk: [UInt8] = []
      ChunkHeader.appendFrame(checksum: entry.hash.checksum, to: &chunk)
      chunk.append(from: batch.chunks, entry.chunk.range)
      let author = batch.actors[Int(entry.author)]
      waiting[entry.hash] = Waiting(
        author: author, dependencies: Array(batch.dependencies[entry.dependencies]), chunk: chunk,
        order: nextOrder)
      hashesOfAuthor[author, default: []].append(entry.hash)
      nextOrder += 1
      advance(Waiter(hash: entry.hash, dependency: 0)) { history.row(of: $0) != nil }
    }
  }

  /// Takes out the changes that lack nothing any more but each other, as change chunks, those that
  /// came last first.
  mutating func takeReleased(by history: History) -> [[UInt8]] {
    guard !isEmpty else { return [] }
    var released: [ChangeHash: Waiting] = [:]
    var arrived = history.changes[knownCount...].map(\.hash)
    knownCount = history.count
    while let hash = arrived.popLast() {
      for waiter in waiters.removeValue(forKey: hash) ?? [] {
        let lacksNothing = advance(waiter) {
          released[$0] != nil || history.row(of: $0) != nil
        }
        // One that an author's own change has replaced may still be in a list.
        guard lacksNothing, let change = waiting.removeValue(forKey: waiter.hash) else { continue }
        released[waiter.hash] = change
        arrived.append(waiter.hash)
      }
    }
    return released.values.sorted { $0.order > $1.order }.map(\.chunk)
  }

  /// Moves a change to the list of the next one it lacks; whether it lacks none.
  @discardableResult
  private mutating func advance(_ waiter: Waiter, isApplied: (ChangeHash) -> Bool) -> Bool {
    guard let dependencies = waiting[waiter.hash]?.dependencies else { return false }
    for index in waiter.dependency..<dependencies.count where !isApplied(dependencies[index]) {
      waiters[dependencies[index], default: []]
        .append(Waiter(hash: waiter.hash, dependency: index))
      return false
    }
    return true
  }

  /// Forgets what waits of an author.
  mutating func removeChanges(by author: ActorId) {
    for hash in hashesOfAuthor.removeValue(forKey: author) ?? [] {
      waiting.removeValue(forKey: hash)
    }
  }

  /// Returns what is waited for and neither applied nor waiting itself, ascending.
  func missingDependencies(isApplied: (ChangeHash) -> Bool) -> [ChangeHash] {
    var missing: Set<ChangeHash> = []
    for change in waiting.values {
      for hash in change.dependencies where waiting[hash] == nil && !isApplied(hash) {
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
    var visited: Set<ChangeHash> = []
    var pending = hashes
    var missing: [ChangeHash] = []
    while let hash = pending.popLast() {
      guard let change = waiting[hash] else {
        if !isApplied(hash) { missing.append(hash) }
        continue
      }
      guard visited.insert(hash).inserted else { continue }
      pending.append(contentsOf: change.dependencies)
    }
    return missing.sortedWithoutDuplicates()
  }
}

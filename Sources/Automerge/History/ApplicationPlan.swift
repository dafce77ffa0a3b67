/// Which changes of a batch can be applied, in which order, and which have to wait.
struct ApplicationPlan {
  /// Indexes of entries in causal order; entries without a missing dependency keep the batch's.
  private(set) var placed: [Int] = []
  /// For each placed entry the rows it depends on, with the rows of placed entries to come.
  private(set) var dependencyRows: [[UInt32]] = []
  /// Indexes of entries that lack dependencies.
  private(set) var waiting: [Int] = []

  /// Throws if a change that can be applied contradicts the history.
  init(_ batch: ChangeBatch, history: History, actors: ActorTable) throws(FormatError) {
    var planner = Planner(batch, history: history, actors: actors)
    try planner.plan()
    placed = planner.placed
    dependencyRows = planner.dependencyRows
    waiting = planner.waiting
  }
}

private struct ActorPair: Hashable {
  var author: UInt32
  var actor: UInt32
}

private struct Planner {
  private let batch: ChangeBatch
  private let history: History
  private let actors: ActorTable
  private var entryOfHash: [ChangeHash: Int] = [:]
  /// Per entry: its row once it is placed.
  private var rows: [UInt32?]
  /// Per entry: how many of its dependencies are known to be there.
  private var checked: [Int]
  private var waiters: [Int: [Int]] = [:]
  /// Per actor of the batch: the rows of its changes, planned ones included.
  private var rowsOfActor: [UInt32: [UInt32]] = [:]
  private var past: CausalPast
  /// Per author and actor: the last row of the actor that a change of the author was found to build on.
  private var seen: [ActorPair: UInt32] = [:]

  var placed: [Int] = []
  var dependencyRows: [[UInt32]] = []
  var waiting: [Int] = []

  init(_ batch: ChangeBatch, history: History, actors: ActorTable) {
    self.batch = batch
    self.history = history
    self.actors = actors
    rows = [UInt32?](repeating: nil, count: batch.count)
    checked = [Int](repeating: 0, count: batch.count)
    past = CausalPast(after: history)
    entryOfHash.reserveCapacity(batch.count)
  }

  mutating func plan() throws(FormatError) {
    var isNew = [Bool](repeating: false, count: batch.count)
    for (index, entry) in batch.entries.enumerated()
    where history.row(of: entry.hash) == nil && entryOfHash[entry.hash] == nil {
      entryOfHash[entry.hash] = index
      isNew[index] = true
    }
    for index in batch.entries.indices where isNew[index] {
      var ready = [index]
      while let next = ready.popLast() {
        guard try place(next) else { continue }
        if let released = waiters.removeValue(forKey: next) {
          ready.append(contentsOf: released.reversed())
        }
      }
    }
    waiting = batch.entries.indices.filter { isNew[$0] && rows[$0] == nil }
  }

  /// Places an entry if all it depends on is there; otherwise has it wait for the first it lacks.
  private mutating func place(_ index: Int) throws(FormatError) -> Bool {
    let entry = batch.entries[index]
    let dependencies = batch.dependencies[entry.dependencies]
    while checked[index] < dependencies.count {
      let hash = dependencies[dependencies.startIndex + checked[index]]
      if history.row(of: hash) == nil {
        guard let other = entryOfHash[hash] else { return false }
        guard rows[other] != nil else {
          waiters[other, default: []].append(index)
          return false
        }
      }
      checked[index] += 1
    }
    let found = dependencies.compactMap { hash in
      history.row(of: hash).map(UInt32.init) ?? entryOfHash[hash].flatMap { rows[$0] }
    }
    try check(entry, found)
    try checkReferences(entry, found[...])
    past.append(dependencies: found[...])
    let row = UInt32(history.count + placed.count)
    rows[index] = row
    placed.append(index)
    dependencyRows.append(found)
    rowsOfActor[entry.author, default: []].append(row)
    return true
  }

  /// Throws unless the change continues its author's changes and comes after all it builds on
  /// (format.md 6.5, 8.2).
  private mutating func check(
    _ entry: ChangeBatch.Entry, _ dependencies: [UInt32]
  ) throws(FormatError) {
    let own = rowsOfActor[entry.author] ?? knownRows(of: entry.author)
    rowsOfActor[entry.author] = own
    guard entry.sequence > own.count else {
      throw FormatError(.duplicateSequence, at: entry.offset)
    }
    guard entry.sequence == own.count + 1 else { throw FormatError(.sequenceGap, at: entry.offset) }
    for row in dependencies where maxCounter(of: row) >= entry.startCounter {
      throw FormatError(.startCounterNotAfterDependencies, at: entry.offset)
    }
    if let last = own.last,
      try !includes(last, of: own, under: dependencies[...], at: entry.offset)
    {
      throw FormatError(.ownHistoryNotInDependencies, at: entry.offset)
    }
  }

  /// Throws if an operation names one that its author cannot have seen.
  private mutating func checkReferences(
    _ entry: ChangeBatch.Entry, _ dependencies: ArraySlice<UInt32>
  ) throws(FormatError) {
    guard !past.isWhole(under: dependencies) else { return }
    // An author's changes build on one another, so the youngest operation of each decides.
    var named: [UInt32: UInt32] = [:]
    func note(_ id: OpID) {
      let actor = UInt32(truncatingIfNeeded: id.actor)
      guard !id.isRoot, actor != entry.author else { return }
      named[actor] = max(named[actor] ?? 0, id.counter)
    }
    for operation in batch.operations[entry.operations] {
      note(operation.object)
      note(operation.element)
      for index in operation.related { note(batch.predecessors[index]) }
    }
    for (actor, counter) in named {
      let rows = rowsOfActor[actor] ?? knownRows(of: actor)
      // What nobody made is found when the operations are applied.
      let index = rows.firstIndex(reaching: counter, maxCounter)
      guard index < rows.count else { continue }
      // What an author has seen it has seen ever after, with all that this builds on.
      let pair = ActorPair(author: entry.author, actor: actor)
      if let last = seen[pair], rows[index] <= last { continue }
      guard try includes(rows[index], of: rows, under: dependencies, at: entry.offset) else {
        throw FormatError(.operationOutsidePast, at: entry.offset)
      }
      seen[pair] = rows[index]
    }
  }

  private mutating func includes(
    _ row: UInt32, of rows: [UInt32], under dependencies: ArraySlice<UInt32>, at offset: Int
  ) throws(FormatError) -> Bool {
    // Not the whole history: each call would take hold of all of its parts.
    try past.includes(row, of: rows, under: dependencies, at: offset) {
      [changes = history.changes, known = history.dependencyRows, planned = dependencyRows] row in
      let index = Int(row)
      return index < changes.count
        ? known[changes[index].dependencies] : planned[index - changes.count][...]
    }
  }

  private func knownRows(of author: UInt32) -> [UInt32] {
    guard let actor = actors.index(of: batch.actors[Int(author)]) else { return [] }
    return history.rowsOfActor[actor]
  }

  private func maxCounter(of row: UInt32) -> UInt32 {
    let index = Int(row)
    return index < history.count
      ? history.changes[index].maxCounter
      : batch.entries[placed[index - history.count]].maxCounter
  }
}

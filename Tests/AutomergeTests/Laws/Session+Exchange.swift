import Automerge
import Foundation

extension Session {
  mutating func commit(_ index: Int) throws {
    let message = generator.pick([nil, "message", "é e\u{301}"])
    let time = Int64(generator.below(2_000)) - 100
    note("\(index): commit \(message ?? "-") at \(time)")
    try settle(index, message: message, time: time)
  }

  mutating func changeActor(_ index: Int) throws {
    let actor = newActor()
    note("\(index): become \(actor)")
    replicas[index].document.actor = actor
    try settle(index)
    replicas[index].model.actor = actor
    try SessionFailure.require(
      replicas[index].document.actor == actor, "the actor did not change")
  }

  /// Some other replica.
  private mutating func peer(of index: Int) -> Int {
    (index + 1 + generator.below(replicas.count - 1)) % replicas.count
  }

  // MARK: Whole documents

  mutating func merge(_ index: Int) throws {
    let other = peer(of: index)
    note("\(index): merge \(other)")
    try replicas[index].document.merge(other: replicas[other].document)
    // Merging has committed on both sides.
    try settle(other)
    let change = replicas[index].model.commit()
    replicas[index].model.merge(replicas[other].model)
    try adopt(change, index)
  }

  mutating func fork(_ index: Int) throws {
    let fork = replicas[index].document.fork()
    let actor = newActor()
    let count = replicas.count
    note("\(index): fork as \(count) by \(actor)")
    fork.actor = actor
    try settle(index)
    try SessionFailure.require(
      fork.textEncoding == replicas[index].document.textEncoding, "a fork counts differently")
    replicas.append(SessionReplica(fork, replicas[index].model.fork(actor: actor)))
    try compareHeads(replicas.count - 1)
  }

  mutating func forkAtMemory(_ index: Int) throws {
    guard let memory = memories.isEmpty ? nil : generator.pick(memories) else { return }
    try settle(index)
    let heads = Set(memory.heads.compactMap { hashes[$0] })
    note("\(index): fork at \(memory.heads)")
    let isKnown = memory.heads.allSatisfy { replicas[index].model.changes[$0] != nil }
    let fork: Document
    do {
      fork = try replicas[index].document.forkAt(heads: heads)
    } catch {
      return try SessionFailure.require(!isKnown, "replica \(index): no fork: \(error)")
    }
    try SessionFailure.require(isKnown, "replica \(index): a fork at unknown heads")
    let actor = newActor()
    fork.actor = actor
    var model = replicas[index].model.fork(at: memory.heads, actor: actor)
    model.encoding = fork.textEncoding
    replicas.append(SessionReplica(fork, model))
    try compareHeads(replicas.count - 1)
  }

  /// Saves a document and goes on with what the file holds, as the same actor.
  mutating func reload(_ index: Int) throws {
    note("\(index): save and load")
    let saved = replicas[index].document.save()
    try settle(index)
    var document = try load(saved, "replica \(index)")
    try SessionFailure.require(
      document.getHistory() == replicas[index].document.getHistory(),
      "replica \(index): another history after loading")
    try SessionFailure.require(
      document.save() == saved, "replica \(index): other bytes after loading")
    replicas[index].exported = replicas[index].model.heads
    // Having saved is having told everything; what was only loaded has told nothing yet.
    if generator.oneIn(2) {
      document = try load(saved, "replica \(index)")
      replicas[index].exported = []
    }
    document.actor = replicas[index].model.actor
    replicas[index].document = document
    replicas[index].model.encoding = document.textEncoding
    try compareHeads(index)
  }

  func load(_ saved: Data, _ what: String) throws -> Document {
    do {
      return try Document(saved)
    } catch {
      throw SessionFailure(description: "\(what) cannot load what it saved: \(error)")
    }
  }

  // MARK: Changes

  mutating func sendSince(_ index: Int) throws {
    let other = peer(of: index)
    note("\(index): get from \(other) what it lacks")
    let heads = replicas[index].document.heads()
    try settle(index)
    let encoded = try replicas[other].document.encodeChangesSince(heads: heads)
    try settle(other)
    let model = replicas[other].model
    let known = model.ancestors(of: replicas[index].model.heads)
    let missing = model.changes.filter { !known.contains($0.key) }
    try compareChunks(encoded, Set(missing.keys))
    try replicas[index].document.applyEncodedChanges(encoded: encoded)
    replicas[index].model.receive(missing.values)
    try compareHeads(index)
  }

  /// Sends what is new since the last time, which may build on what the other does not have.
  mutating func sendNew(_ index: Int) throws {
    let other = peer(of: index)
    note("\(index): send what is new to \(other)")
    let encoded = replicas[index].document.encodeNewChanges()
    try settle(index)
    try settle(other)
    let model = replicas[index].model
    let known = model.ancestors(of: replicas[index].exported)
    let new = model.changes.filter { !known.contains($0.key) }
    try compareChunks(encoded, Set(new.keys))
    replicas[index].exported = model.heads
    try replicas[other].document.applyEncodedChanges(encoded: encoded)
    replicas[other].model.receive(new.values)
    try compareHeads(other)
  }

  /// Compares the changes in a sequence of chunks with those that were expected there.
  private func compareChunks(_ encoded: Data, _ expected: Set<ModelChange.ID>) throws {
    let found = try ChunkList(Array(encoded)).chunks.compactMap { chunk in
      names[ChangeHash(bytes: try chunk.inflated.hash)]
    }
    try SessionFailure.require(
      Set(found) == expected && found.count == expected.count,
      "changes \(found), expected \(expected)")
  }

  /// Sends changes one by one, in any order, some twice, some not at all.
  mutating func scatter(_ index: Int) throws {
    let other = peer(of: index)
    try settle(index)
    try settle(other)
    let known = replicas[index].model.changes
    var missing = replicas[other].model.changes.filter { known[$0.key] == nil }
      .sorted { $0.value.startCounter < $1.value.startCounter }
    missing.shuffle(using: &generator)
    if generator.oneIn(2), let last = missing.popLast() {
      note("\(index): \(last.key) gets lost")
    }
    for (id, change) in missing + missing.prefix(1) {
      note("\(index): get \(id) of \(other)")
      let encoded = chunks[id] ?? Data()
      // What comes before the first damage is applied, and that there was one is told.
      var rest = Data()
      if generator.oneIn(4), !replicas[index].model.changes.isEmpty {
        rest = encoded.prefix(generator.below(encoded.count))
      }
      var isStopped = false
      do {
        try replicas[index].document.applyEncodedChanges(encoded: encoded + rest)
      } catch let error as DocError where error.isPartlyApplied {
        isStopped = true
      }
      try SessionFailure.require(
        isStopped != rest.isEmpty, "a cut of \(rest.count) bytes is told: \(isStopped)")
      replicas[index].model.receive([change])
      try compareHeads(index)
    }
  }

  // MARK: The past

  mutating func remember(_ index: Int) throws {
    try settle(index)
    guard memories.count < 6 else { return }
    note("\(index): remember")
    let reads = try rendering(index, at: nil)
    let model = replicas[index].model
    memories.append(
      SessionMemory(
        heads: model.heads, replica: index, encoding: model.encoding, reads: reads))
    let view = model.view
    for object in view.objects.compactMap(\.self) where view.kind(of: object) != .Map {
      let unit = view.kind(of: object) == .Text ? model.encoding : nil
      let elements = view.sequence(of: object)
      let place = generator.below(elements.length(in: unit) + 1)
      guard let found = elements.place(ofUnit: place, in: unit),
        let operation = elements[found.place].values.last?.id
      else { continue }
      let cursor = try replicas[index].document.cursor(
        obj: try reference(object), position: UInt64(place))
      cursors.append(
        SessionCursor(
          object: object, element: elements[found.place].id, operation: operation,
          cursor: cursor))
    }
  }

  /// Compares all reads at heads of the past, also with what they were at the time; a transaction
  /// may be open.
  mutating func recall(_ index: Int) throws {
    guard let memory = memories.isEmpty ? nil : generator.pick(memories) else { return }
    note("\(index): recall \(memory.heads)")
    try compare(index, at: memory.heads)
    if memory.heads.allSatisfy({ replicas[index].model.changes[$0] != nil }),
      memory.encoding == replicas[index].model.encoding
    {
      try compareMemory(memory, index)
    }
  }

  func compareMemory(_ memory: SessionMemory, _ index: Int) throws {
    let reads = try rendering(index, at: memory.heads)
    for (now, then) in zip(reads, memory.reads) where now != then {
      throw SessionFailure(description: "replica \(index): \(now), at the time \(then)")
    }
    try SessionFailure.require(
      reads.count == memory.reads.count,
      "replica \(index): \(reads.count) objects, at the time \(memory.reads.count)")
  }

  /// Everything that can be read of the objects there were at `heads`, one line each.
  private func rendering(_ index: Int, at heads: Set<ModelChange.ID>?) throws -> [String] {
    let replica = replicas[index]
    let view = replica.model.view(at: heads ?? replica.model.heads)
    let reads = DocumentReads(
      document: replica.document,
      heads: heads.map { Set($0.compactMap { hashes[$0] }) })
    return try view.objects.map { object in
      let reference = try reference(object)
      let marks =
        view.kind(of: object) == .Text ? "\(try reads.marks(reference))" : ""
      let values = try reads.values(reference).map(\.debugDescription)
      return
        "\(name(object)): \(reads.length(reference)) \(reads.keys(reference)) \(values) \(marks)"
    }
  }
}

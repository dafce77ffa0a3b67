import Foundation

@testable import Automerge

extension Session {
  /// What must hold of any documents, checked on those the session made.
  mutating func checkLaws() throws {
    for index in replicas.indices {
      try settle(index)
      try compare(index)
      try checkSaving(index)
    }
    try checkMerging()
    try checkMemories()

    // In the end everyone gets everything, in different orders.
    for index in replicas.indices {
      var others = Array(replicas.indices)
      others.shuffle(using: &generator)
      for other in others where other != index {
        try replicas[index].document.merge(other: replicas[other].document)
        replicas[index].model.merge(replicas[other].model)
      }
    }
    for index in replicas.indices {
      try SessionFailure.require(
        replicas[index].model.waiting.isEmpty
          && replicas[index].document.heads() == replicas[0].document.heads(),
        "replicas 0 and \(index) have everything and differ")
      try compareHeads(index)
      try compare(index)
      try checkChanges(index)
    }
    try checkMemories()
    try checkPieces()
    try checkPatches()
    try checkBytes()
  }

  // MARK: Laws

  private mutating func checkMerging() throws {
    let some = (0..<3).map { _ in generator.below(replicas.count) }
    let merged = try [[0, 1, 2], [2, 1, 0], [1, 0, 2]].map { order in
      let document = replicas[some[order[0]]].document.fork()
      for place in order.dropFirst() {
        try document.merge(other: replicas[some[place]].document)
      }
      return document
    }
    let nested = replicas[some[0]].document.fork()
    let inner = replicas[some[1]].document.fork()
    try inner.merge(other: replicas[some[2]].document)
    try nested.merge(other: inner)

    var model = replicas[some[0]].model
    model.merge(replicas[some[1]].model)
    model.merge(replicas[some[2]].model)
    for document in merged + [nested] {
      // A merge does not bring what waits, so what waited for something in the others may differ.
      let saved = document.save()
      try document.merge(other: document)
      for place in some { try document.merge(other: replicas[place].document) }
      try SessionFailure.require(document.save() == saved, "merging again is not idempotent")
      guard some.allSatisfy({ replicas[$0].model.waiting.isEmpty }) else { continue }
      try SessionFailure.require(
        document.heads() == Set(model.heads.compactMap { hashes[$0] }),
        "merging \(some) depends on the order")
      model.encoding = document.textEncoding
      try checkReads(document, model)
    }
  }

  /// Compares a document that is no replica.
  mutating func checkReads(_ document: Document, _ model: ModelReplica) throws {
    replicas.append(SessionReplica(document, model))
    defer { replicas.removeLast() }
    try compareHeads(replicas.count - 1)
    try compare(replicas.count - 1)
  }

  private mutating func checkSaving(_ index: Int) throws {
    let document = replicas[index].document
    let saved = document.save()
    let loaded = try load(saved, "replica \(index)")
    try SessionFailure.require(
      loaded.heads() == document.heads() && loaded.getHistory() == document.getHistory(),
      "replica \(index): another history after loading")
    try SessionFailure.require(
      loaded.save() == saved, "replica \(index): other bytes after loading")
    var model = replicas[index].model
    model.encoding = loaded.textEncoding
    try checkReads(loaded, model)
  }

  private mutating func checkMemories() throws {
    for memory in memories {
      for index in replicas.indices {
        guard memory.heads.allSatisfy({ replicas[index].model.changes[$0] != nil }) else {
          continue
        }
        if replicas[index].model.encoding == memory.encoding {
          try compareMemory(memory, index)
        }
        guard index == memory.replica else { continue }
        try compare(index, at: memory.heads)
        let heads = Set(memory.heads.compactMap { hashes[$0] })
        let fork = try replicas[index].document.forkAt(heads: heads)
        var model = replicas[index].model.fork(at: memory.heads, actor: fork.actor)
        model.encoding = fork.textEncoding
        try checkReads(fork, model)
        // An old file with the newer changes behind it is the newer document.
        let rest = try replicas[index].document.encodeChangesSince(heads: heads)
        let joined = try load(fork.save() + rest, "a fork of replica \(index)")
        model = replicas[index].model
        model.encoding = joined.textEncoding
        try checkReads(joined, model)
      }
    }
  }

  /// Every change is to the byte what it was when it was made.
  private func checkChanges(_ index: Int) throws {
    let document = replicas[index].document
    let history = document.getHistory()
    try SessionFailure.require(
      Set(history.compactMap { names[$0] }) == Set(replicas[index].model.changes.keys)
        && history.count == replicas[index].model.changes.count,
      "replica \(index): history \(history)")
    for hash in history {
      guard let name = names[hash] else { continue }
      try SessionFailure.require(
        document.change(hash: hash)?.bytes == chunks[name],
        "replica \(index): \(name) has other bytes")
    }
  }

  /// Changes one by one give what they give at once.
  private mutating func checkPieces() throws {
    let whole = replicas[0].document
    let history = whole.getHistory().compactMap { names[$0] }
    let model = replicas[0].model
    for isShuffled in [false, true] {
      let order = isShuffled ? history.shuffled(using: &generator) : history
      let pieces = Document(textEncoding: model.encoding)
      for name in order { try pieces.applyEncodedChanges(encoded: chunks[name] ?? Data()) }
      try checkReads(pieces, model)
      if !isShuffled {
        try SessionFailure.require(pieces.save() == whole.save(), "pieces are saved differently")
      }
    }
  }

  /// A document is the bytes that the specification lays down for its changes.
  private func checkBytes() throws {
    for replica in replicas.prefix(2) {
      var changes: [ForgedChange] = []
      for hash in replica.document.getHistory() {
        guard let name = names[hash], let change = replica.model.changes[name] else { continue }
        let forged = ForgedChange(change) { hashes[$0]?.bytes ?? [] }
        try SessionFailure.require(forged.hash == hash.bytes, "\(name) has another hash")
        changes.append(forged)
      }
      let saved = try ChunkList.inflated(Array(replica.document.save()))
      try SessionFailure.require(
        saved == ForgedDocument(changes).bytes, "the document is not what it is laid down to be")
    }
  }

  // MARK: Invariants

  /// Checks what the engine knows to be true of its own structures.
  func checkInvariants(_ index: Int) throws(SessionFailure) {
    #if INTERNAL_CHECKS
      let broken = replicas[index].document.checkInvariants()
      try SessionFailure.require(broken.isEmpty, "replica \(index): \(broken)")
    #endif
  }
}

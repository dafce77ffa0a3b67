@testable import Automerge
import Testing

/// What a session remembers of what was said.
@Suite struct SyncSessionTests {
  private final class Side {
    var session = SyncSession()
    var document: DocumentState

    init(_ document: DocumentState) { self.document = document }

    func receive(_ message: SyncMessage) throws {
      try session.receive(message, into: &document)
    }

    func next() -> SyncMessage? { session.nextMessage(from: document) }
  }

  private let chain: [ForgedChange] = {
    var changes = [SampleHistory.first]
    for number in 1...5 {
      changes.append(changes[number - 1].followed(by: .set("k\(number)", .null)))
    }
    return changes
  }()

  private func document(_ changes: some Sequence<ForgedChange>) throws -> DocumentState {
    try DocumentState(loading: changes.flatMap(\.bytes))
  }

  /// What a peer without changes of its own says: its heads, and that it wants the rest.
  private func claim(_ head: ForgedChange?) -> SyncMessage {
    var message = SyncMessage(.v1)
    message.heads = head.map { [ChangeHash(bytes: $0.hash)] } ?? []
    message.have = [SyncMessage.Have(lastSync: message.heads)]
    return message
  }

  @Test func `what was sent and is not confirmed is not sent again`() throws {
    let side = try Side(document(chain))
    try side.receive(claim(chain[2]))
    let first = try #require(side.next())
    #expect(first.items.count == 3)
    #expect(side.next() == nil)
    try side.receive(claim(chain[2]))
    let second = try #require(side.next())
    #expect(second.items.isEmpty)
    #expect(second.heads == first.heads)
  }

  @Test func `what was confirmed and got lost is sent again`() throws {
    let side = try Side(document(chain))
    try side.receive(claim(chain[2]))
    #expect(side.next()?.items.count == 3)
    // Two of the three arrived.
    try side.receive(claim(chain[4]))
    #expect(side.session.sentHashes == [ChangeHash(bytes: chain[5].hash)])
    #expect(side.next()?.items.count == 0)
    try side.receive(claim(chain[2]))
    #expect(side.next()?.items.count == 2)
  }

  @Test func `a peer that lost everything is sent everything again`() throws {
    let side = try Side(document(chain))
    try side.receive(claim(chain[2]))
    #expect(side.next()?.items.count == 3)
    try side.receive(claim(nil))
    #expect(side.session.sharedHeads.isEmpty)
    #expect(side.next()?.items.count == chain.count)
  }

  @Test func `a peer that has heard of it elsewhere is told nothing`() throws {
    let side = try Side(document(chain.dropLast()))
    try side.receive(claim(chain[4]))
    #expect(side.next() != nil)
    var batch = ChangeBatch()
    try batch.append(parsing: chain[5].bytes)
    try side.document.apply(batch)
    try side.receive(claim(chain[5]))
    #expect(side.next() == nil)
    #expect(side.session.sharedHeads == side.document.heads)
  }

  @Test func `heads we know in part are shared in part`() throws {
    let side = try Side(document(chain.dropLast()))
    try side.receive(claim(chain[1]))
    var message = claim(chain[3])
    let unknown = ChangeHash(bytes: chain[5].hash)
    message.heads = [message.heads[0], unknown].sorted()
    try side.receive(message)
    #expect(side.session.theirHeads == message.heads)
    let known = [chain[1], chain[3]].map { ChangeHash(bytes: $0.hash) }
    #expect(side.session.sharedHeads == known.sorted())
    #expect(side.next()?.need == [unknown])
  }

  @Test func `what arrives is shared from then on`() throws {
    let side = try Side(document(chain.prefix(2)))
    try side.receive(claim(chain[0]))
    var message = claim(nil)
    // The message's own heads are unknown, so what is shared follows from what it brings.
    message.heads = [ChangeHash(bytes: [UInt8](repeating: 1, count: 32))]
    message.appendItem { $0 += SampleHistory.concurrent.bytes }
    try side.receive(message)
    #expect(side.session.sharedHeads == [ChangeHash(bytes: SampleHistory.concurrent.hash)])
  }

  /// The definition, row by row, over random histories and heads.
  @Test(arguments: [UInt64](0..<40))
  func `what hashes do not cover is what is no ancestor of theirs`(seed: UInt64) throws {
    var histories = HistoryGenerator(seed: seed)
    let changes = histories.history(changeCount: 1 + Int(seed))
    let history = try document(changes).history
    var generator = SeededGenerator(seed: seed)
    for count in 0..<6 {
      var hashes = (0..<count).map { _ in
        history.changes[generator.below(history.count)].hash
      }
      if count.isMultiple(of: 2) {
        hashes.append(ChangeHash(bytes: [UInt8](repeating: 0, count: 32)))
      }
      let isAncestor = history.ancestors(of: hashes)
      let expected = (0..<history.count).filter { !isAncestor[$0] }
      #expect(history.rows(notCoveredBy: hashes) == expected, "seed \(seed)")
    }
    #expect(DocumentState().history.rows(notCoveredBy: []).isEmpty)
  }
}

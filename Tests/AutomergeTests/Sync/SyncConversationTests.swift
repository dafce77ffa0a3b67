@testable import Automerge
import Testing

/// Conversations in which hashes that both sides have met are numbers.
@Suite struct SyncConversationTests {
  /// Two sides that speak in turn.
  private struct Sides {
    var documents: [DocumentState]
    var conversations: [SyncConversation]
    private(set) var messages: [[UInt8]] = []

    init(_ documents: [DocumentState], sharing heads: [ChangeHash] = []) {
      self.documents = documents
      conversations = documents.map { _ in SyncConversation(sharedHeads: heads) }
    }

    mutating func converge() throws {
      for turn in 0..<40 {
        let (speaker, listener) = (turn % 2, 1 - turn % 2)
        guard let message = conversations[speaker].nextMessage(from: documents[speaker]) else {
          if turn > 1 { return }
          continue
        }
        messages.append(message)
        let read = try conversations[listener].read(message)
        try conversations[listener].receive(read, into: &documents[listener])
      }
      throw SyncPair.Endless()
    }

    var areInAgreement: Bool {
      documents[0].heads == documents[1].heads
        && zip(documents, conversations).allSatisfy { $1.isInAgreement(with: $0) }
    }
  }

  private static func document(
    _ changes: [ForgedChange], _ isIncluded: (Int) -> Bool
  ) throws -> DocumentState {
    var document = DocumentState()
    var batch = ChangeBatch()
    for (index, change) in changes.enumerated() where isIncluded(index) {
      try batch.append(parsing: change.bytes)
    }
    try document.apply(batch)
    return document
  }

  @Test(arguments: [UInt64](0..<60))
  func `any two parts of a history converge, and both sides know it`(seed: UInt64) throws {
    var histories = HistoryGenerator(seed: seed)
    let changes = histories.history(changeCount: 5 + Int(seed % 45))
    var generator = SeededGenerator(seed: seed)
    let shared = generator.below(changes.count)
    let ends = [shared, shared + generator.below(changes.count - shared + 1)]
    // A history begins with what its end builds on, and so do its beginnings.
    let documents = try ends.map { end in try Self.document(changes) { $0 < end } }
    let heads = try Self.document(changes) { $0 < shared }.heads
    for common in [[], heads] {
      var sides = Sides(documents, sharing: common)
      try sides.converge()
      #expect(sides.areInAgreement, "seed \(seed)")
      #expect(sides.documents[0].changeCount == documents[1].changeCount, "seed \(seed)")
    }
  }

  @Test func `heads are told once, however many there are`() throws {
    let count = 300
    let changes = (0..<count).map { number in
      var change = ForgedChange(.set("k\(number)", .null))
      change.author = [UInt8(number >> 8), UInt8(number & 255)]
      return change
    }
    let older = try Self.document(changes) { $0 < count - 1 }
    let newer = try Self.document(changes) { _ in true }
    var sides = Sides([newer, older], sharing: older.heads)
    try sides.converge()
    #expect(sides.areInAgreement)
    let bytes = sides.messages.reduce(0) { $0 + $1.count }
    #expect(bytes < 400, "\(bytes) bytes for one change among \(count)")
    // The messages of the protocol as they are.
    var plain = SyncSession(resumingFrom: older.heads)
    let first = plain.nextMessage(from: newer)
    #expect(try #require(first).encoded.count > count * ChangeHash.byteCount)
  }

  @Test func `no message that was changed on its way traps or spoils a document`() throws {
    var histories = HistoryGenerator(seed: 7)
    let changes = histories.history(changeCount: 20)
    let documents = [
      try Self.document(changes) { _ in true }, try Self.document(changes) { $0 < 10 },
    ]
    var sides = Sides(documents)
    try sides.converge()
    #expect(sides.messages.count > 2)
    for (turn, message) in sides.messages.enumerated() {
      for position in message.indices {
        for value: UInt8 in [0, 1, 0x7f, 0xff, message[position] ^ 1] {
          var changed = message
          changed[position] = value
          try receive(changed, turn, sides.messages, documents)
        }
        try receive(Array(message[..<position]), turn, sides.messages, documents)
      }
    }
  }

  /// Goes through a conversation again, with another message at one turn.
  private func receive(
    _ changed: [UInt8], _ turn: Int, _ messages: [[UInt8]], _ documents: [DocumentState]
  ) throws {
    let listener = 1 - turn % 2
    var document = documents[listener]
    var conversation = SyncConversation(sharedHeads: [])
    for earlier in 0..<turn {
      if earlier % 2 == listener {
        _ = conversation.nextMessage(from: document)
      } else {
        try conversation.receive(try conversation.read(messages[earlier]), into: &document)
      }
    }
    let before = (document.heads, document.changeCount, document.queuedCount)
    do throws(FormatError) {
      try conversation.receive(try conversation.read(changed), into: &document)
    } catch {
      #expect(before == (document.heads, document.changeCount, document.queuedCount))
    }
  }

  @Test func `numbers that none has and hashes out of order are refused`() throws {
    func read(_ bytes: [UInt8], sharing heads: [ChangeHash]) throws(FormatError) -> [ChangeHash] {
      var lists = NumberedHashLists(heads)
      var reader = ByteReader(bytes)
      return try lists.read(&reader)
    }
    let hashes = (1...3).map { ChangeHash(bytes: [UInt8](repeating: $0, count: 32)) }
    #expect(try read([1, 3 << 1 | 1, 0], sharing: hashes) == hashes)
    #expect(throws: FormatError(.unknownHashNumber(1), at: 1)) {
      try read([1, 3 << 1 | 1, 1], sharing: hashes)
    }
    #expect(throws: FormatError(.unknownHashNumber(.max >> 1), at: 1)) {
      try read(
        [1, 3] + [UInt8](repeating: 0xff, count: 8) + [0x7f], sharing: hashes)
    }
    #expect(throws: FormatError(.hashesNotAscending, at: 3)) {
      try read([2, 1 << 1 | 1, 2, 1 << 1 | 1, 0], sharing: hashes)
    }
    // However often it is named, a list holds each hash once.
    #expect(throws: FormatError(.hashesNotAscending, at: 3)) {
      try read([2, 3 << 1 | 1, 0, 3 << 1 | 1, 0], sharing: hashes)
    }
  }
}

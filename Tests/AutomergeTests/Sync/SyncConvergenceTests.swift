@testable import Automerge
import Foundation
import Testing

@Suite struct SyncConvergenceTests {
  private let base = SampleHistory.changes

  private func document(_ changes: [ForgedChange]) throws -> Document {
    try Document(Data(changes.flatMap(\.bytes)))
  }

  /// Changes of one author that build on the sample history and on each other.
  private func branch(_ author: UInt8, _ count: Int) -> [ForgedChange] {
    let author = [UInt8](repeating: author, count: 16)
    var changes = [SampleHistory.second.followed(by: author, .set("branch", .null))]
    while changes.count < count {
      changes.append(changes[changes.count - 1].followed(by: .set("k\(changes.count)", .null)))
    }
    return changes
  }

  private func add(_ changes: [ForgedChange], to document: Document) throws {
    try document.applyEncodedChanges(encoded: Data(changes.flatMap(\.bytes)))
  }

  /// A filter that claims to contain every hash.
  private static let claimsEverything: BloomFilter? = try? BloomFilter(ByteReader([1, 1, 1, 0xff]))

  private func expectUnion(
    _ pair: SyncPair, of histories: [ForgedChange]...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = Set(histories.joined().map(\.hash))
    for document in [pair.left, pair.right] {
      #expect(Set(document.getHistory().map(\.bytes)) == expected, sourceLocation: sourceLocation)
    }
    #expect(pair.isInStep, sourceLocation: sourceLocation)
    let state = try TypedRendering(document: pair.left).state()
    #expect(
      try TypedRendering(document: pair.right).state() == state, sourceLocation: sourceLocation)
  }

  @Test func `a new state has something to say, once`() {
    let document = Document()
    let state = SyncState()
    #expect(document.generateSyncMessage(state: state) != nil)
    #expect(document.generateSyncMessage(state: state) == nil)
  }

  @Test(arguments: SyncPair.Delivery.allCases)
  func `equal documents find out in one round`(delivery: SyncPair.Delivery) throws {
    for changes in [[], base] {
      var pair = SyncPair(try document(changes), try document(changes))
      pair.delivery = delivery
      #expect(try pair.converge() <= 2)
      #expect(pair.messages.count <= 4)
      try expectUnion(pair, of: changes)
    }
  }

  @Test(arguments: [false, true], SyncPair.Delivery.allCases)
  func `an empty document becomes a copy`(
    isVersion1: Bool, delivery: SyncPair.Delivery
  ) throws {
    let source = try document(base + branch(1, 20))
    for isReversed in [false, true] {
      let copy = Document()
      var pair = isReversed ? SyncPair(copy, source.fork()) : SyncPair(source.fork(), copy)
      pair.delivery = delivery
      if isVersion1 { pair.speakVersion1() }
      #expect(try pair.converge() <= 3)
      #expect(copy.save() == source.save())
      try expectUnion(pair, of: base, branch(1, 20))
    }
  }

  @Test(arguments: [false, true], SyncPair.Delivery.allCases)
  func `branches of both sides meet`(isVersion1: Bool, delivery: SyncPair.Delivery) throws {
    var pair = SyncPair(
      try document(base + branch(1, 30)), try document(base + branch(2, 40)))
    pair.delivery = delivery
    if isVersion1 { pair.speakVersion1() }
    #expect(try pair.converge() <= 4)
    try expectUnion(pair, of: base, branch(1, 30), branch(2, 40))
  }

  @Test func `documents without a common change meet`() throws {
    var stranger = SampleHistory.first
    stranger.author = SampleHistory.otherAuthor
    stranger.operations = [.set("stranger", .boolean(true))]
    var pair = SyncPair(try document(base.dropLast()), try document([stranger]))
    #expect(try pair.converge() <= 3)
    try expectUnion(pair, of: base.dropLast(), [stranger])
  }

  @Test func `a document goes where it is smaller than the changes`() throws {
    let types = { (own: Int) throws -> Set<UInt8> in
      let shared = self.base + self.branch(1, 17)
      var pair = SyncPair(try document(shared + self.branch(2, own)), try document(shared))
      try pair.converge()
      return Set(
        try pair.messages.flatMap { data in
          let message = try SyncMessage(parsing: Array(data))
          return message.items.map { message.bytes[$0.lowerBound + 8] }
        })
    }
    #expect(try types(1) == [1])
    #expect(try types(5) == [1])
    #expect(try types(17) == [0])
  }

  @Test func `a thousand small changes go as they are beside a great one`() throws {
    let origin = Document()
    for index in 0..<2_000 {
      try origin.put(obj: .ROOT, key: "key \(index)", value: .String("a value of some length"))
    }
    let fork = origin.fork()
    for index in 0..<20 {
      try fork.put(obj: .ROOT, key: "key \(index)", value: .Int(Int64(index)))
      fork.commitWith()
    }
    var pair = SyncPair(fork, origin)
    try pair.converge()
    let kinds = try pair.messages.flatMap { data in
      let message = try SyncMessage(parsing: Array(data))
      return message.items.map { message.bytes[$0.lowerBound + 8] }
    }
    #expect(!kinds.isEmpty)
    #expect(kinds.allSatisfy { $0 == 1 })
    #expect(origin.heads() == fork.heads())
  }

  @Test(arguments: [false, true])
  func `a resumed session sends what is new only`(isVersion1: Bool) throws {
    var pair = SyncPair(try document(base + branch(1, 50)), Document())
    try pair.converge()
    try add(branch(2, 1), to: pair.left)
    try add(branch(3, 2), to: pair.right)
    pair.leftState = try SyncState(bytes: pair.leftState.encode())
    pair.rightState.reset()
    if isVersion1 { pair.speakVersion1() }
    #expect(try pair.converge() <= 2)
    try expectUnion(pair, of: base, branch(1, 50), branch(2, 1), branch(3, 2))
    #expect(pair.messages.count <= 4)
    #expect(pair.messages.map(\.count).reduce(0, +) < 1_500)
  }

  @Test func `a session goes on with what is edited meanwhile`() throws {
    var pair = SyncPair(try document(base), try document(base))
    try pair.converge()
    for round in 1...8 {
      try add(branch(1, round), to: pair.left)
      if round.isMultiple(of: 2) { try add(branch(2, round), to: pair.right) }
      #expect(try pair.converge() <= 3)
      #expect(pair.isInStep)
    }
    try expectUnion(pair, of: base, branch(1, 8), branch(2, 8))
  }

  // MARK: Losses

  @Test(arguments: [0, 1, 2, 3], SyncPair.Delivery.allCases)
  func `a peer that lost everything gets it again`(
    states: Int, delivery: SyncPair.Delivery
  ) throws {
    let source = try document(base + branch(1, 30))
    var first = SyncPair(source, Document())
    try first.converge()
    var pair = SyncPair(source, Document())
    pair.delivery = delivery
    // Either side may have kept its state, reset by the new connection.
    if states & 1 != 0 { pair.leftState = try SyncState(bytes: first.leftState.encode()) }
    if states & 2 != 0 { pair.rightState = try SyncState(bytes: first.rightState.encode()) }
    #expect(try pair.converge() <= 4)
    try expectUnion(pair, of: base, branch(1, 30))
  }

  @Test(arguments: [0, 1, 2, 3], SyncPair.Delivery.allCases)
  func `a peer that went back to an old copy gets what it lost, and keeps what it made`(
    states: Int, delivery: SyncPair.Delivery
  ) throws {
    let source = try document(base + branch(1, 30))
    var first = SyncPair(source, Document())
    try first.converge()
    var pair = SyncPair(source, try document(base + branch(1, 10) + branch(2, 5)))
    pair.delivery = delivery
    if states & 1 != 0 { pair.leftState = try SyncState(bytes: first.leftState.encode()) }
    if states & 2 != 0 { pair.rightState = try SyncState(bytes: first.rightState.encode()) }
    #expect(try pair.converge() <= 6)
    try expectUnion(pair, of: base, branch(1, 30), branch(2, 5))
  }

  @Test func `a reset is sent until the peer answers and changes no state`() throws {
    var pair = SyncPair(try document(base), Document())
    try pair.converge()
    let persisted = pair.leftState.encode()
    let amnesiac = Document()
    let state = SyncState()
    pair.leftState.reset()
    let claim = try #require(pair.left.generateSyncMessage(state: pair.leftState))
    try amnesiac.receiveSyncMessage(state: state, message: claim)
    let reset = try #require(amnesiac.generateSyncMessage(state: state))
    #expect(amnesiac.generateSyncMessage(state: state) == reset)
    let message = try SyncMessage(parsing: Array(reset))
    #expect(message.heads.isEmpty && message.need.isEmpty && !message.hasChanges)
    #expect(message.have == [SyncMessage.Have()])
    #expect(pair.leftState.encode() == persisted)
  }

  // MARK: False claims

  @Test(arguments: [false, true], SyncPair.Delivery.allCases)
  func `a filter that claims everything delays but does not prevent`(
    isVersion1: Bool, delivery: SyncPair.Delivery
  ) throws {
    let filter = try #require(Self.claimsEverything)
    var pair = SyncPair(try document(base + branch(1, 6)), try document(base + branch(2, 9)))
    pair.delivery = delivery
    pair.carrying = { message in
      var message = message
      for index in message.have.indices { message.have[index].bloom = filter }
      if isVersion1 { message.flags = nil }
      return message
    }
    // Each round brings the next older change at worst.
    let rounds = try pair.converge(within: 24)
    #expect(rounds > 2)
    try expectUnion(pair, of: base, branch(1, 6), branch(2, 9))
  }

  @Test func `what builds on a missing change is sent whatever the filter claims`() throws {
    let chain = branch(1, 6)
    let document = try document(base + chain)
    let claimed = (base + [chain[0], chain[3]]).map { ChangeHash(bytes: $0.hash) }
    var claim = SyncMessage(.v1)
    claim.have = [SyncMessage.Have(bloom: BloomFilter(claimed))]
    let state = SyncState()
    try document.receiveSyncMessage(state: state, message: Data(claim.encoded))
    let answer = try #require(document.generateSyncMessage(state: state))
    let message = try SyncMessage(parsing: Array(answer))
    #expect(message.items.map { Array(message.bytes[$0]) } == chain.dropFirst().map(\.bytes))
  }

  @Test func `a change that waits for others does not block other peers`() throws {
    // The right side waits for a change that the left side never heard of.
    let away = branch(3, 2)
    let right = try document(base)
    try add([away[1]], to: right)
    var pair = SyncPair(try document(base + branch(1, 3)), right)
    #expect(try pair.converge() <= 2)
    try expectUnion(pair, of: base, branch(1, 3))
    for data in pair.messages {
      let message = try SyncMessage(parsing: Array(data))
      #expect(!message.need.contains { $0.bytes == away[0].hash })
    }
    // Whoever has it brings it.
    var other = SyncPair(try document(base + away), right)
    try other.converge()
    try expectUnion(other, of: base, branch(1, 3), away)
  }

  @Test func `a waiting change that the peer has too is not asked for`() throws {
    let chain = branch(1, 4)
    let right = try document(base)
    try add([chain[1], chain[3]], to: right)
    let state = SyncState()
    let left = try document(base + chain)
    let claim = try #require(left.generateSyncMessage(state: SyncState()))
    try right.receiveSyncMessage(state: state, message: claim)
    let answer = try #require(right.generateSyncMessage(state: state))
    let message = try SyncMessage(parsing: Array(answer))
    #expect(message.need.map(\.bytes) == [chain[2].hash])
    // Not the heads of the peer: the filter could not say what is missing.
    #expect(message.have.isEmpty)
  }

  @Test(arguments: [TextEncoding.utf16, .utf8])
  func `a copy keeps its own unit of text indexes`(encoding: TextEncoding) throws {
    let source = Document()
    let text = try source.putObject(obj: .ROOT, key: "text", ty: .Text)
    try source.spliceText(obj: text, start: 0, delete: 0, value: "👩‍👧é")
    let copy = Document(textEncoding: encoding)
    var pair = SyncPair(source, copy)
    try pair.converge()
    let expected = Document(textEncoding: encoding)
    try expected.merge(other: source)
    #expect(copy.length(obj: text) == expected.length(obj: text))
    #expect(copy.length(obj: text) != source.length(obj: text))
    #expect(copy.textEncoding == encoding && copy.fork().textEncoding == encoding)
  }

  @Test func `an open transaction is committed before anything is said or heard`() throws {
    let left = Document()
    let right = Document()
    var pair = SyncPair(left, right)
    try pair.converge()
    try left.put(obj: .ROOT, key: "left", value: .Int(1))
    try right.put(obj: .ROOT, key: "right", value: .Int(2))
    try pair.converge()
    #expect(pair.isInStep)
    #expect(left.getHistory().count == 2)
    #expect(Set(right.keys(obj: .ROOT)) == ["left", "right"])
  }

  @Test func `three documents meet two by two`() throws {
    let documents = try (1...3).map { try document(base + branch(UInt8($0), 7 * $0)) }
    let states = (0..<6).map { _ in SyncState() }
    var rounds = 0
    for _ in 0..<2 {
      for (index, ends) in [(0, 1), (1, 2), (2, 0)].enumerated() {
        var pair = SyncPair(documents[ends.0], documents[ends.1])
        pair.leftState = states[2 * index]
        pair.rightState = states[2 * index + 1]
        rounds += try pair.converge()
      }
    }
    #expect(Set(documents.map { $0.heads() }).count == 1)
    #expect(documents[0].getHistory().count == base.count + 7 + 14 + 21)
    #expect(rounds <= 18)
  }
}

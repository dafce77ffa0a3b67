@testable import Automerge
import EngineMeasurements
import Foundation
import Testing

/// What a hostile peer can send: it never stops the program, and what is refused leaves no trace.
@Suite struct SyncRejectionTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil

  private final class Receiver {
    var session = SyncSession()
    var document: DocumentState

    init(document: DocumentState) { self.document = document }

    var copy: Receiver { Receiver(document: document) }

    /// Whether the message was taken; if not, nothing may have changed.
    func takes(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
      let before = (session: session, document: document)
      do throws(FormatError) {
        let message = try SyncMessage(parsing: bytes)
        try session.receive(message, into: &document)
        return true
      } catch {
        #expect(session == before.session, sourceLocation: sourceLocation)
        #expect(document.encoded() == before.document.encoded(), sourceLocation: sourceLocation)
        #expect(error.offset >= 0 && error.offset <= bytes.count, sourceLocation: sourceLocation)
        return false
      }
    }

    func answer() -> SyncMessage? { session.nextMessage(from: document) }
  }

  private func receiver(_ changes: [ForgedChange]) throws -> Receiver {
    Receiver(document: try DocumentState(loading: changes.flatMap(\.bytes)))
  }

  private func receiver(_ golden: GoldenCase, of message: String) throws -> Receiver {
    let name = message.contains("a-to-b") ? "b" : "a"
    return Receiver(
      document: try DocumentState(
        loading: Fixtures.bytes("\(golden.name)/\(name)-before.automerge")))
  }

  /// A message with items of any bytes.
  private func message(_ version: SyncMessage.Version, _ items: [UInt8]...) -> [UInt8] {
    var message = SyncMessage(version)
    for item in items { message.appendItem { $0 += item } }
    return message.encoded
  }

  @Test(arguments: GoldenCase.sync)
  func `a message that is cut off changes nothing`(golden: GoldenCase) throws {
    for file in try Fixtures.names(in: "\(golden.name)/messages") {
      let bytes = try Fixtures.bytes("\(golden.name)/messages/\(file)")
      let receiver = try receiver(golden, of: file)
      let flags = try SyncMessage(parsing: bytes).flags
      let whole = flags.map { bytes.count - $0.count - 1 }
      for count in bytes.indices where count != whole {
        #expect(!receiver.takes(Array(bytes.prefix(count))), "\(file), \(count) bytes")
      }
      #expect(receiver.takes(bytes))
    }
  }

  @Test(arguments: GoldenCase.sync)
  func `a flipped bit is refused or harmless`(golden: GoldenCase) throws {
    for file in try Fixtures.names(in: "\(golden.name)/messages") {
      let bytes = try Fixtures.bytes("\(golden.name)/messages/\(file)")
      let fresh = try receiver(golden, of: file)
      for index in bytes.indices {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(index % 8)
        let receiver = fresh.copy
        guard receiver.takes(damaged) else { continue }
        // An answer to whatever was understood can be made and read.
        if let answer = receiver.answer() {
          #expect(throws: Never.self) { try SyncMessage(parsing: answer.encoded) }
        }
      }
    }
  }

  @Test(arguments: [SyncMessage.Version.v1, .v2])
  func `one bad chunk among good ones and nothing is applied`(
    version: SyncMessage.Version
  ) throws {
    let good = SampleHistory.second.bytes
    var bad = SampleHistory.concurrent.bytes
    bad[bad.count - 1] ^= 1
    for items in [
      [good, bad], [bad, good], [good + bad], [bad + good], [good, [0]], [good + [0]],
    ] {
      let receiver = try receiver([SampleHistory.first])
      var message = SyncMessage(version)
      for item in items { message.appendItem { $0 += item } }
      #expect(!receiver.takes(message.encoded))
    }
    let receiver = try receiver([SampleHistory.first])
    #expect(receiver.takes(message(version, good, SampleHistory.concurrent.bytes)))
    #expect(receiver.document.changeCount == 3)
  }

  @Test func `the error says where in the message a chunk is bad`() throws {
    var bad = SampleHistory.concurrent.bytes
    bad[0] ^= 1
    let bytes = message(.v1, SampleHistory.second.bytes, bad)
    let document = try Document(Data(SampleHistory.first.bytes))
    let error = #expect(throws: ReceiveSyncError.self) {
      try document.receiveSyncMessage(state: SyncState(), message: Data(bytes))
    }
    #expect(
      error?.reason == .unapplicable(FormatError(.invalidMagic, at: bytes.count - bad.count)))
    #expect(error?.errorDescription?.hasPrefix("ReceiveSyncError: ") == true)
    let other = #expect(throws: ReceiveSyncError.self) {
      try document.receiveSyncMessage(state: SyncState(), message: Data([0x85]))
    }
    #expect(other?.errorDescription?.hasPrefix("Invalid message: ") == true)
  }

  @Test func `a damaged document chunk is refused with its place`() throws {
    let chunk = SampleHistory.document.bytes
    for index in chunk.indices {
      var damaged = chunk
      damaged[index] ^= 1
      let empty = Receiver(document: DocumentState())
      #expect(!empty.takes(message(.v2, damaged)), "byte \(index)")
      let receiver = try receiver([SampleHistory.first])
      #expect(!receiver.takes(message(.v2, SampleHistory.second.bytes + damaged)))
    }
    let stranger = Receiver(document: DocumentState())
    let bytes = message(.v2, ForgedChunk(type: 3, body: []).bytes)
    #expect(!stranger.takes(bytes))
  }

  @Test func `documents and changes may be mixed in any item`() throws {
    let whole = SampleHistory.document.bytes
    let next = SampleHistory.second.followed(by: .set("next", .null))
    for items in [
      [whole, next.bytes], [next.bytes, whole], [whole + next.bytes], [whole, whole, next.bytes],
      [next.bytes + whole + whole], [whole, [], next.bytes],
    ] {
      for start in [DocumentState(), try DocumentState(loading: SampleHistory.first.bytes)] {
        let receiver = Receiver(document: start)
        var message = SyncMessage(.v2)
        for item in items { message.appendItem { $0 += item } }
        #expect(receiver.takes(message.encoded))
        #expect(receiver.document.changeCount == 4)
        #expect(receiver.document.queuedCount == 0)
      }
    }
  }

  @Test func `a change that contradicts the history changes nothing`() throws {
    var twin = SampleHistory.second
    twin.time += 1
    let receiver = try receiver(SampleHistory.changes)
    let good = SampleHistory.second.followed(by: .set("new", .null))
    #expect(!receiver.takes(message(.v2, good.bytes + twin.bytes)))
    #expect(!receiver.takes(message(.v1, good.bytes, twin.bytes)))
    #expect(receiver.takes(message(.v1, good.bytes)))
  }

  @Test func `what is asked for a thousand times is sent once`() throws {
    let receiver = try receiver(SampleHistory.changes)
    let hash = ChangeHash(bytes: SampleHistory.second.hash)
    let unknown = ChangeHash(bytes: [UInt8](repeating: 9, count: 32))
    var request = SyncMessage(.v1)
    request.need = [ChangeHash](repeating: hash, count: 1_000) + [unknown]
    #expect(receiver.takes(request.encoded))
    let answer = try #require(receiver.answer())
    #expect(answer.items.map { Array(answer.bytes[$0]) } == [SampleHistory.second.bytes])
  }

  @Test func `heads in any order and with repetitions are what they are sorted`() throws {
    let heads = try receiver(SampleHistory.changes).document.heads
    for list in [heads, heads.reversed(), heads + heads] {
      let receiver = try receiver(SampleHistory.changes)
      var message = SyncMessage(.v1)
      message.heads = list
      #expect(receiver.takes(message.encoded))
      #expect(receiver.session.theirHeads == heads)
      #expect(receiver.session.sharedHeads == heads)
    }
  }

  @Test func `ten thousand unknown heads and needs cost little and are not kept as shared`() throws
  {
    var generator = SeededGenerator(seed: 1)
    let unknown = (0..<10_000).map { _ in
      // The first eight bytes alike, as somebody would choose them to have tables degenerate.
      ChangeHash(bytes: [UInt8](repeating: 0, count: 8) + (0..<24).map { _ in generator.byte() })
    }
    let receiver = try receiver(SampleHistory.changes)
    var message = SyncMessage(.v1)
    message.heads = unknown
    message.need = unknown
    message.have = [SyncMessage.Have()]
    let seconds = try ThreadTime.seconds {
      #expect(receiver.takes(message.encoded))
      let answer = try #require(receiver.answer())
      #expect(answer.need == unknown.sorted())
    }
    #expect(receiver.session.sharedHeads.isEmpty)
    #expect(seconds < 5)
  }

  @Test(arguments: [UInt64](0..<(isSlow ? 16 : 2)))
  func `messages damaged at random never stop the program`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let corpus = try SyncMessageTests.golden.map { try Fixtures.bytes($0) }
    let receiver = try receiver(SampleHistory.changes)
    var taken = 0
    for _ in 0..<2_000 {
      var bytes = corpus[generator.below(corpus.count)]
      for _ in 0...generator.below(3) where !bytes.isEmpty {
        let place = generator.below(bytes.count)
        switch generator.below(5) {
        case 0: bytes[place] ^= 1 << UInt8(generator.below(8))
        case 1: bytes[place] = generator.byte()
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(generator.byte(), at: place)
        default: bytes.append(contentsOf: corpus[generator.below(corpus.count)].prefix(place))
        }
      }
      if receiver.takes(bytes) { taken += 1 }
      if let answer = receiver.answer() {
        #expect(throws: Never.self, "seed \(seed)") { try SyncMessage(parsing: answer.encoded) }
      }
    }
    #expect(taken > 50, "seed \(seed)")
  }
}

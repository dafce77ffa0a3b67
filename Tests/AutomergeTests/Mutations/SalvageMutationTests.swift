import EngineMeasurements
import Foundation
import Testing

@testable import Automerge

/// Files that were bent on purpose, under checksums that fit: salvaging them ends, and what it finds
/// can be read and replaced.
@Suite struct SalvageMutationTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil

  @Test func `mutated files are salvaged to the last byte`() throws {
    let seed = Self.isSlow ? UInt64.random(in: 0...UInt64.max) : 4711
    print("salvage of mutated files: seed \(seed)")
    var mutator = Mutator(seed: seed, corpus: .golden)
    let runs = Self.isSlow ? 50_000 : 250
    var readable = 0
    for run in 0..<runs {
      let bytes = mutator.next()
      let salvage = SalvagedDocument(salvaging: bytes, labels: [])
      #expect(salvage.pieces.reduce(0) { $0 + $1.range.count } == bytes.count, "run \(run)")
      readable += salvage.readableCount
      _ = SalvagedDocument.length(of: salvage.state)
      let anonymous = AnonymousFile(of: bytes, PlainReplacement())
      #expect(anonymous.bytes.isEmpty == bytes.isEmpty, "run \(run)")
    }
    print("salvage of mutated files: \(runs) runs, \(readable) operations without proof")
    #expect(readable > runs)
  }

  @Test func `files that broke a reader once are salvaged`() throws {
    for name in try Fixtures.names(in: "fuzz-crashers") where !name.hasSuffix(".md") {
      let bytes = try Fixtures.bytes("fuzz-crashers/" + name)
      let salvage = SalvagedDocument(salvaging: bytes, labels: [])
      #expect(salvage.pieces.reduce(0) { $0 + $1.range.count } == bytes.count, "\(name)")
    }
  }

  @Test func `a file of nothing but beginnings of chunks costs no square`() {
    var bytes: [UInt8] = []
    while bytes.count < 400_000 {
      bytes += ChunkHeader.magic + [1, 2, 3, 4, 0]
      bytes.appendULEB(390_000)
    }
    let seconds = ThreadTime.seconds {
      let salvage = SalvagedDocument(salvaging: bytes, labels: [])
      #expect(salvage.pieces.count <= 1_000)
      #expect(salvage.pieces.last?.range.upperBound == bytes.count)
    }
    #expect(seconds < 30)
  }

  @Test func `a file of nothing but magic bytes is one piece`() {
    var bytes: [UInt8] = []
    for _ in 0..<100_000 { bytes += ChunkHeader.magic }
    let salvage = SalvagedDocument(salvaging: bytes, labels: [])
    #expect(salvage.pieces.count == 1)
    #expect(salvage.pieces.first?.range == bytes.indices)
  }

  /// A change that sets a key, by an actor of a number.
  private func change(_ number: UInt64, key: String, onto: [ChangeHash] = []) -> [UInt8] {
    var actor: [UInt8] = []
    actor.appendBigEndian(number)
    var draft = ChangeDraft()
    draft.begin(sequence: 1, startCounter: 1, dependencies: onto)
    draft.set(.int(Int64(number)), in: .root, key: Array(key.utf8).span)
    draft.finish(author: ActorId(bytes: actor))
    return draft.chunk
  }

  @Test func `of two changes with one name one is told as lost`() {
    let salvage = SalvagedDocument(
      salvaging: change(1, key: "one") + change(1, key: "other"), labels: [])
    #expect(salvage.state.changeCount == 1)
    #expect(salvage.lostCount == 1)
    #expect(!salvage.isWhole)
  }

  @Test func `a contradiction among changes that wait costs no square`() {
    var bytes = change(1, key: "one") + change(1, key: "other")
    let missing = ChangeHash(words: (1, 2, 3, 4))
    let count = 3_000
    for number in 0..<UInt64(count) {
      bytes += change(number + 2, key: "waits \(number)", onto: [missing])
    }
    let seconds = ThreadTime.seconds {
      let salvage = SalvagedDocument(salvaging: bytes, labels: [])
      #expect(salvage.missingChanges == [missing])
      #expect(salvage.readableCount == count)
    }
    #expect(seconds < 30)
  }

  @Test func `tables that never end are not searched for ever`() {
    // Each position is the beginning of a long list of ascending columns.
    var body: [UInt8] = [0xff, 0xff, 0x03]
    var column: UInt64 = 16
    while body.count < 200_000 {
      body.appendULEB(column)
      body.appendULEB(0)
      column += 16
    }
    var bytes = ChunkHeader.magic + [1, 2, 3, 4, 0]
    bytes.appendULEB(body.count)
    let seconds = ThreadTime.seconds {
      let salvage = SalvagedDocument(salvaging: bytes + body, labels: [])
      #expect(salvage.pieces.count == 1)
    }
    #expect(seconds < 30)
  }
}

/// Keeps names and numbers and writes another string for each.
private struct PlainReplacement: ContentReplacement {
  func actors(_ actors: [ActorId]) -> [ActorId] { actors }
  func name(_ name: [UInt8]) -> [UInt8] { name }
  func value(_ type: ValueType, _ bytes: [UInt8], element: OpID?) -> [UInt8] {
    type == .string ? bytes.map { _ in UInt8(ascii: "x") } : bytes
  }
  func message(_ message: [UInt8]) -> [UInt8] { message }
  func time(_ time: Int64) -> Int64 { time }
  func extra(_ bytes: [UInt8]) -> [UInt8] { bytes }
  func missingChange(_ hash: ChangeHash) -> ChangeHash { hash }
}

extension SalvagedDocument {
  /// Reads everything that readers see and returns how many bytes it has.
  fileprivate static func length(of document: DocumentState) -> Int {
    var length = 0
    var pending: [(OpID, ObjectKind)] = [(.root, .map)]
    while let (object, kind) = pending.popLast() {
      func add(_ group: ValueGroup) {
        for value in document.values(in: group) {
          switch value.content {
          case .object(let kind): pending.append((value.id, kind))
          case .scalar(let place): length += document.bytes(place).count
          }
        }
      }
      if kind == .map {
        document.forEachKey(of: object) { _, group in add(group) }
      } else {
        document.forEachElement(of: object) { _, group in add(group) }
      }
      if kind == .text { length += document.textBytes(of: object).count }
    }
    return length
  }
}

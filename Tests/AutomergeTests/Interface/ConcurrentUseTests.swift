import Automerge
import Foundation
import Testing

/// One document in many hands at once.
@Suite struct ConcurrentUseTests {
  private static let workers = 8
  private static let rounds = 50

  private func concurrently(_ work: @escaping @Sendable (Int) throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<Self.workers { group.addTask { try work(worker) } }
      try await group.waitForAll()
    }
  }

  @Test func `edits from many tasks add up`() async throws {
    let small = try SmallDocument()
    let document = small.document
    try document.put(obj: .ROOT, key: "count", value: .Counter(0))
    try await concurrently { worker in
      for round in 0..<Self.rounds {
        try document.increment(obj: .ROOT, key: "count", by: 1)
        try document.insert(obj: small.list, index: 0, value: .Int(Int64(worker)))
        try document.spliceText(obj: small.text, start: 0, delete: 0, value: "x")
        try document.put(obj: small.map, key: "\(worker)-\(round)", value: .Int(Int64(round)))
        let object = try document.putObject(obj: small.map, key: "own \(worker)", ty: .List)
        try document.insert(obj: object, index: 0, value: .Null)
      }
    }
    let edits = Self.workers * Self.rounds
    #expect(try document.get(obj: .ROOT, key: "count") == .Scalar(.Counter(Int64(edits))))
    #expect(document.length(obj: small.list) == UInt64(3 + edits))
    #expect(document.length(obj: small.text) == UInt64(5 + edits))
    #expect(document.length(obj: small.map) == UInt64(edits + Self.workers))
    for worker in 0..<Self.workers {
      let mine = try document.values(obj: small.list).count { $0 == .Scalar(.Int(Int64(worker))) }
      // 1, 2 and 3 were there before.
      #expect(mine == Self.rounds + ((1...3).contains(worker) ? 1 : 0))
    }
    document.expectSound()
  }

  @Test func `reads, saves and commits go on while others edit`() async throws {
    let small = try SmallDocument()
    let document = small.document
    let heads = document.heads()
    try await concurrently { worker in
      for round in 0..<Self.rounds {
        switch worker % 4 {
        case 0:
          try document.put(obj: small.map, key: "k\(round)", value: .Int(Int64(worker)))
          document.commitWith(message: "\(worker)")
        case 1:
          try document.spliceText(obj: small.text, start: 2, delete: 1, value: "ab")
          try document.mark(
            obj: small.text, start: 0, end: 3, expand: .after, name: "m",
            value: .Int(Int64(round)))
        case 2:
          #expect(try Document(document.save()).getHistory().count > 0)
          #expect(try document.textAt(obj: small.text, heads: heads) == "hello")
          _ = document.difference(since: heads)
        default:
          let fork = document.fork()
          try fork.insert(obj: small.list, index: 0, value: .Int(0))
          try document.merge(other: fork)
          _ = try document.mapEntries(obj: small.map)
          _ = try document.marks(obj: small.text)
        }
      }
    }
    #expect(document.length(obj: small.text) == UInt64(5 + 2 * Self.rounds))
    #expect(document.length(obj: small.list) == UInt64(3 + 2 * Self.rounds))
    #expect(document.length(obj: small.map) == UInt64(Self.rounds))
    document.expectSound()
  }

  @Test func `documents that merge each other at once do not wait forever`() async throws {
    let left = try SmallDocument()
    let right = left.document.fork(as: 2)
    try await concurrently { worker in
      for round in 0..<Self.rounds {
        let (into, from) =
          worker.isMultiple(of: 2) ? (left.document, right) : (right, left.document)
        try into.put(obj: .ROOT, key: "\(worker)-\(round)", value: .Null)
        try into.merge(other: from)
        try into.merge(other: into)
      }
    }
    try left.document.merge(other: right)
    try right.merge(other: left.document)
    #expect(left.document.heads() == right.heads())
    #expect(left.document.length(obj: .ROOT) == UInt64(3 + Self.workers * Self.rounds))
    left.document.expectSound()
  }

  @Test func `authors change while others write`() async throws {
    let small = try SmallDocument()
    let document = small.document
    try await concurrently { worker in
      for round in 0..<Self.rounds {
        if worker == 0 { document.actor = ActorId() }
        try document.put(obj: small.map, key: "\(worker)", value: .Int(Int64(round)))
      }
    }
    #expect(document.length(obj: small.map) == UInt64(Self.workers))
    for value in try document.values(obj: small.map) {
      #expect(value == .Scalar(.Int(Int64(Self.rounds - 1))))
    }
    document.expectSound()
  }
}

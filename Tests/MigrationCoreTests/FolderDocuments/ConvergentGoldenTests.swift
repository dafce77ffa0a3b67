import Automerge
import Folders
import Foundation
import SafeFiles
import Testing

@testable import FolderDocuments
@testable import MigrationCore

/// The vectors in `fixtures/convergent` were made by another implementation of convergent-import.md.
@Suite struct ConvergentGoldenTests {
  struct Expected: Decodable {
    var hash: String
    var actor: String?
    var startOp: Int
    var maxOp: Int?
  }

  struct Vector: Decodable {
    var kind: String?
    var id: String?
    var S: Expected?
    var C: Expected?
    var I: Expected?
    var J: Expected?
  }

  static func vectors() throws -> [String: Vector] {
    try JSONDecoder().decode(
      [String: Vector].self, from: Data(Fixtures.bytes("convergent/expected-hashes.json")))
  }

  static func built(_ name: String, _ kind: EntityKind) throws -> ConvergentChanges {
    var batch = EntityBatch()
    let json = try Fixtures.bytes("convergent/\(name).json")
    switch kind {
    case .tag:
      batch.load(Array("[".utf8) + json + Array("]".utf8), as: .tag, path: "vector.json")
    default:
      batch.load(json, as: .record, path: "vector.json")
    }
    var changes = ConvergentChanges()
    changes.build(try #require(batch.entities.first), of: batch)
    return changes
  }

  @Test(arguments: [
    ("record-1", EntityKind.record), ("record-2", .record), ("record-minimal", .record),
    ("record-over-1024-operations", .record), ("tag-1", .tag),
  ])
  func `the changes of an entity have the golden bytes`(_ name: String, _ kind: EntityKind) throws {
    let changes = try Self.built(name, kind)
    let vector = try #require(try Self.vectors()[name])
    #expect(changes.skeleton.hash.hex == vector.S?.hash)
    #expect(changes.content.hash.hex == vector.C?.hash)
    #expect(changes.hasImages == (vector.I != nil))
    #expect(try changes.skeleton.chunk == Fixtures.bytes("convergent/\(name).S.change"))
    #expect(try changes.content.chunk == Fixtures.bytes("convergent/\(name).C.change"))
    if changes.hasImages {
      #expect(changes.images.hash.hex == vector.I?.hash)
      #expect(try changes.images.chunk == Fixtures.bytes("convergent/\(name).I.change"))
    }
    #expect(changes.skeleton.author.bytes.hex == vector.S?.actor)
    #expect(changes.content.author.bytes.hex == vector.C?.actor)
  }

  @Test func `the join of two records has the golden bytes`() throws {
    var batch = ChangeBatch()
    for name in ["record-1", "record-2"] {
      let changes = try Self.built(name, .record)
      batch.append(changes.skeleton)
      batch.append(changes.content)
      if changes.hasImages { batch.append(changes.images) }
    }
    var state = DocumentState()
    try state.apply(batch)
    var draft = ChangeDraft()
    JoinChange.build(of: state.heads, maxCounter: state.maxCounter, in: &draft)
    #expect(
      try draft.chunk == Fixtures.bytes("convergent/join-of-record-1-and-record-2.change"))
    var join = ChangeBatch()
    join.append(draft)
    try state.apply(join)

    let golden = try DocumentState(
      loading: Fixtures.bytes("convergent/two-records.automerge"))
    #expect(state.heads == golden.heads)
    #expect(state.changeCount == golden.changeCount)
  }

  @Test func `a second entity built in the same storage has the same bytes`() throws {
    var batch = EntityBatch()
    var changes = ConvergentChanges()
    for name in ["record-over-1024-operations", "record-1", "record-2", "record-minimal"] {
      batch.load(
        try Fixtures.bytes("convergent/\(name).json"), as: .record, path: "vector.json")
      changes.build(try #require(batch.entities.first), of: batch)
      #expect(try changes.content.chunk == Fixtures.bytes("convergent/\(name).C.change"))
    }
  }
}

extension [UInt8] {
  var hex: String { map { String(format: "%02x", $0) }.joined() }
}

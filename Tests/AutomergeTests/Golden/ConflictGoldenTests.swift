@testable import Automerge
import Foundation
import Testing

/// The conflicts that the reference found: every value with its operation, and which of them wins.
@Suite struct ConflictGoldenTests {
  private func expectConflicts(
    of path: String, equal expected: [JSONTree], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let document = try Document(Data(try Fixtures.bytes(path)))
    let found = try ConflictRendering(document: document).conflicts()
    #expect(found.count == expected.count, sourceLocation: sourceLocation)
    #expect(Set(found) == Set(expected), sourceLocation: sourceLocation)
  }

  private func expected(_ golden: GoldenCase) throws -> [JSONTree] {
    try golden.conflicts.map { try Fixtures.tree($0).elements } ?? []
  }

  @Test func `many cases have conflicts`() {
    #expect(GoldenCase.all.count { $0.conflicts != nil } == 21)
  }

  @Test(arguments: GoldenCase.readable)
  func `a document has the conflicts of the reference and no others`(golden: GoldenCase) throws {
    try expectConflicts(of: golden.document, equal: expected(golden))
  }

  @Test(arguments: GoldenCase.sync, ["a", "b"])
  func `both sides of a sync end with the same conflicts`(
    golden: GoldenCase, side: String
  ) throws {
    try expectConflicts(of: "\(golden.name)/\(side)-after.automerge", equal: expected(golden))
  }

  @Test(arguments: GoldenCase.readable.filter { $0.conflicts != nil })
  func `the set of all values is the conflict's`(golden: GoldenCase) throws {
    let document = try Document(Data(try golden.bytes()))
    let typed = TypedRendering(document: document)
    for conflict in try expected(golden) {
      let object = try #require(conflict["obj"]?.text.flatMap(ObjId.init(named:)))
      let values: Set<Value>
      let past: Set<Value>
      switch try #require(conflict["prop"]) {
      case .string(let bytes):
        let key = String(decoding: bytes, as: UTF8.self)
        values = try document.getAll(obj: object, key: key)
        past = try document.getAllAt(obj: object, key: key, heads: document.heads())
      case let prop:
        let index = try #require(UInt64("\(prop)"))
        values = try document.getAll(obj: object, index: index)
        past = try document.getAllAt(obj: object, index: index, heads: document.heads())
      }
      let listed = try #require(conflict["values"]).elements.compactMap { $0["value"] }
      #expect(try Set(values.map(typed.tree)) == Set(listed))
      #expect(try Set(past.map(typed.tree)) == Set(listed))
    }
  }
}

extension ObjId {
  /// The object that the operation `counter@actor` made, or the root.
  fileprivate init?(named name: String) {
    let parts = name.split(separator: "@")
    guard parts.count == 2, let counter = UInt32(parts[0]),
      let actor = ActorId(hex: String(parts[1]))
    else {
      guard name == "_root" else { return nil }
      self = .ROOT
      return
    }
    self.init(counter: counter, actor: actor, actorHint: 0)
  }
}

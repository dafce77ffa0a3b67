import Foundation
import Testing

@testable import Automerge

/// Increments that name no predecessor, as version 0.11.0 of the reference writes them for counters
/// in lists: they are kept, and readers see nothing of them.
@Suite struct StrayIncrementTests {
  private static let first = SampleHistory.first

  /// A change of each kind: on a counter, a scalar, an element, a text's element, nothing.
  static let changes: [ForgedChange] = [
    ForgedOperation(.increment, .name("c"), .signed(7)),
    ForgedOperation(.increment, .name("a"), .unsigned(7)),
    ForgedOperation(.increment, .name("nothing"), .signed(-1)),
    ForgedOperation(.increment, in: first.id(2), .element(first.id(4)), .signed(7)),
    ForgedOperation(.increment, in: first.id(7), .element(first.id(9)), .signed(7)),
  ].map { first.followed(by: SampleHistory.otherAuthor, $0) }

  private func rendering(_ document: Document) throws -> JSONTree {
    try TypedRendering(document: document, heads: nil).state()
  }

  private func base() throws -> Document { try Document(Data(Self.first.bytes)) }

  @Test(arguments: changes)
  func `it loads, has no effect and comes out as it went in`(change: ForgedChange) throws {
    let document = try Document(Data(Self.first.bytes + change.bytes))
    let expected = try rendering(base())
    #expect(try rendering(document).firstDifference(from: expected) == nil)
    let hash = ChangeHash(bytes: change.hash)
    #expect(document.heads() == [hash])
    #expect(document.change(hash: hash)?.bytes == Data(change.bytes))
    let again = try Document(document.save())
    #expect(again.save() == document.save())
    #expect(again.change(hash: hash)?.bytes == Data(change.bytes))
    #expect(try rendering(again).firstDifference(from: expected) == nil)
    document.expectSound()
    #expect(document.difference(since: try base().heads()).isEmpty)
  }

  @Test(arguments: changes)
  func `it is applied, merged and synced like any change`(change: ForgedChange) throws {
    let hash = ChangeHash(bytes: change.hash)
    let applied = try base()
    try applied.applyEncodedChanges(encoded: Data(change.bytes))
    #expect(applied.heads() == [hash])

    let merged = try base()
    try merged.put(obj: .ROOT, key: "mine", value: .Int(1))
    try merged.merge(other: applied)
    #expect(merged.heads().contains(hash) && merged.heads().count == 2)
    merged.expectSound()

    var pair = SyncPair(merged, try base())
    try pair.converge()
    #expect(pair.isInStep)
    #expect(pair.right.getHistory().count == 3)
    pair.right.expectSound()
  }

  @Test func `the counter goes on counting`() throws {
    let document = try Document(Data(Self.first.bytes + Self.changes[0].bytes))
    try document.increment(obj: .ROOT, key: "c", by: 5)
    #expect(try document.get(obj: .ROOT, key: "c") == .Scalar(.Counter(15)))
    let heads = document.heads()
    #expect(try document.getAt(obj: .ROOT, key: "c", heads: heads) == .Scalar(.Counter(15)))
    try document.put(obj: .ROOT, key: "c", value: .Int(1))
    #expect(try document.getAll(obj: .ROOT, key: "c") == [.Scalar(.Int(1))])
    try document.delete(obj: .ROOT, key: "c")
    #expect(try Document(document.save()).get(obj: .ROOT, key: "c") == nil)
    document.expectSound()
  }

  @Test(arguments: changes)
  func `nothing of it is lost when the rest is damaged`(change: ForgedChange) throws {
    // The checksum is wrong, so nothing proves the document.
    var bytes = Array(try Document(Data(Self.first.bytes + change.bytes)).save())
    bytes[5] ^= 1
    let salvaged = SalvagedDocument(salvaging: bytes, labels: [])
    #expect(salvaged.lostCount == 0)
    let expected = try rendering(base())
    #expect(try rendering(Document(salvaged.state)).firstDifference(from: expected) == nil)
  }

  @Test func `an increment inside of an insert is still refused`() throws {
    var insert = ForgedOperation(.increment, in: Self.first.id(2), .head, .signed(1))
    insert.isInsert = true
    let change = Self.first.followed(by: insert)
    #expect(throws: LoadError.self) { try Document(Data(Self.first.bytes + change.bytes)) }
  }
}

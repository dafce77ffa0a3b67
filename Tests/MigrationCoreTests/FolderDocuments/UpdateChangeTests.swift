import Automerge
import Folders
import Testing

@testable import FolderDocuments
@testable import MigrationCore

@Suite struct UpdateChangeTests {
  private static let key = Array("comment".utf8)

  /// Two devices' edits of one imported record, in the order given.
  private func document(_ order: [UInt8]) throws -> (DocumentState, Identity) {
    let folder = try TestFolder()
    try folder.write(
      Legacy.record(1, "\"comment\":\"imported\""), to: "records/2024/01/2024-01-15_093000.json")
    try folder.importing()
    let imported = try folder.document("records/2024/01.automerge")
    let identity = Identity(Legacy.id(1))
    var merged = imported
    for actor in order {
      var editor = DocumentEditor(imported, actor: actor)
      try editor.set("comment", of: try #require(identity), to: "by \(actor)")
      try merged.merge(editor.finish())
    }
    return (merged, try #require(identity))
  }

  /// Replaces the comment of a record.
  private func update(_ document: inout DocumentState, _ identity: Identity) throws -> Bool {
    let map = try #require(document.value(of: .root, key: identity.canonicalBytes)).id
    var change = try UpdateChange(onto: document)
    let place = change.reference(to: map, of: document)
    let seen = change.predecessors(
      in: document.group(of: map, key: Self.key), of: document)
    change.draft.set(
      .string, Array("both".utf8).span, in: place, key: Self.key.span, predecessors: seen)
    return try change.apply(to: &document, as: .update)
  }

  @Test func `devices that hold the same history write the same bytes`() throws {
    var (one, identity) = try document([1, 2, 3])
    var (other, _) = try document([3, 1, 2])
    #expect(one.heads == other.heads)
    #expect(try update(&one, identity))
    #expect(try update(&other, identity))
    #expect(one.heads.count == 1)
    #expect(one.heads == other.heads)
    let row = try #require(one.row(ofChange: one.heads[0]))
    let change = one.change(at: row)
    #expect(change.sequence == 1 && change.time == 0 && change.message.isEmpty)
    try one.merge(other)
    #expect(one.changeCount == other.changeCount)
  }

  @Test func `what is replaced is hidden, and the document loads again`() throws {
    var (document, identity) = try document([2, 1])
    let map = try #require(document.value(of: .root, key: identity.canonicalBytes)).id
    let group = try #require(document.group(of: map, key: Self.key))
    #expect(document.values(in: group).count == 2)
    #expect(try update(&document, identity))
    let loaded = try DocumentState(loading: document.encoded())
    let after = try #require(loaded.value(of: .root, key: identity.canonicalBytes)).id
    let values = loaded.values(in: try #require(loaded.group(of: after, key: Self.key)))
    #expect(values.count == 1)
    #expect(loaded.heads == document.heads)
  }

  @Test func `a change without operations is not applied`() throws {
    var (document, _) = try document([1])
    let heads = document.heads
    var change = try UpdateChange(onto: document)
    #expect(change.isEmpty)
    #expect(try !change.apply(to: &document, as: .update))
    #expect(document.heads == heads)
  }
}

import Automerge
import Foundation
import Testing

/// Files, exported changes and merges.
@Suite struct ExchangeTests {
  private let small: SmallDocument
  private var document: Document { small.document }

  init() throws { small = try SmallDocument() }

  @Test func `a save loads as it was`() throws {
    try document.mark(
      obj: small.text, start: 0, end: 2, expand: .both, name: "m", value: .Boolean(true))
    let loaded = try Document(document.save())
    #expect(loaded.heads() == document.heads())
    #expect(loaded.getHistory() == document.getHistory())
    #expect(try loaded.text(obj: small.text) == "hello")
    #expect(try loaded.values(obj: small.list) == document.values(obj: small.list))
    #expect(try loaded.marks(obj: small.text) == document.marks(obj: small.text))
    #expect(loaded.save() == document.save())
    try loaded.put(obj: .ROOT, key: "k", value: .Int(1))
    try loaded.spliceText(obj: small.text, start: 5, delete: 0, value: "!")
    loaded.expectSound()
  }

  @Test func `what is new is what came since the last export or save`() throws {
    let new = Document()
    #expect(new.encodeNewChanges().isEmpty)
    try new.put(obj: .ROOT, key: "a", value: .Int(1))
    let first = new.encodeNewChanges()
    #expect(try Document(first).heads() == new.heads())
    #expect(new.encodeNewChanges().isEmpty)
    try new.put(obj: .ROOT, key: "b", value: .Int(2))
    let second = new.encodeNewChanges()
    #expect(try Document(first + second).heads() == new.heads())
    #expect(try Document(second + first).save() == new.save())
    try new.put(obj: .ROOT, key: "c", value: .Int(3))
    let file = new.save()
    #expect(new.encodeNewChanges().isEmpty)
    try new.put(obj: .ROOT, key: "d", value: .Int(4))
    #expect(try Document(file + new.encodeNewChanges()).heads() == new.heads())
  }

  @Test func `to a loaded document and to a fork everything is new`() throws {
    let all = try Document(document.encodeChangesSince(heads: [])).heads()
    for copy in [try Document(document.save()), document.fork()] {
      let bytes = copy.encodeNewChanges()
      #expect(try Document(bytes).heads() == all)
      #expect(copy.encodeNewChanges().isEmpty)
    }
  }

  @Test func `new changes are not compressed`() throws {
    try document.put(obj: .ROOT, key: "s", value: .String(String(repeating: "long ", count: 99)))
    _ = document.fork()
    let bytes = document.encodeNewChanges()
    #expect(try ChunkList(Array(bytes)).chunks.allSatisfy { $0.type == 1 })
  }

  @Test func `changes since heads are those that are no ancestors of them`() throws {
    let base = document.heads()
    let other = document.fork(as: 2)
    try document.put(obj: .ROOT, key: "mine", value: .Null)
    let mine = document.heads()
    try other.put(obj: .ROOT, key: "theirs", value: .Null)
    let theirs = other.heads()
    try document.merge(other: other)
    #expect(try document.encodeChangesSince(heads: document.heads()).isEmpty)
    try other.applyEncodedChanges(encoded: document.encodeChangesSince(heads: theirs))
    #expect(other.heads() == document.heads())
    let bytes = try document.encodeChangesSince(heads: base)
    let hashes = mine.union(theirs)
    #expect(try ChunkList(Array(bytes)).chunks.map(\.hash).count == hashes.count)
    let unknown = try #require(ChangeHash(hex: String(repeating: "2", count: 64)))
    #expect(try document.encodeChangesSince(heads: base.union([unknown])) == bytes)
    #expect(
      try document.encodeChangesSince(heads: [unknown])
        == document.encodeChangesSince(heads: []))
  }

  @Test func `changes may come in any order, in pieces and twice`() throws {
    for number in 0..<5 {
      try document.put(obj: .ROOT, key: "k", value: .Int(Int64(number)))
      document.commitWith()
    }
    let pieces = document.getHistory().compactMap { document.change(hash: $0)?.bytes }
    let late = Document()
    for piece in pieces.reversed() + pieces {
      try late.applyEncodedChanges(encoded: piece)
    }
    #expect(late.heads() == document.heads())
    #expect(try late.get(obj: .ROOT, key: "k") == .Scalar(.Int(4)))
    late.expectSound()
  }

  @Test func `a change that waits is saved and nothing else knows of it`() throws {
    try document.put(obj: .ROOT, key: "k", value: .Int(1))
    let last = try #require(document.heads().first.flatMap { document.change(hash: $0) })
    let waiting = Document()
    try waiting.applyEncodedChanges(encoded: last.bytes)
    #expect(waiting.heads().isEmpty)
    #expect(waiting.getHistory().isEmpty)
    #expect(waiting.change(hash: last.hash) == nil)
    #expect(waiting.keys(obj: .ROOT).isEmpty)
    let reloaded = try Document(waiting.save())
    try reloaded.merge(other: try document.forkAt(heads: Set(last.deps)))
    #expect(reloaded.heads() == document.heads())
    #expect(reloaded.save() == document.save())
  }

  @Test func `nothing to apply is no change`() throws {
    let file = document.save()
    try document.applyEncodedChanges(encoded: Data())
    try document.applyEncodedChanges(encoded: file)
    try document.applyEncodedChanges(encoded: Document().save())
    #expect(document.save() == file)
  }

  @Test func `what follows a bad chunk is not applied, what precedes it is`() throws {
    let other = document.fork(as: 2)
    try other.put(obj: .ROOT, key: "a", value: .Int(1))
    let first = other.encodeNewChanges()
    try other.put(obj: .ROOT, key: "b", value: .Int(1))
    let second = other.encodeNewChanges()
    let file = document.save()
    expectStop { try document.applyEncodedChanges(encoded: Data([1, 2, 3]) + first) }
    #expect(document.save() == file)
    expectStop { try document.applyEncodedChanges(encoded: first + second.dropLast()) }
    #expect(document.keys(obj: .ROOT) == ["a", "list", "map", "text"])
    try document.applyEncodedChanges(encoded: second)
    #expect(document.heads() == other.heads())
  }

  @Test func `patches are not lost with what stopped their changes`() throws {
    let other = document.fork(as: 2)
    let before = document.heads()
    try other.put(obj: .ROOT, key: "a", value: .Int(1))
    let first = other.encodeNewChanges()
    expectStop {
      _ = try document.applyEncodedChangesWithPatches(encoded: first + Data([1]))
    }
    #expect(
      document.difference(since: before).map(\.action)
        == [.Put(.ROOT, .Key("a"), .Scalar(.Int(1)))])
  }

  @Test func `changes that fit nowhere leave all as it was, and that is told`() throws {
    let twin = try SmallDocument(text: "other").document
    let file = document.save()
    let error = #expect(throws: DocError.self) {
      try document.applyEncodedChanges(encoded: twin.encodeChangesSince(heads: []))
    }
    #expect(error?.isPartlyApplied == false)
    #expect(document.save() == file)
  }

  /// Expects that a part of some changes was applied, and that the others are told.
  private func expectStop(
    sourceLocation: SourceLocation = #_sourceLocation, _ apply: () throws -> Void
  ) {
    let error = #expect(throws: DocError.self, sourceLocation: sourceLocation) { try apply() }
    #expect(error?.isPartlyApplied == true, sourceLocation: sourceLocation)
    #expect(
      error?.errorDescription?.hasPrefix("not all changes were applied: ") == true,
      sourceLocation: sourceLocation)
  }

  @Test func `a document without changes takes no input that begins badly`() throws {
    let empty = Document()
    let file = document.save()
    for bad in [Data([1, 2, 3]), Data([1]) + file, file.dropLast(), Data(file.dropFirst())] {
      #expect(throws: DocError.self) { try empty.applyEncodedChanges(encoded: bad) }
      #expect(throws: DocError.self) { try empty.applyEncodedChangesWithPatches(encoded: bad) }
      #expect(empty.save() == Document().save())
    }
    expectStop { try empty.applyEncodedChanges(encoded: file + Data([1, 2, 3])) }
    #expect(empty.heads() == document.heads())
  }

  @Test func `merging adds what the other has and leaves the other`() throws {
    let other = document.fork(as: 2)
    try document.put(obj: .ROOT, key: "mine", value: .Int(1))
    try other.put(obj: .ROOT, key: "theirs", value: .Int(2))
    let file = other.save()
    try document.merge(other: other)
    #expect(document.keys(obj: .ROOT) == ["list", "map", "mine", "text", "theirs"])
    #expect(other.save() == file)
    let merged = document.save()
    try document.merge(other: other)
    try document.merge(other: document)
    #expect(document.save() == merged)
  }

  @Test func `documents without a common past merge`() throws {
    let other = try SmallDocument(text: "other")
    let stranger = try Document(other.document.save())
    stranger.actor = try #require(ActorId(data: Data([9])))
    let alone = Document()
    alone.actor = try #require(ActorId(data: Data([8])))
    let text = try alone.putObject(obj: .ROOT, key: "text", ty: .Text)
    try document.merge(other: alone)
    #expect(
      try document.getAll(obj: .ROOT, key: "text") == [
        .Object(small.text, .Text), .Object(text, .Text),
      ])
    // The same author cannot have made two first changes.
    small.expectRefusal { try document.merge(other: other.document) }
    document.expectSound()
  }

  @Test func `two documents that merged each other are equal in all but order`() throws {
    let other = document.fork(as: 2)
    try document.spliceText(obj: small.text, start: 5, delete: 0, value: " one")
    try other.spliceText(obj: small.text, start: 5, delete: 0, value: " two")
    try document.merge(other: other)
    try other.merge(other: document)
    #expect(document.heads() == other.heads())
    #expect(try document.text(obj: small.text) == other.text(obj: small.text))
    #expect(try document.text(obj: small.text) == "hello two one")
  }

  @Test(arguments: TextEncoding.all)
  func `merging does not change how text is counted`(encoding: TextEncoding) throws {
    let other = try SmallDocument(textEncoding: .utf8, text: "a😀z")
    let copy = Document(textEncoding: encoding)
    try copy.merge(other: other.document)
    #expect(copy.textEncoding == encoding)
    #expect(copy.length(obj: other.text) == (encoding == .utf8 ? 6 : encoding == .utf16 ? 4 : 3))
    try copy.spliceText(
      obj: other.text, start: copy.length(obj: other.text), delete: 0, value: "!")
    #expect(try copy.text(obj: other.text) == "a😀z!")
    copy.expectSound()
  }
}

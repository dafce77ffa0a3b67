@testable import Automerge
import Testing

/// Documents that are written by sorting changes against those that applied them.
@Suite struct NewDocumentTests {
  private static let label: StaticString = "test"

  private static func join(_ heads: [ChangeHash], _ maxCounter: UInt32) -> ChangeDraft? {
    guard heads.count > 1 else { return nil }
    var draft = ChangeDraft()
    draft.begin(sequence: 1, startCounter: maxCounter + 1, dependencies: heads)
    draft.finish(deriving: "join")
    return draft
  }

  /// The changes of some entities: each makes a map with a list, others fill both, some of them
  /// twice, with maps, lists and texts inside.
  private static func batch(seed: UInt64, keepsChunks: Bool) -> ChangeBatch {
    var generator = SeededGenerator(seed: seed)
    var batch = ChangeBatch(keepsChunks: keepsChunks)
    for entity in 0..<Int.random(in: 1...12, using: &generator) {
      var skeleton = ChangeDraft()
      skeleton.begin(sequence: 1, startCounter: 1, dependencies: [])
      let map = skeleton.makeObject(.map, in: .root, key: Array("entity \(entity)".utf8).span)
      skeleton.makeObject(.list, in: map, key: Array("list".utf8).span)
      skeleton.finish(deriving: label)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        batch.append(skeleton)
        batch.append(content(of: skeleton, &generator))
        if Bool.random(using: &generator) { batch.append(images(of: skeleton, &generator)) }
      }
    }
    return batch
  }

  private static func content(
    of skeleton: ChangeDraft, _ generator: inout SeededGenerator
  ) -> ChangeDraft {
    var draft = ChangeDraft()
    draft.begin(
      sequence: 1, startCounter: UInt32.random(in: 3...9, using: &generator),
      dependencies: [skeleton.hash], otherActors: [skeleton.author])
    var places: [(object: ChangeDraft.LocalID, isMap: Bool)] = [
      (ChangeDraft.LocalID(counter: 1, actor: 1), true)
    ]
    var last: [ChangeDraft.LocalID: ChangeDraft.LocalID] = [:]
    var values: [(map: ChangeDraft.LocalID, key: [UInt8], id: ChangeDraft.LocalID)] = []
    for number in 0..<Int.random(in: 0...12, using: &generator) {
      let place = places[Int.random(in: 0..<places.count, using: &generator)]
      let key = Array("key \(Int.random(in: 0...40, using: &generator))".utf8)
      let kind: ObjectKind? = [nil, nil, nil, .map, .list, .text][
        Int.random(in: 0..<6, using: &generator)]
      let element =
        Bool.random(using: &generator) ? last[place.object] ?? .root : ChangeDraft.LocalID.root
      let id: ChangeDraft.LocalID
      switch (place.isMap, kind) {
      case (true, nil): id = draft.set(.int(Int64(number)), in: place.object, key: key.span)
      case (true, let kind?): id = draft.makeObject(kind, in: place.object, key: key.span)
      case (false, nil): id = draft.insert(.string, key.span, in: place.object, after: element)
      case (false, let kind?): id = draft.insertObject(kind, in: place.object, after: element)
      }
      if !place.isMap { last[place.object] = id }
      if place.isMap, kind == nil { values.append((place.object, key, id)) }
      if let kind { places.append((id, kind == .map)) }
    }
    // Some of the values go again, two of one key together.
    while let value = values.popLast() {
      guard Bool.random(using: &generator) else { continue }
      var ids = [value.id]
      if let twin = values.lastIndex(where: { $0.map == value.map && $0.key == value.key }) {
        ids.insert(values.remove(at: twin).id, at: 0)
      }
      draft.delete(in: value.map, key: value.key.span, predecessors: ids)
      if Bool.random(using: &generator) {
        draft.delete(in: value.map, key: value.key.span, predecessors: [value.id])
      }
    }
    draft.finish(deriving: label)
    return draft
  }

  private static func images(
    of skeleton: ChangeDraft, _ generator: inout SeededGenerator
  ) -> ChangeDraft {
    var draft = ChangeDraft()
    draft.begin(
      sequence: 1, startCounter: UInt32.random(in: 3...9, using: &generator),
      dependencies: [skeleton.hash], otherActors: [skeleton.author],
      message: Array((Bool.random(using: &generator) ? "images" : "").utf8))
    var elements = [ChangeDraft.LocalID.root]
    for number in 0..<Int.random(in: 1...6, using: &generator) {
      let element = elements[Int.random(in: 0..<elements.count, using: &generator)]
      elements.append(
        draft.insert(
          .string, Array("\(number).png".utf8).span,
          in: ChangeDraft.LocalID(counter: 2, actor: 1), after: element))
    }
    draft.finish(deriving: label)
    return draft
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a document written by sorting is the one that applied the changes`(seed: UInt64) throws {
    var batch = Self.batch(seed: seed, keepsChunks: seed % 2 == 0)
    var generator = SeededGenerator(seed: seed)
    let order = Array(0..<batch.count)
    let first = Int.random(in: 0..<order.count, using: &generator)
    var applied = batch
    let outlook = try DocumentState().outlook(applying: batch)
    if let join = Self.join(outlook.heads, outlook.maxCounter) { applied.append(join) }
    var expected = DocumentState()
    let count = try expected.apply(applied)

    let taken = batch.takeDocument(of: order, joinedBy: Self.join)
    let written = try #require(taken, "seed \(seed)")
    #expect(written.bytes == expected.encoded(), "seed \(seed)")
    #expect(written.changeCount == count, "seed \(seed)")
    #expect(batch.isEmpty)

    // What lacks a change it builds on is not written.
    var part = applied
    let isWhole = part.takeDocument(of: Array(first..<order.count), joinedBy: Self.join) != nil
    let entries = applied.entries
    let isComplete = (first..<order.count).allSatisfy { index in
      applied.dependencies[entries[index].dependencies].allSatisfy { hash in
        (first..<index).contains { entries[$0].hash == hash }
      }
    }
    #expect(!isWhole || isComplete, "seed \(seed)")
  }

  @Test func `what replaces something is left to a document`() throws {
    var first = ChangeDraft()
    first.begin(sequence: 1, startCounter: 1, dependencies: [])
    let value = first.set(.int(1), in: .root, key: Array("a".utf8).span)
    first.finish(deriving: Self.label)
    var second = ChangeDraft()
    second.begin(
      sequence: 1, startCounter: 2, dependencies: [first.hash], otherActors: [first.author])
    second.set(
      .int(2), in: .root, key: Array("a".utf8).span,
      predecessors: [ChangeDraft.LocalID(counter: value.counter, actor: 1)])
    second.finish(deriving: Self.label)
    var batch = ChangeBatch()
    batch.append(first)
    batch.append(second)
    let written = batch.takeDocument(of: [0, 1], joinedBy: Self.join)
    #expect(written?.bytes == nil)
    #expect(try DocumentState().outlook(applying: batch).heads == [second.hash])
  }

  @Test func `what deletes the value of another change is left to a document`() throws {
    var first = ChangeDraft()
    first.begin(sequence: 1, startCounter: 1, dependencies: [])
    let value = first.set(.int(1), in: .root, key: Array("a".utf8).span)
    first.finish(deriving: Self.label)
    var second = ChangeDraft()
    second.begin(
      sequence: 1, startCounter: 2, dependencies: [first.hash], otherActors: [first.author])
    second.delete(
      in: .root, key: Array("a".utf8).span,
      predecessors: [ChangeDraft.LocalID(counter: value.counter, actor: 1)])
    second.finish(deriving: Self.label)
    var batch = ChangeBatch()
    batch.append(first)
    batch.append(second)
    let written = batch.takeDocument(of: [0, 1], joinedBy: Self.join)
    #expect(written?.bytes == nil)
    var document = DocumentState()
    #expect(try document.apply(batch) == 2)
  }

  @Test func `an author's second change is left to a document`() {
    var batch = ChangeBatch()
    var last: [ChangeHash] = []
    for sequence in 1...2 as ClosedRange<UInt32> {
      var draft = ChangeDraft()
      draft.begin(sequence: sequence, startCounter: sequence, dependencies: last)
      draft.set(.int(1), in: .root, key: Array("\(sequence)".utf8).span)
      draft.finish(author: ActorId(bytes: [1]))
      last = [draft.hash]
      batch.append(draft)
    }
    for order in [[0, 1], [1]] {
      let written = batch.takeDocument(of: order, joinedBy: Self.join)
      #expect(written?.bytes == nil, "\(order)")
    }
    let written = batch.takeDocument(of: [0], joinedBy: Self.join)
    #expect(written?.bytes != nil)
  }
}

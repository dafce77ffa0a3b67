@testable import Automerge
import Testing

/// Drafts against the specification's worked examples and the forger.
@Suite struct ChangeDraftTests {
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `a draft writes the worked example of a change`() {
    var draft = ChangeDraft()
    draft.begin(sequence: 1, startCounter: 1, dependencies: [])
    draft.set(.int(1), in: .root, key: Self.bytes("a").span)
    draft.finish(author: ActorId(bytes: [0x12, 0x34]))
    #expect(draft.chunk == ForgingTests.smallChangeBytes)
    #expect(draft.hash.bytes == ForgingTests.smallChange.hash)
  }

  @Test func `a draft writes the worked example of an import and its document`() throws {
    var draft = ChangeDraft()
    draft.begin(
      sequence: 1, startCounter: 1, dependencies: [], time: 1_700_000_000,
      message: Self.bytes("import"))
    let records = ["r1", "r2"].map {
      draft.makeObject(.map, in: .root, key: Self.bytes($0).span)
    }
    var lists: [ChangeDraft.LocalID] = []
    for (record, (age, name)) in zip(records, [(30, "Ann"), (41, "Bob")]) {
      draft.set(.int(Int64(age)), in: record, key: Self.bytes("age").span)
      draft.set(.string, Self.bytes(name).span, in: record, key: Self.bytes("name").span)
      lists.append(draft.makeObject(.list, in: record, key: Self.bytes("tags").span))
    }
    for (list, tags) in zip(lists, [["x", "y"], ["z"]]) {
      var last = ChangeDraft.LocalID.root
      for tag in tags { last = draft.insert(.string, Self.bytes(tag).span, in: list, after: last) }
    }
    draft.finish(author: ActorId(bytes: [0xab, 0xcd]))
    #expect(draft.chunk == ForgingTests.twoRecordsBytes)
    #expect(draft.operationCount == 11)

    var batch = ChangeBatch()
    batch.append(draft)
    var state = DocumentState()
    #expect(try state.apply(batch) == 1)
    #expect(state.encoded() == ForgingTests.twoRecordsDocumentBytes)
  }

  @Test func `the worked example of increments has these columns`() throws {
    var change = ForgedChange(
      ForgedOperation(
        .increment, .name("ctr"), .signed(5),
        predecessors: [ForgedOperation.ID(counter: 9, actor: [0xaa, 0xbb])]),
      ForgedOperation(
        .increment, .name("ctr"), .signed(-2),
        predecessors: [ForgedOperation.ID(counter: 9, actor: [0xaa, 0xbb])]))
    change.author = [0xaa, 0xbb]
    change.sequence = 2
    change.startCounter = 11

    var draft = ChangeDraft()
    draft.begin(sequence: 2, startCounter: 11, dependencies: [])
    let counter = ChangeDraft.LocalID(counter: 9, actor: 0)
    for amount: Int64 in [5, -2] {
      draft.increment(
        by: amount, in: .root, key: Self.bytes("ctr").span, predecessors: [counter])
    }
    draft.finish(author: ActorId(bytes: [0xaa, 0xbb]))
    #expect(draft.body == change.chunk.body)
    let columns = try ForgedChange.Parts(parsing: draft.body).columns
    for (number, text) in [
      (21, "0203637472"), (52, "02"), (66, "0205"), (86, "0214"), (87, "057e"), (112, "0201"),
      (113, "0200"), (115, "7e0900"),
    ] as [(UInt64, String)] {
      #expect(columns[number] == hex(text), "column \(number)")
    }
  }

  @Test func `the worked example of an empty change has this body`() {
    let dependencies = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]
    var draft = ChangeDraft()
    draft.begin(
      sequence: 3, startCounter: 3, dependencies: dependencies.map { ChangeHash(bytes: $0) },
      time: 7, message: Self.bytes("merge"))
    draft.finish(author: ActorId(bytes: [1]))
    #expect(
      draft.body == [2] + dependencies.joined() + hex("0101 0303 07 05 6d65726765 00 00"))
  }

  @Test func `every kind of value is written as the specification shows`() throws {
    var draft = ChangeDraft()
    draft.begin(sequence: 1, startCounter: 1, dependencies: [])
    let key = Self.bytes("k")
    draft.set(.null, in: .root, key: key.span)
    draft.set(.boolean(true), in: .root, key: key.span)
    draft.set(.boolean(false), in: .root, key: key.span)
    draft.set(.int(-65), in: .root, key: key.span)
    draft.set(.uint(300), in: .root, key: key.span)
    draft.set(.float(1.5), in: .root, key: key.span)
    draft.set(.string, Self.bytes("héllo").span, in: .root, key: key.span)
    draft.set(.bytes, hex("0102ff").span, in: .root, key: key.span)
    draft.set(.counter(10), in: .root, key: key.span)
    draft.set(.timestamp(1_700_000_000_000), in: .root, key: key.span)
    draft.finish(author: ActorId(bytes: [1]))
    let columns = try ForgedChange.Parts(parsing: draft.body).columns
    #expect(columns[86] == hex("76 00 02 01 24 23 85 01 66 37 18 69"))
    #expect(
      columns[87]
        == hex("bf7f ac02 000000000000f83f 68c3a96c6c6f 0102ff 0a 80d095ffbc31"))
  }

  @Test func `a derived author is a function of the body and the label`() {
    func author(_ label: StaticString, _ value: Int64) -> ActorId {
      var draft = ChangeDraft()
      draft.begin(sequence: 1, startCounter: 1, dependencies: [])
      draft.set(.int(value), in: .root, key: Self.bytes("a").span)
      draft.finish(deriving: label)
      var anonymous = ForgedChange(.set("a", .signed(value)))
      anonymous.author = [UInt8](repeating: 0, count: 16)
      let digest = SHA256Digest.of(
        Array(label.description.utf8) + [0] + anonymous.chunk.body)
      #expect(draft.author.bytes == Array(digest.prefix(16)))
      anonymous.author = draft.author.bytes
      #expect(draft.chunk == anonymous.bytes)
      return draft.author
    }
    #expect(author("automerge-migrate/1/content", 1) == author("automerge-migrate/1/content", 1))
    #expect(author("automerge-migrate/1/content", 1) != author("automerge-migrate/1/content", 2))
    #expect(author("automerge-migrate/1/content", 1) != author("automerge-migrate/1/skeleton", 1))
  }

  @Test func `one draft serves change after change`() throws {
    var draft = ChangeDraft()
    var state = DocumentState()
    var last: ForgedChange?
    for index in 0..<5 {
      var forged =
        last?.followed(by: .set("k\(index)", .unsigned(UInt64(index))))
        ?? ForgedChange(.set("k0", .unsigned(0)))
      forged.message = index % 2 == 0 ? [] : Self.bytes("change \(index)")
      draft.begin(
        sequence: UInt32(index + 1), startCounter: UInt32(index + 1),
        dependencies: forged.dependencies.map { ChangeHash(bytes: $0) }, message: forged.message)
      draft.set(.uint(UInt64(index)), in: .root, key: Self.bytes("k\(index)").span)
      draft.finish(author: ActorId(bytes: forged.author))
      #expect(draft.chunk == forged.bytes)
      var batch = ChangeBatch()
      batch.append(draft)
      try state.apply(batch)
      last = forged
    }
    #expect(state.changeCount == 5)
    #expect(String(decoding: state.change(at: 3).message, as: UTF8.self) == "change 3")
    #expect(try DocumentState(loading: state.encoded()).heads == state.heads)
  }

  @Test func `a draft can move to another start`() {
    var draft = ChangeDraft()
    func build(_ start: UInt32) {
      draft.begin(sequence: 1, startCounter: start, dependencies: [])
      let list = draft.makeObject(.list, in: .root, key: Self.bytes("l").span)
      let first = draft.insert(.int(1), in: list, after: .root)
      draft.insert(.int(2), in: list, after: first)
    }
    build(100)
    draft.finish(author: ActorId(bytes: [1]))
    let expected = draft.chunk
    build(1)
    draft.renumber(startCounter: 100)
    draft.finish(author: ActorId(bytes: [1]))
    #expect(draft.chunk == expected)
  }
}

import Automerge
import Foundation
import Testing

/// The model against the examples of the specification that were checked with the reference.
@Suite struct ModelExampleTests {
  private typealias ID = ModelOperation.ID

  private static let one = ActorId(hex: "01") ?? ActorId()
  private static let two = ActorId(hex: "02") ?? ActorId()
  private static let early = ActorId(hex: "00ff") ?? ActorId()

  private func id(_ counter: UInt64, _ actor: ActorId) -> ID { ID(counter: counter, actor: actor) }

  private func string(_ text: String) -> ModelScalar { ModelScalar(.String(text)) }

  private func int(_ value: Int64) -> ModelScalar { ModelScalar(.Int(value)) }

  /// A model with a text, which is object 1@01.
  private func text(
    _ text: String, encoding: TextEncoding = .unicodeScalar
  ) throws -> (ModelReplica, ID) {
    var replica = ModelReplica(actor: Self.one, encoding: encoding)
    let object = try replica.putObject(nil, .key("t"), .Text)
    try replica.spliceText(object, start: 0, deleting: 0, inserting: text)
    return (replica, object)
  }

  @Test func `actors are ordered by their bytes, a prefix first`() {
    #expect(id(1, Self.early) < id(1, Self.one))
    #expect(id(1, Self.one) < id(1, Self.two))
    #expect(id(1, Self.two) < id(2, Self.early))
  }

  /// format.md 5.4
  @Test func `a delete and an overwrite take away what they saw`() throws {
    var first = ModelReplica(actor: Self.one)
    for name in ["x", "y", "z"] { try first.put(nil, .key(name), int(0)) }
    try first.put(nil, .key("k"), string("base"))
    try first.put(nil, .key("c"), .counter(1))
    first.commit()
    var second = first.fork(actor: Self.two)
    var third = first.fork(actor: Self.early)

    try first.put(nil, .key("k"), string("fromA"))
    for name in ["x", "y"] { try first.put(nil, .key(name), int(1)) }
    try first.increment(nil, .key("c"), by: 10)
    try second.put(nil, .key("k"), string("fromB"))
    for name in ["x", "y"] { try second.put(nil, .key(name), int(2)) }
    try second.increment(nil, .key("c"), by: 100)
    try third.delete(nil, .key("k"))
    try third.put(nil, .key("x"), int(3))
    try third.put(nil, .key("c"), string("text"))
    first.commit()
    second.commit()
    third.commit()
    first.merge(second)
    #expect(shown(first, "c") == .scalar(.counter(111)))
    first.merge(third)

    let values = first.view.values(of: nil, name: Array("k".utf8)).map(\.id)
    #expect(values == [id(6, Self.one), id(6, Self.two)])
    #expect(shown(first, "k") == .scalar(string("fromB")))
    #expect(shown(first, "c") == .scalar(string("text")))
    #expect(first.view.values(of: nil, name: Array("c".utf8)).map(\.id) == [id(8, Self.early)])
  }

  private func shown(_ replica: ModelReplica, _ name: String) -> ModelView.Shown? {
    replica.view.values(of: nil, name: Array(name.utf8)).last.map(replica.view.shown)
  }

  /// format.md 5.5
  @Test func `concurrent inserts at a place are ordered by descending id`() {
    let list = id(1, Self.one)
    func insert(_ id: ID, after reference: ID?, _ text: String) -> ModelOperation {
      ModelOperation(
        id: id, object: list, key: .element(reference), isInsert: true, action: .set,
        value: string(text))
    }
    let base = id(2, Self.one)
    let operations = [
      ModelOperation(id: list, object: nil, key: .name([0x6c]), action: .makeList),
      insert(base, after: nil, "x"), insert(id(3, Self.one), after: base, "y"),
      insert(id(7, Self.one), after: base, "A1"),
      insert(id(8, Self.one), after: id(7, Self.one), "A2"),
      insert(id(7, Self.two), after: base, "B1"), insert(id(9, Self.early), after: base, "E1"),
    ]
    for order in [operations, operations.reversed()] {
      let sequence = ModelView(order).sequence(of: list).map(\.insert.value.text)
      #expect(sequence == ["x", "E1", "B1", "A1", "A2", "y"])
    }
  }

  /// format.md 5.5
  @Test func `an element that is set while it is deleted stays`() throws {
    var first = ModelReplica(actor: Self.one)
    let list = try first.putObject(nil, .key("l"), .List)
    try first.splice(list, start: 0, deleting: 0, inserting: [int(1), int(2), int(3)])
    first.commit()
    var second = first.fork(actor: Self.two)
    try first.delete(list, .index(1))
    try second.put(list, .index(1), int(20))
    first.commit()
    second.commit()
    first.merge(second)
    let values = first.view.present(in: list).map { $0.values.last?.value.number }
    #expect(values == [1, 20, 3])
  }

  /// format.md 5.7
  @Test func `a text is cut in scalars, or in clusters where clusters are counted`() throws {
    for (encoding, count, length) in [
      (TextEncoding.unicodeScalar, 5, 5), (.utf8, 5, 9), (.utf16, 5, 6),
      (.graphemeCluster, 4, 4),
    ] {
      let (replica, object) = try text("a😀e\u{301}z", encoding: encoding)
      let elements = replica.view.present(in: object)
      #expect(elements.count == count)
      #expect(elements.length(in: encoding) == length)
      #expect(replica.view.text(of: object) == Array("a😀e\u{301}z".utf8))
    }
  }

  /// format.md 5.6, 5.7
  @Test func `inside a wide element an insert goes behind it and a delete takes all of it`() throws
  {
    var (replica, object) = try text("ab")
    #expect(throws: ModelError.wrongObjectKind) {
      try replica.insert(object, at: 1, string("wide"))
    }
    replica.isForeign = true
    try replica.insert(object, at: 1, string("wide"))
    try replica.spliceText(object, start: 3, deleting: 0, inserting: "-")
    #expect(replica.view.text(of: object) == Array("awide-b".utf8))
    try replica.spliceText(object, start: 2, deleting: 1, inserting: "+")
    #expect(replica.view.text(of: object) == Array("a+-b".utf8))
    try replica.spliceText(object, start: 3, deleting: -2, inserting: "")
    #expect(replica.view.text(of: object) == Array("ab".utf8))
  }

  /// format.md 5.8
  @Test func `an increment counts for every counter in conflict and hides the rest`() throws {
    var first = ModelReplica(actor: Self.one)
    try first.put(nil, .key("c"), .counter(1))
    first.commit()
    var second = first.fork(actor: Self.two)
    var third = first.fork(actor: Self.early)
    try second.put(nil, .key("c"), .counter(50))
    try third.put(nil, .key("c"), string("text"))
    try first.put(nil, .key("c"), .counter(2))
    for replica in [second, third] {
      var replica = replica
      replica.commit()
      first.commit()
      first.merge(replica)
    }
    #expect(first.view.values(of: nil, name: [0x63]).count == 3)
    try first.increment(nil, .key("c"), by: 5)
    let view = first.view
    let values = view.values(of: nil, name: [0x63]).map(view.shown)
    #expect(values == [.scalar(.counter(7)), .scalar(.counter(55))])
    try first.put(nil, .key("c"), string("x"))
    #expect(throws: ModelError.noCounter) { try first.increment(nil, .key("c"), by: 1) }
  }

  /// format.md 5.9
  @Test func `text at the edge of a mark belongs to it as the mark says`() throws {
    for (expand, start, end) in [
      (ExpandMark.none, 2, 4), (.before, 1, 4), (.after, 2, 5), (.both, 1, 5),
    ] {
      var (replica, object) = try text("abcd")
      try replica.mark(object, start: 1, end: 3, expand: expand, name: "b", value: int(1))
      try replica.spliceText(object, start: 3, deleting: 0, inserting: "Y")
      try replica.spliceText(object, start: 1, deleting: 0, inserting: "X")
      let elements = replica.view.sequence(of: object)
      #expect(replica.view.text(of: object) == Array("aXbcYd".utf8))
      let mark = ModelMark(start: start, end: end, name: [0x62], value: int(1))
      #expect(elements.marks(in: .unicodeScalar) == [mark])
    }
  }

  /// format.md 5.9
  @Test func `the end of an empty mark comes after its beginning`() throws {
    for expand in [ExpandMark.before, .after, .both] {
      for index in 0...2 {
        var (replica, object) = try text("ab")
        try replica.mark(
          object, start: index, end: index, expand: expand, name: "m", value: int(1))
        let elements = replica.view.sequence(of: object)
        let begin = try #require(elements.firstIndex { $0.insert.markName != nil })
        let end = try #require(elements.firstIndex { $0.endedMark != nil })
        #expect(begin < end)
        #expect(elements.marks(in: .unicodeScalar).isEmpty)
      }
    }
    var (replica, object) = try text("ab")
    try replica.mark(object, start: 1, end: 1, expand: .none, name: "m", value: int(1))
    #expect(!replica.view.sequence(of: object).contains { $0.insert.action == .mark })
  }

  /// format.md 6.2
  @Test func `writing what is there makes no operation, except of NaN`() throws {
    var replica = ModelReplica(actor: Self.one)
    for value in [string("x"), int(1), .counter(1), .null] {
      try replica.put(nil, .key("k"), value)
      let count = replica.pending.count
      try replica.put(nil, .key("k"), value)
      #expect(replica.pending.count == count)
    }
    for _ in 0..<2 { try replica.put(nil, .key("n"), ModelScalar(.F64(.nan))) }
    #expect(replica.pending.count == 6)
    try replica.delete(nil, .key("missing"))
    #expect(replica.pending.count == 6)
  }

  @Test func `stored numbers read as they were`() {
    for value: Int64 in [0, 1, -1, 63, 64, -64, -65, 1 << 40, -(1 << 40), .max, .min] {
      #expect(int(value).number == value)
      #expect(ModelScalar.counter(value).number == value)
    }
    #expect(ModelScalar(.Uint(.max)).value == .Uint(.max))
    #expect(ModelScalar(.F64(-0.5)).double == -0.5)
  }
}

import Automerge
import Foundation
import Testing

@Suite struct CounterTests {
  private let place = CodableDocument()
  private var document: Document { place.document }

  private func counters() throws -> ObjId {
    try document.put(obj: .ROOT, key: "one", value: .Counter(1))
    try document.put(obj: .ROOT, key: "two", value: .Counter(1))
    let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
    try document.insert(obj: list, index: 0, value: .Counter(10))
    return list
  }

  @Test func `a counter that is not bound is its own`() {
    let counter = Counter(2)
    #expect(!counter.isBound && counter.value == 2 && counter.description == "2")
    counter.value = 5
    counter.increment(by: -7)
    #expect(counter.value == -2)
    #expect(Counter().value == 0)
    counter.value = .max
    counter.increment(by: 1)
    #expect(counter.value == .min)
  }

  @Test func `a bound counter counts in the document`() throws {
    let list = try counters()
    let counter = try Counter(doc: document, path: "one")
    #expect(counter.isBound && counter.value == 1)
    counter.value = 4
    counter.increment(by: 3)
    #expect(try place.scalar("one") == .Counter(7))
    try document.increment(obj: .ROOT, key: "one", by: 10)
    #expect(counter.value == 17)
    let element = try Counter(doc: document, objId: list, key: AnyCodingKey(0))
    element.increment(by: 1)
    #expect(try place.scalar("list.[0]") == .Counter(11))
    #expect(try Counter(doc: document, objId: .ROOT, key: AnyCodingKey("two")).value == 1)
  }

  @Test func `binding adds what was counted before`() throws {
    _ = try counters()
    #expect(try Counter(5, doc: document, path: "list.[0]").value == 15)
    let counter = Counter(-3)
    try counter.bind(doc: document, path: "one")
    #expect(counter.value == -2)
    try counter.bind(doc: document, path: "two")
    #expect(counter.value == 1)
    #expect(try place.scalar("one") == .Counter(-2))
  }

  @Test func `only counters are bound`() throws {
    let list = try counters()
    try document.put(obj: .ROOT, key: "int", value: .Int(1))
    #expect(throws: BindingError.InvalidPath("")) { try Counter(doc: document, path: "") }
    for path in ["int", "none", "list", "list.[1]"] {
      #expect(throws: BindingError.NotCounter) { try Counter(3, doc: document, path: path) }
    }
    #expect(throws: BindingError.NotCounter) {
      try Counter(doc: document, objId: list, key: AnyCodingKey(7))
    }
    #expect(throws: DocError.self) {
      try Counter(doc: document, objId: list, key: AnyCodingKey("a"))
    }
    let error = try error(CodingKeyLookupError.self) { try Counter(doc: document, path: "a.b") }
    #expect(error.name == "SchemaMissing")
    #expect(throws: PathParseError.self) { try Counter(doc: document, path: "[]") }
  }

  @Test func `a counter that is gone goes on with its last value`() throws {
    _ = try counters()
    let counter = try Counter(doc: document, path: "one")
    #expect(counter.value == 1)
    try document.put(obj: .ROOT, key: "one", value: .String("overwritten by somebody"))
    counter.increment(by: 4)
    #expect(counter.value == 5)
    counter.value = 3
    #expect(counter.value == 3 && counter.isBound)
    let element = try Counter(doc: document, path: "list.[0]")
    try document.delete(obj: .ROOT, key: "list")
    try document.delete(obj: .ROOT, key: "two")
    #expect(element.value == 10)
    #expect(try place.scalar("one") == .String("overwritten by somebody"))
  }

  // MARK: Codable

  @Test func `encoding makes a counter, or increments the one that is there`() throws {
    try place.encoder.encode(["value": Counter(5)])
    #expect(try place.scalar("value") == .Counter(5))
    let other = document.fork()
    try place.encoder.encode(["value": Counter(8)])
    #expect(try place.scalar("value") == .Counter(8))
    try AutomergeEncoder(doc: other).encode(["value": Counter(4)])
    try document.merge(other: other)
    #expect(try place.scalar("value") == .Counter(7))
    let heads = document.heads()
    try place.encoder.encode(["value": Counter(7)])
    #expect(document.heads() == heads)
    try place.encoder.encode(["value": 1])
    try place.encoder.encode(["value": Counter(2)])
    #expect(try place.scalar("value") == .Counter(2))
  }

  @Test func `counters in lists are bound by index, and new ones add to those that are there`()
    throws
  {
    try place.encoder.encode(["list": [Counter(1), Counter(2)]])
    let read = try place.decoder.decode([String: [Counter]].self)
    let counters = try #require(read["list"])
    #expect(counters.map(\.value) == [1, 2] && counters.allSatisfy(\.isBound))
    counters[1].increment(by: 5)
    try place.encoder.encode(read)
    #expect(try place.decoder.decode([String: [Counter]].self)["list"]?.map(\.value) == [1, 7])
    try place.encoder.encode(["list": [Counter(10)]])
    #expect(try place.decoder.decode([String: [Counter]].self)["list"]?.map(\.value) == [11])
    // Where another element of the list has moved to, its value is what counts.
    try place.encoder.encode(["list": [Counter(0), Counter(4)]])
    let moved = try #require(try place.decoder.decode([String: [Counter]].self)["list"])
    try place.encoder.encode(["list": [moved[1]]])
    #expect(try place.scalar("list.[0]") == .Counter(4))
  }

  @Test func `votes of two places add up`() throws {
    struct Ballot: Codable, Equatable {
      var votes: Counter
    }
    try place.encoder.encode(Ballot(votes: Counter(0)))
    let forks = [document.fork(), document.fork()]
    for (fork, count) in zip(forks, [3, -1]) {
      let ballot = try AutomergeDecoder(doc: fork).decode(Ballot.self)
      ballot.votes.value += count
      try AutomergeEncoder(doc: fork).encode(ballot)
    }
    for fork in forks { try document.merge(other: fork) }
    #expect(try place.decoder.decode(Ballot.self).votes.value == 2)
  }

  @Test func `other coders see a map with a value`() throws {
    let json = try JSONEncoder().encode([Counter(5)])
    #expect(String(decoding: json, as: UTF8.self) == #"[{"value":5}]"#)
    let read = try JSONDecoder().decode([Counter].self, from: json)
    #expect(read.map(\.value) == [5] && !read[0].isBound)
  }

  // MARK: Equality

  @Test func `counters of one document are equal if they stand at the same place`() throws {
    _ = try counters()
    let one = try Counter(doc: document, path: "one")
    let same = try Counter(doc: document, path: "one")
    let two = try Counter(doc: document, path: "two")
    #expect(one == same && one.hashValue == same.hashValue)
    #expect(one != two, "two counters of one map are two counters")
    #expect(one == Counter(1) && Counter(1) == two && one != Counter(2))
    #expect(one.hashValue == Counter(1).hashValue)
    let fork = document.fork()
    let forked = try Counter(doc: fork, path: "one")
    #expect(one == forked)
    forked.increment(by: 1)
    #expect(one != forked)
  }
}

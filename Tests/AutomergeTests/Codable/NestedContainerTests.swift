import Automerge
import Foundation
import Testing

/// Types that write their containers by hand.
@Suite struct NestedContainerTests {
  private let place = CodableDocument()

  private struct Coordinate: Codable, Equatable {
    var latitude = 1.0
    var elevation = 2
    var path = [3, 4]
    var matrix = [[5], [6, 7]]
    var extra: [String: Int] = ["a": 1]

    enum Keys: CodingKey {
      case latitude, info, lists
    }

    enum InfoKeys: CodingKey {
      case elevation, path, extra
    }

    init(extra: [String: Int] = ["a": 1]) { self.extra = extra }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      latitude = try container.decode(Double.self, forKey: .latitude)
      let info = try container.nestedContainer(keyedBy: InfoKeys.self, forKey: .info)
      elevation = try info.decode(Int.self, forKey: .elevation)
      var path = try info.nestedUnkeyedContainer(forKey: .path)
      self.path = []
      while !path.isAtEnd { self.path.append(try path.decode(Int.self)) }
      var lists = try container.nestedUnkeyedContainer(forKey: .lists)
      matrix = []
      while lists.currentIndex < 2 {
        var row: [Int] = []
        var list = try lists.nestedUnkeyedContainer()
        while !list.isAtEnd { row.append(try list.decode(Int.self)) }
        matrix.append(row)
      }
      let last = try lists.nestedContainer(keyedBy: AnyCodingKey.self)
      #expect(lists.isAtEnd)
      extra = [:]
      for key in last.allKeys {
        #expect(last.contains(key))
        extra[key.stringValue] = try last.decode(Int.self, forKey: key)
      }
      #expect(!last.contains(AnyCodingKey("none")))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(latitude, forKey: .latitude)
      var info = container.nestedContainer(keyedBy: InfoKeys.self, forKey: .info)
      try info.encode(elevation, forKey: .elevation)
      var path = info.nestedUnkeyedContainer(forKey: .path)
      for step in self.path { try path.encode(step) }
      var lists = container.nestedUnkeyedContainer(forKey: .lists)
      for row in matrix {
        var list = lists.nestedUnkeyedContainer()
        for number in row { try list.encode(number) }
      }
      var last = lists.nestedContainer(keyedBy: AnyCodingKey.self)
      for (key, value) in extra { try last.encode(value, forKey: AnyCodingKey(key)) }
    }
  }

  @Test func `nested containers are objects in objects, each with its own keys`() throws {
    #expect(try place.roundTrip(["a": Coordinate()]) == ["a": Coordinate()])
    #expect(place.document.keys(obj: try place.object("a")) == ["info", "latitude", "lists"])
    #expect(place.document.keys(obj: try place.object("a.info")) == ["elevation", "path"])
    var shorter = Coordinate(extra: ["b": 2])
    shorter.path = [9]
    shorter.matrix = [[], [1]]
    #expect(try place.roundTrip(["a": shorter]) == ["a": shorter])
    #expect(try place.roundTrip(shorter) == shorter)
  }

  private class Base: Codable {
    var name = ""
  }

  private final class Derived: Base {
    var size = 0

    override init() { super.init() }

    private enum Keys: CodingKey {
      case size
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      size = try container.decode(Int.self, forKey: .size)
      try super.init(from: try container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(size, forKey: .size)
      #expect(container.superEncoder(forKey: .size).codingPath.count == container.codingPath.count)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func `a superclass shares the map of its subclass`() throws {
    let derived = Derived()
    derived.name = "n"
    derived.size = 3
    let read = try place.roundTrip(derived)
    #expect(read.name == "n" && read.size == 3)
    #expect(place.document.keys(obj: .ROOT) == ["name", "size"])
    _ = try place.roundTrip(["a": derived])
    #expect(place.document.keys(obj: try place.object("a")) == ["name", "size"])
  }

  private struct Pair: Codable, Equatable {
    var first = Coordinate()
    var second = 2

    init() {}

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      first = try Coordinate(from: container.superDecoder())
      second = try container.decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try first.encode(to: container.superEncoder())
      try container.encode(second)
    }
  }

  @Test func `a super encoder in a list is an element`() throws {
    #expect(try place.roundTrip(["pair": Pair()]) == ["pair": Pair()])
    #expect(try place.roundTrip(["pair": Pair()]) == ["pair": Pair()])
    #expect(place.document.length(obj: try place.object("pair")) == 2)
  }

  /// Hands its value on as a single value.
  private struct Identified<T: Codable & Equatable>: Codable, Equatable {
    var raw: T

    init(_ raw: T) { self.raw = raw }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      #expect(!container.decodeNil())
      raw = try container.decode(T.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(raw)
    }
  }

  @Test func `a wrapper is what it wraps`() throws {
    let root = Identified(["a": Identified(1), "b": Identified(2)])
    #expect(try place.roundTrip(root) == root)
    #expect(try place.scalar("a") == .Int(1))
    let list = ["list": [Identified("x"), Identified("y")]]
    #expect(try place.roundTrip(list) == list)
    #expect(try place.roundTrip(list) == list)
    let dates = ["dates": [Identified(Date(timeIntervalSince1970: 3))]]
    #expect(try place.roundTrip(dates) == dates)
  }

  private indirect enum Tree: Codable, Equatable {
    case leaf(Int)
    case branch(left: Tree, right: Tree)
    case empty
  }

  @Test func `enumerations with associated values come back`() throws {
    let tree = Tree.branch(
      left: .leaf(1), right: .branch(left: .empty, right: .branch(left: .leaf(3), right: .empty)))
    #expect(try place.roundTrip(tree) == tree)
    #expect(try place.roundTrip(Tree.leaf(4)) == .leaf(4))
    #expect(place.document.keys(obj: .ROOT) == ["leaf"])
  }

  @Test func `a model of an app comes back, also after edits`() throws {
    var journal = try Samples.journal()
    #expect(try place.roundTrip(journal) == journal)
    journal = try place.decoder.decode(Samples.Journal.self)
    #expect(journal.entries.allSatisfy { $0.notes.isBound } && journal.visits.isBound)
    journal.entries.removeLast(2)
    journal.entries[0].comment = "new"
    journal.entries[1].notes.value += "!"
    journal.tags = ["2026": ["b"]]
    journal.cover = nil
    journal.visits.increment(by: 2)
    let read = try place.roundTrip(journal)
    #expect(read == journal)
    #expect(read.entries[1].notes.value == "notes 👩‍👩‍👧 1!")
    #expect(try place.scalar("visits") == .Counter(7))
    #expect(try place.value("cover") == nil)
    let loaded = try Document(place.document.save())
    let again = try AutomergeDecoder(doc: loaded).decode(Samples.Journal.self)
    #expect(again.entries.map(\.comment) == journal.entries.map(\.comment))
    #expect(again.entries.map(\.notes.value) == journal.entries.map(\.notes.value))
  }
}

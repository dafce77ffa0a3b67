import Automerge
import Testing

@Suite struct CodingPathTests {
  @Test(arguments: [
    ("", []), (".", []), ("a", [AnyCodingKey("a")]), ("a.", [AnyCodingKey("a")]),
    ("[0]", [AnyCodingKey(0)]), ("a..b", [AnyCodingKey("a"), AnyCodingKey("b")]),
    (".list.[45].notes", [AnyCodingKey("list"), AnyCodingKey(45), AnyCodingKey("notes")]),
    ("a1 ü-[3]", [AnyCodingKey("a1 ü-[3]")]),
    ("[18446744073709551615]", [AnyCodingKey(UInt64.max)]),
  ])
  func `a path is keys and indexes between dots`(path: String, keys: [AnyCodingKey]) throws {
    #expect(try AnyCodingKey.parsePath(path) == keys)
  }

  @Test(arguments: ["/", "1", "é", "a.-b", "[1", "]", "[", "1]", " a"])
  func `a part that is neither key nor index is an error`(path: String) throws {
    let error = try error(PathParseError.self) { try AnyCodingKey.parsePath(path) }
    guard case .InvalidPathElement(let part) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(path.hasSuffix(part))
    #expect(error.errorDescription?.contains(part) == true)
  }

  @Test(arguments: ["[]", "[foo]", "a.[-1]", "[+1]", "[1.0]x", "[18446744073709551616]", "[٣]"])
  func `brackets without an index are an error`(path: String) throws {
    let error = try error(PathParseError.self) { try AnyCodingKey.parsePath(path) }
    switch error {
    case .EmptyListIndex(let part): #expect(part.hasPrefix("["))
    // A dot ends the part before its bracket.
    case .InvalidPathElement(let part): #expect(path == "[1.0]x" && part == "[1")
    }
  }

  @Test func `a path as text is read back as the same path`() throws {
    let path: [any CodingKey] = [AnyCodingKey("list"), AnyCodingKey(5), AnyCodingKey("notes")]
    #expect(path.stringPath() == ".list.[5].notes")
    #expect(try AnyCodingKey.parsePath(path.stringPath()).stringPath() == path.stringPath())
    #expect([AnyCodingKey]().stringPath() == ".")
    let steps = [
      PathElement(obj: .ROOT, prop: .Key("a")), PathElement(obj: .ROOT, prop: .Index(3)),
    ]
    #expect(steps.stringPath() == ".a.[3]")
    #expect(steps.map { AnyCodingKey($0) } == [AnyCodingKey("a"), AnyCodingKey(3)])
  }

  @Test func `a coding key is a key or an index`() {
    let key = AnyCodingKey("list")
    #expect(key.stringValue == "list" && key.intValue == nil && key.description == "list")
    let index = AnyCodingKey(5)
    #expect(index.stringValue == "[5]" && index.intValue == 5 && index.description == "[5]")
    #expect(AnyCodingKey.ROOT.stringValue.isEmpty)
    #expect(AnyCodingKey(Prop.Index(5)) == index)
    #expect(AnyCodingKey(intValue: 5) == index)
    #expect(AnyCodingKey(intValue: -1) == nil)
    #expect(AnyCodingKey(stringValue: "5") != index)
    #expect(Set([key, index, AnyCodingKey("list"), AnyCodingKey(5)]).count == 2)
  }

  private enum Number: Int, CodingKey {
    case negative = -3
    case three = 3
  }

  @Test func `any coding key becomes an index if it can be one`() {
    #expect(AnyCodingKey(Number.three) == AnyCodingKey(3))
    #expect(AnyCodingKey(Number.negative) == AnyCodingKey("negative"))
    #expect(AnyCodingKey(AnyCodingKey(UInt64.max)) == AnyCodingKey(UInt64.max))
    #expect(AnyCodingKey(UInt64.max).intValue == .max)
  }
}

import Automerge
import AutomergeUtilities
import Foundation
import Testing

@Suite struct SchemaTests {
  private let document = Document()

  private func fill() throws -> ObjId {
    let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
    try document.insert(obj: list, index: 0, value: .Counter(3))
    let map = try document.insertObject(obj: list, index: 1, ty: .Map)
    let text = try document.putObject(obj: map, key: "text", ty: .Text)
    try document.updateText(obj: text, value: "a \"b\"")
    try document.put(obj: map, key: "flag", value: .Boolean(true))
    _ = try document.putObject(obj: .ROOT, key: "empty", ty: .Map)
    _ = try document.putObject(obj: .ROOT, key: "none", ty: .List)
    return list
  }

  @Test func `a document is a tree of its values`() throws {
    let list = try fill()
    let elements = AutomergeValue.array([
      .scalar(.Counter(3)), .dict(["text": .text("a \"b\""), "flag": .scalar(.Boolean(true))]),
    ])
    #expect(
      try document.schema() == .dict(["list": elements, "empty": .dict([:]), "none": .array([])]))
    #expect(try document.parseToSchema(document, from: list) == elements)
    #expect(try Document().parseToSchema(document, from: list) == elements)
  }

  @Test func `an object of another document is an error`() throws {
    let list = try Document().putObject(obj: .ROOT, key: "list", ty: .List)
    #expect(throws: DocError.self) { try document.parseToSchema(document, from: list) }
  }

  @Test func `a tree describes itself on one line`() throws {
    #expect(try document.schema().description == "{[:]}")
    _ = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    #expect(try document.schema().description == #"{["text": T{}]}"#)
    try document.delete(obj: .ROOT, key: "text")
    _ = try fill()
    #expect(
      try document.schema().description
        == #"{["empty": {[:]}, "list": [[Counter(3), {["flag": Boolean(true), "text": T{a "b"}]}]], "#
        + #""none": [[]]]}"#)
  }

  @Test func `keys that are equal as strings only are one member`() throws {
    try document.put(obj: .ROOT, key: "\u{e9}", value: .Int(1))
    try document.put(obj: .ROOT, key: "e\u{301}", value: .Int(2))
    guard case .dict(let members) = try document.schema() else {
      Issue.record("the root is no map")
      return
    }
    #expect(members.count == 1)
  }

  @Test func `the outline has a line for every value`() throws {
    _ = try fill()
    #expect(
      try document.outline() == [
        "{", "  \"empty\": {", "  }", "  \"list\": [", "    Counter(3)", "    {",
        "      \"flag\": Boolean(true)", "      \"text\": Text(\"a \\\"b\\\"\")", "    }", "  ]",
        "  \"none\": [", "  ]", "}",
      ])
  }

  @Test(arguments: GoldenCase.readable)
  func `every document of the reference has a tree`(golden: GoldenCase) throws {
    let document = try Document(Data(try golden.bytes()))
    guard case .dict(let members) = try document.schema() else {
      Issue.record("the root is no map")
      return
    }
    #expect(members.count <= Int(document.length(obj: .ROOT)))
    #expect(try document.isEmpty() == members.isEmpty)
    // Not-a-numbers are not equal, so the trees are compared as text.
    #expect(
      try Document(document.save()).schema().description == document.schema().description)
  }
}

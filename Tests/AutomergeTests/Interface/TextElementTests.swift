import Automerge
import Foundation
import Testing

/// Texts whose elements are not one character each: other programs write strings of any length,
/// numbers and maps into them.
@Suite struct TextElementTests {
  private let document: Document
  private let text: ObjId
  private let block: ObjId

  /// A text of "ab", an empty string, a number and a map with a key.
  private static let history: ForgedChange = {
    let base = ForgedChange()
    var map = ForgedOperation(.makeMap, in: base.id(0), .element(base.id(3)))
    map.isInsert = true
    return ForgedChange(
      .make(.makeText, "t"),
      .insert(.string("ab"), in: base.id(0)),
      .insert(.string(""), in: base.id(0), after: base.id(1)),
      .insert(.signed(5), in: base.id(0), after: base.id(2)),
      map,
      .set("type", .string("li"), in: base.id(4)))
  }()

  init() throws { (document, text, block) = try Self.open(as: .unicodeScalar) }

  private static func open(
    as encoding: TextEncoding
  ) throws -> (document: Document, text: ObjId, block: ObjId) {
    let document = Document(textEncoding: encoding)
    try document.applyEncodedChanges(encoded: Data(history.bytes))
    guard case .Object(let text, .Text) = try document.get(obj: .ROOT, key: "t"),
      case .Object(let block, .Map) = try document.values(obj: text).last
    else { throw PlainReader.Malformed() }
    return (document, text, block)
  }

  @Test(arguments: TextEncoding.all)
  func `what is no string reads as U+FFFC and is as wide as that`(encoding: TextEncoding) throws {
    let (document, text, block) = try Self.open(as: encoding)
    #expect(try document.text(obj: text) == "ab\u{fffc}\u{fffc}")
    let width: UInt64 = encoding == .utf8 ? 3 : 1
    #expect(document.length(obj: text) == 2 + 2 * width)
    #expect(
      try document.values(obj: text) == [
        .Scalar(.String("ab")), .Scalar(.String("")), .Scalar(.Int(5)), .Object(block, .Map),
      ])
    #expect(try document.get(obj: text, index: 1) == .Scalar(.String("ab")))
    #expect(try document.get(obj: text, index: 2) == .Scalar(.Int(5)))
    #expect(try document.get(obj: text, index: 1 + 2 * width) == .Object(block, .Map))
    #expect(
      try document.path(obj: block) == [
        PathElement(obj: .ROOT, prop: .Key("t")),
        PathElement(obj: text, prop: .Index(2 + width)),
      ])
    #expect(document.lengthAt(obj: text, heads: document.heads()) == 2 + 2 * width)
  }

  @Test func `an insert inside an element goes behind it`() throws {
    try document.spliceText(obj: text, start: 1, delete: 0, value: "X")
    #expect(try document.text(obj: text) == "abX\u{fffc}\u{fffc}")
    try document.spliceText(obj: text, start: 4, delete: 0, value: "Y")
    #expect(try document.text(obj: text) == "abX\u{fffc}Y\u{fffc}")
    document.expectSound()
  }

  @Test func `a delete that touches an element takes all of it`() throws {
    try document.spliceText(obj: text, start: 1, delete: 1, value: "X")
    #expect(try document.text(obj: text) == "X\u{fffc}\u{fffc}")
    try document.spliceText(obj: text, start: 1, delete: 2)
    #expect(try document.text(obj: text) == "X")
    try document.put(obj: block, key: "type", value: .String("p"))
    document.expectSound()
  }

  @Test(arguments: TextEncoding.all)
  func `an update keeps the elements that stay`(encoding: TextEncoding) throws {
    let (document, text, block) = try Self.open(as: encoding)
    try document.updateText(obj: text, value: "ab, \u{fffc}!\u{fffc}")
    #expect(try document.text(obj: text) == "ab, \u{fffc}!\u{fffc}")
    #expect(try document.values(obj: text).last == .Object(block, .Map))
    #expect(try document.values(obj: text).contains(.Scalar(.Int(5))))
    try document.updateText(obj: text, value: "aXb")
    #expect(try document.text(obj: text) == "aXb")
    document.expectSound()
  }

  @Test func `marks and cursors go by whole elements`() throws {
    try document.mark(
      obj: text, start: 1, end: 3, expand: .none, name: "m", value: .Boolean(true))
    let marks = try document.marks(obj: text)
    #expect(marks.count == 1)
    #expect(marks.allSatisfy { $0.end <= 4 && $0.start < $0.end })
    document.expectSound()
    let cursor = try document.cursor(obj: text, position: 3)
    try document.spliceText(obj: text, start: 0, delete: 2, value: "longer")
    #expect(try document.position(obj: text, cursor: cursor) == 7)
    #expect(try document.get(obj: text, index: 7) == .Object(block, .Map))
    document.expectSound()
  }

  @Test func `a block is told as an insert and then filled`() throws {
    let actions = document.difference(since: []).map(\.action)
    #expect(
      actions == [
        .Put(.ROOT, .Key("t"), .Object(text, .Text)),
        .SpliceText(obj: text, index: 0, value: "ab", marks: [:]),
        .Insert(obj: text, index: 2, values: [.Scalar(.Int(5))]),
        .Insert(obj: text, index: 3, values: [.Object(block, .Map)]),
        .Put(block, .Key("type"), .Scalar(.String("li"))),
      ])
  }
}

import Automerge
import Foundation
import Testing

/// Named values on ranges of text.
@Suite struct MarkTests {
  private let small: SmallDocument
  private var document: Document { small.document }
  private var text: ObjId { small.text }

  init() throws { small = try SmallDocument() }

  private func mark(
    _ range: Range<UInt64>, _ name: String = "bold", _ value: ScalarValue = .Boolean(true),
    expand: ExpandMark = .none
  ) throws {
    try document.mark(
      obj: text, start: range.lowerBound, end: range.upperBound, expand: expand, name: name,
      value: value)
  }

  @Test func `a mark has a range, a name and a value`() throws {
    try mark(1..<3)
    #expect(
      try document.marks(obj: text) == [
        Mark(start: 1, end: 3, name: "bold", value: .Boolean(true))
      ])
    #expect(try document.text(obj: text) == "hello")
    #expect(document.length(obj: text) == 5)
    document.expectSound()
  }

  @Test func `marks come by name, then start`() throws {
    try mark(3..<5, "b", .Int(1))
    try mark(0..<2, "b", .Int(2))
    try mark(0..<5, "a", .String("s"))
    try mark(1..<4, "é", .F64(1.5))
    try mark(1..<4, "z", .Counter(4))
    #expect(
      try document.marks(obj: text) == [
        Mark(start: 0, end: 5, name: "a", value: .String("s")),
        Mark(start: 0, end: 2, name: "b", value: .Int(2)),
        Mark(start: 3, end: 5, name: "b", value: .Int(1)),
        Mark(start: 1, end: 4, name: "z", value: .Counter(4)),
        Mark(start: 1, end: 4, name: "é", value: .F64(1.5)),
      ])
    document.expectSound()
  }

  @Test func `a later mark of the name takes over, a null value removes`() throws {
    try mark(0..<5, "link", .String("a"))
    try mark(1..<2, "link", .String("b"))
    try mark(3..<4, "link", .Null)
    #expect(
      try document.marks(obj: text) == [
        Mark(start: 0, end: 1, name: "link", value: .String("a")),
        Mark(start: 1, end: 2, name: "link", value: .String("b")),
        Mark(start: 2, end: 3, name: "link", value: .String("a")),
        Mark(start: 4, end: 5, name: "link", value: .String("a")),
      ])
    try mark(0..<5, "link", .Null)
    #expect(try document.marks(obj: text).isEmpty)
    document.expectSound()
  }

  @Test func `names of marks are compared by their bytes`() throws {
    try mark(0..<4, "\u{e9}", .Int(1))
    try mark(1..<2, "e\u{301}", .Int(2))
    let marks = try document.marks(obj: text)
    #expect(marks.map { Array($0.name.utf8) } == [Array("e\u{301}".utf8), Array("\u{e9}".utf8)])
    #expect(marks.map(\.start) == [1, 0])
    #expect(marks.map(\.end) == [2, 4])
    #expect(try document.marksAt(obj: text, position: .index(1)).count == 2)
  }

  @Test func `values of marks are compared by their bytes`() throws {
    try mark(0..<2, "m", .String("\u{e9}"))
    try mark(2..<4, "m", .String("e\u{301}"))
    #expect(try document.marks(obj: text).map(\.end) == [2, 4])
  }

  @Test func `adjoining marks of one value are one`() throws {
    try mark(0..<2)
    try mark(2..<4)
    #expect(
      try document.marks(obj: text) == [
        Mark(start: 0, end: 4, name: "bold", value: .Boolean(true))
      ])
  }

  @Test(
    arguments: [
      (.none, 2, 4), (.before, 1, 4), (.after, 2, 5), (.both, 1, 5),
    ] as [(ExpandMark, UInt64, UInt64)])
  func `a mark grows at the edges it expands at`(
    expand: ExpandMark, start: UInt64, end: UInt64
  ) throws {
    let small = try SmallDocument(text: "abcd")
    let document = small.document
    try document.mark(
      obj: small.text, start: 1, end: 3, expand: expand, name: "m", value: .Boolean(true))
    try document.spliceText(obj: small.text, start: 3, delete: 0, value: "Y")
    try document.spliceText(obj: small.text, start: 1, delete: 0, value: "X")
    #expect(try document.text(obj: small.text) == "aXbcYd")
    #expect(
      try document.marks(obj: small.text) == [
        Mark(start: start, end: end, name: "m", value: .Boolean(true))
      ])
    document.expectSound()
  }

  @Test func `a mark shrinks with its text and is gone with the last of it`() throws {
    try mark(1..<4)
    try document.spliceText(obj: text, start: 2, delete: 1)
    #expect(try document.marks(obj: text).map(\.end) == [3])
    try document.spliceText(obj: text, start: 1, delete: 2)
    #expect(try document.marks(obj: text).isEmpty)
    document.expectSound()
  }

  @Test(arguments: [ExpandMark.before, .after, .both])
  func `a mark on nothing is not read and does no harm`(expand: ExpandMark) throws {
    for index: UInt64 in [0, 2, 5] {
      try mark(index..<index, expand: expand)
      #expect(try document.marks(obj: text).isEmpty)
      document.expectSound()
    }
    try document.spliceText(obj: text, start: 2, delete: 0, value: "x")
    document.expectSound()
  }

  @Test func `a mark on nothing that does not expand makes no change`() throws {
    try small.expectNoChange { try mark(2..<2) }
  }

  @Test func `a range outside of the text changes nothing`() throws {
    for (start, end) in [(0, 6), (6, 6), (3, 2), (0, .max), (.max, 0), (.max, .max)]
      as [(UInt64, UInt64)]
    {
      small.expectRefusal {
        try document.mark(
          obj: text, start: start, end: end, expand: .both, name: "m", value: .Null)
      }
    }
  }

  @Test func `only texts have marks, and marks only what a document can hold`() throws {
    for object in [small.list, small.map, .ROOT] {
      small.expectRefusal("wrong object type") {
        try document.mark(
          obj: object, start: 0, end: 0, expand: .both, name: "m", value: .Null)
      }
    }
    small.expectRefusal("no document can hold the value") {
      try mark(0..<1, "m", .Timestamp(Date(timeIntervalSince1970: 1e300)))
    }
  }

  @Test func `marks at heads are the marks of then`() throws {
    try mark(0..<5)
    let heads = document.heads()
    try mark(0..<5, "bold", .Null)
    try mark(1..<2, "italic")
    #expect(
      try document.marksAt(obj: text, heads: heads) == [
        Mark(start: 0, end: 5, name: "bold", value: .Boolean(true))
      ])
    #expect(try document.marksAt(obj: text, heads: []).isEmpty)
    #expect(try document.marks(obj: text).map(\.name) == ["italic"])
    #expect(try document.marksAt(obj: text, heads: document.heads()).map(\.name) == ["italic"])
  }

  @Test func `the marks of one position start and end there`() throws {
    try mark(2..<5, "italic", expand: .both)
    try mark(1..<5, "bold", expand: .both)
    try mark(3..<4, "bold", .Null)
    let both = [
      Mark(start: 2, end: 2, name: "bold", value: .Boolean(true)),
      Mark(start: 2, end: 2, name: "italic", value: .Boolean(true)),
    ]
    #expect(try document.marksAt(obj: text, position: .index(2)) == both)
    #expect(try document.marksAt(obj: text, position: .index(0)).isEmpty)
    #expect(try document.marksAt(obj: text, position: .index(3)).map(\.name) == ["italic"])
    #expect(try document.marksAt(obj: text, position: .index(5)).isEmpty)
    let cursor = try document.cursor(obj: text, position: 2)
    #expect(try document.marksAt(obj: text, position: .cursor(cursor)) == both)
    let heads = document.heads()
    try document.spliceText(obj: text, start: 0, delete: 0, value: "++")
    try mark(0..<7, "bold", .Null)
    #expect(try document.marksAt(obj: text, position: .cursor(cursor), heads: heads) == both)
    #expect(try document.marksAt(obj: text, position: .index(2), heads: heads) == both)
    #expect(
      try document.marksAt(obj: text, position: .cursor(cursor)) == [
        Mark(start: 4, end: 4, name: "italic", value: .Boolean(true))
      ])
  }

  @Test(arguments: TextEncoding.all)
  func `marks count the document's units`(encoding: TextEncoding) throws {
    let small = try SmallDocument(textEncoding: encoding, text: "😀😀e\u{301}!")
    let document = small.document
    let unit: UInt64 =
      switch encoding {
      case .utf8: 4
      case .utf16: 2
      case .unicodeScalar, .graphemeCluster: 1
      }
    let end = document.length(obj: small.text) - 1
    try document.mark(
      obj: small.text, start: unit, end: end, expand: .none, name: "m", value: .Int(1))
    let expected = Mark(start: unit, end: end, name: "m", value: .Int(1))
    #expect(try document.marks(obj: small.text) == [expected])
    let loaded = try Document(document.save())
    #expect(
      try loaded.marks(obj: small.text) == [Mark(start: 1, end: 4, name: "m", value: .Int(1))])
  }

  @Test func `of concurrent marks the greater id decides`() throws {
    let other = document.fork(as: 2)
    try mark(0..<3, "color", .String("red"))
    try other.mark(
      obj: text, start: 2, end: 5, expand: .none, name: "color", value: .String("blue"))
    try document.merge(other: other)
    #expect(
      try document.marks(obj: text) == [
        Mark(start: 0, end: 2, name: "color", value: .String("red")),
        Mark(start: 2, end: 5, name: "color", value: .String("blue")),
      ])
    document.expectSound()
  }
}

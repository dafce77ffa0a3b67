import Automerge
import Foundation
import Testing

/// Writing texts, in every unit they can be counted in.
@Suite struct TextWritingTests {
  /// Four grapheme clusters, five scalars.
  private static let mixed = "a😀e\u{301}z"

  /// Where the parts of `mixed` begin and where it ends.
  private static func indexes(_ encoding: TextEncoding) -> [UInt64] {
    switch encoding {
    case .unicodeScalar: [0, 1, 2, 4, 5]
    case .utf8: [0, 1, 5, 8, 9]
    case .utf16: [0, 1, 3, 5, 6]
    case .graphemeCluster: [0, 1, 2, 3, 4]
    }
  }

  private func expectText(
    of small: SmallDocument, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = try small.document.text(obj: small.text)
    #expect(
      Array(text.utf8) == Array(expected.utf8), "\(text) is not \(expected)",
      sourceLocation: sourceLocation)
    small.document.expectSound(sourceLocation: sourceLocation)
  }

  @Test(arguments: TextEncoding.all)
  func `a text is as long as its units`(encoding: TextEncoding) throws {
    let small = try SmallDocument(textEncoding: encoding, text: Self.mixed)
    #expect(small.document.length(obj: small.text) == Self.indexes(encoding).last)
  }

  @Test(arguments: TextEncoding.all, 0..<5)
  func `text is inserted at an index`(encoding: TextEncoding, part: Int) throws {
    let small = try SmallDocument(textEncoding: encoding, text: Self.mixed)
    try small.document.spliceText(
      obj: small.text, start: Self.indexes(encoding)[part], delete: 0, value: "-😀-")
    var parts = Self.mixed.map(String.init)
    parts.insert("-😀-", at: part)
    try expectText(of: small, parts.joined())
  }

  @Test(arguments: TextEncoding.all, 0..<4)
  func `text is replaced, forwards and backwards`(encoding: TextEncoding, part: Int) throws {
    let indexes = Self.indexes(encoding)
    let count = Int64(indexes[part + 1] - indexes[part])
    var parts = Self.mixed.map(String.init)
    parts[part] = "new"
    for (start, delete) in [(indexes[part], count), (indexes[part + 1], -count)] {
      let small = try SmallDocument(textEncoding: encoding, text: Self.mixed)
      try small.document.spliceText(
        obj: small.text, start: start, delete: delete, value: "new")
      try expectText(of: small, parts.joined())
    }
  }

  @Test(arguments: TextEncoding.all)
  func `without a value text is only deleted, at most to the end`(encoding: TextEncoding) throws {
    let small = try SmallDocument(textEncoding: encoding, text: Self.mixed)
    let indexes = Self.indexes(encoding)
    try small.document.spliceText(obj: small.text, start: indexes[1], delete: .max)
    try expectText(of: small, "a")
    try small.expectNoChange {
      try small.document.spliceText(obj: small.text, start: 1, delete: 3)
      try small.document.spliceText(obj: small.text, start: 0, delete: 0)
      try small.document.spliceText(obj: small.text, start: 0, delete: 0, value: "")
    }
  }

  @Test func `an index inside an element inserts behind it and deletes all of it`() throws {
    for (encoding, index) in [(TextEncoding.utf8, UInt64(3)), (.utf16, 2)] {
      let inserted = try SmallDocument(textEncoding: encoding, text: Self.mixed)
      try inserted.document.spliceText(obj: inserted.text, start: index, delete: 0, value: "X")
      try expectText(of: inserted, "a😀Xe\u{301}z")
      let deleted = try SmallDocument(textEncoding: encoding, text: Self.mixed)
      try deleted.document.spliceText(obj: deleted.text, start: index, delete: 1, value: "X")
      try expectText(of: deleted, "aXe\u{301}z")
    }
  }

  @Test(arguments: TextEncoding.all)
  func `a splice outside of the text changes nothing`(encoding: TextEncoding) throws {
    let small = try SmallDocument(textEncoding: encoding, text: Self.mixed)
    let end = Self.indexes(encoding)[4]
    for (start, delete) in [(end + 1, 0), (.max, 0), (1, -2), (0, -1), (end, .min)]
      as [(UInt64, Int64)]
    {
      small.expectRefusal("the index is beyond the end") {
        try small.document.spliceText(
          obj: small.text, start: start, delete: delete, value: "X")
      }
    }
  }

  @Test(arguments: TextEncoding.all)
  func `a splice beyond the end that inserts nothing does nothing`(
    encoding: TextEncoding
  ) throws {
    let small = try SmallDocument(textEncoding: encoding, text: Self.mixed)
    let end = Self.indexes(encoding)[4]
    for (start, delete) in [(end + 1, 0), (end + 1, 5), (.max, .max), (end + 2, -1)]
      as [(UInt64, Int64)]
    {
      for value in [nil, ""] {
        try small.expectNoChange {
          try small.document.spliceText(
            obj: small.text, start: start, delete: delete, value: value)
        }
      }
    }
  }

  @Test(arguments: TextEncoding.all)
  func `an element of a text is deleted whole`(encoding: TextEncoding) throws {
    let small = try SmallDocument(textEncoding: encoding, text: Self.mixed)
    try small.document.delete(obj: small.text, index: 1)
    try expectText(of: small, "ae\u{301}z")
    small.expectRefusal("the index is beyond the end") {
      try small.document.delete(obj: small.text, index: small.document.length(obj: small.text))
    }
  }

  @Test(
    arguments: TextEncoding.all,
    [
      ("", "new"), ("hello", ""), ("hello world", "hello brave world"), ("abc", "xbz"),
      ("e\u{301}c", "\u{e9}c"), ("a😀e\u{301}z", "ae\u{301}😀z"), ("👨‍👩‍👧", "👨‍👩‍👧‍👦"), ("\r\n", "\n"),
      ("aaaaaaaaab", "baaaaaaaaa"),
    ])
  func `an update makes the text the new one`(
    encoding: TextEncoding, change: (old: String, new: String)
  ) throws {
    let small = try SmallDocument(textEncoding: encoding, text: change.old)
    try small.document.updateText(obj: small.text, value: change.new)
    try expectText(of: small, change.new)
    try small.expectNoChange {
      try small.document.updateText(obj: small.text, value: change.new)
    }
  }

  @Test(arguments: TextEncoding.all)
  func `an update leaves what stays in its place`(encoding: TextEncoding) throws {
    let small = try SmallDocument(textEncoding: encoding, text: "hello 😀 world")
    let document = small.document
    let length = document.length(obj: small.text)
    let cursor = try document.cursor(obj: small.text, position: length - 5)
    try document.updateText(obj: small.text, value: "hello brave 😀 world")
    #expect(try document.position(obj: small.text, cursor: cursor) == length + 1)
    let other = document.fork(as: 2)
    try other.spliceText(
      obj: small.text, start: other.length(obj: small.text), delete: 0, value: "!")
    try document.updateText(obj: small.text, value: "hi brave 😀 world")
    try document.merge(other: other)
    try expectText(of: small, "hi brave 😀 world!")
  }

  @Test func `a long text that changes everywhere is updated`() throws {
    let old = (0..<3_000).map { "\($0) " }.joined()
    let new = (0..<3_000).map { "\($0 * 7)-" }.joined()
    let small = try SmallDocument(text: old)
    try small.document.updateText(obj: small.text, value: new)
    try expectText(of: small, new)
  }

  @Test func `text is written to texts`() throws {
    let small = try SmallDocument()
    for object in [ObjId.ROOT, small.map, small.list] {
      let message = "wrong object type"
      small.expectRefusal(message) {
        try small.document.spliceText(obj: object, start: 0, delete: 0, value: "x")
      }
      small.expectRefusal(message) { try small.document.updateText(obj: object, value: "x") }
    }
    small.expectRefusal("wrong object type") {
      try small.document.splice(obj: small.map, start: 0, delete: 0, values: [.String("x")])
    }
  }
}

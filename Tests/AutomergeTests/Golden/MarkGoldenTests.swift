@testable import Automerge
import Foundation
import Testing

/// The marks that the reference read.
@Suite struct MarkGoldenTests {
  static let cases = GoldenCase.readable.filter { Fixtures.exists("\($0.name)/marks.json") }

  /// Returns what can be seen of all texts with marks in the form of a `marks.json`.
  private func marks(of document: Document) throws -> [JSONTree] {
    var found: [JSONTree] = []
    var pending: [(object: ObjId, kind: ObjType, path: [JSONTree])] = [(.ROOT, .Map, [])]
    while let (object, kind, path) = pending.popLast() {
      if kind == .Text, let text = try tree(of: object, path, document) { found.append(text) }
      let props: [JSONTree] =
        kind == .Map
        ? document.keys(obj: object).map { .string($0) }
        : document.keys(obj: object).indices.map { .integer(String($0)) }
      for (prop, value) in zip(props, try document.values(obj: object)) {
        if case .Object(let child, let kind) = value {
          pending.append((child, kind, path + [prop]))
        }
      }
    }
    return found
  }

  private func tree(
    of text: ObjId, _ path: [JSONTree], _ document: Document
  ) throws -> JSONTree? {
    let marks = try document.marks(obj: text)
    guard !marks.isEmpty else { return nil }
    return .object([
      "marks": .array(marks.map(Self.tree)),
      "obj": .string("\(text.counter)@\(hexadecimal(text.actor?.bytes ?? []))"),
      "path": .array(path), "text": .string(try document.text(obj: text)),
    ])
  }

  private static func tree(_ mark: Mark) -> JSONTree {
    .object([
      "end": .integer(String(mark.end)), "name": .string(mark.name),
      "start": .integer(String(mark.start)), "value": TypedRendering.tree(mark.value),
    ])
  }

  @Test func `some cases have marks`() {
    #expect(Self.cases.count == 6)
  }

  @Test(arguments: GoldenCase.readable)
  func `a document has the marks of the reference and no others`(golden: GoldenCase) throws {
    let document = try Document(Data(try golden.bytes()))
    let path = "\(golden.name)/marks.json"
    let expected =
      Fixtures.exists(path)
      ? try Fixtures.tree(path).elements.filter { !($0["marks"]?.elements.isEmpty ?? true) } : []
    let found = try marks(of: document)
    #expect(found.count == expected.count)
    #expect(Set(found) == Set(expected))
  }

  @Test(arguments: cases)
  func `the marks of one position are those that cover it`(golden: GoldenCase) throws {
    let document = try Document(Data(try golden.bytes()))
    let heads = document.heads()
    for (object, marks) in try texts(of: document) {
      for index in 0..<min(document.length(obj: object), 40) {
        let expected = marks.filter { $0.start <= index && index < $0.end }
          .map { Mark(start: index, end: index, name: $0.name, value: $0.value) }
        #expect(try document.marksAt(obj: object, position: .index(index)) == expected)
        let cursor = try document.cursor(obj: object, position: index)
        #expect(
          try document.marksAt(obj: object, position: .cursor(cursor), heads: heads) == expected)
      }
    }
  }

  /// The visible texts of a case with the marks they have.
  private func texts(of document: Document) throws -> [(ObjId, [Mark])] {
    var texts: [(ObjId, [Mark])] = []
    var pending: [ObjId] = [.ROOT]
    while let object = pending.popLast() {
      for case .Object(let child, let kind) in try document.values(obj: object) {
        if kind == .Text { texts.append((child, try document.marks(obj: child))) }
        pending.append(child)
      }
    }
    return texts
  }

  @Test(arguments: cases, 1...3)
  func `marks of the past are the marks of a fork in the past`(
    golden: GoldenCase, point: Int
  ) throws {
    let document = try Document(Data(try golden.bytes()))
    let listed = "\(golden.name)/at-\(point).heads"
    let history = document.getHistory()
    let heads =
      Fixtures.exists(listed)
      ? Set(try Fixtures.lines(listed).compactMap(ChangeHash.init(hex:)))
      : [history[history.count * point / 4]]
    let fork = try document.forkAt(heads: heads)
    for (object, marks) in try texts(of: fork) {
      #expect(try document.marksAt(obj: object, heads: heads) == marks)
      #expect(
        try document.marksAt(obj: object, heads: heads).allSatisfy {
          $0.end <= document.lengthAt(obj: object, heads: heads)
        })
    }
  }
}

import Automerge
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// What one document shows and another does not, by places that both may have.
@Suite struct DocumentComparisonTests {
  private func document(_ actor: String, _ body: (Document) throws -> Void) throws -> Document {
    let document = Document()
    document.actor = try #require(ActorId(data: Data(actor.utf8)))
    try body(document)
    return document
  }

  private func fork(
    _ document: Document, _ actor: String, _ body: (Document) throws -> Void
  ) throws -> Document {
    let other = document.fork()
    other.actor = try #require(ActorId(data: Data(actor.utf8)))
    try body(other)
    other.commitWith(timestamp: Date(timeIntervalSince1970: 1_767_700_000))
    return other
  }

  private func state(_ document: Document) throws -> DocumentState {
    try DocumentState(loading: [UInt8](document.save()))
  }

  private func compare(
    _ this: Document, _ other: Document
  ) throws -> [ComparisonReport.Difference] {
    try DocumentComparison(state(this), state(other)).differences
  }

  private func record() throws -> (document: Document, map: ObjId) {
    let document = try document("one") {
      let map = try $0.putObject(obj: .ROOT, key: "R", ty: .Map)
      try $0.put(obj: map, key: "name", value: .String("a"))
    }
    guard case .Object(let map, _)? = try document.get(obj: .ROOT, key: "R") else {
      throw CocoaError(.fileReadCorruptFile)
    }
    return (document, map)
  }

  @Test func `a document and itself show the same`() throws {
    let (document, _) = try record()
    #expect(try compare(document, document.fork()).isEmpty)
  }

  @Test func `a field that one has changed tells both values, by whom, when and in which change`()
    throws
  {
    let (document, map) = try record()
    let other = try fork(document, "two") { try $0.put(obj: map, key: "name", value: .String("b")) }
    let difference = try #require(try compare(document, other).first)
    #expect(difference.entity == "R")
    #expect(difference.field == "name")
    #expect(difference.outcome == "changed")
    #expect(difference.this.values.map(\.value) == [.string("a")])
    let value = try #require(difference.other.values.first)
    #expect(value.value == .string("b"))
    #expect(value.writer?.actor == Array("two".utf8).hexDigits)
    #expect(value.writer?.time == "2026-01-06T11:46:40Z")
    #expect(value.writer?.change == (try state(other)).heads[0].hex)
  }

  @Test func `what only one has, and what one has deleted, is told with who deleted it`() throws {
    let (document, map) = try record()
    let other = try fork(document, "two") {
      try $0.delete(obj: map, key: "name")
      try $0.put(obj: map, key: "new", value: .Int(1))
      _ = try $0.putObject(obj: .ROOT, key: "S", ty: .Map)
    }
    let differences = try compare(document, other)
    #expect(differences.map(\.path) == [["R", "name"], ["R", "new"], ["S"]])
    #expect(differences.map(\.outcome) == ["only-this", "only-other", "only-other"])
    #expect(differences[0].other.deleted?.actor == Array("two".utf8).hexDigits)
    #expect(differences[1].this.deleted == nil)
    #expect(differences[2].field.isEmpty)
  }

  @Test func `a conflict is a difference, with all its values, to who sees one of them`() throws {
    let (document, map) = try record()
    let one = try fork(document, "two") { try $0.put(obj: map, key: "name", value: .String("b")) }
    let both = try fork(document, "six") { try $0.put(obj: map, key: "name", value: .String("c")) }
    try both.merge(other: one)
    let difference = try #require(try compare(one, both).first)
    #expect(difference.this.values.map(\.value) == [.string("b")])
    #expect(Set(difference.other.values.map(\.value)) == [.string("b"), .string("c")])
    #expect(difference.other.values.map(\.isShown) == [false, true])
    #expect(try compare(both, both.fork()).isEmpty)
  }

  @Test func `equal values that were written separately are no difference`() throws {
    let one = try document("one") { try $0.put(obj: .ROOT, key: "k", value: .String("x")) }
    let other = try document("two") { try $0.put(obj: .ROOT, key: "k", value: .String("x")) }
    #expect(try compare(one, other).isEmpty)
  }

  @Test func `objects that were made separately are compared by their fields`() throws {
    let documents = try ["one", "two"].map { actor in
      try document(actor) {
        let map = try $0.putObject(obj: .ROOT, key: "R", ty: .Map)
        try $0.put(obj: map, key: "same", value: .Int(1))
        try $0.put(obj: map, key: "who", value: .String(actor))
        let list = try $0.putObject(obj: map, key: "list", ty: .List)
        try $0.insert(obj: list, index: 0, value: .String("first"))
        if actor == "two" { try $0.insert(obj: list, index: 1, value: .String("second")) }
      }
    }
    let differences = try compare(documents[0], documents[1])
    #expect(differences.map(\.field) == ["list.1", "who"])
    #expect(differences.map(\.outcome) == ["only-other", "changed"])
  }

  @Test func `elements of a list are told one by one, whatever was inserted before them`() throws {
    let document = Document()
    let list = try document.putObject(obj: .ROOT, key: "L", ty: .List)
    for (index, text) in ["a", "b", "c"].enumerated() {
      try document.insert(obj: list, index: UInt64(index), value: .String(text))
    }
    let other = try fork(document, "two") {
      try $0.insert(obj: list, index: 0, value: .String("new"))
      try $0.delete(obj: list, index: 2)
      try $0.put(obj: list, index: 2, value: .String("C"))
    }
    let differences = try compare(document, other)
    #expect(differences.map(\.outcome) == ["only-other", "only-this", "changed"])
    #expect(differences.map(\.path) == [["L", "0"], ["L", "1"], ["L", "2"]])
    #expect(try compare(other, document).map(\.outcome) == ["only-this", "only-other", "changed"])
  }

  @Test func `a text is compared by what it says, and told with who edited it last`() throws {
    let document = Document()
    let text = try document.putObject(obj: .ROOT, key: "T", ty: .Text)
    try document.spliceText(obj: text, start: 0, delete: 0, value: "abc")
    let other = try fork(document, "two") {
      try $0.spliceText(obj: text, start: 1, delete: 1, value: "")
    }
    let difference = try #require(try compare(document, other).first)
    #expect(difference.this.values.map(\.value) == [.string(#"{"$text":"abc"}"#)])
    #expect(difference.other.values.map(\.value) == [.string(#"{"$text":"ac"}"#)])
    #expect(difference.other.values[0].writer?.actor == Array("two".utf8).hexDigits)
  }

  @Test func `a text whose letters are the same is another one with other marks`() throws {
    let document = Document()
    let text = try document.putObject(obj: .ROOT, key: "T", ty: .Text)
    try document.spliceText(obj: text, start: 0, delete: 0, value: "abc")
    let other = try fork(document, "two") {
      try $0.mark(
        obj: text, start: 0, end: 2, expand: .none, name: "bold", value: .Boolean(true))
    }
    let difference = try #require(try compare(document, other).first)
    #expect(difference.this.values.map(\.value) == [.string(#"{"$text":"abc"}"#)])
    #expect(
      difference.other.values.map(\.value) == [
        .string(
          #"{"$text":"abc","$marks":[{"name":"bold","start":0,"end":2,"value":true}]}"#)
      ])
    // Two that were marked alike, apart from each other, show the same.
    let third = try fork(document, "three") {
      try $0.mark(
        obj: text, start: 0, end: 2, expand: .both, name: "bold", value: .Boolean(true))
    }
    #expect(try compare(other, third).isEmpty)
  }

  private func text() throws -> (document: Document, text: ObjId) {
    let document = Document()
    let text = try document.putObject(obj: .ROOT, key: "T", ty: .Text)
    try document.spliceText(obj: text, start: 0, delete: 0, value: "abc")
    return (document, text)
  }

  @Test func `a text is another one with another block`() throws {
    let start = try state(text().document)
    let states = try ["paragraph", "heading", "heading"].map { type in
      let (key, type) = (Array("type".utf8), Array(type.utf8))
      var change = try UpdateChange(onto: start, time: 1, message: [])
      let text = try #require(start.value(of: .root, key: Array("T".utf8))).id
      let block = change.draft.insertObject(
        .map, in: change.reference(to: text, of: start), after: .root)
      change.draft.set(.string, type.span, in: block, key: key.span)
      var result = start
      try change.applyDecision(to: &result)
      return result
    }
    let difference = try #require(try DocumentComparison(states[0], states[1]).differences.first)
    #expect(
      difference.other.values.map(\.value) == [
        .string("{\"$text\":\"\u{FFFC}abc\",\"$elements\":[0,{\"type\":\"heading\"}]}")
      ])
    #expect(try DocumentComparison(states[1], states[2]).differences.isEmpty)
  }

  @Test func `a change that waits in one document is one that the other lacks`() throws {
    let (document, text) = try text()
    let start = document.save()
    let other = try Document(start)
    try other.spliceText(obj: text, start: 0, delete: 0, value: "x")
    let first = other.save()
    try other.spliceText(obj: text, start: 0, delete: 0, value: "y")
    let waiting = try other.encodeChangesSince(heads: Document(first).heads())
    let folder = try TestFolder()
    try folder.write([UInt8](start), to: "one.automerge")
    try folder.write([UInt8](start + waiting), to: "two.automerge")
    let report = try ComparisonWorkflow(
      .file(path: folder.path + "/one.automerge"), with: .file(path: folder.path + "/two.automerge")
    ).perform()
    #expect(report.relation == .behind)
    #expect(report.changesOnlyInOther == 1)
    #expect(!report.differs)
  }

  @Test func `numbers and truth values in a text differ as letters do`() throws {
    let start = try state(text().document)
    let values: [DraftValue] = [.int(5), .int(7), .boolean(true), .boolean(false), .uint(5)]
    let states = try values.map { value in
      var change = try UpdateChange(onto: start, time: 1, message: [])
      let text = try #require(start.value(of: .root, key: Array("T".utf8))).id
      _ = change.draft.insert(value, in: change.reference(to: text, of: start), after: .root)
      var result = start
      try change.applyDecision(to: &result)
      return result
    }
    for (index, one) in states.enumerated() {
      for (number, other) in states.enumerated() {
        #expect(try DocumentComparison(one, other).differences.isEmpty == (index == number))
      }
    }
  }

  @Test func `marks whose values differ by a fraction of a second differ`() throws {
    let (document, text) = try text()
    let documents = try [1.5, 1.7].map { seconds in
      try fork(document, "two") {
        try $0.mark(
          obj: text, start: 0, end: 2, expand: .none, name: "m",
          value: .Timestamp(Date(timeIntervalSince1970: seconds)))
      }
    }
    #expect(try compare(documents[0], documents[1]).count == 1)
    #expect(try compare(documents[0], documents[0].fork()).isEmpty)
  }

  @Test func `a counter is compared by its sum, and told with who added to it last`() throws {
    let document = Document()
    try document.put(obj: .ROOT, key: "n", value: .Counter(1))
    let other = try fork(document, "two") { try $0.increment(obj: .ROOT, key: "n", by: 2) }
    let difference = try #require(try compare(document, other).first)
    #expect(difference.other.values.map(\.value) == [.string(#"{"$counter":3}"#)])
    #expect(difference.other.values[0].writer?.actor == Array("two".utf8).hexDigits)
  }

  @Test func `what differs very deep is counted and not listed`() throws {
    let document = Document()
    var place = ObjId.ROOT
    for _ in 0..<300 { place = try document.putObject(obj: place, key: "in", ty: .Map) }
    let other = try fork(document, "two") { try $0.put(obj: place, key: "x", value: .Int(1)) }
    let comparison = try DocumentComparison(state(document), state(other))
    #expect(comparison.differences.isEmpty)
    #expect(comparison.omittedCount == 1)
  }

  @Test func `every two documents of the fixtures are compared, and each is equal to itself`()
    throws
  {
    let states = try InspectionTests.cases.map {
      try DocumentState(loading: Fixtures.bytes("automerge/\($0)/doc.automerge"))
    }
    #expect(states.count > 20)
    for one in states {
      #expect(try DocumentComparison(one, one).differences.isEmpty)
      for other in states {
        let there = try DocumentComparison(one, other).differences
        let back = try DocumentComparison(other, one).differences
        #expect(Set(there.map { Sorted($0) }) == Set(back.map { Sorted($0, swapped: true) }))
      }
    }
  }

  /// A difference as it is told whichever document comes first; elements may have another index.
  private struct Sorted: Hashable {
    let entity: String
    let this: [ReportValue]
    let other: [ReportValue]

    init(_ difference: ComparisonReport.Difference, swapped: Bool = false) {
      entity = difference.entity
      let sides = [difference.this, difference.other].map { $0.values.map(\.value) }
      (this, other) = swapped ? (sides[1], sides[0]) : (sides[0], sides[1])
    }
  }
}

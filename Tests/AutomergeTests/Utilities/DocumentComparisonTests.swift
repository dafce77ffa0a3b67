import Automerge
import AutomergeUtilities
import Foundation
import Testing

@Suite struct DocumentComparisonTests {
  @Test func `a document is empty as long as it shows nothing`() throws {
    let document = Document()
    #expect(try document.isEmpty())
    _ = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    #expect(try !document.isEmpty())
    try document.delete(obj: .ROOT, key: "text")
    #expect(try document.isEmpty())
    #expect(document.getHistory().count == 1)
  }

  @Test func `documents are compared by what they show`() throws {
    var documents: [(Document, JSONTree)] = []
    for golden in GoldenCase.readable {
      let bytes = try golden.bytes()
      // Every document is compared with every other.
      guard bytes.count < 1_000 else { continue }
      documents.append((try Document(Data(bytes)), try Fixtures.tree(golden.expected)))
    }
    #expect(documents.count > 20)
    // Not-a-number is the same content as itself.
    #expect(documents.contains { "\($0.1)".contains("NaN") })
    for (one, content) in documents {
      for (two, other) in documents {
        #expect(one.equivalentContents(two) == (content == other))
      }
    }
  }

  @Test func `a different history of the same content does not matter`() throws {
    let one = Document()
    try one.put(obj: .ROOT, key: "a", value: .Int(0))
    try one.put(obj: .ROOT, key: "a", value: .Int(1))
    let two = Document()
    try two.put(obj: .ROOT, key: "a", value: .Int(1))
    #expect(one.equivalentContents(two) && two.equivalentContents(one))
    for different in [ScalarValue.Uint(1), .F64(1), .Counter(1), .String("1")] {
      try two.put(obj: .ROOT, key: "a", value: different)
      #expect(!one.equivalentContents(two) && !two.equivalentContents(one))
    }
  }

  @Test func `keys that are equal as strings only make a difference`() throws {
    let (one, two) = (Document(), Document())
    try one.put(obj: .ROOT, key: "\u{e9}", value: .Int(1))
    try two.put(obj: .ROOT, key: "e\u{301}", value: .Int(1))
    #expect(!one.equivalentContents(two))
  }

  @Test func `depth is no problem`() throws {
    let (one, two) = (Document(), Document())
    for document in [one, two] {
      var list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
      for _ in 0..<700 { list = try document.insertObject(obj: list, index: 0, ty: .List) }
    }
    #expect(one.equivalentContents(two))
    let error = #expect(throws: (any Error).self) { try one.schema() }
    #expect((error as? any LocalizedError)?.errorDescription?.contains("128") == true)
    #expect(try one.outline().count == 1_404)
  }
}

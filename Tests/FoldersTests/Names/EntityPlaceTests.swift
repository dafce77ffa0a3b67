import Folders
import SafeFiles
import Testing

@Suite struct EntityPlaceTests {
  private func place(_ text: String) -> EntityPlace? {
    let bytes = Array(text.utf8)
    return EntityPlace(bytes.span)
  }

  @Test func `a place is the tags or a name in a month`() throws {
    let month = try #require(Month(year: 2024, month: 1))
    #expect(place("tags") == .common)
    #expect(
      place("records/2024/01/2024-01-15_093000")
        == .dated(month, name: Array("2024-01-15_093000".utf8)))
    #expect(place("records/2024/01/a") == .dated(month, name: [0x61]))
    #expect(place("records/2024/01/Ä b\\c..") != nil)
  }

  @Test(arguments: [
    "", "tag", "tags/", "/tags", "Tags", "tags.json", "records", "records/2024/01",
    "records/2024/01/",
    "/records/2024/01/a", "records/2024/01/a/b", "records/2024/01/../a", "records/2024/01/..",
    "records/2024/01/.", "records/2024/01/.hidden", "records/2024/1/a", "records/2024/13/a",
    "records/2024/00/a", "records/24/01/a", "records/02024/01/a", "records//2024/01/a",
    "records/2024//01/a", "records/../01/a", "records/2024/01/a\u{0}b", "records 2/2024/01/a",
    "../records/2024/01/a", "images/2024/01/a", "records/2024/01//a", "C:\\tags",
    "records/2024/01 2/a", "records/2024/０1/a",
  ])
  func `anything else is no place`(text: String) {
    #expect(place(text) == nil)
  }

  @Test func `places are written as they are read`() throws {
    for text in ["tags", "records/0000/12/x", "records/9999/01/2024-01-15_093000 (1)"] {
      var bytes: [UInt8] = []
      try #require(place(text)).append(to: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
  }

  @Test func `each layout has one document for a place`() throws {
    let record = try #require(place("records/2024/01/2024-01-15_093000"))
    #expect(DocumentLayout.monthly.documentPath(for: record) == "records/2024/01.automerge")
    #expect(
      DocumentLayout.perRecord.documentPath(for: record)
        == "records/2024/01/2024-01-15_093000.automerge")
    #expect(record.legacyPath == "records/2024/01/2024-01-15_093000.json")
    for layout in DocumentLayout.allCases {
      #expect(layout.documentPath(for: .common) == "tags.automerge")
    }
  }
}

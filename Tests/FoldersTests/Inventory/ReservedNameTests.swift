import Folders
import SafeFiles
import Testing

@Suite struct ReservedNameTests {
  @Test(arguments: [
    ("tags 2.automerge", "tags.automerge"), ("tags (1).json", "tags.json"),
    ("records/2024/02 3.automerge", "records/2024/02.automerge"),
  ])
  func `a number behind a name that only the app gives says enough`(copy: String, base: String)
    throws
  {
    let folder = try TestFolder([copy: "x"])
    let found = try folder.inventory().conflictCopies()
    #expect(found.map(\.strength) == [.strong])
    #expect(found.map(\.base.description) == [base])
  }

  @Test(arguments: ["tags-LAPTOP.automerge", "records/2024/01/2024-01-15_093000 2.automerge"])
  func `a host, or a number behind the name of a record, does not`(name: String) throws {
    let folder = try TestFolder([name: "x"])
    #expect(try folder.inventory().conflictCopies().allSatisfy { $0.strength == .weak })
  }

  @Test func `in a conflict folder the file of the same name comes first`() throws {
    let folder = try TestFolder([
      "records/2024/01/a.automerge": "x", "records/2024/01/a 2.automerge": "x",
      "records/2024/01 2/a 2.automerge": "x",
    ])
    let copies = try folder.inventory().conflictCopies()
    let overlaid = try #require(
      copies.first { $0.base.description == "records/2024/01/a 2.automerge" })
    #expect(
      try folder.inventory().path(of: overlaid.file).description
        == "records/2024/01 2/a 2.automerge")
  }
}

import Automerge
import FolderDocuments
import Folders
import Testing

@testable import MigrationCore

@Suite struct MergeAcceptanceTests {
  @Test func `a change of the merge itself may add fields and delete no key`() throws {
    let (one, two) = (
      try DocumentMergeTests.identity(1), try DocumentMergeTests.identity(2)
    )
    let base = try AppDocument.make(actor: 1) {
      $0.make(one, "comment", "one")
      $0.make(two, "comment", "two")
    }
    let copy = try AppDocument.editing(base, actor: 2) {
      try $0.set("comment", of: one, to: "edited")
    }
    let kept = try AppDocument.editing(copy, actor: 3) {
      try $0.set("note", of: one, to: "added")
    }
    let deleting = try AppDocument.editing(copy, actor: 3) { try $0.delete(two) }
    for (result, isAccepted) in [(kept, true), (deleting, false)] {
      var acceptance = MergeAcceptance()
      acceptance.add(base)
      acceptance.add(copy)
      let change = try #require(result.allHashes.first { !copy.contains($0) })
      acceptance.add(change, to: copy)
      #expect((acceptance.defect(of: result) == nil) == isAccepted)
    }
    // What another input deleted may be missing.
    var acceptance = MergeAcceptance()
    acceptance.add(base)
    acceptance.add(deleting)
    #expect(acceptance.defect(of: deleting) == nil)
  }
}

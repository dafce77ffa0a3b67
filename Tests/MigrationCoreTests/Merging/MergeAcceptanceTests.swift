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

  @Test func `keys of many small documents are found, and missed, among all`() throws {
    var (acceptance, whole, most) = (MergeAcceptance(), DocumentState(), DocumentState())
    for number in 0..<60 {
      let identity = try DocumentMergeTests.identity(number * 37 % 60)
      let part = try AppDocument.make(actor: UInt8(number + 1)) {
        $0.make(identity, "comment", "\(number)")
      }
      acceptance.add(part)
      try whole.absorb(part)
      if number != 31 { try most.absorb(part) }
    }
    #expect(acceptance.defect(of: whole) == nil)
    #expect(acceptance.defect(of: whole.encoded()) == nil)
    #expect(acceptance.defect(of: most) != nil)
    // A key that its input shows and the result does not.
    let gone = try DocumentMergeTests.identity(31 * 37 % 60)
    let deleting = try AppDocument.editing(whole, actor: 99) { try $0.delete(gone) }
    let change = try #require(deleting.allHashes.first { !whole.contains($0) })
    acceptance.add(change, to: whole)
    #expect(acceptance.defect(of: deleting) != nil)
  }
}

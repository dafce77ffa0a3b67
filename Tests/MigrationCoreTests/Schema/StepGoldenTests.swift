import Automerge
import FolderDocuments
import Foundation
import SafeFiles
import SchemaMigrations
import Testing

/// The bytes of the change of a step, which every device has to write alike.
@Suite struct StepGoldenTests {
  private static let golden = StepFolder.directory.appending(path: "people-v2.change")
  private static let undoing = StepFolder.directory.appending(path: "people-v2-undone.change")

  @Test func `the change of a step, and the one that undoes it, have the golden bytes`() throws {
    let folder = try StepFolder([StepFolder.transforming()])
    try folder.run()
    let document = try folder.document()
    #expect(
      document.chunk(ofChange: document.changeCount - 1) == Array(try Data(contentsOf: Self.golden))
    )
    try folder.undo("people-v2")
    let undone = try folder.document()
    #expect(
      undone.chunk(ofChange: undone.changeCount - 1) == Array(try Data(contentsOf: Self.undoing)))
  }

  @Test func `the message of a step is its name and its checksum`() throws {
    let checksum = ContentHash(of: [1])
    let note = StepNote(id: "a b", checksum: checksum)
    #expect(String(decoding: note.message, as: UTF8.self) == "a b \(checksum)")
    #expect(StepNote(message: note.message) == note)
    for text in ["", "a", " \(checksum)", "a \(checksum)0", "a b c", "a \(checksum) "] {
      #expect(StepNote(message: Array(text.utf8)) == nil, "\(text)")
    }
    #expect(StepNote(message: [0xff, 0x20] + Array(checksum.description.utf8)) == nil)
  }
}

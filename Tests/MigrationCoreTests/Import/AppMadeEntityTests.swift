import Automerge
import Diagnostics
import Folders
import Testing

@testable import MigrationCore

/// Records that only an app made, and files that disagree about them.
@Suite struct AppMadeEntityTests {
  /// A document that is itself record 1, as an app wrote it.
  private func document() throws -> [UInt8] {
    var draft = ChangeDraft()
    draft.begin(sequence: 1, startCounter: 1, dependencies: [])
    for (name, value) in [("comment", "shown"), ("id", Legacy.id(1))] {
      draft.set(.string, Array(value.utf8).span, in: .root, key: Array(name.utf8).span)
    }
    draft.makeObject(.list, in: .root, key: Array("images".utf8).span)
    draft.set(.timestamp(1_705_311_000_000), in: .root, key: Array("startTime".utf8).span)
    draft.finish(author: ActorId(bytes: [1, 2, 3]))
    var batch = ChangeBatch()
    batch.append(draft)
    var state = DocumentState()
    try state.apply(batch)
    return state.encoded()
  }

  @Test func `of two files an update names the one that the document does not show`() throws {
    let folder = try TestFolder()
    let (equal, other) = ("records/2024/01/a.json", "records/2024/01/b.json")
    try folder.write(Legacy.record(1, "\"comment\":\"shown\""), to: equal)
    try folder.write(Legacy.record(1, "\"comment\":\"other\""), to: other)
    try folder.write(document(), to: "records/2024/01/2024-01-15_093000.automerge")
    let report = try UpdateTests.update(folder)
    let told = report.findings.filter { $0.severity == .error }
    #expect(told.map(\.path) == [other], "\(report.findings)")
    #expect(told.map(\.code) == [.duplicateID])
  }
}

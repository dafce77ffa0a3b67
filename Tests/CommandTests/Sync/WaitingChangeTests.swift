import Automerge
import Foundation
import Testing

/// Documents with changes that wait for others.
@Suite struct WaitingChangeTests {
  @Test func `a document with a change that waits is not equal to one without it`() throws {
    let folders = try SyncedFolders(isParted: false)
    let name = "records/2024/01.automerge"
    #expect(try folders.sync("-q").status == 0)
    // Two edits of another device, of which only the second one came.
    let other = try folders.copied()
    try other.edit("first", in: other.one)
    try other.edit("second", in: other.one)
    let edited = try DocumentState(
      loading: Array(Data(contentsOf: other.one.appending(path: name))))
    let chunk = edited.chunk(ofChange: edited.changeCount - 1)
    let file = folders.one.appending(path: name)
    let bytes = try Data(contentsOf: file) + Data(chunk)
    try bytes.write(to: file)
    for _ in 0..<2 {
      let sync = try folders.sync("--json")
      #expect(sync.status == 1, "\(sync.output)\(sync.errors)")
      let finding = sync.jsonLines.first { $0["severity"] as? String == "error" }
      #expect(finding?["code"] as? String == "incomplete-document", "\(sync.output)")
      #expect(finding?["path"] as? String == name)
      #expect(sync.summary?["equalBefore"] as? Int == 2)
      #expect(sync.summary?["equal"] as? Int == 2, "\(sync.output)")
    }
    // It still waits, and is seen once the other one comes.
    try FileManager.default.removeItem(at: folders.two)
    try FileManager.default.copyItem(at: other.one, to: folders.two)
    let whole = try folders.sync("--json")
    #expect(whole.status == 0, "\(whole.output)")
    #expect(try folders.sync("--json").status == 0)
    #expect(try folders.areEqual())
  }
}

import Automerge
import FileFaults
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import MigrationCore

/// Somebody who takes no lock writes between any two system calls of a run: a sync service that
/// brings another device's version, or an app from before there was a lock. What he wrote is
/// afterwards in a document, a file, or in quarantine.
@Suite struct RudeWriterTests {
  private static let value = "written by somebody else"
  private static let identity = Identity(Array(Legacy.id(1).utf8).span)

  /// A folder of two imported records in one document and one that is not imported yet.
  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/one.json")
    try folder.write(
      Legacy.record(2, start: "2024-01-15T10:30:00Z"), to: "records/2024/01/two.json")
    try folder.importing()
    try folder.packing()
    try folder.write(
      Legacy.record(3, start: "2024-01-15T11:30:00Z"), to: "records/2024/01/three.json")
    return folder
  }

  private func holdsValue(_ folder: TestFolder) throws -> Bool {
    let value = Array(Self.value.utf8)
    return try folder.files(includingState: true).values.contains { bytes in
      let content = (try? DocumentState(loading: bytes))?.pool ?? bytes
      return content.firstRange(of: value) != nil
    }
  }

  /// Lets somebody write before each call of `work` in turn; returns how many calls there were.
  ///
  /// Each time once more for a death at each of the next calls, which are those in which two files
  /// may be about to change places; all calls that follow with AUTOMERGE_MIGRATE_SLOW=1.
  private func meddle(
    in work: (TestFolder, FaultPlan) throws -> Void,
    preparing prepare: (TestFolder) throws -> Void = { _ in },
    _ file: String, _ bytes: (TestFolder) throws -> [UInt8]
  ) throws -> Int {
    let origin = try folder()
    try prepare(origin)
    let data = Data(try bytes(origin))
    let tree = try origin.storedTree()
    let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
    for call in 1... {
      var isReached = false
      for death in call + 1...call + (isSlow ? 100 : 4) {
        let folder = try TestFolder(tree)
        let target = URL(filePath: folder.path).appending(path: file)
        let rude = FaultPlan(beforeCall: call) { try? data.write(to: target, options: .atomic) }
        let plan = FaultPlan(atCall: isSlow || death > call + 1 ? death : .max, .stop, on: rude)
        // Whether the run ends well, finds the folder changing or dies is up to it.
        try? work(folder, plan)
        guard rude.hasFired else { break }
        isReached = true
        let comment: Comment = "call \(call), death at \(death)"
        #expect(try holdsValue(folder), comment)
        guard plan.hasFired else { continue }
        try? work(folder, FaultPlan(atCall: .max, .stop))
        #expect(try holdsValue(folder), comment)
        #expect(try folder.debris() == [], comment)
      }
      guard isReached else { return call - 1 }
    }
    return 0
  }

  /// The document of the month with one edit more.
  private func editedDocument(_ folder: TestFolder) throws -> [UInt8] {
    var editor = DocumentEditor(try folder.document("records/2024/01.automerge"), actor: 9)
    try editor.set("comment", of: #require(Self.identity), to: Self.value)
    return try editor.finish().encoded()
  }

  private func editedRecord(_ folder: TestFolder) throws -> [UInt8] {
    Array(Legacy.record(1, #""comment":"\#(Self.value)""#).utf8)
  }

  @Test func `an import replaces no document that somebody else just brought`() throws {
    let calls = try meddle(
      in: { _ = try $0.importing(workers: 1, faults: $1) }, "records/2024/01.automerge",
      editedDocument)
    #expect(calls > 10)
  }

  @Test func `a clean-up loses no file that somebody else just wrote`() throws {
    let calls = try meddle(
      in: { folder, plan in
        try folder.cleaning(backup: folder.newestBackup(), faults: plan)
      }, "records/2024/01/one.json", editedRecord)
    #expect(calls > 10)
  }

  @Test(arguments: ["records/2024/01.automerge", "records/2024/01 2.automerge"])
  func `a merge loses neither base nor copy that somebody else just brought`(file: String) throws {
    let calls = try meddle(
      in: { folder, plan in
        _ = try MergeWorkflow(
          MergeOptions(folder: folder.path), context: TestFolder.context(workers: 1, faults: plan)
        ).perform()
      },
      preparing: { folder in
        var editor = DocumentEditor(try folder.document("records/2024/01.automerge"), actor: 7)
        try editor.set("comment", of: #require(Self.identity), to: "of the copy")
        try folder.write(editor.finish().encoded(), to: "records/2024/01 2.automerge")
      }, file, editedDocument)
    #expect(calls > 10)
  }
}

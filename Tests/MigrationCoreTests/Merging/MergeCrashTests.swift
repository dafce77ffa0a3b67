import Automerge
import FileFaults
import Folders
import Foundation
import SafeFiles
import Synchronization
import Testing

@testable import MigrationCore
@testable import Runs

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct MergeCrashTests {
  private static let base = "records/2024/01.automerge"

  /// Copies of every kind: documents, one of them without a base, legacy files, images.
  static func folder() throws -> TestFolder {
    let folder = try DocumentMergeTests.folder()
    let start = try folder.document(base)
    for (name, number) in [("01 2", 1), ("01.Conflict", 2)] {
      let edited = try AppDocument.editing(start, actor: UInt8(number)) {
        try $0.set("comment", of: DocumentMergeTests.identity(number), to: "edit \(number)")
      }
      try folder.write(edited.encoded(), to: "records/2024/\(name).automerge")
    }
    try folder.write(start.encoded(), to: "records/2024/02 (Case Conflict).automerge")
    try folder.write(Legacy.tags(Legacy.tag(1)), to: "tags.json")
    try folder.write(Legacy.tags(Legacy.tag(2)), to: "tags 2.json")
    try folder.write([1], to: "records/2024/01/a.jpg")
    try folder.write([1], to: "records/2024/01/a 2.jpg")
    return folder
  }

  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil

  /// How many calls apart faults are injected: a death at every call, other faults at a few, all of
  /// them with AUTOMERGE_MIGRATE_SLOW=1.
  private static func step(_ fault: FaultPlan.Fault) -> Int { fault == .stop || isSlow ? 1 : 5 }

  /// A sync service may put an older version of the base in place at any moment.
  @Test(arguments: [FaultPlan.Calls.changing, .looking])
  func `a copy stays if the base that holds it is replaced before the copy moves`(
    _ calls: FaultPlan.Calls
  ) throws {
    let copy = "records/2024/01 2.automerge"
    var tooLate = 0
    var moment = 1
    while true {
      let folder = try DocumentMergeTests.folder()
      let start = try folder.document(Self.base)
      let edited = try AppDocument.editing(start, actor: 1) {
        try $0.set("comment", of: DocumentMergeTests.identity(1), to: "edit")
      }
      try folder.write(edited.encoded(), to: copy)
      try folder.write(edited.encoded(), to: Self.base)
      let isReplaced = Mutex(false)
      let plan = FaultPlan(beforeCall: moment, calls: calls) {
        guard folder.exists(copy) else { return }
        isReplaced.withLock { $0 = true }
        try? folder.write(start.encoded(), to: Self.base)
      }
      _ = try? folder.merging(faults: plan)
      guard plan.hasFired else { break }
      // Before the base is read nothing is lost either: then the copy is merged into what is there.
      let isHeld = try folder.document(Self.base).heads == edited.heads
      if isReplaced.withLock({ $0 }), !folder.exists(copy), !isHeld { tooLate += 1 }
      moment += 1
    }
    #expect(moment > 5)
    #expect(tooLate == 0)
  }

  @Test(arguments: [FaultPlan.Fault.stop, .failure(ENOSPC), .failure(EIO), .interruption])
  func `a merge that fails anywhere loses nothing, and the next one completes it`(
    _ fault: FaultPlan.Fault
  ) throws {
    let undisturbed = try Self.folder()
    let before = try undisturbed.files()
    try undisturbed.merging()
    let expected = try undisturbed.files()
    let quarantined = try undisturbed.quarantined()
    #expect(quarantined.count == 4)
    var call = 1
    while true {
      let folder = try Self.folder()
      let faults = FaultPlan(atCall: call, fault)
      _ = try? folder.merging(faults: faults)
      for (name, bytes) in try folder.files() where !name.hasSuffix(".tmp.nosync") {
        #expect(bytes == before[name] || bytes == expected[name], "call \(call): \(name)")
      }
      try folder.merging()
      #expect(try folder.files() == expected, "call \(call)")
      #expect(try folder.quarantined() == quarantined, "call \(call)")
      if !faults.hasFired { break }
      call += Self.step(fault)
    }
    print("merge: \(fault) injected at \((call - 1) / Self.step(fault)) calls")
    #expect(call > 20)
  }

  @Test func `an interrupted merge finishes what it began and says so`() throws {
    let folder = try Self.folder()
    let before = try folder.files()
    var context = TestFolder.context()
    context.isInterrupted = { true }
    #expect(throws: MigrationError.interrupted) {
      try MergeWorkflow(MergeOptions(folder: folder.path), context: context).perform()
    }
    #expect(try folder.files() == before)
  }

  @Test func `an interruption between items leaves what was merged complete`() throws {
    let folder = try Self.folder()
    let isRequested = Mutex(false)
    var context = TestFolder.context(workers: 1)
    context.reportProgress = { progress in
      if progress.phase == .merging, progress.completed == 0 { isRequested.withLock { $0 = true } }
    }
    context.isInterrupted = { isRequested.withLock { $0 } }
    #expect(throws: MigrationError.interrupted) {
      try MergeWorkflow(MergeOptions(folder: folder.path), context: context).perform()
    }
    // The first item was begun: it is merged, and its copies are where they belong.
    let merged = try folder.document(Self.base)
    #expect(merged.text("comment", of: try DocumentMergeTests.identity(1)) == "edit 1")
    #expect(!folder.exists("records/2024/01 2.automerge"))
    #expect(folder.exists("tags 2.json"))
    try folder.merging()
    #expect(try folder.quarantined().count == 4)
  }

  @Test func `a base that changes meanwhile is left to the next run`() throws {
    let folder = try Self.folder()
    let path = folder.path + "/" + Self.base
    var context = TestFolder.context(workers: 1)
    let start = try folder.document(Self.base)
    let edited = try AppDocument.editing(start, actor: 9) {
      try $0.set("comment", of: DocumentMergeTests.identity(3), to: "meanwhile")
    }
    let bytes = edited.encoded()
    // Progress is told before an item is decided; the app writes as soon as the base was staged.
    context.reportProgress = { progress in
      guard progress.phase == .merging, progress.completed == 0 else { return }
      try? Data(bytes).write(to: URL(filePath: path), options: .atomic)
    }
    _ = try MergeWorkflow(MergeOptions(folder: folder.path), context: context).perform()
    try folder.merging()
    let merged = try folder.document(Self.base)
    #expect(merged.text("comment", of: try DocumentMergeTests.identity(3)) == "meanwhile")
    #expect(merged.text("comment", of: try DocumentMergeTests.identity(1)) == "edit 1")
  }
}

import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore

/// What a merge says it did is on disk.
@Suite struct AppliedFindingTests {
  private static let base = "records/2024/01.automerge"
  private static let copy = "records/2024/01 2.automerge"

  /// A month and a copy of it that an app made separately, with a note of its own and images listed
  /// twice.
  private func folder() throws -> TestFolder {
    let identity = try DocumentMergeTests.identity(1)
    let winner = try AppDocument.make(actor: 9) {
      $0.make(identity, "comment", "imported")
      $0.makeImages(identity, ["a", "a"])
    }
    let hidden = try AppDocument.editing(
      AppDocument.make(actor: 3) { $0.make(identity, "comment", "imported") }, actor: 4
    ) { try $0.set("note", of: identity, to: "only here") }
    let folder = try TestFolder()
    try folder.write(winner.encoded(), to: Self.base)
    try folder.write(hidden.encoded(), to: Self.copy)
    return folder
  }

  private static let done = ["became one", "are listed once now"]

  private func claims(_ report: MergeReport) -> Int {
    Self.done.count { text in report.findings.contains { $0.message.contains(text) } }
  }

  @Test func `a plan says what is, not what would be`() throws {
    let folder = try folder()
    let report = try folder.merging(isDryRun: true) { $0.unifies = true }
    #expect(claims(report) == 0)
    #expect(report.findings.contains { $0.message.contains("hides another") })
    #expect(report.findings.contains { $0.message.contains("are listed twice") })
    #expect(claims(try folder.merging { $0.unifies = true }) == 2)
  }

  @Test func `a base that changes meanwhile had nothing done to it`() throws {
    var call = 1
    var leftCount = 0
    var isReached = true
    while isReached {
      let folder = try folder()
      let before = try folder.bytes(Self.base)
      let path = folder.path + "/" + Self.base
      let meanwhile = try AppDocument.editing(folder.document(Self.base), actor: 11) {
        try $0.set("comment", of: DocumentMergeTests.identity(1), to: "meanwhile")
      }.encoded()
      let faults = FaultPlan(beforeCall: call) {
        try? Data(meanwhile).write(to: URL(filePath: path), options: .atomic)
      }
      let report = try folder.merging(faults: faults) { $0.unifies = true }
      isReached = faults.hasFired
      let now = try folder.bytes(Self.base)
      if now == meanwhile, now != before, report.bases.allSatisfy({ !$0.isWritten }) {
        leftCount += 1
        #expect(claims(report) == 0, "call \(call)")
        #expect(report.bases.allSatisfy { $0.differences.isEmpty }, "call \(call)")
        #expect(report.outcomes[Self.copy] == .waiting, "call \(call)")
      }
      call += 1
    }
    #expect(leftCount > 0)
  }

  @Test func `an adopted copy is reported adopted although nothing could be merged into it`() throws
  {
    let start = try DocumentMergeTests.folder().document(Self.base)
    let (one, other) = ("records/2024/01_conf(2).automerge", "records/2024/01.Conflict.automerge")
    let edited = try AppDocument.editing(start, actor: 7) {
      try $0.set("comment", of: DocumentMergeTests.identity(1), to: "edited")
    }
    var call = 1
    var found = 0
    var isReached = true
    while isReached {
      let folder = try TestFolder()
      try folder.write(start.encoded(), to: one)
      try folder.write(edited.encoded(), to: other)
      let path = folder.path + "/" + Self.base
      let bytes = start.encoded()
      // A sync service writes the adopted file anew before the merge does.
      let faults = FaultPlan(beforeCall: call) {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try? Data(bytes).write(to: URL(filePath: path), options: .atomic)
      }
      let report = try folder.merging(faults: faults)
      isReached = faults.hasFired
      if report.outcomes[other] == .waiting, !folder.exists(one) {
        found += 1
        #expect(report.outcomes[one] == .adopted, "call \(call)")
      }
      call += 1
    }
    #expect(found > 0)
  }
}

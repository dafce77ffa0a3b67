import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct BringBackTests {
  /// Two old months that were set aside; returns what the folder was before, and the run.
  private func setAside(
    _ layout: LayoutChoice = .monthly
  ) throws -> (folder: TestFolder, before: [String: [UInt8]], run: String) {
    let folder = try OldMonthsTests.folder(layout)
    let before = try folder.files()
    let backup = try folder.packing().archives[0].path
    let report = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
    return (folder, before, report.quarantine)
  }

  @Test(arguments: [LayoutChoice.monthly, .perRecord])
  func `a run comes back whole, and nothing of it is left in quarantine`(
    layout: LayoutChoice
  ) throws {
    let (folder, before, run) = try setAside(layout)
    let after = try folder.files()
    let plan = try folder.bringingBack(run, isDryRun: true)
    #expect(try folder.files() == after)
    let report = try folder.bringingBack(run)
    #expect(report.files == plan.files)
    #expect(report.files.allSatisfy { $0.outcome == .returned })
    #expect(!report.endsWithDifferences, "\(report.findings)")
    #expect(try folder.files() == before)
    #expect(
      try folder.files(includingState: true).keys.filter { $0.contains("/quarantine/") } == [])
    #expect(try folder.verifying().isSound)
    let error = #expect(throws: MigrationError.self) { try folder.bringingBack(run) }
    #expect(error?.diagnostic.kind == .missingInput)
    #expect(error?.diagnostic.remedy?.contains("cleanup-legacy \(folder.path) --list") ?? false)
  }

  @Test func `a run comes back that a restore has set aside with its quarantine`() throws {
    let (folder, before, run) = try setAside()
    let today = try folder.packing { $0.output = folder.beside("today.tar") }.archives[0].path
    // As a rollback does, and what it names to undo that.
    try folder.restoring(today, replacing: today)
    #expect(!folder.exists(run))
    let plan = try folder.bringingBack(run, isDryRun: true)
    let report = try folder.bringingBack(run)
    #expect(report.files == plan.files && !report.files.isEmpty)
    #expect(report.files.allSatisfy { $0.outcome == .returned }, "\(report.findings)")
    #expect(report.quarantine.contains("/restore/"))
    #expect(try folder.files() == before)
    #expect(
      try folder.files(includingState: true).keys.filter { $0.contains("/quarantine/") } == [])
  }

  @Test func `what a clean-up that died and the next one moved comes back, and nothing is missed`()
    throws
  {
    for call in stride(from: 1, through: 300, by: 3) {
      let (folder, backup) = try CleanUpTests.migrated(recordCount: 6)
      let before = try folder.files()
      let faults = FaultPlan(atCall: call, .stop)
      // It dies; what it has done is looked at below.
      _ = try? folder.cleaning(backup: backup, faults: faults)
      guard faults.hasFired else {
        #expect(call > 30)
        return
      }
      try folder.cleaning(backup: backup)
      let names = try folder.files(includingState: true).keys.compactMap { path in
        path.firstRange(of: "/quarantine/").map { path[$0.upperBound...].prefix { $0 != "/" } }
      }
      for run in Set(names).filter({ !$0.hasSuffix(".jsonl") }).sorted() {
        let report = try folder.bringingBack(String(run))
        #expect(report.findings.isEmpty, "call \(call): \(report.findings)")
      }
      #expect(try folder.files() == before, "call \(call)")
    }
  }

  @Test func `JSON that was cleaned up comes back, too`() throws {
    let folder = try OldMonthsTests.folder()
    let before = try folder.files()
    let run = try folder.cleaning(backup: folder.packing().archives[0].path).quarantine
    #expect(try folder.files() != before)
    #expect(!(try folder.bringingBack(run).endsWithDifferences))
    #expect(try folder.files() == before)
  }

  @Test func `nothing is replaced: another version of a document comes back beside it`() throws {
    let (folder, before, run) = try setAside()
    let document = "records/2020/12.automerge"
    let image = "records/2020/12/\(Legacy.id(2))_0.jpg"
    let same = "records/2019/05/\(Legacy.id(1))_0.jpg"
    // What another device had, before the last edit here.
    try folder.write(#require(before[document]), to: document)
    try folder.edit(document, actor: 9) {
      try $0.set("comment", of: #require(Identity(Legacy.id(2))), to: "elsewhere")
    }
    let edited = try folder.bytes(document)
    try folder.write("another picture", to: image)
    try folder.write(#require(before[same]), to: same)
    let plan = try folder.bringingBack(run, isDryRun: true)
    let report = try folder.bringingBack(run)
    #expect(report.files == plan.files && report.findings == plan.findings)

    let name = try #require(run.split(separator: "/").last)
    let copy = "records/2020/12 (conflicted copy \(name)).automerge"
    #expect(try folder.bytes(document) == edited)
    #expect(try folder.bytes(copy) == before[document])
    #expect(report.files.contains { $0.path == copy && $0.outcome == .returned })
    #expect(report.findings.contains { $0.code == .conflictCopy && $0.path == copy })
    #expect(try folder.bytes(image) == Array("another picture".utf8))
    #expect(try folder.bytes("\(run)/\(image)") == before[image])
    #expect(report.findings.contains { $0.path == image && $0.severity == .error })
    #expect(try folder.bytes("\(run)/\(same)") == before[same])
    #expect(report.findings.contains { $0.path == same && $0.severity == .info })

    #expect(try folder.merging().outcomes == [copy: .redundant])
    #expect(try folder.bytes(document) == edited)
  }

  @Test func `links and our own state are not brought back`() throws {
    let (folder, before, run) = try setAside()
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/\(run)/records/2020/link.automerge",
      withDestinationPath: "/etc/passwd")
    try folder.write("x", to: "\(run)/.automerge-migrate.nosync/run.json")
    let report = try folder.bringingBack(run)
    #expect(
      report.files.filter { $0.outcome == .kept }.map(\.path) == ["records/2020/link.automerge"])
    #expect(try folder.files() == before)
  }

  @Test func `dying anywhere loses nothing and is completed by the next run`() throws {
    let (origin, before, run) = try setAside()
    let origins = try origin.files(includingState: true)
    var call = 1
    while true {
      let folder = try TestFolder()
      for (path, bytes) in origins { try folder.write(bytes, to: path) }
      let faults = FaultPlan(atCall: call, .stop)
      _ = try? folder.bringingBack(run, faults: faults)
      let now = try folder.files(includingState: true)
      for (name, bytes) in before {
        let places = now.filter { $0.key == name || $0.key.hasSuffix("Z/\(name)") }
        #expect(places.values.map { $0 } == [bytes], "call \(call): \(name) in \(places.keys)")
      }
      // Nobody takes for new what is only half back.
      let documents = try folder.documents()
      try folder.importing()
      #expect(try folder.documents() == documents, "call \(call)")
      if try folder.files() != before { try folder.bringingBack(run) }
      #expect(try folder.files() == before, "call \(call)")
      if !faults.hasFired { break }
      call += 1
    }
    #expect(call > 20)
  }
}

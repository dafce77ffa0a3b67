import Automerge
import Diagnostics
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// What counts as set aside: what a run's directory holds, and what a purge has unlinked there.
@Suite struct SetAsideMonthsTests {
  private static let old = "records/2019/05.automerge"
  private static let newer = "records/2020/12.automerge"

  /// Two months that were set aside, the backup that holds them, and the path of the run.
  private func setAside() throws -> (folder: TestFolder, backup: String, run: String) {
    let folder = try OldMonthsTests.folder()
    let backup = try folder.packing().archives[0].path
    let report = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
    #expect(!report.endsWithDifferences)
    return (folder, backup, report.quarantine)
  }

  private func missing(_ report: VerificationReport) -> Int {
    report.findings.count { $0.code == .missingEntity }
  }

  @Test func `a document that a manifest names and that never moved is missed once it is lost`()
    throws
  {
    let (folder, backup, run) = try setAside()
    // As a run leaves it that was killed after its first month.
    for (path, bytes) in try folder.files(includingState: true) {
      guard path.hasPrefix("\(run)/records/2020/") else { continue }
      try folder.write(bytes, to: String(path.dropFirst(run.count + 1)))
      try folder.remove(path)
    }
    #expect(try folder.verifying(against: .backup(path: backup)).isSound)
    let json = "records/2020/12/2020-12-02_093000.json"
    let bytes = try folder.bytes(Self.newer)
    try folder.remove(Self.newer)
    let copy = "records/2020/12 2.automerge"
    try folder.write(bytes, to: copy)
    #expect(try folder.merging(isDryRun: true).outcomes != [copy: .kept])
    try folder.remove(copy)

    let report = try folder.verifying(against: .backup(path: backup))
    #expect(missing(report) == 1 && !report.isSound, "\(report.findings)")
    #expect(folder.exists(json))
    let imported = try folder.importing(isDryRun: true).records
    #expect(imported.setAside == 0 && imported.imported == 1)
  }

  @Test func `a run that set months aside is told by its kind, an old one by its command`() throws {
    let (folder, _, run) = try setAside()
    let manifest = "\(run).jsonl"
    let lines = String(decoding: try folder.bytes(manifest), as: UTF8.self)
    let command = #""command":"cleanup-legacy --months-before 2021-01""#
    let kind = #","kind":"months""#
    try #require(lines.contains(command) && lines.contains(kind))
    let variants = [
      (lines.replacing(kind, with: ""), true),
      (lines.replacing(command, with: #""command":"something else""#), true),
      (lines.replacing(kind, with: #","kind":"copies""#), false),
      (lines.replacing(kind, with: #","kind":"of a later version""#), false),
    ]
    for (text, isOfMonths) in variants {
      try folder.write(text, to: manifest)
      let findings = try folder.verifying().findings
      #expect(findings.contains { $0.code == .setAside } == isOfMonths, "\(text)")
    }
  }

  @Test func `a purge lists what it unlinked, and nothing that stays`() throws {
    let folder = try OldMonthsTests.folder()
    let early = try folder.packing { $0.output = folder.beside("early.tar") }.archives[0].path
    try folder.edit(Self.old, actor: 7) {
      try $0.set("comment", of: #require(Identity(Legacy.id(1))), to: "edited since")
    }
    let backup = try folder.packing { $0.output = folder.beside("late.tar") }.archives[0].path
    let run = try folder.cleaning(backup: backup, monthsBefore: "2021-01").quarantine
    try folder.purging(backup: early, age: 0)
    #expect(folder.exists("\(run)/\(Self.old)") && !folder.exists("\(run)/\(Self.newer)"))
    func list() throws -> String {
      String(decoding: try folder.bytes("\(run).purged.jsonl"), as: UTF8.self)
    }
    #expect(try list().contains(Self.newer) && !list().contains(Self.old))
    #expect(folder.exists("\(run).jsonl"))

    try folder.purging(backup: backup, age: 0)
    #expect(try list().contains(Self.newer) && list().contains(Self.old))
    #expect(!folder.exists("\(run).jsonl") && !folder.exists(run))
    let report = try folder.verifying(against: .backup(path: backup))
    #expect(report.isSound, "\(report.findings)")
    let warnings = report.findings.filter { $0.code == .setAside && $0.severity == .warning }
    #expect(warnings.map { $0.message.hasPrefix("3 records ") } == [true])
  }

  @Test func `a purged document that was back and is lost again is missed`() throws {
    let (folder, backup, run) = try setAside()
    try folder.purging(backup: backup, age: 0)
    #expect(try folder.verifying(against: .backup(path: backup)).isSound)
    try folder.restoring(backup, only: [Self.old])
    // Whoever writes next sees it.
    try folder.importing()
    try folder.remove(Self.old)
    let report = try folder.verifying(against: .backup(path: backup))
    #expect(missing(report) == 2 && !report.isSound, "\(report.findings)")
    // When all are back there is no list any more.
    try folder.restoring(backup, only: [Self.newer])
    try folder.importing()
    #expect(!folder.exists("\(run).purged.jsonl"))
  }

  @Test func `another document of a purged month does not speak for the purged one`() throws {
    let (folder, backup, _) = try setAside()
    let json = "records/2019/05/2019-05-01_093000.json"
    try folder.purging(backup: backup, age: 0)
    try folder.write(
      Legacy.record(9, start: "2019-05-09T09:30:00Z"), to: "records/2019/05/2019-05-09_093000.json")
    for _ in 1...2 { #expect(!(try folder.importing().endsWithDifferences)) }
    #expect(folder.exists(Self.old))
    try folder.write(Legacy.record(1, start: "2019-05-01T09:30:00Z"), to: json)
    #expect(try folder.importing().records.setAside == 1)
  }

  @Test(arguments: [false, true])
  func `a manifest that cannot be read is told, and ends no command`(isPurged: Bool) throws {
    let (folder, backup, run) = try setAside()
    if isPurged { try folder.purging(backup: backup, age: 0) }
    let manifest = run + (isPurged ? ".purged.jsonl" : ".jsonl")
    try folder.remove(manifest)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/\(manifest)", withDestinationPath: "/etc/passwd")
    let json = "records/2019/05/2019-05-01_093000.json"
    try folder.write(Legacy.record(1, start: "2019-05-01T09:30:00Z"), to: json)

    let report = try folder.verifying()
    #expect(
      report.findings.contains {
        $0.code == .unreadable && $0.severity == .error && $0.path == manifest
      }, "\(report.findings)")
    // Where the documents are they tell themselves what they hold.
    let imported = try folder.importing()
    #expect(imported.records.setAside == (isPurged ? 0 : 1))
    #expect(imported.findings.contains { $0.code == .unreadable })
    #expect(try folder.exporting().report.endsWithDifferences)
    try folder.merging()
    _ = try StatusWorkflow(
      VerificationOptions(folder: folder.path), context: TestFolder.context()
    ).perform()
  }
}

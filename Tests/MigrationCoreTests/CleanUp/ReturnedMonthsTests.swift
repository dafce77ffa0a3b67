import Automerge
import Diagnostics
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// What another device brings back of months that were set aside: what was edited and deleted in
/// their documents must not come back as it was before.
@Suite struct ReturnedMonthsTests {
  private static let json = "records/2019/05/2019-05-01_093000.json"
  private static let deletedJSON = "records/2019/05/2019-05-04_093000.json"
  private static let document = "records/2019/05.automerge"

  /// Months that were set aside after record 1 was edited and record 4 deleted in a document, and
  /// JSON of both as it was before.
  private struct Situation {
    var folder: TestFolder
    var backup: String
    var run: String
    /// Everything before months were set aside.
    var before: [String: [UInt8]]
    var old: [String: [UInt8]]
    /// The document before it was edited.
    var firstDocument: [UInt8]

    init() throws {
      folder = try OldMonthsTests.folder()
      firstDocument = try folder.bytes(document)
      old = try folder.files().filter {
        $0.key.hasPrefix("records/2019") && $0.key.hasSuffix("json")
      }
      try folder.cleaning(backup: folder.packing().archives[0].path)
      try folder.edit(document, actor: 7) {
        try $0.set("comment", of: #require(Identity(Legacy.id(1))), to: "edited since")
        try $0.delete(#require(Identity(Legacy.id(4))))
      }
      before = try folder.files()
      backup = try folder.packing().archives[0].path
      let report = try folder.cleaning(backup: backup, monthsBefore: "2021-01")
      #expect(!report.endsWithDifferences, "\(report.findings)")
      run = report.quarantine
    }

    func returnJSON() throws {
      for (path, bytes) in old { try folder.write(bytes, to: path) }
    }
  }

  private func codes(_ findings: [Finding]) -> [String] {
    findings.filter { $0.severity == .error }.map { "\($0.code.rawValue) \($0.path)" }
  }

  @Test(arguments: [false, true])
  func `JSON of a month that was set aside is not imported, and everything says so alike`(
    isPurged: Bool
  ) throws {
    let situation = try Situation()
    let (folder, backup) = (situation.folder, situation.backup)
    if isPurged {
      let purged = try folder.purging(backup: backup, age: 0)
      #expect(purged.files.contains { $0.outcome == .purged && $0.path.hasSuffix(".automerge") })
      #expect(!folder.exists("\(situation.run)/\(Self.document)"))
    }
    try situation.returnJSON()
    let files = try folder.files()
    let expected = ["set-aside \(Self.json)", "set-aside \(Self.deletedJSON)"]

    let plan = try folder.importing(isDryRun: true)
    let report = try folder.importing()
    #expect(plan.findings == report.findings)
    #expect(codes(report.findings) == expected, "\(report.findings)")
    #expect(report.records.setAside == 2 && report.records.imported == 0)
    #expect(try folder.files() == files)

    let verified = try folder.verifying()
    #expect(codes(verified.findings) == expected, "\(verified.findings)")
    let status = try StatusWorkflow(
      VerificationOptions(folder: folder.path), context: TestFolder.context()
    ).perform()
    #expect(status.missingEntities == 0)
    #expect(status.errors.map { $0.code } == [.setAside])
    let name = try #require(situation.run.split(separator: "/").last)
    let bringBack = "cleanup-legacy \(folder.path) --bring-back \(name) --apply"
    #expect(status.next.first == (isPurged ? "verify-counts \(folder.path)" : bringBack))
    #expect(
      report.findings.filter { $0.code == .setAside }.allSatisfy {
        $0.next
          == (isPurged
            ? "restore-backup BACKUP --into \(folder.path) --only \(Self.document)" : bringBack)
      })

    // Nothing of it is shown as it was, and nothing of it is cleaned up.
    let exported = try folder.exporting().report
    #expect(exported.records == 1 && codes(exported.findings) == expected)
    let cleaned = try folder.cleaning(backup: folder.packing().archives[0].path)
    #expect(cleaned.files.allSatisfy { $0.outcome == .kept })

    // The advice works: afterwards the documents say what became of the files.
    if isPurged {
      try folder.restoring(backup, only: [Self.document])
    } else {
      try folder.bringingBack(situation.run)
    }
    let documents = try folder.documents()
    let again = try folder.importing()
    #expect(codes(again.findings) == [])
    #expect(again.records.known == 1 && again.records.deleted == 1)
    #expect(try folder.documents() == documents)
    #expect(try folder.verifying().isSound)
    let last = try folder.cleaning(backup: folder.packing().archives[0].path)
    #expect(last.files.map(\.outcome) == [.moved, .moved], "\(last.findings)")
  }

  @Test func `a backup and a folder of the time before are not compared with what is set aside`()
    throws
  {
    let situation = try Situation()
    let other = try TestFolder()
    for (path, bytes) in situation.old { try other.write(bytes, to: path) }
    try other.write(
      Legacy.record(3, start: "2021-01-03T09:30:00Z", "\"tagId\":\"\(Legacy.id(90))\""),
      to: "records/2021/01/x.json")
    let findings = try situation.folder.verifying(against: .folder(path: other.path)).findings
    #expect(
      !findings.contains {
        $0.code == .missingEntity || $0.code == .setAside && $0.severity == .error
      })
    #expect(
      try situation.folder.verifying(against: .backup(path: situation.backup)).isSound)
  }

  @Test
  func `an older version of a document that is back is told, and merged once the run is back`()
    throws
  {
    let situation = try Situation()
    let folder = situation.folder
    try folder.write(situation.firstDocument, to: Self.document)
    let finding = try #require(
      folder.verifying().findings.first { $0.path == Self.document && $0.code == .setAside })
    #expect(finding.severity == .warning)
    #expect(try folder.importing().findings.contains(finding))
    try folder.bringingBack(situation.run)
    try folder.merging()
    #expect(
      try folder.document(Self.document).heads
        == DocumentState(loading: #require(situation.before[Self.document])).heads)
    #expect(
      try folder.verifying().findings.contains { $0.code == .setAside && $0.severity > .info }
        == false)
  }

  @Test func `a copy does not take the place of a document that was set aside`() throws {
    let situation = try Situation()
    let folder = situation.folder
    let copy = "records/2019/05.sync-conflict-20260106-120000-ABCDEFG.automerge"
    try folder.write(situation.firstDocument, to: copy)
    for isDryRun in [true, false] {
      let report = try folder.merging(isDryRun: isDryRun)
      #expect(report.outcomes == [copy: .kept])
      #expect(report.findings.contains { $0.code == .setAside && $0.path == Self.document })
    }
    #expect(!folder.exists(Self.document))
    try folder.bringingBack(situation.run)
    #expect(try folder.merging().outcomes == [copy: .redundant])
    #expect(try folder.bytes(Self.document) == situation.before[Self.document])
  }

  @Test func `a manifest of anything else keeps nothing back`() throws {
    let situation = try Situation()
    let folder = situation.folder
    let manifest = situation.run + ".jsonl"
    let text = String(decoding: try folder.bytes(manifest), as: UTF8.self)
    try situation.returnJSON()
    let others = text.replacing(#""kind":"months""#, with: #""kind":"copies""#)
    for text in ["{}\n", others] {
      try folder.write(text, to: manifest)
      #expect(try folder.importing(isDryRun: true).records.imported == 2)
    }
  }

  @Test func `a damaged manifest is told, and the documents tell what they hold`() throws {
    let situation = try Situation()
    let folder = situation.folder
    let manifest = situation.run + ".jsonl"
    let text = String(decoding: try folder.bytes(manifest), as: UTF8.self)
    try situation.returnJSON()
    let lines = ["nonsense", "[]", "{\"path\":7}", "{\"path\":\"a\",\"ids\":[7]}"]
    for damaged in ["x", "", "[]\n" + text] + lines.map({ text + $0 + "\n" }) {
      try folder.write(damaged, to: manifest)
      let report = try folder.importing(isDryRun: true)
      #expect(report.records.setAside == 2, "\(damaged)")
      #expect(
        report.findings.contains {
          $0.code == .unreadable && $0.severity == .error && $0.path == manifest
        }, "\(damaged): \(report.findings)")
    }
    // It is not swept away as if it had listed nothing.
    try folder.importing()
    #expect(folder.exists(manifest))
  }
}

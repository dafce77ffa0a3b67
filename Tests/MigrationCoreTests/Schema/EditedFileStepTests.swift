import Diagnostics
import FileFaults
import Folders
import Foundation
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Files that an app writes after a run of a step over them was stopped in the middle.
@Suite struct EditedFileStepTests {
  private static let plan = """
    {"plan": "p", "profile": "notes", "steps": [
      {"id": "mark", "risk": "additive", "entities": {"note": [
        {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
    """

  private static func sample() throws -> (ProfiledFolder, Plan) {
    let folder = try ProfiledFolder(sample: "notes")
    let profile = folder.profile
    return (folder, try Plan(parsing: Array(Self.plan.utf8), of: "plan.json") { _ in profile })
  }

  private static func files(_ folder: ProfiledFolder) throws -> [String: [UInt8]] {
    try folder.folder.files().filter { $0.key.hasSuffix(".json") }
  }

  /// Notes of the app in a file that a step changes: some that it has reached, and some not.
  private static func edited(_ bytes: [UInt8]) throws -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    let brace = try #require(text.firstIndex(of: "{"))
    let rest = text[text.index(after: brace)...]
    return Array((text[...brace] + #""color":"red","# + rest).utf8)
  }

  @Test(arguments: [false, true])
  func `one is told with what to do, and nothing is made of two versions`(isUndoing: Bool) throws {
    let (whole, plan) = try Self.sample()
    let before = try Self.files(whole)
    let undone: MigrationID? = isUndoing ? "mark" : nil
    if isUndoing { _ = try FileStepTests.workflow(whole, plan).perform() }
    let start = try Self.files(whole)
    let counting = FaultPlan(atCall: .max, .stop)
    _ = try FileStepTests.workflow(whole, plan, faults: counting, undoing: undone).perform()
    let after = try Self.files(whole)
    let changed = start.keys.filter { start[$0] != after[$0] }.sorted()
    #expect(changed.count > 2)
    var toldCount = 0
    for call in stride(from: 1, through: counting.callCount, by: 3) {
      let (folder, plan) = try Self.sample()
      if isUndoing { _ = try FileStepTests.workflow(folder, plan).perform() }
      // How it ends is told by what is there.
      _ = try? FileStepTests.workflow(
        folder, plan, faults: FaultPlan(atCall: call, .stop), undoing: undone
      ).perform()
      let path = changed[call % changed.count]
      let isStopped = try FileStepTests.workflow(folder, plan).status().standings.map(\.state)
        .contains(.unfinished)
      guard isStopped else { continue }
      let isWhole = try Self.files(folder) == after
      let edited = try Self.edited(folder.folder.bytes(path))
      try folder.folder.write(edited, to: path)
      if isWhole, try FileStepTests.workflow(folder, plan).status().findings.isEmpty {
        // It was noted as done, and only the journal is left: that is an edit as any.
        _ = try FileStepTests.workflow(folder, plan, undoing: undone).perform()
        #expect(try folder.folder.bytes(path) == edited, "call \(call)")
        continue
      }
      toldCount += 1
      let state = try folder.folder.files(includingState: true)
      let error = #expect(throws: MigrationError.self) {
        _ = try FileStepTests.workflow(folder, plan, undoing: undone).perform()
      }
      let diagnostic = try #require(error?.diagnostic)
      #expect(diagnostic.kind == .conflictsWithData && diagnostic.subject == path, "call \(call)")
      #expect(diagnostic.remedy?.contains("copy ") == true, "\(diagnostic)")
      #expect(try folder.folder.files(includingState: true) == state, "call \(call)")
      let findings = try FileStepTests.workflow(folder, plan).status().findings
      let finding = try #require(findings.first { $0.code == .editedSince }, "call \(call)")
      #expect(finding.path == path && finding.severity == .error)
      // As it says: what is copied is the file as it was before the step.
      let next = try #require(finding.next)
      let source = try #require(next.firstMatch(of: /copy (.*) to its place/)).output.1
      let copy = try folder.folder.bytes(String(source))
      #expect(copy == before[path], "call \(call)")
      try folder.folder.write(copy, to: path)
      _ = try FileStepTests.workflow(folder, plan, undoing: undone).perform()
      #expect(try Self.files(folder) == after, "call \(call)")
    }
    #expect(toldCount > 2)
  }

  @Test func `what only JSON does not show is no change of a file`() throws {
    let plans = Fixtures.directory.deletingLastPathComponent().appending(path: "plans")
    let text = try Data(contentsOf: plans.appending(path: "minuta-comments-as-texts.json"))
    let plan = try Plan(parsing: Array(text), of: "plan.json") { _ in .minuta }
    let folder = try TestFolder("Minuta")
    try folder.write(
      #"{"id": "\#(StepFolder.ada)", "startTime": "2024-01-15T09:30:00Z", "comment": "c"}"#,
      to: "records/2024/01/2024-01-15_093000.json")
    let files = try folder.files()
    func workflow(undoing id: MigrationID? = nil) throws -> FileStepWorkflow {
      let context = TestFolder.context()
      var options = SchemaOptions(plans: [plan], source: .file(path: folder.path))
      options.undone = id
      return FileStepWorkflow(
        options, in: try ListedFolder(folder.path, context: context), context: context)
    }
    #expect(try workflow().status().standings.map(\.state) == [.pending])
    #expect(try workflow().plan().changes.isEmpty)
    let report = try workflow().perform()
    #expect(report.effects.map(\.changedCount) == [0] && report.documentCount == 0)
    #expect(try folder.files() == files)
    let status = try workflow().status()
    #expect(status.standings.map(\.state) == [.applied] && status.findings.isEmpty)
    #expect(status.standings[0].reason.isEmpty)
    #expect(try workflow().perform().effects.isEmpty)
    let refused = #expect(throws: MigrationError.self) {
      try workflow(undoing: "comments-as-texts").perform()
    }
    #expect(refused?.diagnostic.problem.contains("nothing to undo") == true)
  }
}

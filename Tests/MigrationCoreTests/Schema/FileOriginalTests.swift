import Diagnostics
import FileFaults
import Folders
import Foundation
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// What steps over JSON files have set aside is given back only if it is what it was.
@Suite struct FileOriginalTests {
  private static func folder() throws -> StepFolder {
    try StepFolder(files: StepFolder.people, [StepFolder.transforming()])
  }

  private static let original = ".automerge-migrate.nosync/schema/people-v2/1/people.json"

  private static func text(_ folder: StepFolder, _ path: String = "people.json") throws -> String {
    String(decoding: try folder.folder.folder.bytes(path), as: UTF8.self)
  }

  @Test(arguments: [
    nil, "", "{\"people\":[{\"id\":", StepFolder.people.replacing("Ada", with: "Mal"),
  ])
  func `a damaged one is not given back, and what is there stays`(damage: String?) throws {
    let folder = try Self.folder()
    try folder.runFiles()
    let after = try Self.text(folder)
    if let damage {
      try folder.folder.folder.write(damage, to: Self.original)
    } else {
      try folder.folder.folder.remove(Self.original)
    }
    for isDryRun in [true, false] {
      let error = #expect(throws: MigrationError.self) {
        let workflow = try folder.fileWorkflow { $0.undone = "people-v2" }
        _ = try isDryRun ? workflow.plan() : workflow.perform()
      }
      let diagnostic = try #require(error?.diagnostic)
      #expect(diagnostic.kind == .damagedInput && diagnostic.subject.hasSuffix(Self.original))
      #expect(diagnostic.remedy?.contains("copy people.json there from the backup") == true)
      #expect(try Self.text(folder) == after)
    }
    // As it says.
    try folder.folder.folder.write(StepFolder.people, to: Self.original)
    try folder.runFiles { $0.undone = "people-v2" }
    #expect(try Self.text(folder) == StepFolder.people)
  }

  @Test func `nor is it after a run that was stopped`() throws {
    let counting = FaultPlan(atCall: .max, .stop)
    let whole = try Self.folder()
    _ = try whole.fileWorkflow(faults: counting).perform()
    var stoppedCount = 0
    for call in 1...counting.callCount {
      let folder = try Self.folder()
      // How it ends is told by what is there.
      _ = try? folder.fileWorkflow(faults: FaultPlan(atCall: call, .stop)).perform()
      guard try folder.fileStates() == [.unfinished] else { continue }
      stoppedCount += 1
      try folder.folder.folder.write("{}", to: Self.original)
      let before = try Self.text(folder)
      // What is thrown is told by what is there.
      _ = try? folder.runFiles()
      let text = try Self.text(folder)
      #expect(text == before && text != "{}", "call \(call)")
    }
    #expect(stoppedCount > 0)
  }

  @Test func `a dry run of an undoing counts what would be as before`() throws {
    func planned(_ folder: StepFolder) throws -> SchemaReport {
      try folder.fileWorkflow { $0.undone = "people-v2" }.plan()
    }
    let whole = try Self.folder()
    try whole.runFiles()
    #expect(try planned(whole).documentCount == 1)
    let restored = try Self.folder()
    try restored.runFiles()
    try restored.folder.folder.write(StepFolder.people, to: "people.json")
    #expect(try planned(restored).documentCount == 0)
    #expect(try restored.runFiles { $0.undone = "people-v2" }.documentCount == 0)
  }

  @Test func `of a step that was done before and after another one the last run is undone first`()
    throws
  {
    func step(_ name: String) -> String {
      """
      {"id": "\(name)", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"constant": "\(name)@x"}}]}}
      """
    }
    let folder = try StepFolder(
      files: StepFolder.people,
      [#"{"plan": "p", "profile": "people", "steps": [\#(step("one")),\#(step("two"))]}"#])
    try folder.runFiles()
    let after = try Self.text(folder)
    try folder.runFiles { $0.forced = ["one"] }
    #expect(try Self.text(folder).contains("one@x"))
    #expect(throws: MigrationError.self) { try folder.runFiles { $0.undone = "two" } }
    let undone = try folder.runFiles { $0.undone = "one" }
    #expect(undone.standings.map(\.state) == [.applied, .applied], "\(undone.standings)")
    #expect(try Self.text(folder) == after)
    #expect(try folder.fileStates() == [.applied, .applied])
    #expect(throws: MigrationError.self) { try folder.runFiles { $0.undone = "one" } }
    try folder.runFiles { $0.undone = "two" }
    #expect(try Self.text(folder).contains("one@x"))
    try folder.runFiles { $0.undone = "one" }
    #expect(try Self.text(folder) == StepFolder.people)
    #expect(try folder.fileStates() == [.undone, .undone])
  }

  @Test func `a file that is gone is told once`() throws {
    let folder = try Self.folder()
    try folder.runFiles()
    try folder.folder.folder.remove("people.json")
    try folder.folder.folder.write(#"{"notes": []}"#, to: "notes.txt")
    let plan = try folder.fileWorkflow { $0.undone = "people-v2" }.plan()
    let run = try folder.runFiles { $0.undone = "people-v2" }
    #expect(plan.documentCount == 0 && run.documentCount == 0)
    for report in [plan, run] {
      #expect(report.findings.map(\.message) == ["was deleted since the step, and stays so"])
    }
  }
}

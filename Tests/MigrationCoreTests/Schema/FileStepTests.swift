import Diagnostics
import FileFaults
import Folders
import Foundation
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Steps over the JSON files of a folder, in their places.
@Suite struct FileStepTests {
  private static let people = """
    {
      "people": [
        {"id": "\(StepFolder.ada)", "firstName": "Ada", "lastName": "Lovelace",
         "height": 1.50, "createdAt": "2024-01-01T00:00:00Z"},
        {"id": "\(StepFolder.grace)", "firstName": "Grace", "lastName": "Hopper"}
      ],
      "window": [ 1,2 ]
    }

    """

  private static let preferences =
    #""preferences":{"notifications":true,"theme":"system","language":"en"}"#

  private static let after = """
    {
      "people": [
        {"id":"\(StepFolder.ada)","height":1.50,"createdAt":"2024-01-01T00:00:00Z","fullName":"Ada Lovelace","updatedAt":"2026-01-01T00:00:00Z",\(preferences)},
        {"id":"\(StepFolder.grace)","fullName":"Grace Hopper","updatedAt":"2026-01-01T00:00:00Z",\(preferences)}
      ],
      "window": [ 1,2 ]
    }

    """

  private static let counting = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "count", "risk": "additive", "folds": {"n": {"count": true, "of": "person"}},
       "entities": {"person": [{"set": "all", "to": {"fold": "n"}, "type": "integer"}]},
       "verify": [{"every": "person", "holds": {"present": {"copy": "/fullName"}}}]}]}
    """

  private static func folder(_ people: String = people) throws -> StepFolder {
    try StepFolder(files: people, [StepFolder.transforming(), counting])
  }

  private static func text(_ folder: StepFolder) throws -> String {
    String(decoding: try folder.folder.folder.bytes("people.json"), as: UTF8.self)
  }

  private static func state(_ folder: StepFolder) throws -> [String: [UInt8]] {
    try folder.folder.folder.files(includingState: true)
  }

  @Test func `entities change in their places, and the rest of a file stays, to the byte`() throws {
    let folder = try Self.folder()
    #expect(try folder.fileStates() == [.pending, .pending])
    let report = try folder.runFiles { $0.target = "people-v2" }
    #expect(report.isPublished && report.findings.isEmpty && report.documentCount == 1)
    #expect(try Self.text(folder) == Self.after)
    let files = try Self.state(folder)
    #expect(files.keys.allSatisfy { !$0.contains("journal") && !$0.contains(".tmp") })
    let again = try folder.runFiles { $0.target = "people-v2" }
    #expect(again.isPublished && again.effects.isEmpty)
    #expect(try Self.state(folder) == files)
    #expect(try folder.fileStates() == [.applied, .pending])
    #expect(try folder.fileWorkflow().status().version == 2)
  }

  @Test func `undone, files are what they were, to the byte, or stay all if one was edited since`()
    throws
  {
    let folder = try Self.folder()
    try folder.runFiles()
    let after = try Self.text(folder)
    #expect(after.contains("\"all\":2"))
    #expect(throws: MigrationError.self) { try folder.runFiles { $0.undone = "people-v2" } }
    try folder.runFiles { $0.undone = "count" }
    #expect(try Self.text(folder) == Self.after)
    #expect(try folder.runFiles { $0.undone = "count" }.effects.isEmpty)
    try folder.runFiles { $0.undone = "people-v2" }
    #expect(try Self.text(folder) == Self.people)
    #expect(try folder.fileStates() == [.undone, .undone])
    try folder.runFiles { $0.forced = ["people-v2", "count"] }
    #expect(try Self.text(folder) == after)
    try folder.folder.folder.write(after + "\n", to: "people.json")
    let state = try Self.state(folder)
    for isDryRun in [true, false] {
      let error = #expect(throws: MigrationError.self) {
        let workflow = try folder.fileWorkflow { $0.undone = "count" }
        _ = try isDryRun ? workflow.plan() : workflow.perform()
      }
      #expect(error?.diagnostic.problem.hasPrefix("people.json was edited since") == true)
      #expect(error?.diagnostic.kind == .conflictsWithData)
    }
    #expect(try folder.fileStates() == [.applied, .applied])
    #expect(try Self.text(folder) == after + "\n")
    #expect(try Self.state(folder).keys.count == state.keys.count)
  }

  @Test func `a file that is gone keeps nobody from undoing a step, and is told`() throws {
    let folder = try Self.folder()
    try folder.runFiles { $0.target = "people-v2" }
    try folder.folder.folder.remove("people.json")
    try folder.folder.folder.write(#"{"notes": []}"#, to: "notes.txt")
    let report = try folder.fileWorkflow { $0.undone = "people-v2" }.plan()
    #expect(report.findings.map(\.message) == ["was deleted since the step, and stays so"])
  }

  @Test(arguments: [
    "people.sync-conflict-20240101-120000-ABCDEFG.json", "people 2.json",
    "people (John's conflicted copy 2024-01-01).json",
  ])
  func `a conflict copy keeps steps from running`(name: String) throws {
    let folder = try Self.folder()
    let copy = Self.people.replacing("Grace", with: "Grete")
    try folder.folder.folder.write(copy, to: name)
    let report = try folder.fileWorkflow().status()
    #expect(report.standings.map(\.state) == [.waiting, .waiting])
    #expect(report.findings.map(\.code) == [.conflictCopy])
    #expect(report.findings.map(\.path) == [name])
    _ = try folder.runFiles()
    #expect(try Self.text(folder) == Self.people)
    #expect(String(decoding: try folder.folder.folder.bytes(name), as: UTF8.self) == copy)
  }

  @Test func `what is rewritten in its place gets it again where it came later`() throws {
    let plan = """
      {"plan": "p", "profile": "people", "steps": [{"id": "names", "risk": "transformative",
        "entities": {"person": [
          {"set": "email",
           "to": {"split": {"copy": "/email"}, "by": "@", "part": 0}}]}}]}
      """
    let folder = try StepFolder(files: Self.people, [plan])
    try folder.runFiles()
    #expect(try folder.fileStates() == [.applied])
    let id = "00000000-0000-4000-8000-00000000000C"
    let text = try Self.text(folder).replacing(
      "\"people\": [", with: #""people": [{"id": "\#(id)", "email": "mary@example.org"},"#)
    try folder.folder.folder.write(text, to: "people.json")
    #expect(try folder.fileStates() == [.pending])
    try folder.runFiles()
    #expect(try Self.text(folder).contains("\"email\":\"mary\""))
    #expect(try folder.fileStates() == [.applied])
  }

  @Test func `a dry run tells each entity through all steps, and writes nothing`() throws {
    let folder = try Self.folder()
    let before = try Self.state(folder)
    let report = try folder.fileWorkflow().plan()
    #expect(
      report.changes.map(\.id) == [
        StepFolder.ada, StepFolder.grace, StepFolder.ada, StepFolder.grace,
      ])
    #expect(report.changes[2].properties.map(\.name) == ["all"])
    #expect(try Self.state(folder) == before)
  }

  @Test func `what comes later as before a step gets it`() throws {
    let folder = try Self.folder()
    try folder.runFiles()
    let text = try Self.text(folder).replacing(
      "\"people\": [",
      with:
        #""people": [{"id": "00000000-0000-4000-8000-00000000000C", "firstName": "Mary", "lastName": "S"},"#
    )
    try folder.folder.folder.write(text, to: "people.json")
    // What puts entities together was done.
    #expect(try folder.fileStates() == [.pending, .applied])
    try folder.runFiles()
    #expect(try Self.text(folder).contains("\"fullName\":\"Mary S\""))
    #expect(try folder.fileStates() == [.applied, .applied])
  }

  @Test
  func `a promise that does not hold keeps its step from being written, and not those before`()
    throws
  {
    let folder = try StepFolder(
      files: #"{"people": [{"id": "\#(StepFolder.ada)", "email": "a"}]}"#, [Self.counting])
    let before = try Self.text(folder)
    let report = try folder.runFiles()
    #expect(!report.isPublished && report.standings.map(\.state) == [.pending])
    #expect(try Self.text(folder) == before)
  }

  @Test(arguments: [
    (FaultPlan.Fault.stop, 1, false), (.failure(ENOSPC), 3, false), (.stop, 2, true),
  ])
  func `wherever a run or an undoing dies or fails nothing is lost, and the next one completes it`(
    fault: FaultPlan.Fault, stride: Int, isUndoing: Bool
  ) throws {
    func made() throws -> StepFolder {
      let folder = try Self.folder()
      if isUndoing { try folder.runFiles() }
      return folder
    }
    let undone: MigrationID? = isUndoing ? "count" : nil
    let whole = try made()
    let before = try Self.text(whole)
    let counting = FaultPlan(atCall: .max, .stop)
    _ = try whole.fileWorkflow(faults: counting) { $0.undone = undone }.perform()
    let after = try Self.text(whole)
    let known = [Self.people, Self.after, before, after]
    for call in Swift.stride(from: 1, through: counting.callCount, by: stride) {
      let folder = try made()
      // How it ends is told by what is there.
      _ = try? folder.fileWorkflow(faults: FaultPlan(atCall: call, fault)) { $0.undone = undone }
        .perform()
      #expect(known.contains(try Self.text(folder)), "call \(call)")
      if try folder.fileStates().contains(.unfinished) {
        let busy = #expect(throws: MigrationError.self) { try folder.folder.importing() }
        #expect(busy?.diagnostic.kind == .busy)
      }
      let again = try folder.runFiles { $0.undone = undone }
      #expect(again.isPublished, "call \(call): \(again.findings)")
      let debris = try Self.state(folder).keys.filter {
        $0.contains(".tmp") || $0.contains("journal")
      }
      #expect(debris.isEmpty, "call \(call): \(debris)")
      #expect(try Self.text(folder) == after, "call \(call)")
      #expect(
        try folder.fileStates() == (isUndoing ? [.applied, .undone] : [.applied, .applied]),
        "call \(call)")
    }
  }

  // MARK: Entities that steps make

  private static let making = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "make", "risk": "additive", "folds": {"n": {"count": true, "of": "person"}}, "create": [
        {"kind": "person", "id": {"constant": "\(made)"}, "fields": [
          {"set": "n", "to": {"fold": "n"}, "type": "integer"}]}],
       "verify": [{"unique": "person"}]},
      {"id": "mark", "risk": "additive", "entities": {"person": [
        {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
    """
  private static let made = "00000000-0000-4000-8000-000000000001"

  @Test func `what a step makes comes behind the others, is seen by the next, and goes again`()
    throws
  {
    let folder = try StepFolder(files: Self.people, [Self.making])
    let dry = try folder.fileWorkflow().plan()
    #expect(dry.effects.map(\.madeCount) == [1, 0] && dry.effects.map(\.changedCount) == [0, 3])
    #expect(dry.changes.first?.id == Self.made && dry.changes.first?.isNew == true)
    #expect(try Self.text(folder) == Self.people)
    let report = try folder.runFiles { $0.target = "make" }
    #expect(report.isPublished && report.effects.map(\.madeCount) == [1])
    #expect(
      try Self.text(folder)
        == Self.people.replacing(
          #""lastName": "Hopper"}"#,
          with: #""lastName": "Hopper"},{"id":"\#(Self.made)","n":2}"#))
    let files = try Self.state(folder)
    #expect(try folder.runFiles { $0.target = "make" }.effects.isEmpty)
    #expect(try Self.state(folder) == files)
    try folder.runFiles()
    #expect(try Self.text(folder).contains(#"{"id":"\#(Self.made)","n":2,"marked":true}"#))
    try folder.runFiles { $0.undone = "mark" }
    try folder.runFiles { $0.undone = "make" }
    #expect(try Self.text(folder) == Self.people)
    #expect(try folder.fileStates() == [.undone, .undone])
  }

  @Test func `what a step makes is not late, though it looks like what was before`() throws {
    let plan = """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "both", "risk": "additive",
         "create": [{"kind": "person", "id": {"constant": "\(Self.made)"}, "fields": [
           {"set": "email", "to": {"constant": "a"}}]}],
         "entities": {"person": [{"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
      """
    let folder = try StepFolder(files: Self.people, [plan])
    try folder.runFiles()
    #expect(try folder.fileStates() == [.applied])
    let text = try Self.text(folder)
    #expect(text.contains(#"{"id":"\#(Self.made)","email":"a"}"#))
    try folder.runFiles()
    #expect(try Self.text(folder) == text)
  }

  @Test func `undone, what came later is as it came, too`() throws {
    let plan = """
      {"plan": "p", "profile": "notes", "steps": [{"id": "mark", "risk": "additive", "entities": {"note": [
        {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
      """
    let (folder, steps) = try Self.sample("notes", plan)
    _ = try Self.workflow(folder, steps).perform()
    let late =
      #"{"id": "00000000-0000-4000-8000-00000000000E", "title": "Late", "created": "2026-01-01T00:00:00Z"}"#
    try folder.folder.write(late, to: "notes/late.json")
    let (sample, _) = try Self.sample("notes", plan)
    try sample.folder.write(late, to: "notes/late.json")
    #expect(try Self.workflow(folder, steps).status().standings.map(\.state) == [.pending])
    _ = try Self.workflow(folder, steps).perform()
    #expect(try Self.workflow(folder, steps).status().standings.map(\.state) == [.applied])
    let report = try Self.workflow(folder, steps, undoing: "mark").perform()
    #expect(report.documentCount == 6 && report.findings.isEmpty)
    #expect(try Self.files(folder) == Self.files(sample))
    #expect(try Self.workflow(folder, steps).status().standings.map(\.state) == [.undone])
  }

  @Test func `one that is there already stays, and is told`() throws {
    let people = #"{"people": [{"id": "\#(Self.made)", "n": 7}]}"#
    let folder = try StepFolder(files: people, [Self.making])
    let report = try folder.runFiles { $0.target = "make" }
    #expect(report.isPublished && report.effects.map(\.madeCount) == [0])
    #expect(report.findings.map(\.severity) == [.warning])
    #expect(try Self.text(folder) == people)
  }

  @Test func `a file without a place for what a step makes keeps the step from running`() throws {
    for people in [#"{"window": 1}"#, #"{"people": {"a": 1}}"#] {
      let folder = try StepFolder(files: people, [Self.making])
      let report = try folder.runFiles()
      #expect(!report.isPublished && report.standings.first?.state != .applied, "\(people)")
      #expect(try Self.text(folder) == people)
    }
  }

  // MARK: New files

  /// Notes of which each has a file, and those of habits, by their names.
  private static func sample(_ name: String, _ plan: String) throws -> (ProfiledFolder, Plan) {
    let folder = try ProfiledFolder(sample: name)
    let profile = folder.profile
    return (folder, try Plan(parsing: Array(plan.utf8), of: "plan.json") { _ in profile })
  }

  /// Every file of the app but its lock.
  private static func files(_ folder: ProfiledFolder) throws -> [String: [UInt8]] {
    try folder.folder.files().filter { $0.key != folder.profile.lock?.description }
  }

  private static let notes = """
    {"plan": "p", "profile": "notes", "steps": [
      {"id": "make", "risk": "additive", "create": [
        {"kind": "note", "id": {"constant": "00000000-0000-4000-8000-00000000000F"}, "fields": [
          {"set": "title", "to": {"constant": "New"}},
          {"set": "created", "to": {"constant": "2026-01-01T00:00:00Z"}}]},
        {"kind": "notebook", "id": {"constant": "Garden"}, "fields": [
          {"set": "order", "to": {"constant": 9}}]}]},
      {"id": "mark", "risk": "additive", "entities": {"note": [
        {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
    """

  @Test(arguments: [
    ("notes", notes),
    (
      "habits",
      """
      {"plan": "p", "profile": "habits", "steps": [
        {"id": "make", "risk": "additive", "create": [
          {"kind": "habit", "id": {"constant": "walk \\"far\\""}, "fields": [
            {"set": "goal", "to": {"constant": "3"}}]},
          {"kind": "day", "id": {"constant": "log/2026/2026-01-01"}, "fields": [
            {"set": "mood", "to": {"constant": 4}}]}]},
        {"id": "mark", "risk": "additive", "entities": {"day": [
          {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
      """
    ),
  ])
  func `what has a file of its own gets one, which an import reads as what was made`(
    app: String, text: String
  ) throws {
    let (folder, plan) = try Self.sample(app, text)
    let before = try Self.files(folder)
    let dry = try Self.workflow(folder, plan).plan()
    #expect(dry.findings.contains { $0.code == .notLookedAt })
    let report = try Self.workflow(folder, plan).perform()
    #expect(report.isPublished, "\(report.findings)")
    #expect(report.effects.first?.madeCount == 2)
    let after = try Self.files(folder)
    let made = Set(after.keys).subtracting(before.keys)
    #expect(made.count == 1)
    // The step behind it has seen the new file.
    let path = try #require(made.first)
    #expect(String(decoding: after[path] ?? [], as: UTF8.self).contains("\"marked\":true"))
    let copy = try folder.copied()
    #expect(try copy.importing().findings.allSatisfy { $0.severity != .error })
    _ = try Self.workflow(folder, plan, undoing: "mark").perform()
    _ = try Self.workflow(folder, plan, undoing: "make").perform()
    #expect(try Self.files(folder) == before)
  }

  @Test(arguments: [(FaultPlan.Fault.stop, 1), (.failure(ENOSPC), 4)])
  func `wherever a run that makes files dies or fails, the next one completes it`(
    fault: FaultPlan.Fault, stride: Int
  ) throws {
    let (whole, plan) = try Self.sample("notes", Self.notes)
    let before = try Self.files(whole)
    let counting = FaultPlan(atCall: .max, .stop)
    _ = try Self.workflow(whole, plan, faults: counting).perform()
    let after = try Self.files(whole)
    for call in Swift.stride(from: 1, through: counting.callCount, by: stride) {
      let (folder, plan) = try Self.sample("notes", Self.notes)
      // How it ends is told by what is there.
      _ = try? Self.workflow(folder, plan, faults: FaultPlan(atCall: call, fault)).perform()
      for (path, bytes) in before {
        let now = try folder.folder.bytes(path)
        #expect(
          now == bytes || now == after[path] || path.hasPrefix("notes"), "call \(call): \(path)")
      }
      let again = try Self.workflow(folder, plan).perform()
      #expect(again.isPublished, "call \(call): \(again.findings)")
      #expect(try Self.files(folder) == after, "call \(call)")
      // And back, stopped once in the middle.
      _ = try? Self.workflow(
        folder, plan, faults: FaultPlan(atCall: call, fault), undoing: "mark"
      ).perform()
      _ = try Self.workflow(folder, plan, undoing: "mark").perform()
      _ = try? Self.workflow(
        folder, plan, faults: FaultPlan(atCall: call, fault), undoing: "make"
      ).perform()
      _ = try Self.workflow(folder, plan, undoing: "make").perform()
      let now = try Self.files(folder)
      let differing = Set(now.keys).union(before.keys).filter { now[$0] != before[$0] }
      #expect(differing.isEmpty, "call \(call): \(differing)")
    }
  }
}

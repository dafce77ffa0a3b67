import Diagnostics
import FileFaults
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Entities that come into JSON files once a step was done: what is noted says which it has seen.
@Suite struct LateFileEntityTests {
  /// A step of which nothing shows in an entity whether it was done.
  private static let bang = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "bang", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
    """

  private static let mary = """
    {"id": "00000000-0000-4000-8000-00000000000C", "email": "m@x"}
    """

  private static func text(_ folder: StepFolder, _ path: String = "people.json") throws -> String {
    String(decoding: try folder.folder.folder.bytes(path), as: UTF8.self)
  }

  private static func write(_ text: String, in folder: StepFolder) throws {
    try folder.folder.folder.write(text, to: "people.json")
  }

  /// Adds an entity as an older app would.
  private static func addMary(to folder: StepFolder) throws {
    let text = try text(folder)
    let late = text.replacing("\"people\": [", with: "\"people\": [\(mary),")
    #expect(late != text)
    try write(late, in: folder)
  }

  @Test func `one of which nothing shows whether the step has seen it is told, with the number`()
    throws
  {
    let folder = try StepFolder(files: StepFolder.people, [Self.bang])
    try folder.runFiles()
    let clean = try folder.fileWorkflow().status()
    #expect(clean.findings.isEmpty && clean.standings[0].reason.isEmpty)
    try Self.addMary(to: folder)
    let before = try Self.text(folder)
    for report in [try folder.fileWorkflow().status(), try folder.runFiles()] {
      #expect(report.standings.map(\.state) == [.applied])
      #expect(report.standings[0].reason.contains("of 1 entity nothing shows"))
      let finding = try #require(report.findings.first)
      #expect(report.findings.count == 1 && finding.path == "people.json")
      #expect(finding.message.contains("1 entity") && finding.severity == .info)
    }
    #expect(try Self.text(folder) == before)
    // Without what lies there as it was, it is not known either which the step has seen.
    try folder.folder.folder.remove(".automerge-migrate.nosync/schema/bang/1/people.json")
    let blind = try folder.fileWorkflow().status()
    #expect(blind.standings[0].reason.contains("of 3 entities nothing shows"))
  }

  @Test func `an edit of what the step has seen is no entity that came later`() throws {
    let folder = try StepFolder(files: StepFolder.people, [Self.bang])
    try folder.runFiles()
    try Self.write(try Self.text(folder).replacing("Hopper", with: "Murray"), in: folder)
    let report = try folder.fileWorkflow().status()
    #expect(report.standings.map(\.state) == [.applied] && report.findings.isEmpty)
    #expect(report.standings[0].reason.isEmpty)
  }

  @Test func `one that gets the step late has seen it, and others of its file have not`() throws {
    // A property that goes shows it, one that is rewritten does not.
    let plan = """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "bang", "risk": "destructive", "entities": {"person": [
          {"drop": "firstName"},
          {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
      """
    let folder = try StepFolder(files: StepFolder.people, [plan])
    try folder.runFiles()
    try Self.addMary(to: folder)
    let shown = Self.mary.replacing("0C", with: "0D").replacing("m@x", with: "n@x")
      .replacing("\"email\"", with: "\"firstName\": \"N\", \"email\"")
    try Self.write(
      try Self.text(folder).replacing("\"people\": [", with: "\"people\": [\(shown),"),
      in: folder)
    let status = try folder.fileWorkflow().status()
    #expect(status.standings.map(\.state) == [.pending])
    #expect(status.standings[0].reason.hasPrefix("1 entity has come"))
    #expect(try folder.runFiles().effects.map(\.changedCount) == [1])
    let text = try Self.text(folder)
    #expect(text.contains("n@x!") && !text.contains("n@x!!") && !text.contains("m@x!"))
    let after = try folder.fileWorkflow().status()
    #expect(after.standings.map(\.state) == [.applied])
    #expect(after.standings[0].reason.contains("of 1 entity nothing shows"))
    #expect(try folder.runFiles().effects.isEmpty)
    #expect(try Self.text(folder) == text)
  }

  @Test func `a file that is as it was before the step gets it again, and the others stay`() throws
  {
    let (folder, plan) = try FileStepTests.exclaimedNotes()
    func files() throws -> [String: [UInt8]] {
      try folder.folder.files().filter { $0.key.hasSuffix(".json") }
    }
    let before = try files()
    _ = try FileStepTests.workflow(folder, plan).perform()
    let after = try files()
    let changed = before.keys.filter { before[$0] != after[$0] }.sorted()
    #expect(changed.count > 2)
    let path = try #require(changed.first)
    try folder.folder.write(try #require(before[path]), to: path)
    let status = try FileStepTests.workflow(folder, plan).status()
    #expect(status.standings.map(\.state) == [.pending])
    let planned = try FileStepTests.workflow(folder, plan).plan()
    let report = try FileStepTests.workflow(folder, plan).perform()
    #expect(report.documentCount == 1 && planned.documentCount == 1)
    #expect(try files() == after)
    let done = try FileStepTests.workflow(folder, plan).status()
    #expect(done.standings.map(\.state) == [.applied] && done.findings.isEmpty)
    _ = try FileStepTests.workflow(folder, plan, undoing: "bang").perform()
    #expect(try files() == before)
  }

  @Test func `what an earlier step makes once a later one was done gets the later one, too`() throws
  {
    let plan = """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "make", "risk": "additive", "create": [
          {"kind": "person", "id": {"constant": "00000000-0000-4000-8000-00000000000D"},
           "fields": [{"set": "email", "to": {"constant": "d@x"}}]}]},
        {"id": "bang", "risk": "destructive", "entities": {"person": [
          {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
      """
    let folder = try StepFolder(files: StepFolder.people, [plan])
    try folder.runFiles()
    #expect(try Self.text(folder).contains("d@x!"))
    try folder.runFiles { $0.undone = "bang" }
    try folder.runFiles { $0.undone = "make" }
    try folder.runFiles { $0.forced = ["bang"] }
    try folder.runFiles { ($0.forced, $0.allowsOtherOrder) = (["make"], true) }
    #expect(try Self.text(folder).contains("\"d@x\""))
    let status = try folder.fileWorkflow().status()
    #expect(status.standings.map(\.state) == [.applied, .pending])
    #expect(try folder.runFiles().effects.map(\.changedCount) == [1])
    #expect(try Self.text(folder).contains("\"d@x!\""))
    #expect(try folder.fileStates() == [.applied, .applied])
    #expect(try folder.runFiles().effects.isEmpty)
  }

  @Test func `what files are is known from reading their entities, and is not read once more`()
    throws
  {
    let folder = try StepFolder(files: StepFolder.people, [Self.bang])
    try folder.runFiles()
    let counting = FaultPlan(atCall: .max, .stop, calls: .looking)
    let context = folder.folder.context(faults: counting)
    let directory = try FolderAccess.open(folder.folder.folder.path, context: context)
    let storage = FileStepStorage(directory, context: context)
    let records = try storage.records()
    let entry = try #require(records.first?.record.entries.first)
    let count = counting.callCount
    #expect(try storage.log.lost(among: records, knowing: [entry.path: entry.after]).isEmpty)
    let before = try #require(entry.before)
    #expect(try storage.log.lost(among: records, knowing: [entry.path: before]).count == 1)
    #expect(counting.callCount == count)
    #expect(try storage.log.lost(among: records, knowing: [:]).isEmpty)
    #expect(counting.callCount > count)
  }

  // MARK: Files that are gone

  @Test func `with the only file of a step away, its undoing says where it lies as it was`() throws
  {
    let folder = try StepFolder(files: StepFolder.people, [StepFolder.transforming()])
    try folder.runFiles()
    let after = try Self.text(folder)
    try folder.folder.folder.remove("people.json")
    let context = folder.folder.context()
    let listed = try ListedFolder(folder.folder.folder.path, context: context)
    #expect(try FileStepWorkflow.concerns(listed, context: context))
    let place = ".automerge-migrate.nosync/schema/people-v2/1/people.json"
    let status = try folder.fileWorkflow().status()
    #expect(status.standings.map(\.state) == [.applied])
    let told = try #require(status.findings.first)
    #expect(told.path == "people.json" && told.message.contains("is gone"))
    #expect(told.next?.contains(place) == true)
    let report = try folder.fileWorkflow { $0.undone = "people-v2" }.plan()
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1 && finding.path == "people.json")
    #expect(finding.next?.hasPrefix("what it was before the step is in \(place);") == true)
    // It may come back as after the step, so that is not undone.
    let run = try folder.runFiles { $0.undone = "people-v2" }
    #expect(run.effects.isEmpty && run.standings.map(\.state) == [.applied])
    #expect(run.standings[0].reason.contains("gone"))
    #expect(try folder.fileStates() == [.applied])
    try Self.write(after, in: folder)
    try folder.runFiles { $0.undone = "people-v2" }
    #expect(try Self.text(folder) == StepFolder.people)
    // Or what it was is put in its place.
    try folder.runFiles { $0.forced = ["people-v2"] }
    try folder.folder.folder.remove("people.json")
    let former = try folder.folder.folder.bytes(
      ".automerge-migrate.nosync/schema/people-v2/2/people.json")
    try folder.folder.folder.write(former, to: "people.json")
    try folder.runFiles { $0.undone = "people-v2" }
    #expect(try Self.text(folder) == StepFolder.people)
    #expect(try folder.fileStates() == [.undone])
  }
}

import Diagnostics
import FileFaults
import Folders
import Foundation
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import Backups
@testable import MigrationCore

/// Steps over JSON files that lie in a backup: the record of them comes along.
@Suite struct BackedUpStepTests {
  private static let plan = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "bang", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
    """
  private static let record = ".automerge-migrate.nosync/schema.jsonl"

  private static func folder() throws -> StepFolder {
    try StepFolder(files: StepFolder.people, [plan])
  }

  /// A folder to which the step was done, and the bytes that this made.
  private static func done() throws -> (folder: StepFolder, text: [UInt8]) {
    let folder = try folder()
    try folder.runFiles()
    return (folder, try folder.folder.folder.bytes("people.json"))
  }

  private static func backup(_ folder: StepFolder) throws -> String {
    try #require(folder.folder.packing().archives.first?.path)
  }

  @Test func `a backup restored elsewhere has the steps that were done`() throws {
    let (folder, text) = try Self.done()
    let other = try folder.empty()
    try other.folder.restoring(Self.backup(folder))
    #expect(try other.fileStates() == [.applied])
    #expect(try other.runFiles().effects.isEmpty)
    #expect(try other.folder.folder.bytes("people.json") == text)
    #expect(try other.fileWorkflow().status().findings.isEmpty)
    // What the files were before is not there, and it is said where it has to be.
    let refusal = #expect(throws: MigrationError.self) {
      try other.runFiles { $0.undone = "bang" }
    }
    let diagnostic = try #require(refusal?.diagnostic)
    #expect(diagnostic.remedy?.contains("copy people.json there from the backup") == true)
    #expect(try other.folder.folder.bytes("people.json") == text)
    let place = try #require(diagnostic.subject.firstMatch(of: /\.automerge-migrate.*/))
    try other.folder.folder.write(StepFolder.people, to: String(place.output))
    try other.runFiles { $0.undone = "bang" }
    #expect(try other.folder.folder.bytes("people.json") == Array(StepFolder.people.utf8))
  }

  // MARK: What had a step not yet

  private static let mary = """
    {"id": "00000000-0000-4000-8000-00000000000C", "firstName": "Mary", "lastName": "Shaw"}
    """

  /// Adds to the list of a folder what an older version of the app writes.
  private static func add(_ entity: String, to folder: StepFolder) throws {
    let text = String(decoding: try folder.folder.folder.bytes("people.json"), as: UTF8.self)
    try folder.folder.folder.write(
      text.replacing("\"people\": [", with: "\"people\": [\(entity),"), to: "people.json")
  }

  @Test func `what had still to get a step has it still to get where it is restored`() throws {
    let folder = try StepFolder(files: StepFolder.people, [StepFolder.transforming()])
    try folder.runFiles()
    try Self.add(Self.mary, to: folder)
    #expect(try folder.fileStates() == [.pending])
    try folder.runFiles()
    let text = try folder.folder.folder.bytes("people.json")
    // The one that the run has made before it, and one of what it did.
    let packing = PackWorkflow(
      PackOptions(folder: folder.folder.folder.path), context: folder.folder.context())
    let before = try #require(try packing.list(isVerifying: false).archives.first?.path)
    for (backup, isLate) in [(before, true), (try Self.backup(folder), false)] {
      let other = try folder.empty()
      try other.folder.restoring(backup)
      #expect(try other.fileStates() == [isLate ? .pending : .applied])
      if !isLate { continue }
      let standing = try #require(try other.fileWorkflow().status().standings.first)
      #expect(standing.state == .pending && standing.reason.contains("1 entity has"))
      try other.runFiles()
      #expect(try other.folder.folder.bytes("people.json") == text)
      #expect(try other.fileStates() == [.applied])
      #expect(try other.fileWorkflow().status().findings.isEmpty)
    }
  }

  @Test func `what shows again what a step takes away is told where it is restored, and stays`()
    throws
  {
    let folder = try StepFolder(files: StepFolder.people, [StepFolder.transforming()])
    try folder.runFiles()
    let entity = Self.mary.replacing("\"lastName\"", with: "\"fullName\": \"M\", \"lastName\"")
    try Self.add(entity, to: folder)
    let other = try folder.empty()
    try other.folder.restoring(Self.backup(folder))
    let text = try other.folder.folder.bytes("people.json")
    let report = try other.runFiles()
    #expect(report.standings.map(\.state) == [.applied] && report.effects.isEmpty)
    #expect(report.findings.map(\.code) == [.editedSince])
    #expect(report.findings.first?.message.contains("shows again") == true)
    #expect(try other.folder.folder.bytes("people.json") == text)
  }

  @Test func `what a step has made is none of that`() throws {
    let new = "00000000-0000-4000-8000-00000000000D"
    let plan = """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "make", "risk": "additive", "entities": {"person": [
          {"set": "marked", "to": {"constant": true}, "type": "boolean"}]},
          "create": [{"kind": "person", "id": {"constant": "\(new)"},
            "fields": [{"set": "email", "to": {"constant": "new@example.org"}}]}]}]}
      """
    let folder = try StepFolder(files: StepFolder.people, [plan])
    try folder.runFiles()
    let other = try folder.empty()
    try other.folder.restoring(Self.backup(folder))
    #expect(try other.fileStates() == [.applied])
    #expect(try other.fileWorkflow().status().findings.isEmpty)
  }

  // MARK: Damage, and other backups

  @Test func `a damaged record of steps is told, and is no reason to make no backup`() throws {
    let (folder, text) = try Self.done()
    try folder.folder.folder.write("no line of ours\n", to: Self.record)
    let report = try folder.folder.packing()
    #expect(report.findings.map(\.code) == [.damaged])
    #expect(report.findings.first?.path == Self.record)
    #expect(report.findings.first?.next?.isEmpty == false)
    let other = try folder.empty()
    try other.folder.restoring(#require(report.archives.first?.path))
    #expect(try other.folder.folder.bytes("people.json") == text)
  }

  @Test func `what shows a step not seen is not changed where it came with the record`() throws {
    // What is left of a text is as it may have been before the step.
    let plan = """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "short", "risk": "destructive", "entities": {"person": [
          {"set": "email", "to": {"first": [
            {"split": {"copy": "/email"}, "by": "+", "from": 1}, {"copy": "/email"}]}}]}}]}
      """
    let folder = try StepFolder(
      files: StepFolder.people.replacing("ada@", with: "a+b+c@"), [plan])
    try folder.runFiles()
    let text = try folder.folder.folder.bytes("people.json")
    let other = try folder.empty()
    try other.folder.restoring(Self.backup(folder))
    #expect(try other.runFiles().effects.isEmpty)
    #expect(try other.folder.folder.bytes("people.json") == text)
  }

  @Test func `so do documents that are made of what was restored`() throws {
    let (folder, _) = try Self.done()
    let other = try folder.empty()
    try other.folder.restoring(Self.backup(folder))
    try other.folder.importing()
    #expect(try other.states() == [.waiting])
    let third = try folder.empty()
    try third.folder.restoring(Self.backup(other))
    #expect(try third.states() == [.waiting])
  }

  @Test
  func `one that was made before a step has it not, and one made once it was undone says that`()
    throws
  {
    let folder = try Self.folder()
    let before = try Self.backup(folder)
    try folder.runFiles()
    let after = try Self.backup(folder)
    try folder.runFiles { $0.undone = "bang" }
    let undone = try Self.backup(folder)
    for (backup, state) in [(before, StepStanding.State.pending), (undone, .undone)] {
      let other = try folder.empty()
      try other.folder.restoring(backup)
      #expect(try other.fileStates() == [state])
    }
    // In one folder they come and go.
    let other = try folder.empty()
    for _ in 1...2 {
      try other.folder.restoring(after)
      #expect(try other.fileStates() == [.applied])
      try other.folder.restoring(before)
      #expect(try other.fileStates() == [.undone])
      #expect(try other.runFiles().effects.isEmpty)
    }
    try other.runFiles { $0.forced = ["bang"] }
    #expect(try other.fileStates() == [.applied])
    try other.runFiles { $0.undone = "bang" }
    #expect(try other.folder.folder.bytes("people.json") == Array(StepFolder.people.utf8))
  }

  @Test func `in the folder it was made of the files show it as ever`() throws {
    let folder = try Self.folder()
    let before = try Self.backup(folder)
    try folder.runFiles()
    let after = try Self.backup(folder)
    let record = try folder.folder.folder.bytes(Self.record)
    try folder.folder.restoring(before)
    #expect(try folder.fileStates() == [.pending])
    try folder.folder.restoring(after)
    #expect(try folder.fileStates() == [.applied])
    #expect(try folder.folder.folder.bytes(Self.record) == record)
    try folder.runFiles { $0.undone = "bang" }
    #expect(try folder.folder.folder.bytes("people.json") == Array(StepFolder.people.utf8))
  }

  @Test func `in that folder steps that saw what others had left are pending with those`() throws {
    let plan = """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "bang", "risk": "destructive", "entities": {"person": [
          {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}},
        {"id": "ask", "risk": "destructive", "entities": {"person": [
          {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "?"}]}}]}}]}
      """
    let folder = try StepFolder(files: StepFolder.people, [plan])
    let before = try Self.backup(folder)
    try folder.runFiles()
    let text = try folder.folder.folder.bytes("people.json")
    try folder.folder.restoring(before)
    #expect(try folder.fileStates() == [.pending, .pending])
    try folder.runFiles()
    #expect(try folder.folder.folder.bytes("people.json") == text)
    #expect(try folder.fileStates() == [.applied, .applied])
  }

  @Test func `a step is pending whose entities are not in what is restored, whatever else is`()
    throws
  {
    let new = "00000000-0000-4000-8000-00000000000D"
    let plan = """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "make", "risk": "additive", "create": [{"kind": "person", "id": {"constant": "\(new)"},
          "fields": [{"set": "email", "to": {"constant": "new@example.org"}}]}]}]}
      """
    let folder = try StepFolder(files: #"{"people": []}"#, [plan])
    func hasMade() throws -> Bool {
      String(decoding: try folder.folder.folder.bytes("people.json"), as: UTF8.self).contains(new)
    }
    let before = try Self.backup(folder)
    try folder.folder.folder.write(#"{"people": [{"id": "\#(new)"}]}"#, to: "people.json")
    let other = try Self.backup(folder)
    try folder.folder.folder.write(StepFolder.people, to: "people.json")
    try folder.runFiles()
    #expect(try hasMade())
    try folder.folder.restoring(before)
    #expect(try folder.fileStates() == [.pending] && !hasMade())
    #expect(try folder.runFiles().effects.map(\.madeCount) == [1])
    #expect(try folder.fileStates() == [.applied] && hasMade())
    // Somebody has undone it, or what it made is there, and nothing notes that it was done.
    try folder.runFiles { $0.undone = "make" }
    try folder.folder.restoring(before)
    #expect(try folder.fileStates() == [.undone])
    try folder.runFiles { $0.forced = ["make"] }
    try folder.folder.restoring(other)
    #expect(try folder.fileStates() == [.undone] && hasMade())
  }

  @Test func `a backup of the same bytes stands for none that knows other steps`() throws {
    let folder = try Self.folder()
    let first = try Self.backup(folder)
    let again = try folder.folder.packing { $0.reusesVerified = true }
    #expect(again.archives.map(\.outcome) == [.reused])
    try folder.runFiles { $0.baseline = .step("bang") }
    let other = try #require(folder.folder.packing { $0.reusesVerified = true }.archives.first)
    #expect(other.outcome == .created && other.path != first)
    let copy = try folder.empty()
    try copy.folder.restoring(other.path)
    #expect(try copy.fileStates() == [.applied])
  }

  @Test func `a record that cannot be read keeps no backup from being made or restored`() throws {
    let (folder, text) = try Self.done()
    let backup = try Self.backup(folder)
    try folder.folder.folder.write("no record\n", to: Self.record)
    #expect(throws: MigrationError.self) { try folder.fileStates() }
    let damaged = try folder.folder.packing()
    let other = try folder.empty()
    try other.folder.restoring(try #require(damaged.archives.first?.path))
    #expect(try other.fileStates() == [.pending])
    try folder.folder.restoring(backup)
    #expect(try folder.fileStates() == [.applied])
    #expect(try folder.folder.folder.bytes("people.json") == text)
  }

  // MARK: Stopped restores

  @Test(arguments: [FaultPlan.Fault.stop, .failure(EIO)])
  func `a restore that ends anywhere is finished or undone with the record it had`(
    _ fault: FaultPlan.Fault
  ) throws {
    let (done, text) = try Self.done()
    let after = try Self.backup(done)
    let early = try Self.folder()
    let before = try Self.backup(early)
    // One brings a step to a folder that has none, the other takes one away that was there.
    for (isNoted, backup, states) in [
      (false, after, [StepStanding.State.pending, .applied]),
      (true, before, [.applied, .undone]),
    ] {
      let content = [
        Array(StepFolder.people.utf8), states[1] == .applied ? text : Array(StepFolder.people.utf8),
      ]
      var isUndoing = false
      var unfinishedCount = 0
      var call = 1
      while true {
        let copy = try Self.folder()
        if isNoted { try copy.runFiles { $0.baseline = .step("bang") } }
        let faults = FaultPlan(atCall: call, fault)
        _ = try? copy.folder.restoring(backup, faults: faults)
        let path = copy.folder.folder.path
        var end = 1
        if try RestorePlace.unfinishedRun(in: Directory.open(path: path)) != nil {
          unfinishedCount += 1
          let ending = RestoreWorkflow(
            RestoreOptions(backup: "", folder: path), context: copy.folder.context())
          _ = isUndoing ? try ending.undo() : try ending.finish()
          if isUndoing { end = 0 }
          isUndoing.toggle()
        } else if try copy.fileStates() == [states[0]] {
          end = 0
        }
        #expect(try copy.fileStates() == [states[end]], "call \(call)")
        #expect(try copy.folder.folder.bytes("people.json") == content[end], "call \(call)")
        if !faults.hasFired {
          #expect(end == 1)
          break
        }
        call += 1
      }
      #expect(unfinishedCount > 5)
      withExtendedLifetime((early, done)) {}
    }
  }
}

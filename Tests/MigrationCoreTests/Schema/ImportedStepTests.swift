import Automerge
import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Steps that were done over JSON files of which documents were made since: an import keeps no record of
/// them, so nothing in the documents says so.
@Suite struct ImportedStepTests {
  private static let plan = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "bang", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}},
      {"id": "mark", "risk": "additive", "entities": {"person": [
        {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
    """

  /// A folder of files to which the steps up to one were done.
  private static func folder(_ target: MigrationID? = nil) throws -> StepFolder {
    let folder = try StepFolder(files: StepFolder.people, [plan])
    try folder.runFiles { $0.target = target }
    return folder
  }

  private static func emails(_ folder: StepFolder) throws -> [String?] {
    try folder.entities().sorted { $0.key < $1.key }.map { $0.value["email"] }
  }

  private static let once = [#""ada@example.org!""#, #""grace@example.org!""#]

  @Test(arguments: [true, false])
  func `a step over files waits over the documents that were made of them, and is adopted`(
    staysBeside: Bool
  ) throws {
    let folder = try Self.folder()
    try folder.folder.importing()
    if !staysBeside { try folder.folder.folder.remove("people.json") }
    let bytes = try folder.documents
    for report in [try folder.workflow().status(), try folder.run()] {
      #expect(report.standings.map(\.state) == [.waiting, .waiting])
      for standing in report.standings {
        #expect(standing.reason.contains("JSON files"))
        #expect(standing.reason.contains("--baseline \(standing.id)"))
      }
      #expect(report.adoptable == "mark" && report.differs && report.effects.isEmpty)
    }
    #expect(try folder.documents == bytes)
    try folder.run { $0.baseline = .step("mark") }
    #expect(try folder.states() == [.applied, .applied])
    #expect(try folder.run().effects.isEmpty)
    #expect(try Self.emails(folder) == Self.once)
  }

  @Test func `so it does in another folder, unless that has files of its own`() throws {
    let folder = try Self.folder("bang")
    let other = try folder.empty()
    let third = try StepFolder(files: #"{"people": []}"#, [Self.plan])
    for target in [other, third, other] {
      try folder.folder.importing { $0.target = target.folder.folder.path }
    }
    #expect(try other.states() == [.waiting, .waiting])
    try other.run { $0.baseline = .step("bang") }
    #expect(try other.states() == [.applied, .applied])
    #expect(try Self.emails(other) == Self.once)
    // Nothing says of the files there that they are as after it.
    #expect(try third.states()[0] == .pending)
  }

  @Test func `what --status shows takes as done what it says, and the steps behind run`() throws {
    for (target, ids) in [("bang", ["bang"]), ("mark", ["bang", "mark"])] {
      let plan = Self.plan.replacing("additive", with: "destructive")
      let folder = try StepFolder(files: StepFolder.people, [plan])
      try folder.runFiles { $0.target = MigrationID(rawValue: target) }
      try folder.folder.importing()
      let status = try folder.workflow { $0.allowsDestructive = false }.status()
      #expect(status.adoptable?.rawValue == target)
      // Behind the first one the other is still to run.
      #expect(status.consents == (ids.count == 1 ? ["--allow-destructive"] : []))
      try folder.run {
        $0.allowsDestructive = !status.consents.isEmpty
        $0.baseline = .step(MigrationID(rawValue: target))
      }
      #expect(try folder.states() == [.applied, .applied])
    }
  }

  @Test func `what was not done over the files yet comes after what was is adopted`() throws {
    let folder = try Self.folder("bang")
    try folder.folder.importing()
    let report = try folder.run()
    #expect(report.standings.map(\.state) == [.waiting, .waiting])
    #expect(report.standings[1].reason == "bang comes first" && report.adoptable == "bang")
    try folder.run { $0.baseline = .step("bang") }
    #expect(try folder.states() == [.applied, .applied])
    #expect(try Self.emails(folder) == Self.once)
    #expect(try folder.entities().values.allSatisfy { $0["marked"] == "true" })
  }

  @Test func `documents that are as before it get it when they are told to`() throws {
    let folder = try Self.folder("bang")
    try folder.folder.importing()
    try folder.run { $0.forced = ["bang"] }
    #expect(try folder.states() == [.applied, .applied])
    #expect(try Self.emails(folder).allSatisfy { $0?.hasSuffix(#"!!""#) == true })
  }

  @Test func `files that are again as before a step make documents as before it`() throws {
    let folder = try Self.folder()
    try folder.folder.folder.write(StepFolder.people, to: "people.json")
    try folder.folder.importing()
    #expect(try folder.states() == [.pending, .pending])
    try folder.run()
    #expect(try Self.emails(folder) == Self.once)
  }

  @Test func `nor does a step wait that was undone over the files`() throws {
    let folder = try Self.folder("bang")
    try folder.runFiles { $0.undone = "bang" }
    try folder.folder.importing()
    #expect(try folder.states() == [.pending, .pending])
  }

  @Test func `a step that was done as another one of its name is told as that`() throws {
    let folder = try Self.folder("bang")
    try folder.folder.importing()
    let other = Self.plan.replacing("\"!\"", with: "\"?\"")
    let plans = [
      try Plan(parsing: Array(other.utf8), of: "plan.json") { _ in folder.folder.profile }
    ]
    let status = try folder.workflow { $0.plans = plans }.status()
    #expect(status.standings[0].state == .edited)
    #expect(throws: MigrationError.self) { try folder.run { $0.plans = plans } }
  }

  // MARK: Entities to which the step was not done

  private static let late = "00000000-0000-4000-8000-00000000000C"

  /// A step that shows in what it was done to, and one behind it.
  private static let marking = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "mark", "risk": "additive", "entities": {"person": [
        {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}},
      {"id": "bang", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
    """

  @Test(arguments: [true, false])
  func `those that show it get it once the step is taken as done`(isInPlace: Bool) throws {
    let plan = Self.marking.replacing("additive", with: "destructive")
    let folder = try StepFolder(files: StepFolder.people, [plan])
    try folder.runFiles { $0.target = "mark" }
    let text = String(decoding: try folder.folder.folder.bytes("people.json"), as: UTF8.self)
    try folder.folder.folder.write(
      text.replacing(
        "\"people\": [", with: #""people": [{"id": "\#(Self.late)", "email": "late@x"},"#),
      to: "people.json")
    #expect(try folder.fileStates()[0] == .pending)
    let target = isInPlace ? folder : try folder.empty()
    try folder.folder.importing { $0.target = isInPlace ? nil : target.folder.folder.path }
    let status = try target.workflow().status()
    #expect(status.standings[0].state == .waiting)
    #expect(
      status.standings[0].reason.contains("but for 1 entity that is as before it and gets it"))
    // It does that with the command that is shown.
    let asked = try target.workflow { ($0.allowsDestructive, $0.target) = (false, "mark") }.status()
    #expect(asked.adoptable == "mark" && asked.consents == ["--allow-destructive"])
    let report = try target.run { ($0.baseline, $0.target) = (.step("mark"), "mark") }
    #expect(report.effects.map(\.changedCount) == [1] && report.effects.map(\.id) == ["mark"])
    #expect(try target.entities().values.allSatisfy { $0["marked"] == "true" })
    #expect(try target.states() == [.applied, .pending])
    #expect(try target.run { $0.target = "mark" }.effects.isEmpty)
    // It was done to that one alone, and there it can be undone.
    try target.undo("mark")
    #expect(try target.entities().filter { $0.value["marked"] != "true" }.map(\.key) == [Self.late])
  }

  @Test(arguments: [true, false])
  func `those for which it makes others get these`(isInPlace: Bool) throws {
    let folder = try CardFolder(CardFolder.cardsOfAnyVersion)
    try folder.run()
    try folder.write(CardFolder.person(3), to: "people/3.json")
    #expect(try folder.states() == [.pending, .applied])
    let target =
      isInPlace ? folder : try CardFolder(folder.plan, in: ProfiledFolder(folder.folder.profile))
    try folder.folder.importing { $0.target = isInPlace ? nil : target.folder.folder.path }
    #expect(try target.documentStates() == [.waiting, .waiting])
    let report = try target.runDocuments { $0.baseline = .step("st") }
    #expect(
      report.effects.map(\.madeCount) == [1, 0] && report.effects.map(\.changedCount) == [0, 1])
    #expect(try target.documentStates() == [.applied, .applied])
    let lines = try target.folder.streaming().lines.filter { $0.contains(#""kind":"card""#) }
    #expect(lines.count == 3 && lines.allSatisfy { $0.contains(#""state":"local""#) })
  }

  @Test func `a file that is as before it is not imported before it is done`() throws {
    let folder = try CardFolder(CardFolder.bang)
    try folder.run()
    try folder.write(CardFolder.person(1), to: "people/1.json")
    #expect(try folder.states() == [.pending])
    let refusal = #expect(throws: MigrationError.self) { try folder.folder.importing() }
    let planned = #expect(throws: MigrationError.self) {
      try folder.folder.importing(isDryRun: true)
    }
    let diagnostic = try #require(refusal?.diagnostic)
    #expect(planned?.diagnostic.kind == diagnostic.kind)
    #expect(diagnostic.kind == .conflictsWithData && diagnostic.subject.hasSuffix("people/1.json"))
    #expect(diagnostic.remedy?.contains("migrate-schema") == true)
    #expect(try folder.folder.documents().isEmpty)
    // As it says.
    try folder.run()
    try folder.folder.importing()
    #expect(try folder.documentStates() == [.waiting])
  }

  // MARK: Entities whose values alone show it

  /// A step that writes values anew in their places, and one behind it.
  private static let rewriting = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "names", "risk": "transformative", "entities": {"person": [
        {"set": "email", "to": {"lookUp": {"copy": "/email"}, "in": {
          "ada@example.org": "ada@example.net", "grace@example.org": "grace@example.net",
          "late@example.org": "late@example.net"}, "else": {"copy": "/email"}}}]}},
      {"id": "mark", "risk": "additive", "entities": {"person": [
        {"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
    """

  private static let renamed = [
    #""ada@example.net""#, #""grace@example.net""#, #""late@example.net""#,
  ]

  /// A folder of files of which one person came once the first step was done to the others, and of documents
  /// that were made of these.
  private static func withLate() throws -> StepFolder {
    let folder = try StepFolder(files: StepFolder.people, [rewriting])
    try folder.runFiles { $0.target = "names" }
    try folder.folder.folder.write(
      try text(folder).replacing(
        "\"people\": [",
        with: #""people": [{"id": "\#(late)", "email": "late@example.org"},"#),
      to: "people.json")
    #expect(try folder.fileStates() == [.pending, .pending])
    try folder.folder.importing()
    return folder
  }

  @Test func `values that are as before it in files that were written since show it`() throws {
    let folder = try Self.withLate()
    let status = try folder.workflow().status()
    #expect(status.standings[0].reason.contains("but for 1 entity that is as before it"))
    let report = try folder.run { $0.baseline = .step("names") }
    #expect(report.effects.map(\.changedCount) == [1, 3])
    #expect(try Self.emails(folder) == Self.renamed)
    #expect(try folder.states() == [.applied, .applied])
    #expect(try folder.run { $0.baseline = .step("names") }.effects.isEmpty)
  }

  @Test func `what was written into a document since stays, whatever files show`() throws {
    let folder = try Self.withLate()
    try folder.edit { document in
      try document.put(
        obj: document.entity(Self.late), key: "email", value: .String("grace@example.org"))
    }
    let report = try folder.run { $0.baseline = .step("names") }
    #expect(report.effects.map(\.id) == ["mark"])
    #expect(try Self.emails(folder) == Self.renamed.prefix(2) + [#""grace@example.org""#])
    let status = try folder.workflow().status()
    #expect(status.standings.map(\.state) == [.applied, .applied])
    #expect(status.findings.contains { $0.message.contains("1 entity holds again what the step") })
  }

  @Test func `where no file says whose they are they stay, and are told`() throws {
    let folder = try StepFolder(files: StepFolder.people, [Self.rewriting])
    try folder.runFiles()
    let other = try folder.empty()
    try folder.folder.folder.write(
      try Self.text(folder).replacing("ada@example.net", with: "ada@example.org"), to: "people.json"
    )
    try folder.folder.importing { $0.target = other.folder.folder.path }
    try other.run { $0.baseline = .step("mark") }
    #expect(try Self.emails(other) == [#""ada@example.org""#, #""grace@example.net""#])
    let status = try other.workflow().status()
    #expect(status.standings.map(\.state) == [.applied, .applied])
    #expect(status.findings.contains { $0.message.contains("1 entity holds again what the step") })
  }

  private static func text(_ folder: StepFolder) throws -> String {
    String(decoding: try folder.folder.folder.bytes("people.json"), as: UTF8.self)
  }

  // MARK: Where nothing notes it

  @Test func `that documents do not say it is told where they are made`() throws {
    let folder = try Self.folder("bang")
    let planned = try folder.folder.importing(isDryRun: true).findings.filter {
      $0.code == .stepNotNoted
    }
    let told = try folder.folder.importing().findings.filter { $0.code == .stepNotNoted }
    #expect(planned == told)
    #expect(told.map(\.severity) == [.warning] && told[0].message.hasPrefix("bang: "))
    #expect(told[0].next?.contains("--baseline bang") == true)
    #expect(try !folder.folder.importing().findings.contains { $0.code == .stepNotNoted })
    // As it says: then another device knows, too.
    try folder.run { ($0.baseline, $0.target) = (.step("bang"), "bang") }
    #expect(try folder.copied().states() == [.applied, .pending])
  }

  @Test func `so is that a folder with files of its own does not`() throws {
    let folder = try Self.folder("bang")
    let other = try StepFolder(files: #"{"people": []}"#, [Self.plan])
    let planned = try folder.folder.importing(isDryRun: true) {
      $0.target = other.folder.folder.path
    }
    let told = try folder.folder.importing { $0.target = other.folder.folder.path }
      .findings.filter { $0.code == .stepNotNoted }
    #expect(planned.findings.filter { $0.code == .stepNotNoted } == told)
    // Nothing is noted by looking.
    let empty = try folder.empty()
    let path = empty.folder.folder.path
    let report = try folder.folder.importing(isDryRun: true) { $0.target = path }
    #expect(!report.findings.contains { $0.code == .stepNotNoted })
    #expect(try empty.folder.folder.files(includingState: true).isEmpty)
    #expect(told.map(\.severity) == [.warning] && told[0].message.hasPrefix("bang: "))
  }

  @Test func `and that a file which is brought back alone was changed by it`() throws {
    let folder = try CardFolder(CardFolder.bang)
    let before = try #require(folder.folder.packing().archives.first?.path)
    try folder.run()
    let after = try #require(folder.folder.packing().archives.last?.path)
    let other = try CardFolder(folder.plan, in: ProfiledFolder(folder.folder.profile))
    try other.folder.restoring(before)
    let report = try other.folder.restoring(after, only: ["people/1.json"])
    let told = report.findings.filter { $0.code == .stepNotNoted }
    #expect(told.map(\.path) == ["people/1.json"] && told[0].message.hasPrefix("bang: "))
    #expect(told[0].severity == .warning && told[0].next?.contains("--baseline bang") == true)
    // Where it is noted nothing is told.
    try folder.write(CardFolder.person(1), to: "people/1.json")
    #expect(try folder.folder.restoring(after, only: ["people/1.json"]).findings.isEmpty)
    #expect(try folder.states() == [.applied])
  }
}

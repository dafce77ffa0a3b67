import Diagnostics
import Folders
import Foundation
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Entities in files that were renamed and written once a step had changed or made them: their kind and
/// their identity say which they are, and what an undoing leaves of them is told until it is settled.
@Suite struct DisplacedEntityTests {
  private static let profile = """
    {"profile": "pc", "version": 3, "kinds": [
      {"kind": "person", "identity": {"type": "uuid", "property": "id"},
       "properties": {"email": {"type": "string"}, "n": {"type": "integer"}},
       "files": {"paths": ["people/*.json"]}, "document": {"path": "people.automerge"}},
      {"kind": "card", "identity": {"type": "uuid", "property": "id"},
       "properties": {"owner": {"type": "string"}, "label": {"type": "string"},
         "state": {"type": "string", "since": 3}},
       "files": {"paths": ["cards/*.json"]}, "document": {"path": "cards.automerge"}}]}
    """

  /// A card for each person, of the same identity, and a state in each.
  private static let cards = """
    {"plan": "n", "profile": "pc", "steps": [
      {"id": "mk", "from": 1, "to": 2, "risk": "additive", "create": [
        {"kind": "card", "for": "person", "id": {"identity": true}, "fields": [
          {"set": "owner", "to": {"copy": "/email"}}, {"set": "label", "to": {"constant": "new"}}]}]},
      {"id": "st", "from": 2, "to": 3, "risk": "additive", "entities": {"card": [
        {"set": "state", "to": {"constant": "local"}}]}}]}
    """

  private static let bang = """
    {"plan": "b", "profile": "pc", "steps": [
      {"id": "bang", "risk": "transformative", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
    """

  private static func id(_ number: Int) -> String { "\(number)1111111-1111-4111-8111-111111111111" }

  /// A folder of people.
  private struct People {
    let folder: ProfiledFolder
    let plan: Plan

    init(_ plan: String) throws {
      let profile = try Profile(parsing: Array(DisplacedEntityTests.profile.utf8), of: "pf.json")
      folder = try ProfiledFolder(profile)
      self.plan = try Plan(parsing: Array(plan.utf8), of: "plan.json") { _ in profile }
      for number in [1, 2] { try write(Self.person(number), to: "people/\(number).json") }
    }

    private init(_ folder: ProfiledFolder, _ plan: Plan) {
      (self.folder, self.plan) = (folder, plan)
    }

    /// The same folder, with another plan.
    func following(_ plan: String) throws -> People {
      let profile = folder.profile
      return People(folder, try Plan(parsing: Array(plan.utf8), of: "plan.json") { _ in profile })
    }

    static func person(_ number: Int, _ mark: String = "", n: Int = 1) -> String {
      #"{"id":"\#(id(number))","email":"e\#(number)\#(mark)","n":\#(n)}"#
    }

    func write(_ text: String, to path: String) throws {
      try folder.folder.write(text, to: path)
    }

    func text(_ path: String) throws -> String {
      String(decoding: try folder.folder.bytes(path), as: UTF8.self)
    }

    func remove(_ path: String) throws { try folder.folder.remove(path) }

    /// The file of the card of a person.
    func card(_ number: Int) throws -> String {
      let path = try folder.folder.files().keys.first {
        try $0.hasPrefix("cards/") && text($0).contains(id(number))
      }
      return try #require(path)
    }

    private func workflow(
      _ configure: (inout SchemaOptions) -> Void
    ) throws -> FileStepWorkflow {
      try FileStepTests.workflow(folder, plan) { options in
        options.allowsDestructive = true
        configure(&options)
      }
    }

    @discardableResult
    func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
      try workflow(configure).perform()
    }

    func undo(_ step: MigrationID) throws -> SchemaReport { try run { $0.undone = step } }

    func status() throws -> SchemaReport { try workflow { _ in }.status() }

    func states() throws -> [StepStanding.State] { try status().standings.map(\.state) }
  }

  private static func withCards() throws -> People {
    let people = try People(cards)
    try people.run { $0.baseline = .version(1) }
    #expect(try people.states() == [.applied, .applied])
    return people
  }

  // MARK: Kinds

  @Test func `a person is no card of the same identity that is gone`() throws {
    let people = try Self.withCards()
    try people.remove(people.card(1))
    let report = try people.undo("st")
    #expect(report.isPublished && report.findings.map(\.severity) == [.warning])
    #expect(report.findings.first?.path.hasPrefix("cards/1") == true)
    let status = try people.status()
    #expect(status.standings.map(\.state) == [.applied, .undone])
    #expect(status.findings.map(\.severity) == [.warning])
    #expect(status.findings.first?.path.hasPrefix("cards/1") == true)
    let again = try people.run { $0.forced = ["st"] }
    #expect(again.isPublished && again.findings.isEmpty)
    #expect(try people.text(people.card(2)).contains(#""local""#))
    #expect(try people.text("people/1.json") == People.person(1))
  }

  @Test func `a card is no person of the same identity that is gone`() throws {
    let people = try People(Self.bang)
    for number in [1, 2] {
      try people.write(
        #"{"id":"\#(Self.id(number))","owner":"o","label":"l"}"#, to: "cards/\(number).json")
    }
    try people.run()
    try people.remove("people/1.json")
    let report = try people.undo("bang")
    #expect(report.isPublished && report.findings.map(\.path) == ["people/1.json"])
    #expect(try people.text("people/2.json") == People.person(2))
    let again = try people.run { $0.forced = ["bang"] }
    #expect(again.isPublished && again.findings.isEmpty)
    #expect(try people.text("people/2.json") == People.person(2, "!"))
  }

  @Test func `the same bytes as another kind are another entity`() throws {
    let people = try Self.withCards()
    _ = try people.undo("st")
    let (card, text) = (try people.card(1), try people.text(people.card(1)))
    // A card that is gone, and a person of the same bytes.
    try people.write(text, to: "people/1.json")
    try people.remove(card)
    _ = try people.undo("mk")
    #expect(try people.text("people/1.json") == text)
  }

  // MARK: Restores

  @Test func `restored without a file that came later, steps are pending`() throws {
    let people = try People(Self.bang)
    let before = try #require(people.folder.packing().archives.first?.path)
    try people.run()
    try people.write(People.person(3), to: "people/3.json")
    let all = try people.following(
      Self.bang.replacing(#""b", "profile""#, with: #""c", "profile""#)
        .replacing("bang", with: "ask").replacing(#""!""#, with: #""?""#))
    try people.run()
    try all.run()
    #expect(try people.text("people/3.json") == People.person(3, "?"))
    try people.folder.restoring(before)
    #expect(!people.folder.folder.exists("people/3.json"))
    #expect(try people.states() == [.pending] && all.states() == [.pending])
    try people.run()
    try all.run()
    #expect(try people.text("people/1.json") == People.person(1, "!?"))
    #expect(try people.text("people/2.json") == People.person(2, "!?"))
  }

  // MARK: After an undoing

  @Test func `what an undoing has left is told until it is as before`() throws {
    let people = try People(Self.bang)
    try people.run()
    try people.remove("people/1.json")
    let edited = People.person(1, "!", n: 2)
    try people.write(edited, to: "people/9.json")
    let report = try people.undo("bang")
    let errors = report.findings.filter { $0.severity == .error }
    #expect(!report.isPublished && errors.map(\.path) == ["people/9.json"])
    for told in [try people.status(), try people.run(), try people.undo("bang")] {
      #expect(told.standings.map(\.state) == [.undone])
      let finding = try #require(told.findings.first)
      #expect(told.findings.count == 1 && finding.severity == .error)
      #expect(finding.path == "people/9.json" && finding.message.contains("people/1.json"))
    }
    #expect(try people.text("people/9.json") == edited)
    // What is said leads out: that is copied, undone again, and edited once more.
    let next = try #require(try people.status().findings.first?.next)
    let place = try #require(next.firstMatch(of: /is in ([^:]*):/)).output.1
    try people.write(people.text(String(place)), to: "people/9.json")
    #expect(try people.status().findings.isEmpty)
    #expect(try people.undo("bang").isPublished)
    try people.write(People.person(1, n: 2), to: "people/9.json")
    #expect(try people.status().findings.isEmpty)
    let forced = try people.run { $0.forced = ["bang"] }
    #expect(forced.isPublished && forced.effects.map(\.changedCount) == [2])
    #expect(try people.text("people/9.json") == People.person(1, "!", n: 2))
    #expect(try people.states() == [.applied])
  }

  @Test func `what a step has made and somebody has renamed and edited is told, and stays`() throws
  {
    let people = try Self.withCards()
    let text = try people.text(people.card(1)).replacing("new", with: "EDIT")
    try people.remove(people.card(1))
    try people.write(text, to: "cards/z.json")
    let first = try people.undo("st")
    #expect(first.findings.map(\.path) == ["cards/z.json"] && !first.isPublished)
    let report = try people.undo("mk")
    #expect(!report.isPublished)
    for told in [report, try people.status()] {
      let made = told.findings.filter { $0.severity == .error && $0.message.hasPrefix("mk: ") }
      #expect(made.map(\.path) == ["cards/z.json"])
    }
    #expect(try people.text("cards/z.json") == text)
    // As it says.
    try people.remove("cards/z.json")
    #expect(try people.status().findings.allSatisfy { $0.severity < .error })
    #expect(try people.undo("mk").isPublished)
    // Of what comes from now on nothing is said.
    try people.write(text, to: "cards/y.json")
    #expect(try !people.status().findings.contains { $0.message.hasPrefix("mk: ") })
  }
}

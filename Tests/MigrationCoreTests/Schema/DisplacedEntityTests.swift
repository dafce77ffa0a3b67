import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Entities in files that were renamed and written once a step had changed or made them: their kind and
/// their identity say which they are, and what an undoing leaves of them is told until it is settled.
@Suite struct DisplacedEntityTests {
  private static let cards = CardFolder.cards
  private static let bang = CardFolder.bang
  private typealias People = CardFolder

  private static func id(_ number: Int) -> String { CardFolder.id(number) }

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
    try people.undo("st")
    let (card, text) = (try people.card(1), try people.text(people.card(1)))
    // A card that is gone, and a person of the same bytes.
    try people.write(text, to: "people/1.json")
    try people.remove(card)
    try people.undo("mk")
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

  @Test func `what steps only made is pending after a restore from before them`() throws {
    let people = try People(CardFolder.cardsOfAnyVersion)
    let before = try #require(people.folder.packing().archives.first?.path)
    try people.run()
    let after = try #require(people.folder.packing().archives.last?.path)
    try people.folder.restoring(before)
    #expect(try people.states() == [.pending, .pending])
    // Back again they are done, and can be undone.
    try people.folder.restoring(after)
    #expect(try people.states() == [.applied, .applied])
    try people.folder.restoring(before)
    try people.run()
    #expect(try people.text(people.card(1)).contains("local"))
    #expect(try people.states() == [.applied, .applied])
    try people.undo("st")
    try people.undo("mk")
    #expect(try people.states() == [.undone, .undone])
    #expect(try !people.folder.folder.files().keys.contains { $0.hasPrefix("cards/") })
    // So they are after a restore from when they were undone.
    let undone = try #require(people.folder.packing().archives.last?.path)
    try people.run { $0.forced = ["mk", "st"] }
    try people.folder.restoring(undone)
    #expect(try people.states() == [.undone, .undone])
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

import Diagnostics
import Folders
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Entities that an import brings right behind a step that makes entities of their kind: their changes are
/// joined as those of what the step has made.
@Suite struct ImportBehindStepTests {
  private static let third = "00000000-0000-4000-8000-00000000000C"
  private static let made = "00000000-0000-4000-8000-00000000000D"

  /// A step that marks all people, and makes one more for those that have a twin.
  private func folder(identity: String, where test: String) throws -> StepFolder {
    try StepFolder([
      """
      {"plan": "p", "profile": "people", "steps": [{"id": "mark", "risk": "additive",
        "create": [{"kind": "person", "for": "person", "where": \(test), "id": \(identity),
          "fields": [{"set": "lastName", "to": {"constant": "Twin"}}]}],
        "entities": {"person": [{"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
      """
    ])
  }

  private static let nobody = #"{"equal": [{"copy": "/firstName"}, {"constant": "Nobody"}]}"#
  private static let ada = #"{"equal": [{"copy": "/firstName"}, {"constant": "Ada"}]}"#
  private static let constant = #"{"constant": "\#(made)"}"#
  private static let derived =
    #"{"convert": {"concatenate": [{"constant": "\#(made)"}]}, "to": "uuid"}"#

  private func importThird(to folder: StepFolder) throws {
    try folder.folder.folder.write(#"{"people": [{"id": "\#(Self.third)"}]}"#, to: "people.json")
    try folder.folder.importing()
    try folder.folder.folder.remove("people.json")
  }

  @Test func `what a plan says whose identity is not that of what it makes is not of its making`()
    throws
  {
    let folder = try folder(identity: Self.constant, where: Self.nobody)
    try folder.run()
    try importThird(to: folder)
    #expect(try folder.states() == [.pending])
    #expect(try folder.run().effects.map(\.changedCount) == [1])
    #expect(try folder.entities()[Self.third] == ["marked": "true"])
    #expect(try folder.states() == [.applied])
  }

  @Test func `what the step has made itself is not late`() throws {
    let folder = try folder(identity: Self.constant, where: Self.ada)
    #expect(try folder.run().effects.map(\.madeCount) == [1])
    let report = try folder.workflow().status()
    #expect(report.standings.map(\.state) == [.applied])
    #expect(report.findings.isEmpty)
    #expect(try folder.run().effects.isEmpty)
  }

  @Test func `where no plan says the identities their number is told as unknown`() throws {
    let folder = try folder(identity: Self.derived, where: Self.nobody)
    try folder.run()
    #expect(try folder.workflow().status().findings.isEmpty)
    try importThird(to: folder)
    let report = try folder.workflow().status()
    #expect(report.standings.map(\.state) == [.applied])
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1 && finding.severity == .info)
    #expect(finding.message.contains("1 entity came from elsewhere since or of a step"))
  }
}

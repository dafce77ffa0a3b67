import Automerge
import Diagnostics
import FolderDocuments
import Foundation
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Steps that are undone where another device edited the same properties while they ran.
@Suite struct UndoneBesideEditTests {
  private static let made = "00000000-0000-4000-8000-000000000001"
  /// Which of two values wins that were written beside each other depends on their authors; one that begins with
  /// "a" loses.
  private static let values = "abcdefghijklmnop".map(String.init)

  private static func bang(_ id: String, _ end: String) -> String {
    """
    {"id": "\(id)", "risk": "destructive", "entities": {"person": [
      {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "\(end)"}]}},
      {"set": "preferences", "to": {"constant": {"theme": "\(id)"}}}]}}
    """
  }

  private static let make = """
    {"id": "make", "risk": "additive", "create": [
      {"kind": "person", "id": {"constant": "\(made)"},
       "fields": [{"set": "email", "to": {"constant": "sum@x"}},
         {"set": "preferences", "to": {"constant": {"theme": "dark"}}}]}]}
    """

  private static func plan(_ steps: String...) -> String {
    #"{"plan": "p", "profile": "people", "steps": [\#(steps.joined(separator: ","))]}"#
  }

  private static func email(_ folder: StepFolder, of id: String = StepFolder.ada) throws -> String?
  {
    try folder.entities()[id]?["email"]
  }

  private static func edit(
    _ folder: StepFolder, of id: String = StepFolder.ada, to value: String
  ) throws {
    try folder.edit { document in
      if value.hasPrefix("a") {
        document.actor = ActorId(
          bytes: [UInt8](repeating: 0, count: 8) + (0..<8).map { _ in UInt8.random(in: 0...255) })
      }
      try document.put(obj: document.entity(id), key: "email", value: .String(value))
    }
  }

  private static func valueCount(_ folder: StepFolder, of id: String = StepFolder.ada) throws -> Int
  {
    let document = try Document(Data(folder.folder.folder.bytes("people.automerge")))
    return try document.getAll(obj: document.entity(id), key: "email").count
  }

  // MARK: Values beside each other

  @Test func `an edit beside what the step wrote shows once the step is undone`() throws {
    var hiddenCount = 0
    for value in Self.values {
      let one = try StepFolder([Self.plan(Self.bang("bang", "!"))])
      let other = try one.copied()
      try Self.edit(other, to: value)
      try one.run()
      try one.merge(other)
      let isHidden = try Self.email(one) != "\"\(value)\""
      let told = try one.workflow().status().findings
      #expect(told.map(\.code) == (isHidden ? [.conflict] : []))
      let planned = try one.workflow { $0.undone = "bang" }.plan()
      let report = try one.undo("bang")
      #expect(try Self.email(one) == "\"\(value)\"")
      #expect(try one.entities()[StepFolder.grace]?["email"] == "\"grace@example.org\"")
      #expect(report.findings == planned.findings)
      #expect(report.findings.map(\.code) == [.editedSince])
      #expect(try one.workflow().status().findings.isEmpty)
      guard isHidden else { continue }
      hiddenCount += 1
      #expect(try Self.valueCount(one) == 1)
      let shown = planned.changes.flatMap(\.properties).filter { $0.name == "email" }
      #expect(shown.map(\.after).contains("\"\(value)\""))
      // Done again and undone again, it is there still.
      try one.run { $0.forced = ["bang"] }
      #expect(try Self.email(one) == "\"\(value)!\"")
      try one.undo("bang")
      #expect(try Self.email(one) == "\"\(value)\"")
    }
    #expect(hiddenCount > 0)
  }

  @Test func `edits of several devices beside it stay beside each other`() throws {
    var hiddenCount = 0
    for value in Self.values {
      let one = try StepFolder([Self.plan(Self.bang("bang", "!"))])
      let (other, third) = (try one.copied(), try one.copied())
      try Self.edit(other, to: value)
      try Self.edit(third, to: value + "3")
      try one.run()
      try one.merge(other)
      try one.merge(third)
      guard try Self.email(one) == "\"ada@example.org!\"" else { continue }
      hiddenCount += 1
      try one.undo("bang")
      #expect(try ["\"\(value)\"", "\"\(value)3\""].contains(Self.email(one)))
      #expect(try Self.valueCount(one) == 2)
    }
    #expect(hiddenCount > 0)
  }

  @Test func `one beside what undoing a later step wrote shows once the earlier one is undone`()
    throws
  {
    var hiddenCount = 0
    for value in Self.values {
      let one = try StepFolder([Self.plan(Self.bang("bang", "!"), Self.bang("quest", "?" + value))])
      try one.run()
      let other = try one.copied()
      try Self.edit(other, to: value)
      try one.undo("quest")
      try one.merge(other)
      guard try Self.email(one) == "\"ada@example.org!\"" else { continue }
      hiddenCount += 1
      let report = try one.undo("bang")
      #expect(try Self.email(one) == "\"\(value)\"")
      #expect(report.findings.map(\.code) == [.editedSince])
      #expect(try one.workflow().status().findings.isEmpty)
    }
    #expect(hiddenCount > 0)
  }

  // MARK: What others deleted

  private static let dropping = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "bang", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}},
        {"drop": "firstName"}]}}]}
    """

  private static func delete(_ names: [String], in folder: StepFolder) throws {
    try folder.edit { document in
      let map = try document.entity(StepFolder.ada)
      for name in names { try document.delete(obj: map, key: name) }
    }
  }

  @Test(arguments: [true, false])
  func `what another device deleted meanwhile stays so, and is told`(isOtherFirst: Bool) throws {
    let one = try StepFolder([Self.dropping])
    let other = try one.copied()
    try one.run()
    try Self.delete(["email", "firstName"], in: other)
    let (into, from) = isOtherFirst ? (other, one) : (one, other)
    try into.merge(from)
    #expect(try Self.email(into) == #""ada@example.org!""#)
    let planned = try into.workflow { $0.undone = "bang" }.plan()
    let report = try into.undo("bang")
    let ada = try into.entities()[StepFolder.ada]
    #expect(ada?["email"] == nil && ada?["firstName"] == nil && ada?["lastName"] != nil)
    let grace = try into.entities()[StepFolder.grace]
    #expect(grace?["email"] == #""grace@example.org""# && grace?["firstName"] == #""Grace""#)
    #expect(report.findings.map(\.code) == [.editedSince, .editedSince])
    #expect(report.findings.allSatisfy { $0.message.contains("was deleted elsewhere since") })
    #expect(Set(report.findings) == Set(planned.findings))
    // It stays, however often the step is done and undone.
    try into.run { $0.forced = ["bang"] }
    try into.undo("bang")
    #expect(try into.entities()[StepFolder.ada] == ada)
    try from.merge(into)
    #expect(try from.entities() == into.entities())
  }

  @Test func `so does what an older version of the app wrote again, and deleted`() throws {
    let one = try StepFolder([Self.dropping])
    try one.run()
    try one.edit { document in
      try document.put(
        obj: document.entity(StepFolder.ada), key: "firstName", value: .String("Again"))
    }
    try Self.delete(["firstName"], in: one)
    try one.undo("bang")
    let entities = try one.entities()
    #expect(entities[StepFolder.ada]?["firstName"] == nil)
    #expect(entities[StepFolder.ada]?["email"] == #""ada@example.org""#)
    #expect(entities[StepFolder.grace]?["firstName"] == #""Grace""#)
  }

  @Test func `what was deleted before the step, and written again, comes back`() throws {
    let one = try StepFolder([Self.dropping])
    try Self.delete(["email"], in: one)
    try Self.edit(one, to: "new")
    try one.run()
    #expect(try Self.email(one) == #""new!""#)
    #expect(try one.undo("bang").findings.isEmpty)
    #expect(try Self.email(one) == #""new""#)
  }

  // MARK: What the step replaced

  @Test func `an edit in an object that the step replaced comes back with it`() throws {
    let one = try StepFolder(
      [Self.plan(Self.bang("bang", "!"))],
      """
      {"people": [{"id": "\(StepFolder.ada)", "firstName": "Ada", "lastName": "Lovelace",
        "email": "a@x", "createdAt": "2024-01-01T00:00:00Z",
        "preferences": {"theme": "old", "size": "3"}}]}
      """)
    let other = try one.copied()
    try other.edit { document in
      let map = try document.entity(StepFolder.ada)
      if case .Object(let preferences, _)? = try document.get(obj: map, key: "preferences") {
        try document.put(obj: preferences, key: "theme", value: .String("mine"))
      }
    }
    try one.run()
    try one.merge(other)
    #expect(
      try one.workflow().status().findings.contains { $0.message.contains("preferences shows") })
    let report = try one.undo("bang")
    #expect(report.findings.map(\.code) == [.editedSince])
    #expect(
      try one.entities()[StepFolder.ada]?["preferences"] == #"{"size":"3","theme":"mine"}"#)
    #expect(try one.entities()[StepFolder.ada]?["email"] == #""a@x""#)
  }

  // MARK: Entities that a step made

  @Test func `an entity stays that was edited elsewhere while another step changed it`() throws {
    var hiddenCount = 0
    for value in Self.values {
      let one = try StepFolder([Self.plan(Self.make, Self.bang("bang", "!"))])
      try one.run { $0.target = "make" }
      let other = try one.copied()
      try Self.edit(other, of: Self.made, to: value)
      try one.run()
      try one.merge(other)
      if try Self.email(one, of: Self.made) == "\"sum@x!\"" { hiddenCount += 1 }
      try one.undo("bang")
      #expect(try Self.email(one, of: Self.made) == "\"\(value)\"")
      let report = try one.undo("make")
      #expect(report.findings.contains { $0.code == .editedSince })
      #expect(try Self.email(one, of: Self.made) == "\"\(value)\"")
    }
    #expect(hiddenCount > 0)
  }

  @Test func `so does one of which readers do not see the edit`() throws {
    var hiddenCount = 0
    for value in Self.values {
      let one = try StepFolder([Self.plan(Self.make, Self.bang("bang", "!"))])
      try one.run()
      let other = try one.copied()
      try Self.edit(other, of: Self.made, to: value)
      try one.undo("bang")
      try one.merge(other)
      let isHidden = try Self.email(one, of: Self.made) == "\"sum@x\""
      let report = try one.undo("make")
      #expect(try one.entities()[Self.made] != nil)
      #expect(try Self.valueCount(one, of: Self.made) == 2)
      guard isHidden else { continue }
      hiddenCount += 1
      let warning = try #require(report.findings.first { $0.message.hasPrefix("make: ") })
      #expect(warning.severity == .warning)
      #expect(warning.message.contains("email was edited elsewhere"))
      #expect(warning.next?.contains("merge-conflicts") == true)
    }
    #expect(hiddenCount > 0)
  }

  // MARK: Forced steps

  @Test func `an edit that a forced step hides is told until somebody decides`() throws {
    var hiddenCount = 0
    for value in Self.values {
      let one = try StepFolder([Self.plan(Self.bang("bang", "!"))])
      try one.run()
      try one.undo("bang")
      let other = try one.copied()
      try Self.edit(other, to: value)
      try one.run { $0.forced = ["bang"] }
      try one.merge(other)
      guard try Self.email(one) == "\"ada@example.org!\"" else { continue }
      hiddenCount += 1
      for report in [try one.workflow().status(), try one.run()] {
        let finding = try #require(report.findings.first)
        #expect(report.findings.count == 1 && finding.code == .conflict)
        #expect(finding.message.contains("email shows what the step left"))
      }
      try Self.edit(one, to: value)
      #expect(try one.workflow().status().findings.isEmpty)
    }
    #expect(hiddenCount > 0)
  }
}

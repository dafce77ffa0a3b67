import Automerge
import Diagnostics
import Folders
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Entities that one device edits while undoing the step that made them takes them away on another.
@Suite struct EditedAwayTests {
  private static let made = "00000000-0000-4000-8000-000000000001"

  private static func devices() throws -> (one: StepFolder, other: StepFolder) {
    let one = try StepFolder([
      """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "make", "risk": "additive", "create": [
          {"kind": "person", "id": {"constant": "\(made)"},
           "fields": [{"set": "email", "to": {"constant": "sum@x"}},
             {"set": "preferences", "to": {"constant": {"theme": "dark"}}}]}]}]}
      """
    ])
    try one.run()
    let other = try one.copied()
    try one.undo("make")
    return (one, other)
  }

  private static func edit(_ folder: StepFolder) throws {
    try folder.edit { document in
      try document.put(obj: document.entity(made), key: "email", value: .String("mine@x"))
    }
  }

  private static let kept = ["email": "\"mine@x\"", "preferences": #"{"theme":"dark"}"#]

  @Test(arguments: [true, false])
  func `such an edit is told, and undoing the step once more brings it back`(isOtherFirst: Bool)
    throws
  {
    let (one, other) = try Self.devices()
    try Self.edit(other)
    let (into, from) = isOtherFirst ? (other, one) : (one, other)
    try into.merge(from)
    // The undoing wins where readers look, as every deletion does.
    #expect(try into.entities()[Self.made] == nil)
    for report in [try into.workflow().status(), try into.run()] {
      #expect(report.standings.map(\.state) == [.undone])
      #expect(report.standings[0].reason.contains("--undo make"))
      let finding = try #require(report.findings.first)
      #expect(report.findings.count == 1 && finding.severity == .warning)
      #expect(finding.message.contains(Self.made) && finding.next?.contains("--undo make") == true)
    }
    let planned = try into.workflow { $0.undone = "make" }.plan()
    #expect(planned.effects.map(\.changedCount) == [1])
    #expect(planned.findings.map(\.severity) == [.info])
    #expect(try into.undo("make").effects.map(\.changedCount) == [1])
    #expect(try into.entities()[Self.made] == Self.kept)
    // It stays, however often the step is undone or done.
    let status = try into.workflow().status()
    #expect(status.standings.map(\.state) == [.undone] && status.findings.isEmpty)
    let bytes = try into.documents
    #expect(try into.undo("make").effects.isEmpty)
    #expect(try into.documents == bytes)
    try into.run { $0.forced = ["make"] }
    try into.undo("make")
    #expect(try into.entities()[Self.made] == Self.kept)
    // The other device has it, too.
    try from.merge(into)
    #expect(try from.entities()[Self.made] == Self.kept)
  }

  @Test func `what a later undoing has found there already comes back, too`() throws {
    let (one, other) = try Self.devices()
    try one.run { $0.forced = ["make"] }
    #expect(try one.workflow().status().findings.isEmpty)
    try Self.edit(other)
    try one.merge(other)
    let status = try one.workflow().status()
    #expect(status.standings.map(\.state) == [.applied])
    let finding = try #require(status.findings.first)
    #expect(status.findings.count == 1 && finding.severity == .warning)
    #expect(finding.next?.contains("--undo make, and the same once more") == true)
    try one.undo("make")
    #expect(try one.entities()[Self.made] == nil)
    #expect(try one.workflow().status().findings.count == 1)
    try one.undo("make")
    #expect(try one.entities()[Self.made] == Self.kept)
    #expect(try one.workflow().status().findings.isEmpty)
  }

  @Test(arguments: [["email"], ["preferences"], ["email", "preferences"]])
  func `what undoing a later step wrote beside the edit does not come back in its place`(
    names: [String]
  ) throws {
    // Which of two values wins that were written beside each other depends on their authors.
    for value in ["a", "b", "c", "d", "e", "f"] {
      let one = try StepFolder([Self.rewriting])
      try one.run()
      let other = try one.copied()
      try one.undo("bang")
      try one.undo("make")
      try other.edit { document in
        let map = try document.entity(Self.made)
        if names.contains("email") {
          try document.put(obj: map, key: "email", value: .String(value))
        }
        if names.contains("preferences"),
          case .Object(let preferences, _)? = try document.get(obj: map, key: "preferences")
        {
          try document.put(obj: preferences, key: "theme", value: .String(value))
        }
      }
      try one.merge(other)
      #expect(try one.undo("make").findings.map(\.severity) == [.info])
      let entity = try one.entities()[Self.made]
      #expect(
        entity?["email"] == (names.contains("email") ? "\"\(value)\"" : "\"sum@x\""))
      #expect(
        entity?["preferences"]
          == (names.contains("preferences")
            ? "{\"theme\":\"\(value)\"}" : "{\"theme\":\"dark\"}"))
      #expect(try one.workflow().status().findings.isEmpty)
    }
  }

  private static let rewriting = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "make", "risk": "additive", "create": [
        {"kind": "person", "id": {"constant": "\(made)"},
         "fields": [{"set": "email", "to": {"constant": "sum@x"}},
           {"set": "preferences", "to": {"constant": {"theme": "dark"}}}]}]},
      {"id": "bang", "risk": "destructive", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}},
        {"set": "preferences", "to": {"constant": {"theme": "light"}}}]}}]}
    """

  @Test func `an edit that undoing a step hides is told until somebody decides`() throws {
    // Which of two values wins that were written beside each other depends on their authors.
    var hiddenCount = 0
    for value in ["a", "b", "c", "d", "e", "f"] {
      let one = try StepFolder([Self.rewriting])
      try one.run()
      let other = try one.copied()
      try one.undo("bang")
      try other.edit { document in
        try document.put(
          obj: document.entity(StepFolder.ada), key: "email", value: .String(value))
      }
      try one.merge(other)
      let findings = try one.workflow().status().findings
      let email = try one.entities()[StepFolder.ada]?["email"]
      if email == "\"\(value)\"" {
        #expect(findings.isEmpty)
        continue
      }
      hiddenCount += 1
      let finding = try #require(findings.first)
      #expect(findings.count == 1 && finding.severity == .warning && finding.code == .conflict)
      #expect(finding.message.contains("bang") && finding.message.contains("email shows"))
      #expect(
        finding.next?.contains(
          "merge-conflicts FOLDER --profile FILE --resolve \(StepFolder.ada) email --keep-other")
          == true)
      try one.edit { document in
        try document.put(
          obj: document.entity(StepFolder.ada), key: "email", value: .String(value))
      }
      #expect(try one.workflow().status().findings.isEmpty)
    }
    #expect(hiddenCount > 0)
  }

  @Test func `so is one in what undoing a step replaced`() throws {
    let one = try StepFolder([Self.rewriting])
    try one.run()
    let other = try one.copied()
    try one.undo("bang")
    try other.edit { document in
      let map = try document.entity(StepFolder.ada)
      if case .Object(let preferences, _)? = try document.get(obj: map, key: "preferences") {
        try document.put(obj: preferences, key: "theme", value: .String("mine"))
      }
    }
    try one.merge(other)
    let finding = try #require(try one.workflow().status().findings.first)
    #expect(finding.message.contains("preferences"))
  }

  @Test func `of edits beside each other one comes back, and that is told`() throws {
    let (one, other) = try Self.devices()
    let third = try other.copied()
    try Self.edit(other)
    try third.edit { document in
      try document.put(
        obj: document.entity(Self.made), key: "email", value: .String("theirs@x"))
    }
    try one.merge(other)
    try one.merge(third)
    let findings = try one.undo("make").findings
    #expect(Set(findings.map(\.severity)) == [.warning, .info])
    let warning = try #require(findings.first { $0.severity == .warning })
    #expect(warning.message.contains("email was edited in several ways"))
    let email = try #require(try one.entities()[Self.made]?["email"])
    #expect([#""mine@x""#, #""theirs@x""#].contains(email))
  }

  @Test func `an edit stays told where the step makes the entity anew after it came`() throws {
    let (one, other) = try Self.devices()
    try Self.edit(other)
    try one.merge(other)
    let forced = try one.run { $0.forced = ["make"] }
    #expect(forced.effects.map(\.madeCount) == [1])
    for report in [forced, try one.workflow().status(), try one.run()] {
      #expect(report.standings.map(\.state) == [.applied])
      let finding = try #require(report.findings.first)
      #expect(report.findings.count == 1 && finding.severity == .warning)
      #expect(finding.message.contains("no app shows the edit"))
      #expect(finding.next?.contains("--undo make, and the same once more") == true)
    }
    #expect(try one.entities()[Self.made]?["email"] == #""sum@x""#)
    // As it says.
    try one.undo("make")
    try one.undo("make")
    #expect(try one.entities()[Self.made] == Self.kept)
    #expect(try one.workflow().status().findings.isEmpty)
  }

  @Test func `what another step wrote into it is undone once it is back`() throws {
    let (one, other) = try Self.devices()
    let editing = try other.folder.copied()
    let profile = other.folder.profile
    let plan = """
      {"plan": "e", "profile": "people", "steps": [{"id": "edit", "risk": "destructive", "entities":
        {"person": [{"set": "email", "to": {"constant": "EDIT"}}]}}]}
      """
    let edit = try Plan(parsing: Array(plan.utf8), of: "edit.json") { _ in profile }
    func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
      let context = editing.context()
      var options = SchemaOptions(plans: [edit], source: .file(path: editing.folder.path))
      options.allowsDestructive = true
      configure(&options)
      return try DocumentStepWorkflow(
        options, in: ListedFolder(editing.folder.path, context: context), context: context
      ).perform()
    }
    func email(_ folder: ProfiledFolder) throws -> String? {
      let line = try folder.streaming().lines.first { $0.contains(Self.made) }
      return line?.split(separator: "\"email\":\"").last.map { String($0.prefix { $0 != "\"" }) }
    }
    _ = try run()
    var document = try one.document()
    try document.merge(editing.folder.document("people.automerge"))
    try one.folder.folder.write(document.encoded(), to: "people.automerge")
    #expect(try one.undo("make").effects.map(\.changedCount) == [1])
    #expect(try email(one.folder) == "EDIT")
    try editing.folder.write(one.document().encoded(), to: "people.automerge")
    // All three of them: of one nobody may keep silent.
    #expect(try run { $0.undone = "edit" }.effects.map(\.changedCount) == [3])
    #expect(try email(editing) == "sum@x")
    let values = try editing.streaming().lines
    #expect(!values.contains { $0.contains("EDIT") })
  }

  @Test func `two devices that bring it back make the same`() throws {
    let (one, other) = try Self.devices()
    try Self.edit(other)
    try one.merge(other)
    try other.merge(one)
    try one.undo("make")
    try other.undo("make")
    #expect(try one.document().heads == other.document().heads)
    #expect(try one.entities()[Self.made] == Self.kept)
  }

  @Test func `without an edit elsewhere nothing is told, nor after somebody has deleted it`() throws
  {
    let (one, other) = try Self.devices()
    try one.merge(other)
    #expect(try one.workflow().status().findings.isEmpty)
    #expect(try one.undo("make").effects.isEmpty)
    try Self.edit(other)
    try one.merge(other)
    try one.undo("make")
    try one.edit { document in try document.delete(obj: .ROOT, key: Self.made) }
    #expect(try one.workflow().status().findings.isEmpty)
    #expect(try one.undo("make").effects.isEmpty)
    #expect(try one.entities()[Self.made] == nil)
  }
}

import Automerge
import Diagnostics
import FolderDocuments
import Folders

import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Steps as changes of documents, on one device and on two.
@Suite struct DocumentStepTests {
  private static let after: [String: [String: String]] = [
    StepFolder.ada: [
      "fullName": "\"Ada Lovelace\"", "email": "\"ada@example.org\"", "height": "1.5",
      "createdAt": "\"2024-01-01T00:00:00Z\"", "updatedAt": "\"2026-01-01T00:00:00Z\"",
      "preferences": #"{"language":"en","notifications":true,"theme":"system"}"#,
    ],
    StepFolder.grace: [
      "fullName": "\"Grace Hopper\"", "email": "\"grace@example.org\"",
      "tags": #"["navy","cobol"]"#,
      "createdAt": "\"2024-02-01T00:00:00Z\"", "updatedAt": "\"2026-01-01T00:00:00Z\"",
      "preferences": #"{"language":"en","notifications":true,"theme":"system"}"#,
    ],
  ]

  @Test func `a step is one change on top of all heads, whose message is its record`() throws {
    let folder = try StepFolder([StepFolder.transforming()])
    let before = try folder.document()
    let report = try folder.run()
    #expect(report.isPublished && report.findings.isEmpty && report.documentCount == 1)
    #expect(report.standings.map(\.state) == [.applied])
    let document = try folder.document()
    #expect(document.changeCount == before.changeCount + 1)
    let row = document.changeCount - 1
    let change = document.change(at: row)
    let step = folder.plans[0].steps[0]
    #expect(change.dependencies == before.heads && change.time == 0 && change.sequence == 1)
    #expect(String(decoding: change.message, as: UTF8.self) == "people-v2 \(step.checksum)")
    #expect(document.derivesAuthor(ofChange: row, from: "automerge-migrate/1/step"))
    // Of each person a name, a moment, a map with three members, and two names that go.
    #expect(change.operationCount == 2 * 8)
    #expect(try folder.entities() == Self.after)
  }

  @Test func `a second run has no effect, and what is left in the folder is no journal`() throws {
    let folder = try StepFolder([StepFolder.transforming()])
    try folder.run()
    let files = try folder.folder.folder.files(includingState: true)
    #expect(files.keys.allSatisfy { !$0.contains("journal") && !$0.contains(".tmp") })
    let again = try folder.run()
    #expect(again.isPublished && again.effects.isEmpty)
    #expect(try folder.folder.folder.files(includingState: true) == files)
    #expect(try folder.states() == [.applied])
  }

  @Test func `a dry run tells each entity, and writes nothing`() throws {
    let folder = try StepFolder([StepFolder.transforming()])
    let files = try folder.folder.folder.files(includingState: true)
    let report = try folder.workflow().plan()
    #expect(report.isDryRun && !report.isPublished)
    #expect(report.changes.map(\.id) == [StepFolder.ada, StepFolder.grace])
    #expect(
      report.changes[0].properties.first { $0.name == "fullName" }?.after == "\"Ada Lovelace\"")
    #expect(report.addedByteCount > 100 && report.documentCount == 1)
    #expect(try folder.folder.folder.files(includingState: true) == files)
  }

  @Test func `devices with the same heads write the same bytes`() throws {
    let one = try StepFolder([StepFolder.transforming()])
    let other = try one.copied()
    try one.run()
    try other.run()
    #expect(try one.documents == other.documents)
  }

  @Test(arguments: [true, false])
  func `edits on another device survive, and what is new there gets the step`(
    isOtherFirst: Bool
  ) throws {
    let one = try StepFolder([StepFolder.transforming()])
    let other = try one.copied()
    try one.run()
    // An older version of the app, which knows two names.
    let third = "00000000-0000-4000-8000-00000000000C"
    try other.edit { document in
      let ada = try document.entity(StepFolder.ada)
      try document.put(obj: ada, key: "email", value: .String("ada@new.example.org"))
      let new = try document.putObject(obj: .ROOT, key: third, ty: .Map)
      try document.put(obj: new, key: "firstName", value: .String("Mary"))
      try document.put(obj: new, key: "lastName", value: .String("Somerville"))
    }
    if isOtherFirst {
      try other.merge(one)
      try one.folder.folder.write(
        other.folder.folder.bytes("people.automerge"), to: "people.automerge")
    } else {
      try one.merge(other)
    }
    #expect(try one.states() == [.pending])
    let report = try one.run()
    #expect(report.isPublished && report.effects.map(\.changedCount) == [1])
    var expected = Self.after
    expected[StepFolder.ada]?["email"] = "\"ada@new.example.org\""
    expected[third] = [
      "fullName": "\"Mary Somerville\"", "updatedAt": "\"2026-01-01T00:00:00Z\"",
      "preferences": #"{"language":"en","notifications":true,"theme":"system"}"#,
    ]
    #expect(try one.entities() == expected)
    #expect(try one.states() == [.applied])
    let bytes = try one.documents
    try one.run()
    #expect(try one.documents == bytes)
  }

  @Test func `two devices that run a step after different edits converge`() throws {
    let one = try StepFolder([StepFolder.transforming()])
    let other = try one.copied()
    try other.edit { document in
      try document.put(
        obj: document.entity(StepFolder.grace), key: "lastName", value: .String("Murray"))
    }
    try one.run()
    try other.run()
    try one.merge(other)
    try other.merge(one)
    #expect(try one.document().heads == other.document().heads)
    #expect(try one.entities() == other.entities())
    let name = try one.entities()[StepFolder.grace]?["fullName"]
    #expect(name == "\"Grace Hopper\"" || name == "\"Grace Murray\"")
    for folder in [one, other] {
      #expect(try folder.states() == [.applied])
      #expect(try folder.run().effects.isEmpty)
    }
  }

  @Test func `what an older app writes again after a step stays, and is told`() throws {
    let one = try StepFolder([StepFolder.transforming()])
    let other = try one.copied()
    try one.run()
    try other.edit { document in
      try document.put(
        obj: document.entity(StepFolder.ada), key: "lastName", value: .String("Byron"))
    }
    try one.merge(other)
    let bytes = try one.documents
    let report = try one.run()
    #expect(report.findings.map(\.code) == [.editedSince])
    #expect(report.findings.first?.severity == .warning)
    #expect(try one.documents == bytes)
    #expect(try one.entities()[StepFolder.ada]?["lastName"] == "\"Byron\"")
  }

  // MARK: Undoing

  @Test func `undone, everything shows what it showed, but for what was edited since`() throws {
    let folder = try StepFolder([StepFolder.transforming()])
    let before = try folder.entities()
    try folder.run()
    try folder.edit { document in
      try document.put(
        obj: document.entity(StepFolder.grace), key: "fullName", value: .String("G. M. Hopper"))
    }
    let report = try folder.undo("people-v2")
    #expect(report.isPublished && report.standings.map(\.state) == [.undone])
    #expect(report.findings.map(\.code) == [.editedSince])
    var expected = before
    expected[StepFolder.grace]?["fullName"] = "\"G. M. Hopper\""
    #expect(try folder.entities() == expected)
    let document = try folder.document()
    let row = document.changeCount - 1
    #expect(document.derivesAuthor(ofChange: row, from: "automerge-migrate/1/undo"))
    #expect(document.change(at: row).message == document.message(of: "automerge-migrate/1/step"))
    #expect(try folder.states() == [.undone])
    // It stays undone until somebody wants it again.
    #expect(try folder.run().effects.isEmpty)
    #expect(try folder.undo("people-v2").effects.isEmpty)
    try folder.run { $0.forced = ["people-v2"] }
    #expect(try folder.states() == [.applied])
    #expect(try folder.entities()[StepFolder.ada] == Self.after[StepFolder.ada])
  }

  @Test func `devices that undo a step of the same heads write the same bytes`() throws {
    let one = try StepFolder([StepFolder.transforming()])
    try one.run()
    let other = try one.copied()
    try one.undo("people-v2")
    try other.undo("people-v2")
    #expect(try one.documents == other.documents)
  }

  @Test(arguments: [true, false])
  func `undone by either device, a field has what it would have without the step`(
    isOtherFirst: Bool
  ) throws {
    let one = try StepFolder([StepFolder.transforming()])
    let other = try one.copied()
    try other.edit { document in
      try document.put(
        obj: document.entity(StepFolder.grace), key: "firstName", value: .String("Grete"))
    }
    let expected = try other.entities()
    try one.run()
    try other.run()
    // Each has the changes of the other behind its own.
    try one.merge(other)
    try other.merge(try one.copied())
    #expect(try one.document().heads == other.document().heads)
    try one.undo("people-v2")
    try other.undo("people-v2")
    #expect(try one.document().heads == other.document().heads)
    let first = isOtherFirst ? other : one
    let second = isOtherFirst ? one : other
    try first.merge(second)
    #expect(try first.entities() == expected)
    #expect(try first.states() == [.undone])
  }

  @Test func `a step that was forced is undone wholly`() throws {
    let folder = try StepFolder([StepFolder.transforming()])
    let before = try folder.entities()
    try folder.run()
    try folder.edit { document in
      try document.put(
        obj: document.entity(StepFolder.grace), key: "email", value: .String("g@example.org"))
      try document.put(
        obj: document.entity(StepFolder.ada), key: "fullName", value: .String("Countess"))
    }
    try folder.run {
      $0.forced = ["people-v2"]
      $0.context.parameters["at"] = "2027-01-01T00:00:00Z"
    }
    #expect(try folder.entities()[StepFolder.ada]?["updatedAt"] == "\"2027-01-01T00:00:00Z\"")
    try folder.undo("people-v2")
    var expected = before
    expected[StepFolder.grace]?["email"] = "\"g@example.org\""
    expected[StepFolder.ada]?["fullName"] = "\"Countess\""
    #expect(try folder.entities() == expected)
  }

  // MARK: What is rewritten in its place

  private static let rewriting = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "names", "risk": "transformative", "entities": {"person": [
        {"set": "email", "to": {"split": {"copy": "/email"}, "by": "@", "part": 0}}]}}]}
    """

  @Test func `what comes later in the form before a step gets it, and what is so again is told`()
    throws
  {
    let one = try StepFolder([Self.rewriting])
    let other = try one.copied()
    try one.run()
    #expect(try one.states() == [.applied])
    let third = "00000000-0000-4000-8000-00000000000C"
    try other.edit { document in
      let new = try document.putObject(obj: .ROOT, key: third, ty: .Map)
      try document.put(obj: new, key: "email", value: .String("mary@example.org"))
      let fourth = try document.putObject(
        obj: .ROOT, key: "00000000-0000-4000-8000-00000000000D", ty: .Map)
      try document.put(obj: fourth, key: "email", value: .String("new"))
    }
    try one.merge(other)
    #expect(try one.states() == [.pending])
    #expect(try one.run().effects.map(\.changedCount) == [1])
    #expect(try one.states() == [.applied])
    let bytes = try one.documents
    #expect(try one.run().effects.isEmpty)
    #expect(try one.documents == bytes)
    // An older version of the app writes it as it did.
    try one.edit { document in
      try document.put(
        obj: document.entity(StepFolder.ada), key: "email", value: .String("a@example.org"))
    }
    let report = try one.workflow().status()
    #expect(report.standings.map(\.state) == [.applied])
    #expect(report.findings.map(\.severity) == [.warning])
    #expect(report.findings.first?.message.hasPrefix("names: 1 entity holds again") == true)
    try one.run { $0.forced = ["names"] }
    #expect(try one.workflow().status().findings.isEmpty)
  }

  @Test func `entities that an import brings right behind a step get it`() throws {
    let folder = try StepFolder([
      """
      {"plan": "p", "profile": "people", "steps": [{"id": "mark", "risk": "additive", "entities": {
        "person": [{"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
      """
    ])
    try folder.run()
    let third = "00000000-0000-4000-8000-00000000000C"
    try folder.folder.folder.write(#"{"people": [{"id": "\#(third)"}]}"#, to: "people.json")
    try folder.folder.importing()
    try folder.folder.folder.remove("people.json")
    #expect(try folder.states() == [.pending])
    #expect(try folder.run().effects.map(\.changedCount) == [1])
    #expect(try folder.entities()[third] == ["marked": "true"])
    #expect(try folder.states() == [.applied])
  }

  @Test func `what a step changes anew each time is not taken for late, and is told`() throws {
    let one = try StepFolder([
      """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "twice", "risk": "transformative", "entities": {"person": [
          {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "+"}]}}]}}]}
      """
    ])
    let other = try one.copied()
    try one.run()
    try other.edit { document in
      let new = try document.putObject(
        obj: .ROOT, key: "00000000-0000-4000-8000-00000000000C", ty: .Map)
      try document.put(obj: new, key: "email", value: .String("mary@example.org"))
    }
    try one.merge(other)
    let report = try one.workflow().status()
    #expect(report.standings.map(\.state) == [.applied])
    #expect(report.findings.map(\.severity) == [.info])
    #expect(report.findings.first?.message.contains("nothing shows") == true)
    #expect(try one.run().effects.isEmpty)
  }

  // MARK: What keeps a step from running

  @Test func `an entity that breaks a promise keeps the step from being written`() throws {
    let folder = try StepFolder(
      [Self.twoSteps],
      #"{"people": [{"id": "\#(StepFolder.ada)", "email": "a"}, {"id": "\#(StepFolder.grace)"}]}"#)
    let report = try folder.run()
    #expect(!report.isPublished)
    #expect(report.standings.map(\.state) == [.applied, .pending])
    #expect(
      report.findings.map(\.message)
        == ["second: person \(StepFolder.grace): what the step promises does not hold"])
    // The first one is done for good.
    #expect(try folder.states() == [.applied, .pending])
    #expect(try folder.entities()[StepFolder.ada] == ["email": "\"a\"", "note": "\"first\""])
  }

  private static let twoSteps = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "first", "risk": "additive", "entities": {"person": [
        {"set": "note", "to": {"constant": "first"}, "type": "string"}]}},
      {"id": "second", "risk": "additive", "entities": {"person": [
        {"set": "other", "to": {"constant": "second"}, "type": "string"}]},
       "verify": [{"every": "person", "holds": {"present": {"copy": "/email"}}}]}]}
    """

  @Test func `copies, placeholders, damage and entities outside of documents make it wait`() throws
  {
    func folder() throws -> StepFolder { try StepFolder([StepFolder.transforming()]) }
    let bytes = try folder().folder.folder.bytes("people.automerge")
    let obstacles: [(path: String, bytes: [UInt8], code: Finding.Code)] = [
      ("people 2.automerge", bytes, .conflictCopy),
      ("people.json", Array(#"{"people": [{"id": "\#(UInt8.max)"}]}"#.utf8), .unproven),
    ]
    for (path, bytes, code) in obstacles {
      let folder = try folder()
      var text = String(decoding: bytes, as: UTF8.self)
      text = text.replacing("\"255\"", with: "\"00000000-0000-4000-8000-0000000000FF\"")
      try folder.folder.folder.write(path.hasSuffix(".json") ? Array(text.utf8) : bytes, to: path)
      let files = try folder.folder.files()
      let report = try folder.run()
      #expect(report.findings.map(\.code).contains(code), "\(path): \(report.findings)")
      #expect(report.standings.map(\.state) == [.waiting] && report.endsWithDifferences)
      #expect(try folder.folder.files() == files)
    }
    let damaged = try folder()
    try damaged.folder.folder.write(Array(bytes.dropLast(9)), to: "people.automerge")
    #expect(try damaged.run().standings.map(\.state) == [.waiting])
    let absent = try folder()
    try absent.folder.folder.remove("people.automerge")
    try absent.folder.folder.write("", to: ".people.automerge.icloud")
    #expect(try absent.run().findings.map(\.code) == [.placeholder])
  }

  @Test func `another step of the same name is refused`() throws {
    let folder = try StepFolder([Self.twoSteps])
    try folder.run { $0.target = "first" }
    #expect(try folder.states() == [.applied, .pending])
    let other = try StepFolder([
      Self.twoSteps.replacing("\"constant\": \"first\"", with: "\"constant\": \"1\"")
    ])
    try other.folder.folder.write(
      folder.folder.folder.bytes("people.automerge"), to: "people.automerge")
    #expect(throws: MigrationError.editedStep("first")) { try other.run() }
    #expect(try other.states() == [.edited, .pending])
  }

  // MARK: Versions

  @Test func `the version is found in the data, where only one fits`() throws {
    let old = try StepFolder([StepFolder.transforming()])
    let status = try old.workflow().status()
    #expect(status.version == 1 && status.standings.map(\.state) == [.pending])
    let any = try StepFolder(
      [StepFolder.transforming()], #"{"people": [{"id": "\#(StepFolder.ada)", "email": "a"}]}"#)
    #expect(try any.states() == [.waiting])
    #expect(
      try any.workflow().status().standings[0].reason
        == "the data fits versions 1 to 2: name it with --baseline")
    #expect(try any.states { $0.baseline = .version(1) } == [.pending])
  }

  @Test func `a baseline is a change without operations, and fits the data`() throws {
    let folder = try StepFolder(
      [StepFolder.transforming()], #"{"people": [{"id": "\#(StepFolder.ada)", "fullName": "Ada"}]}"#
    )
    let before = try folder.document()
    try folder.run { $0.baseline = .step("people-v2") }
    let document = try folder.document()
    let change = document.change(at: document.changeCount - 1)
    #expect(change.operationCount == 0 && change.dependencies == before.heads)
    #expect(
      document.derivesAuthor(ofChange: document.changeCount - 1, from: "automerge-migrate/1/step"))
    #expect(try folder.states() == [.applied])
    #expect(try folder.entities() == [StepFolder.ada: ["fullName": "\"Ada\""]])
    let old = try StepFolder([StepFolder.transforming()])
    let bytes = try old.documents
    let refused = #expect(throws: MigrationError.self) {
      try old.run { $0.baseline = .step("people-v2") }
    }
    #expect(refused?.diagnostic.kind == .conflictsWithData)
    #expect(try old.documents == bytes)
  }
}

extension DocumentState {
  /// The message of the change with a label.
  fileprivate func message(of label: StaticString) -> [UInt8]? {
    rowsWithMessages.first { derivesAuthor(ofChange: $0, from: label) }.map {
      change(at: $0).message
    }
  }
}

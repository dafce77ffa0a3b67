import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// `import-crdt --update` of entities that only a profile describes: what becomes of each property
/// that changed after its import.
@Suite struct ProfiledUpdateTests {
  static let january = "documents/2025-01.automerge"
  static let file = "notes/travel/lisbon.json"
  static let lisbon = "45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"
  private static let welcome = "C9F0F895-FB98-4B91-99F1-4B8D3A1C0202"

  /// The members of the note, each a name and JSON, in the order of the fixture.
  static let members = [
    ("title", #""Lisbon""#), ("body", #""Tram 28, early.""#),
    ("created", #""2025-01-02T07:45:10.5Z""#), ("edited", "null"), ("tags", #"["city","2025"]"#),
    ("notebook", #""Travel""#), ("links", "[\"\(welcome)\"]"), ("attachments", #"["tram.jpg"]"#),
    ("rating", "4"), ("mood", #"{"sun":true,"walks":[3,4.5,12]}"#), ("place", #""Alfama""#),
  ]

  /// A note with one member said otherwise; without it if there is nothing to say.
  static func note(_ name: String = "", _ value: String? = nil) -> String {
    var members = members.map { ($0.0, $0.0 == name ? value : $0.1) }
    if !members.contains(where: { $0.0 == name }), !name.isEmpty { members.append((name, value)) }
    let text = members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
    return "{\"id\":\"\(lisbon)\",\(text.joined(separator: ","))}"
  }

  static func folder() throws -> ProfiledFolder {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.folder.write(note(), to: file)
    try folder.importing()
    return folder
  }

  @discardableResult
  static func update(
    _ folder: ProfiledFolder, prefersLegacy: Bool = false, workers: Int = 2
  ) throws -> ImportReport {
    try folder.importing(workers: workers) {
      $0.updates = true
      $0.prefersLegacy = prefersLegacy
    }
  }

  static let changes: [(name: String, value: String?)] = [
    // Scalars: another value, null, gone, new, of another type, of no declared name.
    ("title", #""Lisboa""#), ("edited", #""2025-02-01T00:00:00Z""#), ("notebook", "null"),
    ("notebook", nil), ("rating", nil), ("rating", "5"), ("rating", #""five""#),
    ("rating", "[4]"), ("pinned", "true"), ("place", nil), ("place", "null"), ("place", "7.5"),
    ("place", "[1]"), ("new", #""value""#), ("new", #"{"a":[null]}"#),
    ("created", #""2025-03-02T07:45:10.5Z""#),
    // Containers: elements, all of them, none, another type.
    ("tags", #"["city","sea","2025"]"#), ("tags", "[]"), ("tags", nil), ("tags", "null"),
    ("tags", #""city""#), ("tags", #"{"city":true}"#), ("mood", #"{"sun":false,"walks":[]}"#),
    ("mood", nil), ("mood", "[1,2]"), ("mood", "true"), ("attachments", nil),
    // Texts.
    ("body", #""Tram 28 and 12, très early.""#), ("body", #""""#), ("body", nil),
    ("body", "null"), ("body", "28"), ("body", #"["Tram"]"#),
    // Links: more, fewer, none, another form, no links at all.
    ("links", "[\"\(welcome)\",\"\(lisbon)\"]"), ("links", "[\"\(lisbon)\"]"), ("links", "[]"),
    ("links", nil), ("links", "{\"\(lisbon)\":true}"), ("links", "7"), ("links", #"["x"]"#),
  ]

  @Test(arguments: changes)
  func `a property that changed in the file reaches the document`(
    _ change: (name: String, value: String?)
  ) throws {
    let folder = try Self.folder()
    let imported = try folder.documents()
    try folder.folder.write(Self.note(change.name, change.value), to: Self.file)

    let told = try folder.importing()
    let diverged = told.findings.filter { $0.code == .diverged }
    #expect(diverged.map(\.path) == [Self.file])
    #expect(diverged.allSatisfy { $0.message.hasSuffix("has another \(change.name)") })
    #expect(told.endsWithDifferences)
    #expect(try folder.documents() == imported)
    #expect(try !folder.verifying().isSound)

    let planned = try folder.importing(isDryRun: true) { $0.updates = true }
    #expect(try folder.documents() == imported)
    let report = try Self.update(folder)
    #expect(planned.documents == report.documents)
    #expect(!report.endsWithDifferences, "\(report.findings)")
    #expect(report.counts.map(\.updated) == [1, 0, 0])
    #expect(report.documents.filter { $0.outcome == .updated }.map(\.path) == [Self.january])
    let verified = try folder.verifying()
    #expect(verified.isSound, "\(verified.findings)")
    #expect(verified.counts.map(\.equal) == [5, 3, 1])

    let updated = try folder.documents()
    #expect(updated[Self.january] != imported[Self.january])
    try Self.update(folder)
    try Self.update(folder, prefersLegacy: true)
    try folder.importing()
    #expect(try folder.documents() == updated)
  }

  @Test func `all that changed in a document is one change`() throws {
    let folder = try Self.folder()
    let before = try folder.folder.document(Self.january).changeCount
    let text = Self.note("title", #""Lisboa""#).replacing("early", with: "late")
      .replacing(#""city""#, with: #""town""#).replacing("sun", with: "rain")
    try folder.folder.write(text, to: Self.file)
    #expect(try Self.update(folder).documents.map(\.changesAdded).max() == 1)
    #expect(try folder.folder.document(Self.january).changeCount == before + 1)
    #expect(try folder.verifying().isSound)
  }

  /// The bytes of an update are frozen like those of an import: every version has to write them.
  @Test func `the update of a note has the golden bytes`() throws {
    let folder = try Self.folder()
    let text = Self.note("title", #""Lisboa""#).replacing("28, early", with: "12, très early")
      .replacing(#""city","#, with: #""city","sea","#).replacing(#","rating":4"#, with: "")
      .replacing(Self.welcome, with: Self.lisbon).replacing("sun", with: "rain")
      .replacing(#","place":"Alfama""#, with: #","pinned":true,"new":1.5"#)
    try folder.folder.write(text, to: Self.file)
    #expect(try Self.update(folder).counts[0].updated == 1)
    let document = try folder.folder.document(Self.january)
    let head = try #require(document.heads.first)
    let chunk = document.chunk(ofChange: try #require(document.row(ofChange: head)))
    let vector = "profiles/notes/update-of-a-note.change"
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(chunk).write(to: Fixtures.directory.appending(path: vector))
    }
    #expect(try chunk == Fixtures.bytes(vector))
    #expect(document.heads.count == 1)
    #expect(try folder.verifying().isSound)
  }

  @Test func `what both sides changed is told, and written only where the file is preferred`()
    throws
  {
    let folder = try Self.folder()
    let identity = try #require(Identity(Self.lisbon))
    try folder.edit(Self.january) {
      try $0.set("title", of: identity, to: "Lissabon")
      try $0.append("user", toList: "tags", of: identity)
    }
    let text = Self.note("title", #""Lisboa""#).replacing(#""city""#, with: #""town""#)
    try folder.folder.write(text, to: Self.file)
    let edited = try folder.documents()
    let report = try Self.update(folder)
    #expect(try folder.documents() == edited)
    let finding = try #require(report.findings.first { $0.code == .editedBoth })
    #expect(finding.message.hasSuffix("title, tags") && finding.path == Self.file)
    #expect(
      try folder.verifying().findings.contains {
        $0.code == .editedBoth && $0.severity == .error && $0.path == Self.file
      })
    #expect(try Self.update(folder, prefersLegacy: true).counts[0].updated == 1)
    #expect(try folder.verifying().counts[0].equal == 5)
    #expect(try folder.folder.document(Self.january).text("title", of: identity) == "Lisboa")
  }

  @Test func `a document that moved on keeps what an app did`() throws {
    let folder = try Self.folder()
    let identity = try #require(Identity(Self.lisbon))
    try folder.edit(Self.january) { try $0.set("title", of: identity, to: "Lissabon") }
    // The file still says what was imported of the title, and something new of the place.
    try folder.folder.write(Self.note("place", #""Belém""#), to: Self.file)
    #expect(try Self.update(folder).counts[0].updated == 1)
    let document = try folder.folder.document(Self.january)
    #expect(document.text("title", of: identity) == "Lissabon")
    #expect(document.text("place", of: identity) == "Belém")
    #expect(try folder.verifying().isSound)
  }

  @Test func `a link that an app removed stays removed, and one that it set stays`() throws {
    let folder = try Self.folder()
    let (own, removed) = (Self.lisbon, Self.welcome)
    try folder.folder.write(Self.note("links", "[\"\(own)\"]"), to: Self.file)
    try Self.update(folder)
    // The removal was an update's, so the file may have it again only as what it was imported with.
    try folder.folder.write(Self.note("links", "[\"\(own)\",\"\(removed)\"]"), to: Self.file)
    try Self.update(folder)
    let document = try folder.folder.document(Self.january)
    let map = try #require(document.value(of: .root, key: Array(own.utf8)))
    let links = try #require(document.value(of: map.id, key: Array("links".utf8)))
    #expect(document.value(of: links.id, key: Array(own.utf8)) != nil)
    #expect(document.value(of: links.id, key: Array(removed.utf8)) == nil)
    #expect(try folder.verifying().isSound)
  }

  @Test func `a text that is updated keeps what another device writes into it`() throws {
    let one = try Self.folder()
    let other = try one.copied()
    try one.folder.write(Self.note("body", #""Tram 12, early.""#), to: Self.file)
    try other.folder.write(Self.note("body", #""Tram 28, early!""#), to: Self.file)
    try Self.update(one)
    try Self.update(other)
    let merged = try one.folder.document(Self.january)
      .merging(other.folder.document(Self.january))
    let map = try #require(merged.value(of: .root, key: Array(Self.lisbon.utf8)))
    let body = try #require(merged.value(of: map.id, key: Array("body".utf8)))
    #expect(merged.textBytes(of: body.id) == Array("Tram 12, early!".utf8))
  }

  @Test func `files that say different things are left alone`() throws {
    let folder = try Self.folder()
    try folder.folder.write(Self.note("title", #""Lisboa""#), to: "notes/other.json")
    let documents = try folder.documents()
    let report = try Self.update(folder)
    #expect(report.findings.contains { $0.code == .duplicateID && $0.severity == .error })
    #expect(try folder.documents() == documents)
  }

  @Test func `entities of every identity are updated, each in its document`() throws {
    let folder = try ProfiledFolder(sample: "habits")
    try folder.importing()
    let path = "log/2025/2025-01-30.json"
    let text = String(decoding: try folder.folder.bytes(path), as: UTF8.self)
    let last = try #require(text.lastIndex(of: "}"))
    try folder.folder.write(text[..<last] + ",\"weather\":\"frost\"}", to: path)
    var habits = String(decoding: try folder.folder.bytes("habits.json"), as: UTF8.self)
    let water = try #require(habits.firstRange(of: "\"água\": {"))
    habits.insert(contentsOf: "\"note\":\"often\",", at: water.upperBound)
    try folder.folder.write(habits, to: "habits.json")
    let report = try Self.update(folder)
    #expect(!report.endsWithDifferences, "\(report.findings)")
    #expect(report.counts.map(\.updated) == [1, 1])
    #expect(try folder.verifying().isSound)
  }

  @Test(arguments: [FaultPlan.Fault.stop, .failure(ENOSPC)])
  func `an update that fails anywhere leaves old or new, and the next one completes it`(
    _ fault: FaultPlan.Fault
  ) throws {
    let start = try Self.folder()
    try start.folder.write(Self.note("body", #""Tram 12""#), to: Self.file)
    let old = try start.files()
    let undisturbed = try start.copied()
    try Self.update(undisturbed)
    let expected = try undisturbed.files()
    var call = 1
    while true {
      let folder = try start.copied()
      let faults = FaultPlan(atCall: call, fault)
      _ = try? folder.importing(workers: 1, faults: faults) { $0.updates = true }
      for (name, bytes) in try folder.files() where !name.hasSuffix(".tmp.nosync") {
        #expect(bytes == old[name] || bytes == expected[name], "call \(call): \(name)")
      }
      try Self.update(folder)
      #expect(try folder.files() == expected, "call \(call)")
      if !faults.hasFired { break }
      call += fault == .stop ? 2 : 5
    }
    #expect(call > 10)
  }

  // MARK: Devices

  /// A note with random properties.
  private static func random(_ random: inout TestRandom) -> String {
    func pick(_ values: [String?]) -> String? { values[random.number(below: values.count)] }
    var members = ["\"id\":\"\(lisbon)\"", #""created":"2025-01-02T07:45:10.5Z""#]
    let identities = (1...4).map { "\"0000000\($0)-0000-4000-8000-000000000001\"" }
    for name in ["title", "body", "rating", "tags", "links", "mood"] {
      let some = identities.filter { _ in random.number(below: 2) == 0 }
      let value =
        switch name {
        case "title": pick([#""a""#, #""b""#, #""c""#])
        case "body": pick([#""one two""#, #""one""#, #""two one""#, "null", nil])
        case "rating": pick(["1", "2", "null", #""x""#, nil])
        case "links": pick(["[\(some.joined(separator: ","))]", "null", nil])
        case "mood": pick(["true", #"{"a":1}"#, #"{"a":2}"#, "null", "[1]", nil])
        default: pick([#"["x"]"#, #"["x","y"]"#, #"["y","x"]"#, "[]", nil])
        }
      if let value { members.append("\"\(name)\":\(value)") }
    }
    return "{\(members.joined(separator: ","))}"
  }

  private static func edit(
    _ folder: ProfiledFolder, actor: UInt8, _ random: inout TestRandom
  ) throws {
    let identity = try #require(Identity(lisbon))
    let number = random.number(below: 6)
    guard number < 4 else { return }
    let text = "\(actor).\(random.number(below: 100))"
    try folder.edit(january, actor: actor) { editor in
      switch number {
      case 0: try editor.set("title", of: identity, to: text)
      case 1: try editor.set("rating", of: identity, to: text)
      case 2: try editor.append(text, toList: "tags", of: identity)
      // A deletion of nothing is no operation.
      default:
        if editor.state.shows("mood", of: identity) { try editor.delete("mood", of: identity) }
      }
    }
  }

  @Test func `devices that do the same write the same`() throws {
    for seed in UInt64(1)...8 {
      var random = TestRandom(seed: seed)
      let one = try ProfiledFolder(sample: "notes")
      try one.folder.write(Self.random(&random), to: Self.file)
      try one.importing()
      try Self.edit(one, actor: 1, &random)
      let other = try one.copied()
      let text = Self.random(&random)
      for folder in [one, other] { try folder.folder.write(text, to: Self.file) }
      let reports = [try Self.update(one, workers: 1), try Self.update(other, workers: 3)]
      #expect(reports[0].findings == reports[1].findings)
      #expect(try one.documents() == other.documents(), "seed \(seed)")
    }
  }

  @Test func `random edits of files and documents on two devices converge`() throws {
    for seed in UInt64(1)...12 {
      var random = TestRandom(seed: seed)
      let folders = [
        try ProfiledFolder(sample: "notes"), try ProfiledFolder(sample: "notes"),
      ]
      let text = Self.random(&random)
      for folder in folders {
        try folder.folder.write(text, to: Self.file)
        try folder.importing()
      }
      for round in 0..<3 {
        let text = Self.random(&random)
        for (device, folder) in folders.enumerated() {
          try Self.edit(folder, actor: UInt8(device + 1), &random)
          try folder.folder.write(text, to: Self.file)
          try Self.update(folder, prefersLegacy: random.number(below: 4) == 0)
          let once = try folder.documents()
          try Self.update(folder)
          #expect(try folder.documents() == once, "seed \(seed), round \(round)")
          try Self.expectNothingLost(in: folder, seed)
        }
        let states = try folders.map { try $0.folder.document(Self.january) }
        let merged = try states[0].merging(states[1])
        let reversed = try states[1].merging(states[0])
        #expect(merged.heads == reversed.heads, "seed \(seed)")
        for folder in folders {
          try folder.folder.write(merged.encoded(), to: Self.january)
          try Self.expectNothingLost(in: folder, seed)
        }
      }
      for folder in folders { try Self.update(folder) }
      let final = try folders.map { try $0.folder.document(Self.january).heads }
      #expect(final[0] == final[1], "seed \(seed)")
    }
  }

  /// The file is proven, or a finding of severity error keeps it where it is.
  private static func expectNothingLost(in folder: ProfiledFolder, _ seed: UInt64) throws {
    let report = try folder.verifying()
    let told = Set(report.findings.filter { $0.severity == .error }.map(\.path))
    let proven = report.counts.map(\.proven).reduce(0, +)
    #expect(told.count == 9 - proven, "seed \(seed): \(report.findings)")
    let codes: Set<Finding.Code> = [.editedBoth, .diverged]
    #expect(
      report.findings.allSatisfy { $0.severity < .error || codes.contains($0.code) },
      "seed \(seed): \(report.findings)")
  }
}

extension DocumentState {
  fileprivate func shows(_ field: String, of identity: Identity) -> Bool {
    value(of: .root, key: identity.canonicalBytes)
      .flatMap { value(of: $0.id, key: Array(field.utf8)) } != nil
  }
}

import Automerge
import Backups
import Diagnostics
import FileFaults
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// Files of which something stays in its place when their entities are cleaned up.
@Suite struct LeftRestTests {
  private static let rests = [
    "notes": (path: "notebooks.json", text: "{\n  \"version\": 3,\n  \"notebooks\": []\n}\n"),
    "habits": (
      path: "habits.json", text: "{\n  \"app\": {\n    \"build\": 412\n  },\n  \"habits\": {}\n}\n"
    ),
  ]

  /// A sample that is imported and backed up.
  private func migrated(_ name: String) throws -> (app: ProfiledFolder, backup: String) {
    let app = try ProfiledFolder(sample: name)
    try app.importing()
    return (app, try #require(app.packing().archives.first?.path))
  }

  private func json(_ app: ProfiledFolder) throws -> [String: [UInt8]] {
    try app.files().filter { $0.key.hasSuffix(".json") }
  }

  @Test(arguments: ProfiledFolder.samples)
  func `entities leave, and what else is in their file stays in its place`(_ name: String) throws {
    let (app, backup) = try migrated(name)
    let rest = try #require(Self.rests[name])
    let (legacy, documents) = (try json(app), try app.documents())
    let before = try app.folder.files(includingState: true)
    let plan = try app.cleaning(backup: backup, isDryRun: true)
    #expect(try app.folder.files(includingState: true) == before)
    let report = try app.cleaning(backup: backup)
    #expect(report.files == plan.files && report.findings == plan.findings)
    #expect(!report.endsWithDifferences, "\(report.findings)")
    #expect(report.files.allSatisfy { $0.outcome == .moved } && report.files.count == legacy.count)
    #expect(report.files.filter(\.leavesRest).map(\.path) == [rest.path])
    #expect(
      try json(app).mapValues { String(decoding: $0, as: UTF8.self) } == [rest.path: rest.text])
    for (path, bytes) in legacy {
      #expect(try app.folder.bytes("\(report.quarantine)/\(path)") == bytes, "\(path)")
    }
    #expect(try app.documents() == documents)

    let status = try app.status()
    #expect(status.status == .cleaned && status.legacyFiles == 0 && !status.differs)
    #expect(status.commands.isEmpty && status.notLookedAt.isEmpty)
    let verified = try app.verifying()
    #expect(verified.isSound && verified.isComplete, "\(verified.findings)")
    #expect(verified.counts.allSatisfy { $0.reference == $0.proven && $0.reference > 0 })

    let again = try app.importing()
    #expect(!again.endsWithDifferences && again.counts.allSatisfy { $0.read == 0 })
    #expect(again.documents.allSatisfy { $0.outcome == .unchanged })
    let settled = try app.folder.files(includingState: true)
    let second = try app.cleaning(backup: backup)
    #expect(second.files.isEmpty && second.findings.isEmpty && !second.endsWithDifferences)
    #expect(try app.folder.files(includingState: true) == settled)
  }

  @Test func `what the app writes later is imported and cleaned up like any`() throws {
    let (app, backup) = try migrated("habits")
    try app.cleaning(backup: backup)
    try app.folder.write(
      #"{"app":{"build":500},"habits":{"swim":{"goal":1}}}"#, to: "habits.json")
    #expect(try app.status().status == .migrating && app.status().legacyFiles == 1)
    #expect(try app.importing().counts[0].imported == 1)
    let report = try app.cleaning(backup: #require(app.packing().archives.first?.path))
    #expect(report.files.map(\.path) == ["habits.json"] && !report.endsWithDifferences)
    #expect(try app.folder.text("habits.json") == #"{"app":{"build":500},"habits":{}}"#)
    #expect(try app.status().status == .cleaned)
    let verified = try app.verifying()
    #expect(verified.isSound && verified.isComplete)
    #expect(verified.counts.first { $0.kind == "habit" }?.proven == 4)
  }

  @Test func `a file with an entity that is not proven stays whole`() throws {
    let (app, _) = try migrated("habits")
    let text = try app.folder.text("habits.json").replacing("5.5", with: "6.5")
    try app.folder.write(text, to: "habits.json")
    let report = try app.cleaning(backup: #require(app.packing().archives.first?.path))
    #expect(report.files.filter { $0.outcome == .kept }.map(\.path) == ["habits.json"])
    #expect(report.endsWithDifferences)
    #expect(try app.folder.text("habits.json") == text)
  }

  @Test func `what the profile does not expect stays in the file, and is told`() throws {
    let app = try ProfiledFolder(sample: "notes")
    try app.folder.write(
      #"{"trash":[1],"notebooks":[{"name":"Inbox"}],"version":3}"#, to: "notebooks.json")
    try app.importing()
    try app.cleaning(backup: #require(app.packing().archives.first?.path))
    #expect(
      try app.folder.text("notebooks.json") == #"{"trash":[1],"notebooks":[],"version":3}"#)
    let verified = try app.verifying()
    #expect(verified.isSound)
    #expect(verified.findings.contains { $0.code == .unknownMember && $0.path == "notebooks.json" })
  }

  // MARK: Coming back

  @Test(arguments: ProfiledFolder.samples)
  func `the file comes back over what it left`(_ name: String) throws {
    let (app, backup) = try migrated(name)
    let before = try app.files()
    let run = try app.cleaning(backup: backup).quarantine
    let plan = try app.bringingBack(run, isDryRun: true)
    let report = try app.bringingBack(run)
    #expect(report.files == plan.files && report.findings == plan.findings)
    #expect(report.files.allSatisfy { $0.outcome == .returned } && !report.endsWithDifferences)
    #expect(try app.files() == before)
    #expect(
      try app.folder.files(includingState: true).keys.filter { $0.contains("/quarantine/") } == [])
    #expect(try app.status().status == .migrated)
  }

  @Test func `a name in a manifest says nothing about what was left`() throws {
    let app = try ProfiledFolder(sample: "notes")
    for (index, name) in [#""rest""#, "rest", #"\"rest\":\"#].enumerated() {
      let id = "00000001-0000-4000-8000-00000000000\(index)"
      try app.folder.write(
        #"{"id":"\#(id)","title":"x","created":"2025-01-01T00:00:00Z"}"#,
        to: "notes/\(name).json")
    }
    try app.importing()
    let before = try app.files()
    let run = try app.cleaning(backup: #require(app.packing().archives.first?.path)).quarantine
    #expect(try json(app).keys.sorted() == ["notebooks.json"])
    #expect(try !app.bringingBack(run).endsWithDifferences)
    #expect(try app.files() == before)
  }

  @Test func `nothing comes back over what the app has written since`() throws {
    let (app, backup) = try migrated("notes")
    let original = try app.folder.bytes("notebooks.json")
    let run = try app.cleaning(backup: backup).quarantine
    let edited = #"{"version":4,"notebooks":[]}"#
    try app.folder.write(edited, to: "notebooks.json")
    let plan = try app.bringingBack(run, isDryRun: true)
    let report = try app.bringingBack(run)
    #expect(report.files == plan.files && report.endsWithDifferences)
    #expect(report.files.filter { $0.outcome == .kept }.map(\.path) == ["notebooks.json"])
    let finding = try #require(report.findings.first)
    #expect(finding.path == "notebooks.json" && finding.severity == .error)
    #expect(finding.next?.contains("rollback-folder") == true)
    #expect(try app.folder.text("notebooks.json") == edited)
    #expect(try app.folder.bytes("\(run)/notebooks.json") == original)
    // Out of the way it comes back.
    try app.folder.remove("notebooks.json")
    #expect(try !app.bringingBack(run).endsWithDifferences)
    #expect(try app.folder.bytes("notebooks.json") == original)
  }

  @Test func `without its list a run tells nothing of what was left`() throws {
    let (app, backup) = try migrated("notes")
    let run = try app.cleaning(backup: backup).quarantine
    let rest = try app.folder.bytes("notebooks.json")
    try app.folder.remove("\(run).jsonl")
    let report = try app.bringingBack(run)
    #expect(report.files.filter { $0.outcome == .kept }.map(\.path) == ["notebooks.json"])
    #expect(try app.folder.bytes("notebooks.json") == rest)
  }

  // MARK: Others

  @Test(arguments: ProfiledFolder.samples)
  func `an export puts the entities back in their order, beside what was edited since`(
    _ name: String
  ) throws {
    let (app, backup) = try migrated(name)
    let whole = try TestFolder("whole")
    try app.exporting(to: whole)
    try app.cleaning(backup: backup)
    let target = try TestFolder("out")
    let report = try app.exporting(to: target)
    #expect(report.findings.allSatisfy { $0.severity < .warning }, "\(report.findings)")
    #expect(try target.files() == whole.files())

    let path = try #require(Self.rests[name]).path
    let edited = try app.folder.text(path)
      .replacing("\"version\": 3", with: "\"version\": 4, \"sort\": \"name\"")
      .replacing("412", with: "500")
    try app.folder.write(edited, to: path)
    let other = try TestFolder("other")
    try app.exporting(to: other)
    let expected = try whole.text(path)
      .replacing("\"version\":3", with: "\"version\":4,\"sort\":\"name\"")
      .replacing("412", with: "500")
    #expect(try other.text(path) == expected)
  }

  @Test func `a purge takes the originals, and what they left stays`() throws {
    let (app, backup) = try migrated("habits")
    try app.cleaning(backup: backup)
    let cleaned = try app.files()
    // A later backup holds only what was left.
    let later = try #require(app.packing().archives.first?.path)
    let kept = try app.purging(backup: later)
    #expect(kept.files.contains { $0.path.hasSuffix("habits.json") && $0.outcome == .kept })
    let report = try app.purging(backup: backup)
    #expect(report.files.allSatisfy { $0.outcome == .purged } && report.files.count > 1)
    #expect(try app.files() == cleaned)
    #expect(
      try app.folder.files(includingState: true).keys.filter { $0.contains("/quarantine/") } == [])
    #expect(try app.status().status == .cleaned)
    #expect(try app.cleaning(backup: later).files.isEmpty)
  }

  @Test func `an original that somebody removed from quarantine is missed`() throws {
    let app = try ProfiledFolder(sample: "habits")
    for path in try json(app).keys where path != "habits.json" { try app.folder.remove(path) }
    try app.importing()
    let run = try app.cleaning(backup: #require(app.packing().archives.first?.path)).quarantine
    #expect(try app.verifying().isComplete)
    let original = try app.folder.bytes("\(run)/habits.json")
    try app.folder.remove("\(run)/habits.json")
    func isMissed() throws -> Bool {
      try app.verifying().findings.contains { $0.code == .missingFile }
    }
    #expect(try isMissed())
    try app.folder.remove(run)
    #expect(try isMissed())
    // A command that writes keeps the list: nothing else tells of the files.
    try app.folder.write(#"{"done":{"run":5}}"#, to: "log/2025/2025-03-01.json")
    try app.importing()
    #expect(app.folder.exists("\(run).jsonl"))
    #expect(try isMissed())
    // Back by some other way it is not missed any more.
    try app.folder.write(original, to: "habits.json")
    #expect(try !isMissed())
    try app.importing()
    #expect(try !isMissed())
  }

  @Test func `a backup with nothing but rests holds no legacy files`() throws {
    let app = try ProfiledFolder(sample: "notes")
    try app.importing()
    let whole = try #require(app.packing().archives.first)
    #expect(whole.holdsLegacyFiles == true)
    let backup = whole.path
    try app.cleaning(backup: backup)
    let cleaned = try app.packing { $0.retention.count = 1 }
    #expect(cleaned.archives.first?.holdsLegacyFiles == false)
    // So the last one with JSON is not dropped.
    #expect(FileManager.default.fileExists(atPath: backup))
    try app.folder.write(#"{"version":3,"notebooks":[{"name":"New"}]}"#, to: "notebooks.json")
    #expect(try app.packing().archives.first?.holdsLegacyFiles == true)
    try app.restoring(backup)
    #expect(try app.status().status == .migrated)
  }

  @Test func `of a backup with nothing but rests the documents are compared`() throws {
    let (app, backup) = try migrated("habits")
    try app.cleaning(backup: backup)
    let later = try #require(app.packing().archives.first?.path)
    for path in [backup, later] {
      let report = try app.verifying(against: .backup(path: path))
      #expect(report.isSound && report.isComplete, "\(report.findings)")
      #expect(report.counts.reduce(0) { $0 + $1.reference } == 7)
    }
    // What was deleted since then is told by it.
    try app.change("habits.automerge") { try $0.delete(obj: .ROOT, key: "run") }
    let report = try app.verifying(against: .backup(path: later))
    #expect(report.findings.contains { $0.message.contains("habit run") }, "\(report.findings)")
  }

  @Test func `a conflict copy with entities is merged into what was left of its base`() throws {
    let (app, backup) = try migrated("notes")
    let original = try app.folder.bytes("notebooks.json")
    try app.cleaning(backup: backup)
    try app.folder.write(original, to: "notebooks 2.json")
    try app.merging()
    #expect(try !json(app).keys.contains("notebooks 2.json"))
    #expect(try app.importing().counts[1].known == 3)
    try app.cleaning(backup: #require(app.packing().archives.first?.path))
    #expect(try app.status().status == .cleaned)
    #expect(try app.folder.text("notebooks.json").contains("\"version\": 3"))
    #expect(try app.verifying().isSound)
  }

  @Test func `an app that has only empty files has nothing to migrate`() throws {
    let app = try ProfiledFolder(sample: "notes")
    for path in try json(app).keys { try app.folder.remove(path) }
    for path in try app.files().keys { try app.folder.remove(path) }
    try app.folder.write(#"{"version":3,"notebooks":[]}"#, to: "notebooks.json")
    #expect(try app.status().status == .empty)
    // Where documents were made and are gone, that is told.
    let (migrated, backup) = try self.migrated("notes")
    try migrated.cleaning(backup: backup)
    try migrated.purging(backup: backup)
    for path in try migrated.documents().keys { try migrated.folder.remove(path) }
    #expect(try migrated.status().errors.map(\.code) == [.missingFile])
  }

  @Test func `a file that nobody may write is replaced, and keeps its permissions`() throws {
    let (app, backup) = try migrated("notes")
    let file = app.folder.path + "/notebooks.json"
    try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: file)
    try app.cleaning(backup: backup)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o440)
    #expect(try app.status().status == .cleaned)
  }

  @Test(arguments: ProfiledFolder.samples)
  func `a purge after a clean-up that was killed takes nothing that is not in its backup`(
    _ name: String
  ) throws {
    let origin = try migrated(name).app
    let tree = try origin.folder.files()
    let path = try #require(Self.rests[name]).path
    let original = try #require(tree[path])
    var namesAtOnce = 0
    for call in 1... {
      let app = try ProfiledFolder(origin.profile)
      for (path, bytes) in tree { try app.folder.write(bytes, to: path) }
      let backup = try #require(app.packing().archives.first?.path)
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? app.cleaning(backup: backup, faults: plan)
      guard plan.hasFired else { break }
      func places() throws -> [String] {
        // What a killed run was writing is nobody's file, and goes with the next that looks there.
        try app.folder.files(includingState: true)
          .filter { $0.value == original && !$0.key.hasSuffix(".tmp.nosync") }.keys.sorted()
      }
      // Between its second name and the swap the file is in both places.
      let before = try places()
      if before.count > 1 { namesAtOnce += 1 }
      try app.purging(backup: backup)
      #expect(try places() == (before.contains(path) ? [path] : []), "call \(call): \(before)")
      #expect(try app.verifying().isSound, "call \(call)")
      // The next clean-up does the rest of it.
      try app.cleaning(backup: backup)
      try app.purging(backup: backup)
      #expect(try places().isEmpty, "call \(call)")
      #expect(
        try app.folder.files(includingState: true).keys.allSatisfy { !$0.contains(".tmp.nosync") },
        "call \(call)")
      #expect(try app.status().status == .cleaned && !app.status().differs, "call \(call)")
      #expect(try app.documents() == origin.documents(), "call \(call)")
    }
    #expect(namesAtOnce > 0)
  }

  // MARK: One entity in a file

  @Test func `the one entity of a file leaves null in its place`() throws {
    let text = """
      {"profile":"reader","version":1,"kinds":[{"kind":"settings","identity":{"type":"singleton"},
      "files":{"paths":["state.json"],"value":"/user/settings","stays":["/device"]},
      "document":{"path":"settings.automerge"},"properties":{"theme":{"type":"string"}}}]}
      """
    let app = try ProfiledFolder(Profile(parsing: Array(text.utf8), of: "profile.json"))
    let original = #"{"device":{"id":7}, "user":{"settings": {"theme":"dark"}}}"#
    try app.folder.write(original, to: "state.json")
    try app.importing()
    let backup = try #require(app.packing().archives.first?.path)
    let report = try app.cleaning(backup: backup)
    #expect(!report.endsWithDifferences)
    #expect(
      try app.folder.text("state.json") == #"{"device":{"id":7}, "user":{"settings": null}}"#)
    #expect(try app.status().status == .cleaned && app.verifying().isComplete)
    let target = try TestFolder("out")
    try app.exporting(to: target)
    #expect(
      try target.text("state.json")
        == #"{"device":{"id":7},"user":{"settings":{"theme":"dark"}}}"# + "\n")
    // Deleted in the document, the file is one that an import reads without it.
    let document = try app.folder.bytes("settings.automerge")
    try app.change("settings.automerge") { try $0.delete(obj: .ROOT, key: "singleton") }
    let other = try TestFolder("other")
    try app.exporting(to: other)
    #expect(
      try other.text("state.json") == #"{"device":{"id":7},"user":{"settings":null}}"# + "\n")
    #expect(try !app.app(in: other).importing().endsWithDifferences)
    try app.folder.write(document, to: "settings.automerge")

    try app.bringingBack(report.quarantine)
    #expect(try app.folder.text("state.json") == original)
  }

  // MARK: Somebody else

  enum Writer: CaseIterable {
    /// Puts another file in the place.
    case replacing
    /// Opens the original by its name, and hides when it wrote.
    case inPlace
    /// Has had the original open since before.
    case holding
  }

  @Test(arguments: Writer.allCases)
  func `what somebody writes at any instant is in the file, or else in quarantine`(
    _ writer: Writer
  ) throws {
    let origin = try migrated("habits").app
    let tree = try origin.folder.files()
    let original = try origin.folder.text("habits.json")
    // As long as the original.
    let edited = original.replacing("\"km\"", with: "\"mi\"").replacing("412", with: "413")
    var writes = 0
    for call in 1... {
      let app = try ProfiledFolder(origin.profile)
      for (path, bytes) in tree { try app.folder.write(bytes, to: path) }
      let backup = try #require(app.packing().archives.first?.path)
      let path = "\(app.folder.path)/habits.json"
      let held = try FileHandle(forUpdating: URL(filePath: path))
      let plan = FaultPlan(beforeCall: call) {
        switch writer {
        case .replacing: try? Data(edited.utf8).write(to: URL(filePath: path), options: .atomic)
        case .inPlace:
          // Only the original: who opens the rest by its name writes there.
          guard (try? String(contentsOfFile: path, encoding: .utf8)) == original else { return }
          _ = InPlaceWriter.write(edited, over: path)
        case .holding: try? held.write(contentsOf: Data(edited.utf8))
        }
      }
      let report = try? app.cleaning(backup: backup, faults: plan)
      guard plan.hasFired else { break }
      let places = try app.folder.files(includingState: true).filter {
        $0.value == Array(edited.utf8)
      }
      let all = try app.folder.files(includingState: true)
      // The original is in quarantine, in its place, or replaced by him alone.
      #expect(all.values.contains(Array(original.utf8)) || !places.isEmpty, "call \(call)")
      guard !places.isEmpty else { continue }
      writes += 1
      if writer == .holding {
        try app.cleaning(backup: backup)
        #expect(
          try app.folder.files(includingState: true).values.contains(Array(edited.utf8)),
          "call \(call)")
        continue
      }
      #expect(places.keys.contains("habits.json"), "call \(call): \(places.keys)")
      let isMoved = all.keys.contains { $0.hasSuffix("Z/habits.json") }
      #expect(report?.endsWithDifferences != false || isMoved, "call \(call)")
      let second = try app.cleaning(backup: backup)
      #expect(second.files.contains { $0.path == "habits.json" && $0.outcome == .kept })
      #expect(try app.folder.text("habits.json") == edited, "call \(call)")
    }
    #expect(writes > 3)
  }
}

import Automerge
import Diagnostics
import Folders
import SampleFolders
import Testing

@testable import MigrationCore
@testable import Runs

/// Folders that hold legacy files and documents at once, as apps and interrupted migrations leave
/// them.
@Suite struct HybridFolderTests {
  static let january = "records/2024/01.automerge"
  static let february = "records/2024/02.automerge"

  static func identity(_ number: Int) throws -> Identity {
    try #require(Identity(Legacy.id(number)))
  }

  /// Puts another start month on a record as an app does: gone from one document, new in another.
  static func move(_ number: Int, in folder: TestFolder) throws {
    let identity = try identity(number)
    try folder.edit(january, actor: 1) { try $0.delete(identity) }
    var editor = DocumentEditor(DocumentState(), actor: 1)
    editor.make(identity, "comment", "moved")
    try folder.write(editor.finish().encoded(), to: february)
  }

  @Test func `a record is found in the document of another month`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    try folder.importing()
    try Self.move(1, in: folder)
    let report = try folder.verifying()
    #expect(
      report.findings.filter { $0.code == .movedMonth }.map(\.path) == ["records/2024/01/a.json"])
    // What the import wrote is in January's history, so the edit in February loses nothing.
    #expect(report.findings.contains { $0.code == .editedSince })
    #expect(!report.findings.contains { $0.code == .deletedSince })
    #expect(report.isSound)
    #expect(report.counts.map(\.proven).reduce(0, +) == 2)
  }

  @Test(arguments: [LayoutChoice.monthly, .perRecord])
  func `what was edited in one document is not undone by another import in the next`(
    layout: LayoutChoice
  ) throws {
    let file = "records/2024/01/2024-01-15_093000.json"
    func record(_ comment: String, _ end: String) -> String {
      Legacy.record(
        1, "\"comment\":\"\(comment)\",\"endTime\":\"2024-01-15T\(end):00:00Z\"")
    }
    // Another device imported two files, of which this one has a field each.
    let other = try TestFolder()
    try other.write(record("one", "10"), to: file)
    try other.write(record("two", "11"), to: "records/2024/01/b.json")
    try other.importing { $0.layout = layout == .monthly ? .perRecord : .monthly }
    let folder = try TestFolder()
    try folder.write(record("one", "11"), to: file)
    try folder.importing { $0.layout = layout }
    let document = try #require(folder.documents().keys.first)
    try folder.edit(document, actor: 7) {
      try $0.set("comment", of: Self.identity(1), to: "by a user")
    }
    for (path, bytes) in try other.documents() { try folder.write(bytes, to: path) }
    let findings = try folder.verifying().findings
    #expect(findings.contains { $0.code == .editedSince && $0.path == file }, "\(findings)")
    #expect(!findings.contains { $0.code == .duplicateID }, "\(findings)")
  }

  @Test func `a legacy file in another month than its document is proven by it`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    try folder.write(folder.bytes("records/2024/01/a.json"), to: "records/2024/02/a.json")
    try folder.remove("records/2024/01/a.json")
    let report = try folder.verifying()
    #expect(report.findings.map(\.code) == [.movedMonth])
    #expect(report.isSound)
    #expect(try folder.importing().records.known == 1)
  }

  @Test func `an export takes each record once, from documents before legacy files`() throws {
    let folder = try TestFolder()
    for number in 1...4 {
      try folder.write(
        Legacy.record(number, "\"comment\":\"\(number)\""), to: "records/2024/01/\(number).json")
    }
    try folder.importing()
    try folder.edit(Self.january, actor: 1) {
      try $0.set("comment", of: Self.identity(1), to: "edited")
      try $0.delete(Self.identity(2))
    }
    // The same record in a second month, and in the other layout.
    try folder.write(folder.bytes(Self.january), to: Self.february)
    try folder.write(folder.bytes(Self.january), to: "records/2024/01/4.automerge")
    try folder.write(Legacy.record(5), to: "records/2024/01/5.json")
    let (stream, report) = try folder.exporting()
    let records = stream.lines.dropFirst().dropLast()
    #expect(records.count == 4)
    for number in [1, 3, 4, 5] {
      #expect(records.count { $0.contains(Legacy.id(number)) } == 1, "record \(number)")
    }
    #expect(records.contains { $0.contains(Legacy.id(1)) && $0.contains("edited") })
    #expect(
      report.findings.filter { $0.code == .deleted }.map(\.path) == ["records/2024/01/2.json"])
    // What the other layout repeats is equal, so nothing is left out there.
    let leftOut = report.findings.filter { $0.code == .notExported }.map(\.path)
    #expect(leftOut.count == 3 && leftOut.allSatisfy { $0.hasPrefix("records/2024/02/") })
  }

  // MARK: Where it stands

  private func status(_ folder: TestFolder) throws -> StatusReport {
    try StatusWorkflow(VerificationOptions(folder: folder.path), context: TestFolder.context())
      .perform()
  }

  @Test func `the status follows the content through a migration`() throws {
    let folder = try TestFolder("a folder's name")
    #expect(try status(folder).status == .empty)
    try folder.write("?", to: "notes.txt")
    #expect(try status(folder).status == .unknown)
    try folder.write(Legacy.tags(Legacy.tag(9)), to: "tags.json")
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    let legacy = try status(folder)
    #expect(legacy.status == .legacy)
    #expect(
      legacy.next == ["migrate-folder '\(folder.path.replacing("'", with: "'\\''"))'"])
    try folder.importing()
    #expect(try status(folder).status == .migrated)
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    let migrating = try status(folder)
    #expect(migrating.status == .migrating)
    #expect(migrating.missingEntities == 1)
    #expect(!migrating.endsWithDifferences)
    try folder.importing()
    try folder.write(Legacy.record(2, "\"comment\":\"x\""), to: "records/2024/01/b.json")
    let mixed = try status(folder)
    #expect(mixed.status == .mixed)
    #expect(mixed.endsWithDifferences)
    #expect(mixed.errors.map(\.code) == [.diverged])
    #expect(mixed.commands.first == NextCommand(.importCRDT, ["--update", folder.path]))
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    try folder.cleaning(backup: folder.packing().archives[0].path)
    let cleaned = try status(folder)
    #expect(cleaned.status == .cleaned)
    #expect(cleaned.next.isEmpty)
    #expect(!cleaned.endsWithDifferences)
  }

  @Test func `what stands in the way shows whatever the word`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write("{\"id\":", to: "records/2024/01/b.json")
    let legacy = try status(folder)
    #expect(legacy.status == .legacy)
    #expect(legacy.errors.map(\.code) == [.damaged])
    try folder.importing()
    #expect(try status(folder).status == .mixed)
    try folder.remove("records/2024/01/a.json")
    try folder.remove("records/2024/01/b.json")
    try folder.write([1, 2, 3], to: Self.february)
    let cleaned = try status(folder)
    #expect(cleaned.status == .cleaned)
    #expect(cleaned.errors.map(\.code) == [.damagedDocument])
  }
}

@Suite struct EqualityTests {
  @Test func `an edit since the import is a difference only if equality is asked for`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1, "\"comment\":\"old\""), to: "records/2024/01/a.json")
    try folder.importing()
    let identity = try #require(Identity(Legacy.id(1)))
    try folder.edit("records/2024/01.automerge", actor: 5) {
      try $0.set("comment", of: identity, to: "new")
    }
    var options = VerificationOptions(folder: folder.path)
    #expect(try VerificationWorkflow(options, context: TestFolder.context()).perform().isSound)
    options.requiresEqual = true
    #expect(try !VerificationWorkflow(options, context: TestFolder.context()).perform().isSound)
  }
}

@Suite struct DocumentBackupTests {
  @Test(arguments: [LayoutChoice.monthly, .perRecord])
  func `a backup of documents alone is compared by what they show`(layout: LayoutChoice) throws {
    let folder = try TestFolder()
    try folder.makeSample {
      $0.recordCount = 30
      $0.monthCount = 3
    }
    try folder.importing { $0.layout = layout }
    try folder.cleaning(backup: folder.packing().archives[0].path)
    let archive = try folder.packing().archives[0]
    #expect(archive.holdsLegacyFiles == false)
    let report = try folder.verifying(against: .backup(path: archive.path))
    #expect(report.isSound, "\(report.findings)")
    #expect(
      report.counts.reduce(0) { $0 + $1.equal } == report.counts.reduce(0) { $0 + $1.reference })
    let document = try #require(
      try folder.documents().keys.filter { $0.hasPrefix("records") }.sorted().first)
    try folder.remove(document)
    let less = try folder.verifying(against: .backup(path: archive.path))
    #expect(!less.isSound)
    #expect(less.findings.contains { $0.code == .missingEntity })
  }
}

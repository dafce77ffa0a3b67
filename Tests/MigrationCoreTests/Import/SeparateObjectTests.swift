import Automerge
import Diagnostics
import Folders
import Testing

@testable import MigrationCore

/// Folders that both the app and an import migrated, so that readers see the app's objects.
@Suite struct SeparateObjectTests {
  private static let january = "records/2024/01.automerge"
  private static let file = "records/2024/01/a.json"

  /// A document in which the app's object hides that of an import, and a file that changed since.
  private func folder(_ comment: String = "changed") throws -> TestFolder {
    let folder = try UpdateTests.folder("\"comment\":\"imported\"")
    let app = try AppDocument.make(actor: 255) {
      $0.make(try DocumentMergeTests.identity(1), "comment", "imported")
    }
    let merged = try folder.document(Self.january).merging(app)
    #expect(merged.text("startTime", of: try DocumentMergeTests.identity(1)) == nil)
    try folder.write(merged.encoded(), to: Self.january)
    try folder.write(Legacy.record(1, "\"comment\":\"\(comment)\""), to: Self.file)
    return folder
  }

  private func status(_ folder: TestFolder) throws -> StatusReport {
    try StatusWorkflow(VerificationOptions(folder: folder.path), context: TestFolder.context())
      .perform()
  }

  @Test func `an update tells that both were edited, and is not advised`() throws {
    let folder = try folder()
    let before = try folder.documents()
    for updates in [false, true] {
      let report = try folder.importing { $0.updates = updates }
      let finding = try #require(report.findings.first { $0.severity == .error })
      #expect(finding.code == .editedBoth)
      #expect(finding.message.contains("comment"))
      #expect(try folder.documents() == before)
    }
    let findings = try folder.verifying().findings.filter { $0.severity == .error }
    #expect(findings.map(\.code) == [.editedBoth])
    #expect(findings.allSatisfy { $0.next?.contains("--prefer legacy") == true })
  }

  @Test func `each advice followed, the status comes to rest at something true`() throws {
    for prefersLegacy in [false, true] {
      let folder = try folder()
      var seen: [[String]] = []
      var last = try status(folder)
      while seen.count < 8 {
        let commands = last.next.filter { !$0.hasPrefix("verify-counts") }
        if commands.isEmpty { break }
        #expect(!seen.contains(commands), "\(commands) twice")
        seen.append(commands)
        for command in commands {
          if command.hasPrefix("merge-conflicts") {
            try folder.merging { $0.unifies = command.contains("--unify") }
          } else if command.hasPrefix("import-crdt --update") {
            try UpdateTests.update(folder)
          } else if command.hasPrefix("migrate-folder") {
            try folder.importing()
            if command.contains("--cleanup") {
              try folder.cleaning(backup: folder.packing().archives[0].path)
            }
          }
        }
        last = try status(folder)
      }
      // A person decides now.
      #expect(last.status == .mixed)
      #expect(last.errors.map(\.code) == [.editedBoth])
      if prefersLegacy {
        try UpdateTests.update(folder, prefersLegacy: true)
      } else {
        try folder.remove(Self.file)
      }
      last = try status(folder)
      #expect(!last.differs, "\(last.errors)")
      #expect(last.status == (prefersLegacy ? .migrated : .cleaned))
    }
  }

  @Test func `what an import wrote behind the app's object proves the file`() throws {
    let folder = try folder("imported")
    let app = try DocumentMergeTests.identity(1)
    try folder.edit(Self.january, actor: 254) { try $0.set("comment", of: app, to: "by a user") }
    let report = try folder.verifying()
    #expect(report.findings.filter { $0.severity == .error } == [])
    #expect(report.findings.contains { $0.code == .editedSince })
  }

  @Test func `a document of another layout that readers see first is no silent dead end`() throws {
    // The month was imported; the app keeps the same record in a document of its own.
    let folder = try UpdateTests.folder("\"comment\":\"imported\"")
    let app = try AppDocument.make(actor: 255) {
      $0.make(try DocumentMergeTests.identity(1), "comment", "by the app")
    }
    try folder.write(app.encoded(), to: "records/2024/01 2.automerge")
    try folder.write(folder.bytes(Self.january), to: "records/2024/01 3.automerge")
    try folder.write(app.encoded(), to: Self.january)
    try folder.write(Legacy.record(1, "\"comment\":\"changed\""), to: Self.file)
    let report = try UpdateTests.update(folder)
    #expect(report.findings.contains { $0.code == .fieldDiffers && $0.severity == .error })
    let verified = try folder.verifying()
    #expect(verified.findings.allSatisfy { $0.next?.hasPrefix("import-crdt --update") != true })
  }

  @Test func `the next step names a merge only while there is one to do`() throws {
    let folder = try UpdateTests.folder("\"comment\":\"imported\"")
    let copy = "records/2024/01 2.automerge"
    let start = try folder.document(Self.january)
    let edited = try AppDocument.editing(start, actor: 7) {
      try $0.set("comment", of: DocumentMergeTests.identity(1), to: "edited")
    }
    try folder.write(edited.encoded(), to: copy)
    #expect(try status(folder).next.first?.hasPrefix("merge-conflicts /") == true)
    let app = try AppDocument.make(actor: 2) {
      $0.make(try DocumentMergeTests.identity(1), "note", "by the app")
    }
    try folder.write(app.encoded(), to: copy)
    #expect(try status(folder).next.first?.hasPrefix("merge-conflicts --unify /") == true)
    let foreign = try AppDocument.make(actor: 2) {
      $0.make(try DocumentMergeTests.identity(9), "note", "of its own")
    }
    try folder.write(foreign.encoded(), to: copy)
    #expect(try status(folder).next.allSatisfy { !$0.hasPrefix("merge-conflicts") })
  }
}

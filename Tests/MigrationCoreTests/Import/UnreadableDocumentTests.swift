import Diagnostics
import Folders
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs

/// A document that nobody could read again is never written.
@Suite struct UnreadableDocumentTests {
  /// A file of a million letters more than this fits is refused by every reader, see format.md 8.4.
  private static let letters = String(repeating: "x", count: 1_060_000)

  private static func note(_ id: Int, _ month: String, _ body: String) -> String {
    #"{"id":"\#(Legacy.id(id))","title":"\#(id)","created":"\#(month)-02T00:00:00Z","body":"\#(body)"}"#
  }

  @Test func `a text with more letters than can be read again waits, and others are imported`()
    throws
  {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.importing()
    let before = try folder.documents()
    try folder.folder.write(Self.note(1, "2025-01", Self.letters), to: "notes/long.json")
    try folder.folder.write(Self.note(2, "2025-02", "short"), to: "notes/short.json")
    let report = try folder.importing()
    #expect(report.endsWithDifferences)
    let told = report.findings.filter { $0.code == .kept && $0.severity == .error }
    #expect(told.map(\.path) == ["documents/2025-01.automerge"])
    #expect(told.first?.message.contains("more than can be read again") == true)
    let documents = try folder.documents()
    #expect(documents.count == before.count + 1)
    for (path, bytes) in before { #expect(documents[path] == bytes, "\(path)") }
    #expect(documents["documents/2025-02.automerge"] != nil)
    // The file stays, since nothing holds what is in it.
    let verified = try folder.verifying()
    #expect(verified.endsWithDifferences)
    #expect(!verified.findings.contains { $0.code == .damagedDocument })
    try folder.cleaning(backup: folder.packing().archives[0].path)
    #expect(folder.folder.exists("notes/long.json"))
    #expect(!folder.folder.exists("notes/short.json"))
  }

  @Test func `an update to more letters than can be read again waits`() throws {
    let folder = try ProfiledFolder(sample: "notes")
    try folder.folder.write(Self.note(1, "2025-02", "short"), to: "notes/long.json")
    try folder.importing()
    let before = try folder.documents()
    try folder.folder.write(Self.note(1, "2025-02", Self.letters), to: "notes/long.json")
    let report = try folder.importing { $0.updates = true }
    #expect(report.endsWithDifferences)
    #expect(
      report.findings.contains {
        $0.code == .kept && $0.severity == .error && $0.path == "documents/2025-02.automerge"
      })
    #expect(try folder.documents() == before)
  }
}

import Automerge
import Diagnostics
import Foundation
import SafeFiles
import Testing

@testable import Folders
@testable import MigrationCore
@testable import Runs

/// Directories that a sync service copied, `log 2` beside `log`: what lies in them lies in their base.
@Suite struct CopiedDirectoryTests {
  private static let day = #"{"mood":3}"#

  @Test(arguments: [
    // A part that the profile names is a copy of that; one for which it takes any name is itself.
    ("habits", "log 2/2025/2025-01-31.json", "log/2025/2025-01-31.json"),
    ("habits", "log 999/2025 2/2025-01-31.json", "log/2025 2/2025-01-31.json"),
    ("habits", "log 2/2025-01.automerge", "log/2025-01.automerge"),
    ("habits", "log/2025 2/2025-01-31.json", nil), ("habits", "log 1/2025/2025-01-31.json", nil),
    ("habits", "log 2/notes.txt", "log/notes.txt"), ("habits", "habits.json", nil),
    ("habits", "logs 2/2025/2025-01-31.json", nil), ("habits", "log2/2025/2025-01-31.json", nil),
    ("notes", "notes 2/a/b/c.json", "notes/a/b/c.json"), ("notes", "notes/a 2/b.json", nil),
    ("notes", "documents 3/2025-01.automerge", "documents/2025-01.automerge"),
    ("notes", "attachments 2/plan.txt", "attachments/plan.txt"),
    ("greenhouse", "plants 2/mint.json", "plants/mint.json"), ("greenhouse", "plants 2", nil),
  ])
  func `a path in a copied directory means that in its base`(
    _ name: String, _ path: String, _ base: String?
  ) throws {
    let kinds = try ProfiledFolder(sample: name).context().kinds
    let found = try kinds.overlaidPath(of: #require(RelativePath(Array(path.utf8))))
    #expect(found?.description == base)
  }

  @Test func `months of a pattern are named in copies, too`() throws {
    let text = """
      {"profile":"p","version":1,"kinds":[{"kind":"entry","identity":{"type":"file"},
      "files":{"paths":["log/{year}/{month}/*.json"]},
      "document":{"path":"log/{year}-{month}.automerge"},"properties":{}}]}
      """
    let app = try ProfiledFolder(Profile(parsing: Array(text.utf8), of: "p.json"))
    for path in ["log/2025 2/01/a.json", "log 2/2025/02 3/b.json", "log/2025/01/c.json"] {
      try app.folder.write("{}", to: path)
    }
    #expect(try !app.importing().endsWithDifferences)
    #expect(
      try app.documents().keys.sorted() == ["log/2025-01.automerge", "log/2025-02.automerge"])
    let january = try app.folder.document("log/2025-01.automerge")
    for identity in ["log/2025/01/a", "log/2025/01/c"] {
      #expect(january.value(of: .root, key: Array(identity.utf8)) != nil, "\(identity)")
    }
    #expect(try app.verifying().isSound)
  }

  /// The habits app with a copied directory: an equal file, one that says something else, a new one.
  private func app() throws -> ProfiledFolder {
    let app = try ProfiledFolder(sample: "habits")
    let equal = try app.folder.bytes("log/2025/2025-01-31.json")
    try app.folder.write(equal, to: "log 2/2025/2025-01-31.json")
    try app.folder.write(Self.day, to: "log 2/2025/2025-03-05.json")
    return app
  }

  @Test func `entities of a copied directory are those of its base`() throws {
    let app = try app()
    let report = try app.importing()
    #expect(!report.endsWithDifferences, "\(report.findings)")
    #expect(report.counts[1].read == 6 && report.counts[1].imported == 5)
    let march = try app.folder.document("log/2025-03.automerge")
    #expect(march.value(of: .root, key: Array("log/2025/2025-03-05".utf8)) != nil)
    let verified = try app.verifying()
    #expect(verified.isSound, "\(verified.findings)")
    #expect(try app.importing().documents.allSatisfy { $0.outcome == .unchanged })
  }

  @Test func `they are cleaned up, and come back`() throws {
    let app = try app()
    try app.importing()
    let before = try app.files()
    let report = try app.cleaning(backup: #require(app.packing().archives.first?.path))
    #expect(report.files.allSatisfy { $0.outcome == .moved }, "\(report.findings)")
    #expect(try app.files().keys.filter { $0.hasSuffix(".json") } == ["habits.json"])
    #expect(try app.status().status == .cleaned)
    #expect(try app.verifying().isSound)
    let target = try TestFolder("out")
    try app.exporting(to: target)
    #expect(target.exists("log/2025/2025-03-05.json") && !target.exists("log 2"))
    try app.bringingBack(report.quarantine)
    #expect(try app.files() == before)
  }

  @Test func `a merge brings files and documents of a copied directory into its base`() throws {
    let app = try app()
    try app.importing()
    let january = try app.folder.bytes("log/2025-01.automerge")
    try app.folder.write(january, to: "log 2/2025-01.automerge")
    try app.change("log/2025-01.automerge") { document in
      try document.put(
        obj: document.entity("log/2025/2025-01-31"), key: "note", value: .String("edited"))
    }
    try app.folder.write(#"{"mood":3,"note":"here"}"#, to: "log 2/2025/2025-02-28.json")
    let report = try app.merging()
    #expect(try !app.files().keys.contains { $0.hasPrefix("log 2") }, "\(report.findings)")
    #expect(try app.folder.text("log/2025/2025-03-05.json") == Self.day)
    try app.expectSettled()
    #expect(try app.files().keys.count { $0.hasSuffix(".json") } == 6)
  }

  @Test func `an export gives what no document knows a path in the base`() throws {
    let app = try ProfiledFolder(sample: "greenhouse")
    let mint = try app.folder.text("plants/mint.json")
    let other = mint.replacing(#/"id": *"[0-9A-Fa-f]{8}/#, with: #""id": "00000009"#)
    try app.folder.write(other, to: "plants 2/mint.json")
    try app.folder.write(
      mint.replacing(#/"id": *"[0-9A-Fa-f]{8}/#, with: #""id": "00000010"#), to: "plants 2/new.json"
    )
    let target = try TestFolder("out")
    let report = try app.exporting(to: target)
    #expect(!report.endsWithDifferences, "\(report.findings)")
    #expect(try target.files().keys.count { $0.hasPrefix("plants/") } == 5)
    #expect(target.exists("plants/new.json") && !target.exists("plants 2"))
    // One that the base has, too, is not written twice, and that is told.
    try app.folder.write(mint, to: "plants 2/again.json")
    let again = try app.exporting(to: TestFolder("again"))
    #expect(again.findings.contains { $0.path == "plants 2/again.json" && $0.severity == .error })
  }
}

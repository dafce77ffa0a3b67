import Diagnostics
import Folders
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// Documents of an app that only a profile describes, compared with something else than the files
/// beside them: a stream, another folder, its documents, a backup.
@Suite struct ProfiledReferenceTests {
  enum Form: CaseIterable {
    case stream, files, documents, both, backupOfFiles, backupOfDocuments
  }

  /// What a sample was before documents and reference went apart.
  private struct Pair {
    /// Has documents only.
    let folder: ProfiledFolder
    /// Has files only.
    let original: ProfiledFolder

    init(_ name: String) throws {
      original = try ProfiledFolder(sample: name)
      folder = try original.copied()
      try folder.importing()
      try folder.removeJSON()
    }

    /// Compares the documents with the original in a form.
    func verifying(against form: Form) throws -> VerificationReport {
      let other = try original.copied()
      switch form {
      case .stream: return try folder.verifying(against: other.streaming())
      case .files: return try folder.verifying(against: .folder(path: other.folder.path))
      case .documents, .both:
        try other.importing()
        if form == .documents { try other.removeJSON() }
        return try folder.verifying(against: .folder(path: other.folder.path))
      case .backupOfFiles, .backupOfDocuments:
        if form == .backupOfDocuments {
          try other.importing()
          try other.removeJSON()
        }
        let backup = try #require(try other.folder.packing().archives.first?.path)
        return try folder.verifying(against: .backup(path: backup))
      }
    }
  }

  @Test(arguments: ProfiledStreamTests.samples, Form.allCases)
  func `equal in every form`(_ name: String, _ form: Form) throws {
    let pair = try Pair(name)
    let report = try pair.verifying(against: form)
    #expect(report.isSound, "\(report.findings.filter { $0.severity == .error })")
    let count = report.counts.reduce(0) { $0 + $1.reference }
    #expect(count == (name == "habits" ? 7 : 9))
    #expect(report.counts.reduce(0) { $0 + $1.equal } == count)
    #expect(report.counts.reduce(0) { $0 + $1.documents } == count)
    #expect(report.fieldsCompared > 10)
  }

  @Test(arguments: Form.allCases)
  func `one field that differs is told, in a scalar, a container and what nobody declared`(
    _ form: Form
  ) throws {
    let changes = [
      ("notes/travel/lisbon.json", #""title": "Lisbon""#, #""title": "Lisboa""#, "title"),
      ("notes/travel/lisbon.json", "Tram 28", "Tram 12", "body"),
      ("notes/travel/lisbon.json", "4.5", "4.25", "mood"),
      ("notebooks.json", #""order": 1"#, #""order": 3"#, "order"),
      ("settings.json", "13", "14", "fontSize"),
    ]
    for change in changes {
      let pair = try Pair("notes")
      let text = try pair.original.folder.text(change.0)
      #expect(text.contains(change.1))
      try pair.original.folder.write(text.replacing(change.1, with: change.2), to: change.0)
      let report = try pair.verifying(against: form)
      #expect(!report.isSound)
      let errors = report.findings.filter { $0.severity == .error }
      #expect(errors.count == 1 && errors[0].message.contains(change.3), "\(errors)")
      #expect(report.counts.reduce(0) { $0 + $1.equal } == 8)
    }
  }

  @Test(arguments: Form.allCases)
  func `one entity that only one side has is told, of every kind`(_ form: Form) throws {
    for path in ["notes/old.json", "settings.json"] {
      // The reference has less.
      let less = try Pair("notes")
      try less.original.folder.remove(path)
      let extra = try less.verifying(against: form).findings.filter { $0.severity == .error }
      #expect(extra.map(\.code) == [.extraEntity], "\(path): \(extra)")

      // The documents have less.
      let more = try Pair("notes")
      let document = path == "settings.json" ? "settings.automerge" : "documents/2023-05.automerge"
      try more.folder.folder.remove(document)
      let missing = try more.verifying(against: form).findings.filter { $0.severity == .error }
      #expect(missing.map(\.code) == [.missingEntity], "\(path): \(missing)")
    }
  }

  @Test func `a stream with lines taken away tells what is not in it`() throws {
    let pair = try Pair("greenhouse")
    let lines = try pair.original.streaming().lines.filter {
      !$0.contains("\"mint") && !$0.contains("south")
    }
    let stream = try TestStream(Array((lines.joined(separator: "\n") + "\n").utf8))
    let report = try pair.folder.verifying(against: stream)
    #expect(report.findings.filter { $0.code == .extraEntity }.count == 5)
    #expect(report.counts.reduce(0) { $0 + $1.equal } == lines.count - 2)
  }

  @Test func `a stream that is damaged, or of another app, is no reference`() throws {
    let pair = try Pair("notes")
    let lines = try pair.original.streaming().lines
    let cut = try TestStream(Array(lines.dropLast().joined(separator: "\n").utf8))
    #expect {
      try pair.folder.verifying(against: cut)
    } throws: {
      ($0 as? MigrationError)?.diagnostic.kind == .damagedInput
    }
    let other = try Pair("habits").original.streaming()
    #expect {
      try pair.folder.verifying(against: other)
    } throws: {
      ($0 as? MigrationError)?.diagnostic.kind == .conflictsWithData
    }
  }

  @Test func `nothing to compare with is no success`() throws {
    let pair = try Pair("notes")
    for path in try pair.original.files().keys { try pair.original.folder.remove(path) }
    let report = try pair.verifying(against: .stream)
    #expect(!report.isSound && report.findings.contains { $0.code == .nothingToCompare })
  }
}

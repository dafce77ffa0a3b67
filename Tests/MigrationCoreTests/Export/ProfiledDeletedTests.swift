import Automerge
import Diagnostics
import Folders
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs

/// What a backup of an app's folder holds and its documents do not show any more.
@Suite struct ProfiledDeletedTests {
  private static let january = "documents/2025-01.automerge"
  private static let lisbon = "45C48CCE-2E2D-4FBD-AA1A-FC51C7C60303"

  /// Notes without JSON, of which a note, its file and a notebook are deleted since a backup of the JSON
  /// or of the documents.
  private func folder(ofDocuments: Bool) throws -> (folder: ProfiledFolder, backup: String) {
    let folder = try ProfiledFolder(sample: "notes")
    if ofDocuments {
      try folder.importing()
      try folder.removeJSON()
    }
    let backup = try #require(try folder.folder.packing().archives.first?.path)
    if !ofDocuments {
      try folder.importing()
      try folder.removeJSON()
    }
    try folder.edit(Self.january, actor: 9) { try $0.delete(#require(Identity(Self.lisbon))) }
    try folder.change("notebooks.automerge") { try $0.delete(obj: .ROOT, key: "Travel") }
    try folder.folder.remove("attachments/tram.jpg")
    return (folder, backup)
  }

  /// Gives a folder the files that notes name, which no export of documents has.
  private func copyAttachments(to folder: ProfiledFolder) throws {
    let sample = try ProfiledFolder(sample: "notes")
    for name in ["plan.txt", "tram.jpg"] {
      try folder.folder.write(sample.folder.bytes("attachments/\(name)"), to: "attachments/\(name)")
    }
  }

  private func export(
    _ folder: ProfiledFolder, to destination: ExportOptions.Destination, backup: String,
    withDeleted: Bool = true
  ) throws -> ExportReport {
    var options = ExportOptions(source: folder.folder.path, destination: destination)
    options.backup = backup
    options.exportsDeleted = withDeleted
    return try ExportWorkflow(options, context: folder.context()).perform()
  }

  @Test(arguments: [true, false])
  func `it is named, and not written unless that is asked for`(ofDocuments: Bool) throws {
    let (folder, backup) = try folder(ofDocuments: ofDocuments)
    let target = try TestFolder("out")
    let report = try export(
      folder, to: .folder(path: target.path), backup: backup, withDeleted: false)
    #expect(report.deleted == 2 && report.counts == [4, 2, 1])
    let deleted = report.findings.filter { $0.code == .deletedSince }
    #expect(
      Set(deleted.map(\.message)) == [
        "note \(Self.lisbon) was deleted since the backup",
        "notebook Travel was deleted since the backup",
      ])
    #expect(deleted.allSatisfy { $0.next == "add --with-deleted if it is to come back" })
    #expect(try !target.text("notebooks.json").contains("Travel"))
    #expect(!target.exists("attachments/tram.jpg"))
  }

  @Test(arguments: [true, false])
  func `it is written to its file, what it names included`(ofDocuments: Bool) throws {
    let (folder, backup) = try folder(ofDocuments: ofDocuments)
    let target = try TestFolder("out")
    let report = try export(folder, to: .folder(path: target.path), backup: backup)
    #expect(report.deleted == 2 && report.counts == [5, 3, 1])
    #expect(try target.text("notebooks.json").contains(#""name":"Travel""#))
    #expect(
      target.exists(
        ofDocuments ? "notes/\(Self.lisbon).json" : "notes/travel/lisbon.json"))
    #expect(try target.bytes("attachments/tram.jpg").isEmpty == false)
    let again = try folder.app(in: target)
    try again.importing()
    let unlike = try again.verifying(against: .backup(path: backup)).findings
    #expect(unlike.filter { $0.severity == .error }.map(\.code) == [.missingImage])
    try copyAttachments(to: again)
    #expect(try again.verifying(against: .backup(path: backup)).isSound)
  }

  @Test(arguments: [true, false])
  func `a stream has it, too`(ofDocuments: Bool) throws {
    let (folder, backup) = try folder(ofDocuments: ofDocuments)
    let stream = try TestStream([])
    let report = try export(folder, to: .stream(stream.sink), backup: backup)
    #expect(report.deleted == 2 && stream.lines.count == 11)
    #expect(stream.lines.last == #"{"end":true,"entities":9}"#)
    let target = try ProfiledFolder(folder.profile)
    try target.importing(stream: stream)
    try copyAttachments(to: target)
    #expect(try target.verifying(against: .backup(path: backup)).isSound)
  }

  @Test func `a file that another entity has by now is not taken`() throws {
    let (folder, backup) = try folder(ofDocuments: false)
    try folder.folder.write(
      #"{"id":"00000001-0000-4000-8000-000000000001","title":"x","created":"2022-01-01T00:00:00Z"}"#,
      to: "notes/travel/lisbon.json")
    let target = try TestFolder("out")
    _ = try export(folder, to: .folder(path: target.path), backup: backup)
    #expect(try target.text("notes/travel/lisbon.json").contains(#""title":"x""#))
    #expect(try target.text("notes/\(Self.lisbon).json").contains(#""title":"Lisbon""#))
  }

  @Test func `as long as a document cannot be read nobody knows what was deleted`() throws {
    let (folder, backup) = try folder(ofDocuments: false)
    try folder.folder.write("no document", to: "settings.automerge")
    let target = try TestFolder("out")
    let report = try export(folder, to: .folder(path: target.path), backup: backup)
    #expect(report.deleted == 0 && report.counts == [4, 2, 0])
    #expect(report.findings.filter { $0.code == .notLookedAt }.count == 3)
  }
}

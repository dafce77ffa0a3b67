import Diagnostics
import Folders
import Foundation
import Testing

@testable import MigrationCore

@Suite struct ExportDeletedTests {
  /// A migrated folder with two tags and two records, of which one each is deleted since.
  private func folder() throws -> (folder: TestFolder, backup: String) {
    let folder = try TestFolder()
    try folder.write(
      Legacy.tags(Legacy.tag(10, name: "kept"), Legacy.tag(11, name: "gone")), to: "tags.json")
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write(
      Legacy.record(2, "\"images\":[\"x_0.jpg\",\"../../../tags.json\"]"),
      to: "records/2024/01/b.json")
    try folder.write("picture", to: "records/2024/01/x_0.jpg")
    let backup = try folder.packing().archives[0].path
    try folder.importing()
    try folder.cleaning(backup: backup)
    let (tag, record) = (
      try #require(Identity(Legacy.id(11))), try #require(Identity(Legacy.id(2)))
    )
    try folder.edit("tags.automerge", actor: 5) { try $0.delete(tag) }
    try folder.edit("records/2024/01.automerge", actor: 5) { try $0.delete(record) }
    try folder.remove("records/2024/01/x_0.jpg")
    return (folder, backup)
  }

  private func export(
    _ folder: TestFolder, to destination: ExportOptions.Destination, backup: String,
    withDeleted: Bool
  ) throws -> ExportReport {
    var options = ExportOptions(source: folder.path, destination: destination)
    options.backup = backup
    options.exportsDeleted = withDeleted
    return try ExportWorkflow(options, context: TestFolder.context()).perform()
  }

  @Test func `what was deleted since a backup is named and not written`() throws {
    let (folder, backup) = try folder()
    let target = folder.beside("json")
    let report = try export(
      folder, to: .folder(path: target), backup: backup, withDeleted: false)
    #expect(report.deleted == 2)
    #expect(
      report.findings.filter { $0.code == .deletedSince }.map(\.path)
        == ["records/2024/01/b.json", "tags.json"])
    let names = try FileManager.default.subpathsOfDirectory(atPath: target)
    #expect(names.filter { $0.contains(".") }.sorted() == ["records/2024/01/a.json", "tags.json"])
    let tags = try String(contentsOfFile: target + "/tags.json", encoding: .utf8)
    #expect(tags.contains("kept") && !tags.contains("gone"))
  }

  @Test func `it is written, images included, if that is asked for`() throws {
    let (folder, backup) = try folder()
    let target = try TestFolder()
    let report = try export(
      folder, to: .folder(path: target.path), backup: backup, withDeleted: true)
    #expect((report.tags, report.records) == (2, 2))
    let files = try target.files()
    #expect(
      files.keys.sorted() == [
        "records/2024/01/a.json", "records/2024/01/b.json", "records/2024/01/x_0.jpg", "tags.json",
      ])
    #expect(files["records/2024/01/x_0.jpg"] == Array("picture".utf8))
    try target.importing()
    #expect(try target.verifying(against: .backup(path: backup)).isSound)
  }

  @Test func `a stream has it, too`() throws {
    let (folder, backup) = try folder()
    let stream = try TestStream([])
    let report = try export(
      folder, to: .stream(stream.sink), backup: backup, withDeleted: true)
    #expect((report.tags, report.records, report.deleted) == (2, 2, 2))
    let target = try TestFolder()
    try target.importing(stream)
    // Images are in no stream.
    let errors = try target.verifying(against: .backup(path: backup)).findings
      .filter { $0.severity == .error }
    #expect(Set(errors.map(\.code)) == [.missingImage])
  }

  @Test func `a name that another record has by now is not taken`() throws {
    let (folder, backup) = try folder()
    try folder.write(Legacy.record(3), to: "records/2024/01/b.json")
    let target = try TestFolder()
    _ = try export(folder, to: .folder(path: target.path), backup: backup, withDeleted: true)
    #expect(
      try target.files().keys.filter { $0.hasPrefix("records/2024/01/b") }.sorted()
        == ["records/2024/01/b.json", "records/2024/01/b_00000002.json"])
  }
}

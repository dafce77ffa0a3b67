import Diagnostics
import Foundation
import SafeFiles
import Testing

@testable import MigrationCore
@testable import Runs

/// Copies of a folder's content are never open to more people than the folder.
@Suite struct PrivateBackupTests {
  private func folder(mode: Int) throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try set(mode, of: folder.path)
    return folder
  }

  private func set(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func mode(_ path: String) throws -> String {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return String(try #require(attributes[.posixPermissions] as? NSNumber).intValue, radix: 8)
  }

  @Test(arguments: [(0o700, "700", "600"), (0o750, "750", "640"), (0o755, "755", "644")])
  func `a backup, its place and its mark are as private as the folder`(
    mode: Int, place: String, archive: String
  ) throws {
    let folder = try folder(mode: mode)
    try folder.importing()
    let backup = try folder.packing().archives[0].path
    #expect(try self.mode(folder.path + "-backups") == place)
    #expect(try self.mode(backup) == archive)
    try folder.cleaning(backup: backup)
    try folder.purging(backup: backup, age: 0)
    #expect(try self.mode(backup + ".keep") == archive)
    // A place that somebody chose to share does not make the archive wider.
    let shared = folder.beside("shared")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: false)
    try set(0o777, of: shared)
    let other = try folder.packing { $0.backupDirectory = shared }.archives[0].path
    #expect(try self.mode(other) == archive)
    #expect(try self.mode(shared) == "777")
  }

  @Test func `a folder that nobody may write to has backups that its owner can work with`() throws {
    let folder = try folder(mode: 0o500)
    defer { try? set(0o700, of: folder.path) }
    let backup = try folder.packing().archives[0].path
    #expect(try mode(folder.path + "-backups") == "700")
    #expect(try mode(backup) == "600")
  }

  @Test func `what is exported, imported and restored to a new place is as private`() throws {
    let folder = try folder(mode: 0o700)
    try folder.importing()
    let backup = try folder.packing().archives[0].path
    let exported = folder.beside("exported")
    try folder.exporting(to: exported)
    #expect(try mode(exported) == "700")
    #expect(try mode(exported + "/records/2024/01/a.json") == "600")
    for only in [[], ["records"]] {
      var options = RestoreOptions(backup: backup, folder: folder.beside("restored\(only.count)"))
      options.only = only
      _ = try RestoreWorkflow(options, context: TestFolder.context()).perform()
      #expect(try mode(options.folder) == "700")
    }
    let target = folder.beside("target")
    try folder.importing {
      $0.target = target
      $0.flattens = true
    }
    #expect(try mode(target) == "700")
  }

  @Test func `what is made of a single file is as private as the file`() throws {
    let folder = try folder(mode: 0o755)
    try folder.importing()
    let document = folder.path + "/records/2024/01.automerge"
    try set(0o600, of: document)
    let output = folder.beside("repaired.automerge")
    let options = RepairOptions(file: document, output: output)
    _ = try RepairWorkflow(options, context: TestFolder.context()).perform()
    #expect(try mode(output) == "600")
  }

  @Test(arguments: [true, false])
  func `a backup that has no room is refused before anything is written`(isDryRun: Bool) throws {
    let folder = try folder(mode: 0o755)
    let large = URL(filePath: folder.path).appending(path: "records/2024/01/large.jpg")
    try Data().write(to: large)
    let handle = try FileHandle(forWritingTo: large)
    try handle.truncate(atOffset: 1 << 43)
    try handle.close()
    for compresses in [false, true] {
      var options = PackOptions(folder: folder.path)
      options.compresses = compresses
      let workflow = PackWorkflow(options, context: TestFolder.context())
      #expect {
        _ = try isDryRun ? workflow.plan() : workflow.perform()
      } throws: { error in
        let diagnostic = (error as? MigrationError)?.diagnostic
        return diagnostic?.kind == .inputOutput
          && diagnostic?.problem.contains("disk or quota is full: needs ") == true
      }
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "-backups"))
    #expect(!folder.exists(".automerge-migrate.nosync"))
  }
}

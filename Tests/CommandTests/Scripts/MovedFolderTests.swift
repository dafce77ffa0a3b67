import Automerge
import Foundation
import Testing

/// Folders that are not where, or not called what, they were when they were backed up.
@Suite struct MovedFolderTests {
  private let folder: SmallFolder
  private let scripts: InstalledScripts

  init() throws {
    folder = try SmallFolder()
    scripts = try InstalledScripts()
  }

  private func move(_ url: URL, to other: String) throws -> String {
    let target = folder.parent.appending(path: other)
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: url, to: target)
    return target.path
  }

  @Test(arguments: ["far/away/Minuta", "Notes", "without state"])
  func `a damaged document comes back from a backup of before the folder moved`(
    name: String
  ) throws {
    let migrated = try scripts.run("migrate-folder", folder.path, "--layout", "monthly")
    try #require(migrated.status == 0, "\(migrated.errors)")
    try editAsApp(folder.file("records/2024/01.automerge")) {
      try $0.set("comment", of: SmallFolder.firstID, to: "only in the backup")
    }
    _ = try folder.backup()
    let document = try Data(contentsOf: folder.file("records/2024/01.automerge"))
    if name == "without state" { try folder.remove(".automerge-migrate.nosync") }
    let backups = URL(filePath: folder.path + "-backups")
    let path = try move(folder.url, to: name)
    if name.hasSuffix("/Minuta") { _ = try move(backups, to: name + "-backups") }
    let damaged = URL(filePath: path + "/records/2024/01.automerge")
    try document.dropLast(9).write(to: damaged)

    let run = try scripts.run("recover-folder", path, "--apply")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(try Data(contentsOf: damaged) == document)
  }

  @Test func `what a script makes beside a private folder is private`() throws {
    let migrated = try scripts.run("migrate-folder", folder.path, "--layout", "monthly")
    try #require(migrated.status == 0, "\(migrated.errors)")
    _ = try folder.backup()
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
    let document = folder.file("records/2024/01.automerge")
    try Data(contentsOf: document).dropLast(9).write(to: document)
    _ = try scripts.run("recover-folder", folder.path, "--apply")
    let salvaged = folder.path + "-salvaged"
    for path in ["", "/records", "/records/2024"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: salvaged + path)
      #expect(attributes[.posixPermissions] as? Int == 0o700, "\(path)")
    }
  }
}

import Foundation
import Testing

/// What lies where the JSON has to go, and backups that are no folder's own.
extension RollbackFolderTests {
  @Test(arguments: [
    "{", #"{"foo":1}"#,
    #"{"id":"\#(SmallFolder.firstID)","startTime":"2024-01-15T09:30:00Z","comment":"newer"}"#,
  ])
  func `JSON that no document has is replaced with a word, and lies in the backup`(
    text: String
  ) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let path = legacy[1]
    try folder.write(text, to: path)
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("displaced"), "\(run.output)")
    #expect(run.output.contains("held what no document has"), "\(run.output)")
    #expect(try shown(folder)[SmallFolder.firstID]?["comment"] as? String == "erste")
    let line = try #require(
      run.output.split(separator: "\n").first { $0.contains("to look at it: ") })
    let start = try #require(line.range(of: "to look at it: ")).upperBound
    let look = try scripts.runLine(String(line[start...]))
    #expect(look.status == 0, "\(look.output)\(look.errors)")
    let there = URL(fileURLWithPath: folder.path + "-displaced").appending(path: path)
    #expect(try String(contentsOf: there, encoding: .utf8) == text)
  }

  @Test func `a directory where JSON has to go is named, and nothing changes`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    try folder.write("mine", to: "\(legacy[1])/inner.txt")
    let before = try visibleFiles(folder)
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status == 73, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("\(folder.path)/\(legacy[1])"), "\(run.errors)")
    #expect(try visibleFiles(folder) == before)
  }

  @Test(arguments: [[], ["--with-deleted"]])
  func `a backup of another folder is refused before anything is made`(options: [String]) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    _ = try migrate(folder, scripts)
    let other = folder.parent.appending(path: "Other")
    let archive = folder.parent.appending(path: "other.tar").path
    #expect(
      try CommandTests.run("generate-folder", other.path, "--records", "5", "--seed", "9").status
        == 0)
    #expect(try CommandTests.run("pack-backup", other.path, "--output", archive).status == 0)
    let before = try visibleFiles(folder)
    let run = try scripts.run("rollback-folder", [folder.path, archive] + options)
    #expect(run.status == 78, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("is a backup of another folder"), "\(run.errors)")
    #expect(try visibleFiles(folder) == before)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "-rollback.nosync"))
  }

  @Test func `of a damaged document nobody says that its records were deleted`() throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let backup = try migrate(folder, scripts)
    let document = folder.file("records/2024/01.automerge")
    try Data(contentsOf: document).prefix(100).write(to: document)
    let run = try scripts.run("rollback-folder", folder.path, backup)
    #expect(run.status != 0)
    #expect(!run.output.contains("deleted-since"), "\(run.output)")
    #expect(run.output.contains("nothing in the folder has changed"), "\(run.output)")
  }
}

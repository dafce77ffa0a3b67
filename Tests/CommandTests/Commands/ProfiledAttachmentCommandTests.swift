import Foundation
import Testing

/// Files that entities of a profile name, compared with those of a backup or of another folder.
@Suite struct ProfiledAttachmentCommandTests {
  private let app: ProfiledApp
  private let other: String

  init() throws {
    app = try DiaryApp.make()
    #expect(try app.run("import-crdt", app.folder).status == 0)
    other = app.place.url.appending(path: "Other").path
    try FileManager.default.copyItem(atPath: app.folder, toPath: other)
  }

  private func findings(_ run: CommandRun) -> [[String: Any]] {
    run.jsonLines.filter { ($0["code"] as? String)?.hasSuffix("-image") ?? false }
  }

  @Test(arguments: [false, true])
  func `a file with other bytes and one that is gone are errors, and what brings them back is told`(
    _ isBackup: Bool
  ) throws {
    let reference = isBackup ? try app.backup() : other
    let equal = try app.run("verify-counts", app.folder, "--against", reference, "--json")
    #expect(equal.status == 0, "\(equal.output)")
    #expect(findings(equal).isEmpty)
    #expect(!equal.output.contains("not-looked-at"))

    try app.write("another pier", to: "visits/2024/01/pier.jpg")
    try FileManager.default.removeItem(at: app.url("photos/both.jpg"))
    // Private, in no document, and so nobody's concern here.
    try app.write("another storm", to: "photos/storm.jpg")
    let run = try app.run("verify-counts", app.folder, "--against", reference, "--json")
    #expect(run.status == 1)
    let found = findings(run)
    #expect(
      found.compactMap { $0["code"] as? String }.sorted() == ["changed-image", "missing-image"])
    #expect(found.allSatisfy { $0["severity"] as? String == "error" })
    #expect(
      found.contains {
        $0["path"] as? String == "visits/2024/01/pier.jpg"
          && $0["message"] as? String == "has other bytes than it has in \(reference)"
      })
    #expect(
      found.contains {
        $0["message"] as? String
          == "visit \(DiaryApp.third) names the file both.jpg, which is not there"
      })
    guard isBackup else {
      #expect(
        found.contains { $0["next"] as? String == "copy \(other)/photos/both.jpg to the folder" })
      return
    }
    for finding in found {
      let command = try #require(finding["command"] as? [String])
      #expect(command.contains("--profile"))
      let restored = try CommandTests.run(
        BuiltCommands.directory.appending(path: command[0]), Array(command.dropFirst()), input: nil)
      #expect(restored.status == 0, "\(restored.errors)")
    }
    let settled = try app.run("verify-counts", app.folder, "--against", reference, "--json")
    #expect(settled.status == 0 && findings(settled).isEmpty, "\(settled.output)")
  }

  @Test func `what the reference does not have is only looked for`() throws {
    try FileManager.default.removeItem(atPath: other + "/photos/both.jpg")
    #expect(try app.run("verify-counts", app.folder, "--against", other).status == 0)
    try FileManager.default.removeItem(at: app.url("photos/both.jpg"))
    let run = try app.run("verify-counts", app.folder, "--against", other, "--json")
    #expect(run.status == 0)
    #expect(findings(run).map { $0["severity"] as? String } == ["warning"])
  }
}

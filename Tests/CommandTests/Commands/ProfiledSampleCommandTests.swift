import Foundation
import Testing

/// `generate-folder --profile` as a user runs it.
@Suite struct ProfiledSampleCommandTests {
  private static let profile = BuiltCommands.packageRoot
    .appending(path: "fixtures/profiles/notes/profile.json").path
  private let place: TemporaryDirectory

  init() throws { place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { place.url.appending(path: name).path }

  @Test func `a folder of another app is made, and is what its profile says`() throws {
    let folder = path("Notes")
    let made = try run(
      "generate-folder", folder, "--profile", Self.profile, "--records", "200", "--months", "4")
    #expect(made.status == 0 && made.output.hasPrefix("Made "), "\(made.errors)")
    #expect(try run("import-crdt", folder, "--profile", Self.profile).status == 0)
    let verified = try run("verify-counts", folder, "--profile", Self.profile)
    #expect(verified.status == 0, "\(verified.output)")
    #expect(verified.output.contains("200 of 200 entities proven"))
    #expect(verified.output.contains("Everything is there and equal"))
    #expect(try run("generate-folder", folder, "--profile", Self.profile).status == 73)
  }

  @Test func `the built-in profile makes the folder that is made without one`() throws {
    #expect(try run("generate-folder", path("one"), "--records", "30").status == 0)
    let named = try run(
      "generate-folder", path("two"), "--records", "30", "--profile", "minuta", "--tags", "12")
    #expect(named.status == 0)
    let lists = try ["one", "two"].map { name in
      try FileManager.default.subpathsOfDirectory(atPath: path(name)).sorted()
    }
    #expect(lists[0] == lists[1] && lists[0].count > 30)
    for file in lists[0] where file.hasSuffix(".json") {
      #expect(
        FileManager.default.contentsEqual(
          atPath: path("one/" + file), andPath: path("two/" + file)))
    }
  }

  @Test func `a wrong profile, or what it leaves no room for, makes no folder`() throws {
    let folder = path("new")
    let missing = try run("generate-folder", folder, "--profile", path("nothing.json"))
    #expect(missing.status == 66)
    let tags = try run("generate-folder", folder, "--profile", Self.profile, "--tags", "3")
    #expect(tags.status == 64 && tags.errors.contains("--tags is of no use"))
    let file = path("one.json")
    try Data(
      """
      {"profile": "one", "version": 1, "kinds": [
        {"kind": "k", "identity": {"type": "singleton"}, "files": {"paths": ["a.json"]},
         "document": {"path": "a.automerge"}, "properties": {}}]}
      """.utf8
    ).write(to: URL(filePath: file))
    let full = try run("generate-folder", folder, "--profile", file)
    #expect(full.status == 64 && full.errors.contains("there is room for 1 entity"))
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}

import Foundation
import Testing

@Suite struct InstallTests {
  private static let scripts = BuiltCommands.packageRoot.appending(path: "bin")

  @Test func `one program is installed, with a link for each command, and can be removed`() throws {
    let source = try InstalledScripts()
    let target = try TemporaryDirectory()
    let directory = target.url.appending(path: "bin")
    _ = try source.run("install", "--prefix", target.url.path)
    // The second time it replaces what is there.
    let installed = try source.run("install", "--prefix", target.url.path)
    #expect(installed.status == 0, "\(installed.errors)")

    let commands = BuiltCommands.names.filter { $0 != "bench-engine" }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.sorted() == (commands + [BuiltCommands.program]).sorted())
    for command in commands {
      let link = directory.appending(path: command).path
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: link) == BuiltCommands.program)
    }
    for name in names where name != BuiltCommands.program {
      let version = try run(directory.appending(path: name), ["--version"], input: nil)
      #expect(version.output == "\(name) (automerge-migrate) 0.1.0\n")
    }
    let folder = BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder").path
    let looked = try run(
      directory.appending(path: "migrate-folder"), [folder, "--dry-run"], input: nil)
    #expect(looked.status == 0, "\(looked.errors)")

    let line = try #require(installed.output.split(separator: "\n").last)
    #expect(line.hasPrefix("to remove it: "))
    let removed = try source.runLine(String(line.dropFirst("to remove it: ".count)))
    #expect(removed.status == 0, "\(removed.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
  }

  @Test func `every script names the version of the commands`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.scripts.path)
      .filter { !$0.hasSuffix(".sh") }
    #expect(names.count > 5)
    for name in names {
      let version = try run(Self.scripts.appending(path: name), ["--version"], input: nil)
      #expect(version.status == 0, "\(name) \(version.errors)")
      #expect(version.output == "\(name) (automerge-migrate) 0.1.0\n")
    }
  }
}

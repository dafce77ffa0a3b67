import Foundation
import Testing

@Suite struct InstallTests {
  private static let scripts = BuiltCommands.packageRoot.appending(path: "bin")
  private static let commands = BuiltCommands.names.filter { $0 != "bench-engine" }

  @Test func `one program is installed, with a link for each command, and can be removed`() throws {
    let source = try InstalledScripts.inClone()
    let target = try TemporaryDirectory()
    let directory = target.url.appending(path: "bin")
    #expect(try source.run("install", "--prefix", target.url.path).status == 0)
    // The second time it replaces what is there.
    let installed = try source.run("install", "--prefix", target.url.path)
    #expect(installed.status == 0, "\(installed.errors)")

    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.sorted() == (Self.commands + [BuiltCommands.program]).sorted())
    for command in Self.commands {
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
    try expectPages(in: target.url.appending(path: "share"), of: names)

    let line = try #require(installed.output.split(separator: "\n").last)
    #expect(line.hasPrefix("to remove it: "))
    let removed = try source.runLine(String(line.dropFirst("to remove it: ".count)))
    #expect(removed.status == 0, "\(removed.errors)")
    let left = try SmallFolder.snapshot(of: target.url).filter { $0.value.bytes != nil }
    #expect(left.keys.sorted() == [])
  }

  /// Each command has a manual page that no reader of such pages complains about, and completions.
  private func expectPages(in share: URL, of names: [String]) throws {
    for name in names {
      for path in [
        "bash-completion/completions/\(name)", "zsh/site-functions/_\(name)",
        "fish/vendor_completions.d/\(name).fish",
      ] {
        let size = try Data(contentsOf: share.appending(path: path)).count
        #expect(size > 500, "\(path)")
      }
      let page = share.appending(path: "man/man1/\(name).1").path
      let lint = try run(
        URL(filePath: "/usr/bin/env"), ["mandoc", "-T", "lint", "-W", "error", page], input: nil)
      #expect(lint.status == 0, "\(lint.output)")
      let shown = try run(
        URL(filePath: "/usr/bin/env"), ["mandoc", "-T", "utf8", "-O", "width=200", page], input: nil
      )
      let text = shown.output.replacing(/.\u{8}/, with: "")
      let help = try run(name, "--help").output
      for option in help.matches(of: /(?m)^  (?:-\w, )?(--[a-z-]+)/) {
        #expect(text.contains(option.1), "\(name) \(option.1)")
      }
      let letters = text.filter { !$0.isWhitespace }
      for note in help.matches(of: /\((values|default):\s[^()]*\)/) {
        #expect(letters.contains(note.0.filter { !$0.isWhitespace }), "\(name) \(note.0)")
      }
      #expect(text.contains(" [-- ") == help.contains(" -- ["), "\(name)")
      #expect(text.contains("SEE ALSO") && text.contains("automerge-migrate-scripting(7)"))
      #expect(name == BuiltCommands.program || text.contains("EXIT STATUS"), "\(name)")
    }
    for page in ["man5/automerge-migrate-formats.5", "man7/automerge-migrate-scripting.7"] {
      let text = try String(contentsOf: share.appending(path: "man/\(page)"), encoding: .utf8)
      #expect(text.contains(".SH NAME\nautomerge-migrate-"), "\(page)")
      // A table is wider than a terminal.
      #expect(!text.contains("\n.TS\n"), "\(page)")
    }
  }

  @Test func `the programs alone are installed if that is asked for`() throws {
    let source = try InstalledScripts()
    let target = try TemporaryDirectory()
    let installed = try source.run("install", "--prefix", target.url.path, "--programs")
    #expect(installed.status == 0, "\(installed.errors)")
    let line = try #require(installed.output.split(separator: "\n").last)
    #expect(try source.runLine(String(line.dropFirst("to remove it: ".count))).status == 0)
    #expect(try SmallFolder.snapshot(of: target.url).keys.sorted() == ["bin"])
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

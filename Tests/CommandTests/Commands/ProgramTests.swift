import Foundation
import Testing

/// The program that holds all commands.
@Suite struct ProgramTests {
  private static let commands = BuiltCommands.names.filter { $0 != "bench-engine" }

  @Test func `the program lists its commands and names its version`() throws {
    #expect(try run(BuiltCommands.program, "--version").output == "automerge-migrate 0.1.0\n")
    let listed = try run(BuiltCommands.program, "--commands")
    #expect(listed.status == 0)
    #expect(listed.output == Self.commands.map { $0 + "\n" }.joined())
  }

  @Test(arguments: commands)
  func `the program is the command that its first word names`(command: String) throws {
    for words in [["--help"], ["--version"], ["--no-such-option"], []] {
      let whole = try run(
        BuiltCommands.directory.appending(path: BuiltCommands.program), [command] + words,
        input: nil)
      let single = try run(
        BuiltCommands.directory.appending(path: command), words, input: nil)
      #expect(whole.status == single.status)
      #expect(whole.output == single.output)
      #expect(whole.errors == single.errors)
    }
  }

  @Test func `the program is the command that it is called by`() throws {
    let place = try TemporaryDirectory()
    for command in Self.commands {
      let link = place.url.appending(path: command)
      try FileManager.default.createSymbolicLink(
        at: link,
        withDestinationURL: BuiltCommands.directory.appending(path: BuiltCommands.program))
      let version = try run(link, ["--version"], input: nil)
      #expect(version.output == "\(command) (automerge-migrate) 0.1.0\n")
    }
  }

  @Test(arguments: [[], ["verify"], ["--verify"], ["", "verify-counts"], ["bench-engine"]])
  func `a command that the program does not have is wrong usage`(words: [String]) throws {
    let run = try run(
      BuiltCommands.directory.appending(path: BuiltCommands.program), words, input: nil)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("automerge-migrate: "))
    #expect(run.errors.hasSuffix("\n  next: automerge-migrate --help lists the commands\n"))
  }
}

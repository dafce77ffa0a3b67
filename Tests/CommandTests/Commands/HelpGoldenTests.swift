import Foundation
import Testing

/// Help texts are golden files, so that a changed option shows in review.
/// `UPDATE_GOLDEN=1 swift test --filter HelpGoldenTests` rewrites them.
@Suite struct HelpGoldenTests {
  @Test(arguments: BuiltCommands.names + [BuiltCommands.program])
  func `the help of a command is the one that was reviewed`(command: String) throws {
    let help = try run(command, "--help")
    #expect(help.status == 0)
    #expect(help.errors == "")
    let golden = BuiltCommands.packageRoot.appending(path: "fixtures/help/\(command).txt")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(help.output.utf8).write(to: golden)
    }
    #expect(try String(contentsOf: golden, encoding: .utf8) == help.output)
  }

  @Test(arguments: BuiltCommands.names)
  func `help starts with two examples that name the command`(command: String) throws {
    let lines = try run(command, "-h").output
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(lines.firstIndex(of: "Examples:"))
    let end = try #require(lines[start...].firstIndex(of: ""))
    let examples = lines[start..<end].dropFirst()
    // A line of the shell that is broken off is two.
    #expect(examples.allSatisfy { $0.hasPrefix("  ") }, "\(examples)")
    #expect(examples.filter { $0.contains(command) }.count >= 2)
    #expect(examples.count.isMultiple(of: 2) && examples.count >= 4)
    let statuses = try #require(lines.firstIndex(of: "Exit status:"))
    #expect(start < statuses)
  }

  @Test(arguments: BuiltCommands.names)
  func `every command names one and the same version`(command: String) throws {
    let version = try run(command, "--version")
    #expect(version.status == 0)
    #expect(version.output == "\(command) (automerge-migrate) 0.1.0\n")
  }
}

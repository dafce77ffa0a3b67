import Foundation
import Testing

/// What `bin/fuzz` says before it builds anything.
@Suite struct FuzzTests {
  private func fuzz(_ arguments: [String]) throws -> CommandRun {
    try run(BuiltCommands.packageRoot.appending(path: "bin/fuzz"), arguments, input: nil)
  }

  @Test(arguments: ["--help", "-h"])
  func `help names every target`(option: String) throws {
    let run = try fuzz([option])
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("usage: fuzz TARGET SECONDS\n"))
    for target in ["load", "incremental", "sync"] { #expect(run.output.contains(target)) }
    #expect(run.errors.isEmpty)
  }

  @Test(arguments: [
    [], ["load"], ["save", "10"], ["load", "soon"], ["load", "0"], ["load", "-1"], ["load", ""],
    ["load", "10", "20"],
  ])
  func `wrong usage is explained and starts nothing`(arguments: [String]) throws {
    let run = try fuzz(arguments)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("usage: fuzz TARGET SECONDS\n"))
  }
}

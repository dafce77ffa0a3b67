import Foundation
import Testing

#if os(Linux)
  /// A slice of `bin/disturb`, which in whole belongs to `bin/test --slow`.
  @Suite struct DisturbTests {
    private func disturb(_ arguments: String...) throws -> CommandRun {
      try CommandTests.run(
        BuiltCommands.packageRoot.appending(path: "bin/disturb"),
        ["--commands", BuiltCommands.directory.path] + arguments, input: nil)
    }

    @Test func `commands killed at a system call lose nothing, and the next run completes them`()
      throws
    {
      let run = try disturb("--points", "3", "kills")
      #expect(run.status == 0, "\(run.errors)")
      let counts = run.output.matches(of: /kills: \w+: (\d+) of (\d+) points/)
      #expect(counts.count >= 3, "\(run.output)")
      #expect(counts.allSatisfy { $0.1 == "3" && (Int($0.2) ?? 0) > 20 }, "\(run.output)")
      #expect(run.output.contains("of which 0 were not reached"), "\(run.output)")
      print(run.output, terminator: "")
    }

    @Test(.enabled(if: geteuid() == 0, "becoming another user takes root"))
    func `permissions that are missing are told, and nothing is lost`() throws {
      let run = try disturb("permissions")
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("14 cases as another user, 7 folders deleted"))
      print(run.output, terminator: "")
    }

    @Test func `wrong usage is told`() throws {
      #expect(try disturb("--points", "many").status == 64)
      #expect(try disturb("floods").status == 64)
      #expect(try disturb("--help").output.hasPrefix("usage: disturb"))
    }
  }
#endif

import Foundation
import Testing

#if os(Linux)
  /// A slice of `bin/disturb`, which in whole belongs to `bin/test --slow`.
  @Suite struct DisturbTests {
    /// Whether one process may stop another at its system calls; some containers forbid it.
    private static let canTrace =
      (try? CommandTests.run(
        URL(filePath: "/usr/bin/env"), ["strace", "-qqq", "-o", "/dev/null", "true"], input: nil
      ).status) == 0

    private func disturb(_ arguments: String...) throws -> CommandRun { try disturb(arguments) }

    private func disturb(_ arguments: [String]) throws -> CommandRun {
      try CommandTests.run(
        BuiltCommands.packageRoot.appending(path: "bin/disturb"),
        ["--commands", BuiltCommands.directory.path] + arguments, input: nil)
    }

    @Test(
      .enabled(if: canTrace, "killing at a system call takes ptrace"),
      arguments: [
        [
          "--points", "3", "--apps", "minuta", "--works", "migrate,restore,rollback,merge", "kills",
        ],
        ["--points", "1", "--apps", "notes", "kills", "faults"],
        ["--points", "1", "--apps", "habits", "kills", "faults"],
      ])
    func `commands stopped at a system call lose nothing, and the next run completes them`(
      _ arguments: [String]
    ) throws {
      try expectStops(arguments, ofWorks: arguments.contains("--works") ? 4 : 36)
    }

    @Test(
      .enabled(if: canTrace, "killing at a system call takes ptrace"),
      arguments: [
        (["--points", "1", "--apps", "ritualist,library", "--rows", "40", "kills"], 14),
        (
          [
            "--points", "1", "--apps", "laundrytime", "--rows", "30", "--works",
            "import,restore,finish", "kills", "faults",
          ], 6
        ),
      ])
    func `a store is not touched by what is stopped at a system call, and the next run is complete`(
      _ arguments: [String], workCount: Int
    ) throws {
      try expectStops(arguments, ofWorks: workCount)
    }

    private func expectStops(_ arguments: [String], ofWorks workCount: Int) throws {
      let run = try disturb(arguments)
      #expect(run.status == 0, "\(run.errors)")
      let counts = run.output.matches(of: /(?:kills|faults): \w+: [a-z-]+: (\d+) at (\d+) points/)
      #expect(counts.count >= workCount, "\(run.output)")
      #expect(
        counts.allSatisfy { String($0.1) == arguments[1] && (Int($0.2) ?? 0) >= 5 },
        "\(run.output)")
      // A call of a thread is not in every run the same; most are.
      let totals = run.output.matches(of: /(\d+) stops, of which (\d+) were not reached/)
      #expect(!totals.isEmpty)
      for total in totals {
        #expect((Int(total.2) ?? .max) * 3 <= Int(total.1) ?? 0, "\(run.output)")
      }
      print(run.output, terminator: "")
    }

    @Test(
      .enabled(if: canTrace, "failing a system call takes ptrace"), arguments: ["minuta", "notes"])
    func `a directory that cannot be looked at is told by whatever command meets it`(
      _ app: String
    ) throws {
      let run = try disturb("--points", "1", "--apps", app, "listings")
      #expect(run.status == 0, "\(run.errors)")
      let counts = run.output.matches(of: /listings: \w+: [a-z-]+: 1 faults at (\d+) places/)
      #expect(counts.count >= (app == "minuta" ? 27 : 25), "\(run.output)")
      #expect(counts.allSatisfy { (Int($0.1) ?? 0) > 1 }, "\(run.output)")
      let total = try #require(
        run.output.firstMatch(of: /(\d+) faults, none of which ended with status 0/))
      // A call of a thread is not in every run the same; most are.
      #expect(counts.count - (Int(total.1) ?? 0) < 5, "\(run.output)")
      #expect(run.output.contains("recover-folder: 1 directories that nobody can list"))
      print(run.output, terminator: "")
    }

    @Test(
      .enabled(if: geteuid() == 0 && canTrace, "becoming another user takes root, and ptrace"))
    func `permissions that are missing are told, and nothing is lost`() throws {
      let run = try disturb("--apps", "minuta", "permissions")
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("minuta: 14 cases as another user, 7 folders deleted"))
      print(run.output, terminator: "")
    }

    @Test(arguments: [
      "staging", "new", "replacement", "incoming", "chosen", "undoing", "undoing-chosen",
    ])
    func `a restore that is not done counts as left behind`(_ name: String) throws {
      let place = try TemporaryDirectory()
      func isClean() throws -> Bool {
        try CommandTests.run(
          URL(filePath: "/bin/sh"),
          ["-c", #"here=$0 && . "$0/disturbed-work.sh" && expect_clean "$1" now"#]
            + [BuiltCommands.packageRoot.appending(path: "bin").path, place.url.path], input: nil
        ).status == 0
      }
      let run = place.url.appending(path: ".automerge-migrate.nosync/restore/run")
      try FileManager.default.createDirectory(
        at: run.appending(path: "old"), withIntermediateDirectories: true)
      #expect(try isClean())
      try FileManager.default.createDirectory(
        at: run.appending(path: name), withIntermediateDirectories: false)
      #expect(try !isClean())
    }

    @Test func `wrong usage is told`() throws {
      #expect(try disturb("--points", "many").status == 64)
      #expect(try disturb("floods").status == 64)
      #expect(try disturb("--apps", "nobody", "kills").status == 66)
      #expect(try disturb("--help").output.hasPrefix("usage: disturb"))
    }
  }
#endif

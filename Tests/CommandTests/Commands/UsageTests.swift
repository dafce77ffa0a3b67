import Foundation
import Testing

@Suite struct UsageTests {
  @Test(arguments: BuiltCommands.names)
  func `wrong usage is status 64, says what and how, and nothing on stdout`(
    command: String
  ) throws {
    // Only these take several documents, plans or folders.
    let many = ["inspect-crdt", "migrate-schema", "report-folder", "verify-counts"]
    let tooMany = many.contains(command) ? [] : [["a", "b", "c"]]
    for arguments in [["--no-such-option"], []] + tooMany {
      let run = try run(
        BuiltCommands.directory.appending(path: command), arguments, input: nil)
      #expect(run.status == 64, "\(arguments)")
      #expect(run.output == "")
      #expect(run.errors.hasPrefix("\(command): "))
      #expect(run.errors.hasSuffix("\n  next: \(command) --help shows what it takes\n"))
    }
  }

  @Test(arguments: [
    ["import-crdt", "-"],
    ["cleanup-legacy", "x", "--apply"],
    ["cleanup-legacy", "x", "--purge"],
    ["cleanup-legacy", "x", "--older-than", "30d"],
    ["cleanup-legacy", "x", "--purge", "--older-than", "soon"],
    ["cleanup-legacy", "x", "--bring-back", "x", "--purge", "--older-than", "0d"],
    ["cleanup-legacy", "x", "--bring-back", "x", "--months-before", "2021-01"],
    ["merge-conflicts", "x", "--limit", "0"],
    ["merge-conflicts", "x", "--watch", "--dry-run"],
    ["pack-backup", "x", "--keep", "0"],
    ["pack-backup", "x", "--keep-daily", "0"],
    ["pack-backup", "x", "--keep-monthly", "0"],
    ["pack-backup", "x", "--keep-within", "0d"],
    ["pack-backup", "x", "--keep-within", "30"],
    ["pack-backup", "x", "--keep-size", "0"],
    ["pack-backup", "x", "--keep-size", "2X"],
    ["pack-backup", "x", "--keep-size", "9223372036854775807k"],
    ["pack-backup", "x", "--keep-daily", "7", "--for-support", "-o", "y"],
    ["pack-backup", "x", "--prune"],
    ["pack-backup", "x", "--list", "--prune", "--keep", "2"],
    ["restore-backup", "x"],
    ["restore-backup", "x", "--list", "--check"],
    ["verify-counts", "x", "--jobs", "0"],
    ["verify-counts", "x", "--against", "y", "--jobs", "0", "--json"],
    ["import-crdt", "x", "--lock-timeout=-1"],
    ["recover-folder", "x", "--lock-timeout=-1", "--json"],
    ["import-crdt", "x", "--layout", "weekly"],
    ["import-crdt", "x", "--numeric-dates", "minutes"],
    ["migrate-fleet", "-"],
    ["migrate-fleet", "x", "--command", "rm"],
    ["migrate-fleet", "x", "--jobs", "0"],
    ["migrate-fleet", "x", "--retries=-1"],
    ["migrate-fleet", "x", "--program", "y"],
    ["migrate-fleet", "x", "--summary", "--dry-run"],
    ["migrate-fleet", "x", "--slurm", "--halt", "now,fail=1"],
    ["migrate-fleet", "--job", "rm", "--", "x"],
  ])
  func `options that contradict each other are refused before anything is read`(
    call: [String]
  ) throws {
    let command = try #require(call.first)
    let run = try run(
      BuiltCommands.directory.appending(path: command), Array(call.dropFirst()), input: nil)
    #expect(run.status == 64)
    #expect(run.output == "")
    #expect(run.errors.contains("\n  next: "))
  }

  @Test(arguments: [
    ("sync-folder", ["--wach"], "--wach", "--watch"),
    ("verify-counts", ["--statos", "--json"], "--statos", "--status"),
    ("rollback-folder", ["Minuta", "--with-deletd"], "--with-deletd", "--with-deleted"),
    ("pack-backup", ["--keep-dayly", "3", "Minuta"], "--keep-dayly", "--keep-daily"),
    ("pack-backup", ["--keep-dayly=3", "Minuta", "Other"], "--keep-dayly", "--keep-daily"),
    ("migrate-fleet", ["--hald", "now,fail=1", "--", "--layuot"], "--hald", "--halt"),
    ("merge-conflicts", ["--no-progres"], "--no-progres", "--no-progress"),
    ("automerge-migrate", ["--hepl"], "--hepl", "--help"),
  ])
  func `a wrong option is named, with the nearest right one, whatever else is wrong`(
    command: String, arguments: [String], wrong: String, right: String
  ) throws {
    let run = try run(
      BuiltCommands.directory.appending(path: command), arguments, input: nil)
    #expect(run.status == 64)
    #expect(run.output == "")
    let told = "\(command): unknown option '\(wrong)'. Did you mean '\(right)'?\n"
    #expect(run.errors.hasPrefix(told), "\(run.errors)")
  }

  @Test(arguments: [
    ("verify-conuts", ". Did you mean 'verify-counts'?"), ("help", ""), ("verify", ""),
  ])
  func `a wrong command is named, with the nearest right one`(
    word: String, suggestion: String
  ) throws {
    let run = try run(BuiltCommands.program, word)
    #expect(run.status == 64)
    #expect(
      run.errors == "automerge-migrate: \(word): is no command\(suggestion)\n"
        + "  next: automerge-migrate --help lists the commands\n")
  }

  /// The options are those that a shell is told.
  @Test(arguments: BuiltCommands.names.filter { $0 != "bench-engine" })
  func `no option of a command is taken for a wrong one`(command: String) throws {
    let script = try run(command, "--generate-completion-script", "fish").output
    let options = script.matches(of: /[ ]-l '([a-z-]+)'/).map { "--\($0.1)" }
    #expect(options.count > 8)
    for option in Set(options).subtracting(["--help", "--version"]) {
      // The second one is missing a value, or there are no folders.
      let run = try run(
        BuiltCommands.directory.appending(path: command), [option, "--jobs"], input: nil)
      if options.contains("--jobs") {
        #expect(!run.errors.contains("nknown option"), "\(option): \(run.errors)")
      } else {
        #expect(run.errors.contains("nknown option '--jobs'"), "\(option): \(run.errors)")
      }
    }
  }

  @Test func `control characters in an argument do not reach the terminal`() throws {
    let run = try run("export-json", "--\u{1B}[2J")
    #expect(run.status == 64)
    #expect(!run.errors.contains("\u{1B}"))
  }

  @Test(arguments: [
    ["export-json"], ["import-crdt"], ["verify-counts"], ["cleanup-legacy"], ["pack-backup"],
    ["merge-conflicts"], ["inspect-crdt"], ["restore-backup", "--check"],
  ])
  func `what is not there is status 66 and named`(call: [String]) throws {
    let place = try TemporaryDirectory()
    let missing = place.url.appending(path: "nowhere").path
    let run = try run(
      BuiltCommands.directory.appending(path: call[0]), [missing] + call.dropFirst(), input: nil)
    #expect(run.status == 66)
    #expect(run.errors.hasPrefix("\(call[0]): "))
    #expect(run.errors.contains("nowhere"))
    #expect(run.output == "")
  }

  @Test(arguments: ["import-crdt", "verify-counts", "cleanup-legacy", "pack-backup"])
  func `a failure in the machine form still ends with a summary`(command: String) throws {
    let place = try TemporaryDirectory()
    let run = try run(command, place.url.appending(path: "nowhere").path, "--json")
    #expect(run.status == 66)
    let summary = try #require(run.summary)
    #expect(summary["status"] as? Int == 66)
    #expect(summary["command"] as? String == command)
    #expect(run.jsonLines.contains { $0["type"] as? String == "error" })
  }
}

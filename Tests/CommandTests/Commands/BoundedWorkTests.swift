import EngineMeasurements
import Foundation
import Testing

/// A file may be full of one thing, claim to be any size, or unfold to anything: every command ends
/// soon, takes little, and says what is the matter.
@Suite struct BoundedWorkTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
  /// In the debug build that is tested a tenth of a megabyte's worth of operations is as slow as a
  /// megabyte's is where it counts; what takes the square of it shows with less.
  private static let count = isSlow ? 20_000 : 8_000
  /// How many seconds of the processor a command gets, of which it needs a tenth: time on the wall
  /// says little where others are at work, too.
  private static let seconds = isSlow ? 30 : 8

  private static let patterns: [DoublingPattern] = [
    .conflictingSets, .deletionsFromTheEnd, .incrementOfManyCounters, .insertsBeforeOlder,
    .marksOfManyNames, .nestedMaps, .conflictingElements,
  ]

  @Test(arguments: patterns)
  func `a file full of one thing is shown, repaired and emptied in time`(
    pattern: DoublingPattern
  ) throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "a.automerge")
    try Data(pattern.changes(Self.count)).write(to: file)
    for view in [[], ["--json"], ["--conflicts"], ["--changes"], ["--check"]] {
      let run = try runInTime("inspect-crdt", view + [file.path])
      #expect(run.status == 0, "\(view) \(run.errors.prefix(300))")
    }
    let exported = try runInTime("export-json", [file.path])
    #expect([0, 1].contains(exported.status), "\(exported.status) \(exported.errors.prefix(300))")
    #expect(exported.errors.contains("more than 128 levels") == (pattern == .nestedMaps))
    for (name, options) in [("repaired", [String]()), ("emptied", ["--anonymize"])] {
      let target = folder.url.appending(path: "\(name).automerge").path
      let run = try runInTime("repair-crdt", options + [file.path, "-o", target])
      #expect([0, 1].contains(run.status), "\(name) \(run.errors.prefix(300))")
    }
  }

  private func runInTime(_ command: String, _ arguments: [String]) throws -> CommandRun {
    try run(
      URL(filePath: "/bin/sh"),
      ["-c", #"ulimit -t \#(Self.seconds); exec "$0" "$@""#]
        + [BuiltCommands.directory.appending(path: command).path] + arguments, input: nil)
  }

  @Test func `what unfolds to more than any machine has is refused by name and place`() throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "a.automerge")
    // Two million sets of one key in 55 bytes.
    let hexadecimal = """
      856f4a83915a9d36012d0003000000010100000005150634034205560570058089fa00016b80897a8089fa0001
      8089fa00008089fa0000
      """
    let digits = Array(hexadecimal.filter { !$0.isWhitespace })
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0..<$0 + 2]), radix: 16)
    }
    try #require(bytes.count == 55)
    try Data(bytes).write(to: file)
    let shown = try run("inspect-crdt", file.path)
    #expect(shown.status == 65)
    #expect(shown.errors.contains("too many operations"), "\(shown.errors)")
    #expect(shown.errors.contains("offset"), "\(shown.errors)")
    let repaired = try run(
      "repair-crdt", file.path, "-o", folder.url.appending(path: "b.automerge").path)
    #expect(repaired.status == 65 || repaired.status == 1, "\(repaired.errors)")
    #expect(repaired.output.contains("too many operations"), "\(repaired.output)")
  }

  @Test func `a file of holes is refused before room is made for it`() throws {
    let folder = try TemporaryDirectory()
    let file = folder.url.appending(path: "tags.automerge")
    try Data(DoublingPattern.keys.changes(10)).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 1 << 30)
    try handle.close()
    for (command, words) in [
      ("inspect-crdt", [file.path]), ("export-json", [file.path]),
      ("export-json", [folder.url.path]), ("verify-counts", [folder.url.path]),
      ("merge-conflicts", [folder.url.path, "-n"]), ("import-crdt", [folder.url.path, "-n"]),
      ("repair-crdt", [file.path, "-o", folder.url.appending(path: "b").path]),
      ("repair-crdt", ["--anonymize", file.path, "-o", folder.url.appending(path: "c").path]),
    ] {
      // A quarter of what the file claims to have would not fit.
      let executable = BuiltCommands.directory.appending(path: command)
      let run = try run(
        URL(filePath: "/bin/sh"),
        ["-c", #"ulimit -v 1000000; exec "$0" "$@""#, executable.path] + words,
        input: nil)
      #expect([1, 65].contains(run.status), "\(command) \(run.status) \(run.errors)")
      #expect((run.errors + run.output).contains("at most 134,217,728"), "\(command) \(run)")
    }
  }
}

import Foundation
import Testing

/// Limits of the shell a command is called from.
@Suite struct LimitTests {
  @Test func `a limit on the size of files is told with advice, and nothing is left behind`() throws
  {
    let folder = try SmallFolder()
    let before = try folder.snapshot()
    let run = try runInShell(
      #"ulimit -f 4; exec "$0" "$@""#, "pack-backup", folder.path)
    #expect(run.signal == nil && run.status == 74, "\(run.errors)")
    #expect(run.errors.contains("ulimit -f"), "\(run.errors)")
    let places = try FileManager.default.subpathsOfDirectory(atPath: folder.parent.path)
    #expect(!places.contains { $0.contains(".tmp.nosync") || $0.hasSuffix(".tar") })
    #expect(try folder.snapshot() == before)
    #expect(try CommandTests.run("pack-backup", folder.path).status == 0)
  }

  @Test(arguments: [
    "--months=9223372036854775807", "--months=-9223372036854775808", "--months=0",
    "--first-year=9223372036854775807", "--first-year=-9223372036854775808",
    "--records=9223372036854775807", "--records=-1", "--tags=9223372036854775807", "--tags=-1",
    "--image-interval=-9223372036854775808", "--months=96325",
  ])
  func `numbers that no folder can have are wrong usage`(option: String) throws {
    let place = try TemporaryDirectory()
    let run = try run("generate-folder", place.url.appending(path: "new").path, option)
    #expect(run.signal == nil && run.status == 64, "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: place.url.appending(path: "new").path))
  }

  #if os(Linux)
    /// The threads of Dispatch would be waited for, for ever.
    @Test(
      .enabled(
        if: (try? CommandTests.run(
          URL(filePath: "/usr/bin/env"), ["strace", "-qqq", "-o", "/dev/null", "true"], input: nil
        ).status) == 0, "refusing threads takes ptrace"))
    func `a system that gives no threads makes commands slower, not stuck`() throws {
      let folder = try SmallFolder()
      let calls = [
        ["import-crdt", folder.path, "--layout", "monthly", "--jobs", "4"],
        ["verify-counts", folder.path, "--jobs", "4"], ["pack-backup", folder.path],
      ]
      for call in calls {
        let run = try CommandTests.run(
          URL(filePath: "/usr/bin/env"),
          [
            "timeout", "-s", "KILL", "60", "strace", "-f", "-qqq", "-o", "/dev/null", "-e",
            "trace=clone3", "-e", "inject=clone3:error=EAGAIN",
            BuiltCommands.directory.appending(path: call[0]).path,
          ] + call.dropFirst(), input: nil)
        #expect(run.signal == nil && run.status == 0, "\(call): \(run.errors)")
      }
    }

    @Test func `a name that is no text is told as it is, with a way to give it`() throws {
      let folder = try SmallFolder()
      for command in ["verify-counts", "import-crdt", "pack-backup"] {
        let run = try runInShell(
          #"cd "$1" && mkdir -p "$(printf 'M\377')" && exec "$0" "$(printf 'M\377')""#, command,
          folder.parent.path)
        #expect(run.status == 64, "\(command): \(run.errors)")
        #expect(run.errors.contains(#"M\xff: is not valid UTF-8"#), "\(command): \(run.errors)")
        #expect(run.errors.contains("ln -s"), "\(command): \(run.errors)")
      }
      // The way that is told.
      let run = try runInShell(
        #"cd "$1" && mv "$2" "$(printf 'N\377')" && ln -s "$(printf 'N\377')" N && exec "$0" N"#,
        "import-crdt", folder.parent.path, folder.url.lastPathComponent)
      #expect(run.status == 0, "\(run.errors)")
    }
  #endif
}

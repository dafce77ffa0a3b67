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

  #if os(Linux)
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

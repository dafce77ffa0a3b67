#if os(Linux)
  import Foundation
  import Testing

  /// libarchive, which only those load who read or write archives.
  @Suite struct MissingLibraryTests {
    private static func command(_ name: String) -> String {
      BuiltCommands.directory.appending(path: name).path
    }

    @Test(arguments: ["import-crdt", "pack-backup"])
    func `no command loads it at its start`(name: String) throws {
      let run = try CommandTests.run(
        URL(filePath: "/usr/bin/env"), ["LD_TRACE_LOADED_OBJECTS=1", Self.command(name)],
        input: nil)
      #expect(run.output.contains("libz") && !run.output.contains("libarchive"), "\(run.output)")
    }

    @Test(.enabled(if: Mounts.areAvailable, "mounting takes a namespace of its own"))
    func `where it is missing the others work, and a backup says what to install`() throws {
      let folder = try SmallFolder()
      let script = """
        library=$(/sbin/ldconfig -p | sed -n 's/.*libarchive.so.13.* => //p' | head -n 1)
        mount --bind /dev/null "$(readlink -f "$library")"
        "$1/import-crdt" "$0" --quiet
        "$1/verify-counts" "$0" --quiet
        status=0
        "$1/pack-backup" "$0" --output "$0.tar" || status=$?
        ls -d "$0"*
        exit "$status"
        """
      let run = try Mounts.run(script, folder.path, BuiltCommands.directory.path)
      #expect(run.status == 69, "\(run.errors)")
      #expect(run.errors.contains("libarchive is not there"), "\(run.errors)")
      #expect(run.errors.contains("install libarchive"), "\(run.errors)")
      #expect(!run.output.contains("Minuta.tar"), "\(run.output)")
    }
  }
#endif

#if os(Linux)
  import Foundation
  import Testing

  /// Mounts that only the commands run in them see.
  enum Mounts {
    static let areAvailable: Bool = {
      let place = try? TemporaryDirectory()
      guard let path = place?.url.path else { return false }
      return (try? run(overlay, path, "true"))?.status == 0
    }()

    /// Mounts an overlay over the directory `$0`; a copy of the folder `$2` is its lower layer.
    static let overlay = """
      mount -t tmpfs tmpfs "$0" || exit 99
      mkdir "$0/lower" "$0/upper" "$0/work" "$0/merged"
      [ ! -d "${2-}" ] || cp -a "$2" "$0/lower/Minuta"
      options="lowerdir=$0/lower,upperdir=$0/upper,workdir=$0/work,userxattr"
      mount -t overlay overlay -o "$options" "$0/merged" || exit 99

      """

    static func run(_ script: String, _ words: String...) throws -> CommandRun {
      try CommandTests.run(
        URL(filePath: "/usr/bin/env"), ["unshare", "-rm", "sh", "-eu", "-c", script] + words,
        input: nil)
    }
  }

  /// Folders of which not every entry can be renamed, in file systems as they are.
  @Suite(.enabled(if: Mounts.areAvailable, "mounting takes a namespace of its own"))
  struct RestoreMountTests {
    /// What the app reads of a folder: the bytes by their paths.
    private static func content(of url: URL) throws -> [String: Data?] {
      try SmallFolder.snapshot(of: url).filter { path, _ in
        !path.hasPrefix(".automerge-migrate") && path != ".minuta.writelock.nosync"
      }.mapValues(\.bytes)
    }

    private static let restore = BuiltCommands.directory.appending(path: "restore-backup").path

    @Test func `directories of a lower layer move by their entries`() throws {
      let folder = try SmallFolder()
      let before = try Self.content(of: folder.url)
      let backup = try folder.backup()
      try folder.write("edited", to: "records/2024/01/2024-01-15_093000.json")
      try folder.write("new", to: "records/2023/01/new.json")
      let layers = try TemporaryDirectory()
      let run = try Mounts.run(
        Mounts.overlay + """
          "$1" "$3" --into "$0/merged/Minuta" --brief
          cp -a "$0/merged/Minuta" "$2.after"
          """,
        layers.url.path, Self.restore, folder.path, backup)
      #expect(run.status == 0, "\(run.errors)")
      let after = folder.parent.appending(path: "Minuta.after")
      #expect(try Self.content(of: after) == before)
      let aside = try SmallFolder.snapshot(of: after).filter { $0.key.contains("/old/") }
      #expect(aside.contains { $0.key.hasSuffix("2023/01/new.json") })
      #expect(aside.contains { $0.value.bytes == Data("edited".utf8) })
    }

    @Test func `a directory that something is mounted on keeps its place`() throws {
      let folder = try SmallFolder()
      let before = try Self.content(of: folder.url)
      let backup = try folder.backup()
      try folder.write("edited", to: "records/2024/01/2024-01-15_093000.json")
      let disk = try TemporaryDirectory()
      let run = try Mounts.run(
        """
        mount -t tmpfs tmpfs "$0"
        cp -a "$2/records/." "$0"
        mount --bind "$0" "$2/records"
        "$1" "$3" --into "$2" --brief
        cp -a "$2" "$2.after"
        """, disk.url.path, Self.restore, folder.path, backup)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        try Self.content(of: folder.parent.appending(path: "Minuta.after")) == before)
    }

    @Test(.enabled(if: geteuid() == 0, "only root marks files"))
    func `what nobody can move is found before anything moves`() throws {
      let folder = try SmallFolder()
      let backup = try folder.backup()
      try folder.write("edited", to: "notes.txt")
      try folder.write("edited", to: "tags.json")
      for options in [[], ["--only", "notes.txt", "tags.json"]] {
        let before = try Self.content(of: folder.url)
        let run = try CommandTests.run(
          URL(filePath: "/bin/sh"),
          [
            "-c",
            #"chattr +i "$1" || exit 0; shift; status=0; "$@" || status=$?; exit $status"#, "sh",
            folder.file("notes.txt").path, Self.restore, backup, "--into", folder.path,
          ] + options, input: nil)
        _ = try CommandTests.run(
          URL(filePath: "/usr/bin/env"), ["chattr", "-i", folder.file("notes.txt").path],
          input: nil)
        #expect(run.status == 77, "\(run.errors)")
        #expect(run.errors.contains("chattr -i"), "\(run.errors)")
        #expect(try Self.content(of: folder.url) == before)
        #expect(try CommandTests.run("verify-counts", folder.path, "--status").status != 75)
      }
    }
  }
#endif

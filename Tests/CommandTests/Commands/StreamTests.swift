import Foundation
import Testing

@Suite struct StreamTests {
  #if os(Linux)
    @Test(arguments: [
      ["export-json"], ["import-crdt", "-n"], ["verify-counts"], ["verify-counts", "--json"],
      ["pack-backup", "-n", "--json"],
    ])
    func `a full disk under standard output is status 74 and said`(call: [String]) throws {
      let folder = try SmallFolder()
      let run = try run(
        URL(filePath: "/bin/sh"),
        ["-c", #""$0" "$@" >/dev/full"#, BuiltCommands.directory.appending(path: call[0]).path]
          + call.dropFirst() + [folder.path], input: nil)
      #expect(run.status == 74)
      #expect(run.errors.contains("\(call[0]): standard output: no space left\n  next: "))
    }
  #endif

  /// Runs a command line whose standard output nobody reads: it waits until the reader is gone, which
  /// the reader's end of a second pipe tells it.
  private func runUnread(
    _ call: [String], ignoresSignal: Bool = false, in folder: SmallFolder
  ) throws -> CommandRun {
    let signal = ignoresSignal ? "trap '' PIPE" : ""
    return try CommandTests.run(
      URL(filePath: "/bin/sh"),
      [
        "-c",
        signal
          + #"""

          mkfifo gone
          { read -r line <gone || :; "$0" "$@"; echo "status $?" >&2; } | { exec 0<&-; : >gone; }
          """#,
      ] + call, input: nil, in: folder.parent)
  }

  @Test(
    arguments: [
      ["export-json"], ["import-crdt"], ["import-crdt", "--json"], ["import-crdt", "--dry-run"],
      ["verify-counts"], ["verify-counts", "--json"], ["verify-counts", "--status"],
      ["merge-conflicts"], ["merge-conflicts", "--watch"], ["cleanup-legacy"], ["pack-backup"],
      ["pack-backup", "--list", "--json"], ["pack-backup", "--print-path"],
      ["inspect-crdt", "--history"], ["inspect-crdt", "--sizes", "--json"],
    ], [false, true])
  func `a reader that went away is status 74 and said, whatever the signal does`(
    call: [String], ignoresSignal: Bool
  ) throws {
    let folder = try SmallFolder()
    let command = BuiltCommands.directory.appending(path: call[0]).path
    let run = try runUnread(
      [command] + call.dropFirst() + [folder.path], ignoresSignal: ignoresSignal, in: folder)
    #expect(
      run.errors.contains("\(call[0]): standard output: nobody reads it any more"), "\(run.errors)")
    #expect(run.errors.contains("status 74"), "\(run.errors)")
    if call == ["import-crdt"] {
      #expect(
        try CommandTests.run("verify-counts", folder.path).status == 0,
        "what is done to the folder is done to its end")
    }
  }

  @Test func `several documents nobody reads are one failure`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let document = folder.file("tags.automerge").path
    let command = BuiltCommands.directory.appending(path: "inspect-crdt").path
    let run = try runUnread(
      [command, "--typed"] + [String](repeating: document, count: 2_000), in: folder)
    #expect(run.errors.components(separatedBy: "nobody reads it").count == 2, "\(run.errors)")
    #expect(run.errors.contains("status 74"))
  }

  @Test(arguments: [
    ["migrate-folder"], ["migrate-folder", "--layout", "monthly", "--cleanup"], ["recover-folder"],
  ])
  func `a script nobody reads ends with the same status and leaves nothing behind`(
    call: [String]
  ) throws {
    let scripts = try InstalledScripts()
    let folder = try SmallFolder()
    let temporary = try TemporaryDirectory()
    let run = try runUnread(
      ["/usr/bin/env", "TMPDIR=\(temporary.url.path)"]
        + [scripts.directory.appending(path: call[0]).path, folder.path] + call.dropFirst(),
      in: folder)
    #expect(run.errors.contains("status 74"), "\(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path) == [])
  }

  // MARK: JSON Lines

  /// Everything goes wrong here in another way, and standard output carries data.
  @Test(arguments: [
    ["export-json", "/nowhere/at/all", "--json"], ["inspect-crdt", "/nowhere/at/all", "--json"],
    ["inspect-crdt", "/etc/hostname", "/etc/passwd", "--check", "--json"],
    ["pack-backup", "/nowhere/at/all", "--print-path", "--json"],
    ["pack-backup", "/nowhere/at/all", "--list", "--print-path", "--json"],
    ["export-json", "/nowhere/at/all", "--json", "--progress"],
  ])
  func `where the report shares its stream with the talk, all of it is JSON Lines`(
    call: [String]
  ) throws {
    let run = try run(
      BuiltCommands.directory.appending(path: call[0]), Array(call.dropFirst()), input: nil)
    let lines = run.errors.split(separator: "\n")
    #expect(run.status != 0 && lines.count >= 2)
    #expect(CommandRun.jsonLines(of: run.errors).count == lines.count, "\(run.errors)")
    let types = CommandRun.jsonLines(of: run.errors).compactMap { $0["type"] as? String }
    #expect(types.first == "error" && types.last == "summary")
  }

  @Test func `progress that is asked for stands in no JSON Lines`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let run = try run("export-json", folder.path, "--json", "--progress")
    #expect(
      CommandRun.jsonLines(of: run.errors).count == run.errors.split(separator: "\n").count)
  }

  @Test func `of several documents each line and each value names its own`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let paths = ["tags.automerge", "records/2024/01.automerge"].map { folder.file($0).path }
    for (view, member) in [("typed", "state"), ("plain", "state"), ("conflicts", "conflicts")] {
      let run = try run("inspect-crdt", "--\(view)", paths[0], paths[1])
      #expect(run.jsonLines.compactMap { $0["path"] as? String } == paths, "\(run.output)")
      #expect(run.jsonLines.allSatisfy { $0[member] != nil })
      let alone = try CommandTests.run("inspect-crdt", "--\(view)", paths[0])
      let named = try #require(run.output.split(separator: "\n").first)
      let escaped = paths[0].replacing("/", with: #"\/"#)
      #expect(
        [paths[0], escaped].map { path in
          "{\"path\":\"\(path)\",\"\(member)\":\(alone.output.dropLast())}"
        }.contains(String(named)), "what a document alone is shown as is the member")
    }
    let changes = try run("inspect-crdt", "--changes", paths[0], paths[1])
    #expect(Set(changes.jsonLines.compactMap { $0["path"] as? String }) == Set(paths))
    #expect(changes.jsonLines.allSatisfy { $0["hash"] != nil && $0["path"] != nil })
    let heads = try run("inspect-crdt", "--heads", paths[0], paths[1])
    #expect(
      heads.output.split(separator: "\n").allSatisfy { line in
        paths.contains { line.hasSuffix("  \($0)") }
      })
    let alone = try run("inspect-crdt", "--changes", paths[0])
    #expect(alone.jsonLines.allSatisfy { $0["path"] == nil })
  }

  @Test(arguments: BuiltCommands.names)
  func `a closed standard output is an error, not another file`(command: String) throws {
    let run = try runInShell(#""$0" "$@" >&-"#, command, "--help")
    #expect(run.status == 74)
    #expect(run.errors.contains("standard output"))
  }

  @Test func `a document never lands in a descriptor the caller closed`() throws {
    let folder = try SmallFolder()
    let run = try runInShell(#""$0" "$@" <&- >&- 2>&-"#, "import-crdt", folder.path)
    // The report could not be written, so the status says so; the documents are whole.
    #expect(run.status == 74)
    #expect(try CommandTests.run("verify-counts", folder.path).status == 0)
  }

  @Test func `data alone goes to standard output`() throws {
    let folder = try SmallFolder()
    let run = try run("export-json", folder.path)
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == #"{"stream":"automerge-migrate","version":1,"profile":"minuta"}"#)
    #expect(lines.last == #"{"end":true,"entities":3}"#)
    #expect(lines.count == 5)
    #expect(run.errors.contains("Exported 1 tag, 2 records"))
  }

  @Test func `quiet says nothing when nothing is wrong`() throws {
    let folder = try SmallFolder()
    let run = try run("import-crdt", folder.path, "--quiet")
    #expect(run.status == 0)
    #expect(run.output == "")
    #expect(run.errors == "")
  }

  @Test func `progress can be asked for where there is no terminal`() throws {
    let folder = try SmallFolder()
    let run = try run("import-crdt", folder.path, "--progress", "--json")
    #expect(run.status == 0)
    #expect(run.summary?["status"] as? Int == 0)
    #expect(!run.errors.contains("\u{1B}"))
  }
}

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

  @Test func `a reader that went away is status 74 where the pipe signal is ignored`() throws {
    let folder = try SmallFolder()
    // The writer waits until the reader is gone, which the reader's end of a second pipe tells it.
    let run = try runInShell(
      #"""
      trap '' PIPE
      mkfifo gone
      { read -r line <gone || :; "$0" "$@"; echo "status $?" >&2; } | { exec 0<&-; : >gone; }
      """#, "export-json", folder.path, in: folder.parent)
    #expect(run.errors.contains("export-json: standard output: nobody reads it any more"))
    #expect(run.errors.contains("status 74"))
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

import Foundation
import Testing

@Suite struct InputKindTests {
  @Test func `input of the wrong kind is missing input`() throws {
    let folder = try SmallFolder()
    let file = folder.file("notes.txt").path
    for (command, argument) in [
      ("inspect-crdt", folder.path), ("import-crdt", file), ("verify-counts", file),
      ("pack-backup", file), ("cleanup-legacy", file),
    ] {
      let run = try run(command, argument)
      #expect(run.status == 66, "\(command): \(run.errors)")
      #expect(run.errors.contains("director"), "\(command): \(run.errors)")
    }
    #expect(try run("restore-backup", folder.path, "--check").status == 66)
  }

  #if os(Linux)
    @Test func `a document comes through a pipe as from a file`() throws {
      let folder = try SmallFolder()
      #expect(try run("import-crdt", folder.path).status == 0)
      let document = folder.file("tags.automerge").path
      let expected = try run("inspect-crdt", document, "--heads").output
      let program = BuiltCommands.directory.appending(path: "inspect-crdt").path
      // As bash makes a pipe of the output of a command, and one that has a name.
      for (script, named) in [
        (#""$0" <(cat "$1") --heads"#, false),
        (#"mkfifo "$2" && { cat "$1" >"$2" & } && "$0" "$2" --heads"#, true),
      ] {
        let pipe = folder.file("pipe").path
        let run = try run(
          URL(filePath: "/bin/bash"), ["-c", script, program, document, pipe], input: nil)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == expected)
        if named { try folder.remove("pipe") }
      }
      // A link to a file is none.
      try FileManager.default.createSymbolicLink(
        atPath: folder.file("link").path, withDestinationPath: document)
      #expect(try run("inspect-crdt", folder.file("link").path).status == 66)
    }
  #endif

  @Test func `something else in the place of output is in the way`() throws {
    let folder = try SmallFolder()
    let file = folder.file("notes.txt").path
    let other = try SmallFolder()
    for arguments in [
      ["export-json", folder.path, "--to", file],
      ["pack-backup", folder.path, "--backup-dir", file],
      ["pack-backup", folder.path, "--output", other.path],
    ] {
      let run = try run(
        BuiltCommands.directory.appending(path: arguments[0]), Array(arguments.dropFirst()),
        input: nil)
      #expect(run.status == 73, "\(arguments): \(run.errors)")
    }
    // A file where a directory of the folder belongs.
    try folder.remove("records/2024")
    try folder.write("x", to: "records/2024")
    let stream = try run("export-json", other.path).output
    let run = try run("import-crdt", "-", "--into", folder.path, input: stream)
    #expect(run.status == 73, "\(run.errors)")
    #expect(try String(contentsOf: folder.file("notes.txt"), encoding: .utf8) == "keep me")
  }
}

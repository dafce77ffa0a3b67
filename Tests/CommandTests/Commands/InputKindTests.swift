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

import Foundation
import Testing

/// What `--verbose` says of decisions.
@Suite struct VerboseTests {
  /// The lines that a command says on standard error, without its name.
  private func decisions(_ command: String, _ arguments: String...) throws -> [String] {
    let silent = try run(command, arguments)
    let told = try run(command, arguments + ["-v"])
    #expect(told.status == silent.status, "\(told.errors)")
    let lines = told.errors.split(separator: "\n").map(String.init)
    return lines.map { String($0.dropFirst(command.count + 2)) }
  }

  @Test func `an import says which layout it takes and why`() throws {
    let folder = try SmallFolder()
    let none = try decisions("import-crdt", folder.path, "--dry-run")
    #expect(none.contains { $0.hasPrefix("takes the profile minuta unless what is there") })
    #expect(
      none.contains(
        "\(folder.path): gets documents in the layout monthly, because there are no documents of "
          + "records yet"))
    #expect(!none.contains { $0.contains("is locked") })
    #expect(try run("import-crdt", folder.path, "--layout", "per-record").status == 0)
    let there = try decisions("import-crdt", folder.path)
    #expect(
      there.contains(
        "\(folder.path): gets documents in the layout per-record, because the documents there have it"
      ))
    #expect(there.contains { $0.hasPrefix("\(folder.path): is locked") })
    let asked = try decisions("import-crdt", folder.path, "--layout", "monthly", "--jobs", "3")
    #expect(asked.contains("shares the work between 3 workers, as --jobs says"))
    #expect(asked.contains { $0.hasSuffix("layout monthly, as --layout says") })
  }

  #if os(Linux)
    @Test func `as many workers as a process may use processors share the work`() throws {
      let folder = try SmallFolder()
      let command = BuiltCommands.directory.appending(path: "import-crdt").path
      // The last of those that this process may use.
      let script = #"all=$(taskset -cp $$); exec taskset -c "${all##*[!0-9]}" "$@""#
      let bound = try run(
        URL(filePath: "/bin/sh"), ["-c", script, "sh", command, folder.path, "-v", "-n"],
        input: nil)
      #expect(bound.status == 0)
      #expect(bound.errors.contains("shares the work between 1 worker, for 1 processor, and never"))
    }
  #endif

  @Test func `a backup says why it is made, or is not`() throws {
    let folder = try SmallFolder()
    let place = try TemporaryDirectory()
    let options = ["--backup-dir", place.url.path]
    let first = try run("pack-backup", [folder.path, "-v", "--reuse"] + options)
    #expect(first.errors.contains("is backed up anew: no backup there may stand for another"))
    let again = try run("pack-backup", [folder.path, "-v", "--reuse"] + options)
    #expect(again.errors.contains(".tar: holds every byte of the folder: no other backup is made"))
    let anew = try run("pack-backup", [folder.path, "-v"] + options)
    #expect(anew.errors.contains("neither --reuse nor --if-older-than was given"))
  }

  @Test func `a verification says what it compares with`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let inPlace = try decisions("verify-counts", folder.path)
    #expect(
      inPlace.contains(
        "\(folder.path): is compared with legacy files, as nothing else was given"))
    let other = try SmallFolder()
    let given = try decisions("verify-counts", folder.path, "--against", other.path)
    #expect(given.contains { $0.hasSuffix("as --against says") })
  }

  @Test func `a merge says of each copy that goes why it does`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    for copy in ["tags 2.automerge", "tags (Anna's conflicted copy 2024-03-01).automerge"] {
      try FileManager.default.copyItem(
        at: folder.file("tags.automerge"), to: folder.file(copy))
    }
    let told = try decisions("merge-conflicts", folder.path, "--dry-run")
    #expect(
      told.contains {
        $0.hasPrefix("tags (Anna's conflicted copy 2024-03-01).automerge: is a copy of tags.auto")
          && $0.hasSuffix("by its name (Dropbox), and that holds all of it")
      }, "\(told)")
    #expect(told.contains { $0.hasPrefix("tags 2.automerge: is a copy of tags.automerge") })
  }

  @Test func `a clean-up says of each file that goes why it may`() throws {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let message = "may go: every entity in it is proven to be in a document"
    let looked = try decisions("cleanup-legacy", folder.path)
    #expect(looked.contains("tags.json: \(message)"), "\(looked)")
    let backup = try folder.backup()
    let relying = try decisions("cleanup-legacy", folder.path, "--backup", backup)
    #expect(relying.contains("tags.json: \(message), and the backup holds the same bytes"))
    #expect(relying.count { $0.contains("may go") } == 3, "\(relying)")
  }

  @Test func `the steps of a migration say what they decide, and nobody does who is quiet`() throws
  {
    let folder = try SmallFolder()
    let backups = try TemporaryDirectory()
    let told = try run(
      "migrate-folder", folder.path, "--backup-dir", backups.url.path, "--verbose")
    #expect(told.status == 0, "\(told.errors)")
    for said in ["import-crdt: ", "pack-backup: ", "verify-counts: "] {
      #expect(told.errors.contains(said), "\(told.errors)")
    }
    let quiet = try run("import-crdt", folder.path, "-v", "--quiet")
    #expect(quiet.errors == "")
  }

  @Test func `lines of JSON stay lines of JSON`() throws {
    let folder = try SmallFolder()
    let told = try run("export-json", folder.path, "--json", "-v")
    let lines = told.errors.split(separator: "\n")
    #expect(lines.count > 2)
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["type"] != nil, "\(line)")
    }
    #expect(lines.first?.hasPrefix(#"{"type":"notice","kind":"decision","message":"#) ?? false)
  }
}

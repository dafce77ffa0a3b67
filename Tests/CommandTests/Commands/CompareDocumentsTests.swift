import Automerge
import Foundation
import Testing

/// `inspect-crdt FILE --compare OTHER`, as a user runs it.
@Suite struct CompareDocumentsTests {
  private static let document = "records/2024/01.automerge"

  /// A migrated folder, and what another device made of one of its documents.
  private func place(
    _ change: (Document) throws -> Void
  ) throws -> (folder: SmallFolder, this: String, other: String) {
    let folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    let copy = folder.parent.appending(path: "copy.automerge")
    try editAsApp(folder.file(Self.document), copiedTo: copy, change)
    return (folder, folder.file(Self.document).path, copy.path)
  }

  @Test func `what differs is told by entity and field, with who wrote it when`() throws {
    let (folder, this, other) = try place {
      try $0.set("comment", of: SmallFolder.firstID, to: "zweite")
    }
    let text = try run("inspect-crdt", this, "--compare", other)
    #expect(text.status == 1, "\(text.errors)")
    #expect(text.errors.isEmpty)
    #expect(text.output.contains("\(this) is behind \(other) by 1 change."))
    #expect(text.output.contains("1 place differs: 1 with other values"))
    let row = try #require(text.output.split(separator: "\n").first { $0.contains("zweite") })
    #expect(row.contains("616e6e61"))
    #expect(row.contains("2026-01-06T11:46:40Z"))
    let json = try run("inspect-crdt", this, "--compare", other, "--json")
    #expect(json.status == 1)
    let difference = try #require(json.jsonLines.first)
    #expect(difference["type"] as? String == "difference")
    #expect(difference["entity"] as? String == SmallFolder.firstID)
    #expect(difference["field"] as? String == "comment")
    #expect(json.summary?["relation"] as? String == "behind")
    #expect(json.summary?["changesOnlyInOther"] as? Int == 1)
    let back = try run("inspect-crdt", other, "--compare", this, "--json")
    #expect(back.summary?["relation"] as? String == "ahead")
    withExtendedLifetime(folder) {}
  }

  @Test func `equal documents are said to be equal, one of them on standard input`() throws {
    let (folder, this, _) = try place { try $0.set("comment", of: SmallFolder.firstID, to: "x") }
    for (script, name) in [
      (#""$0" - --compare "$1" <"$1""#, "-"), (#""$0" "$1" --compare - <"$1""#, "-"),
      (#""$0" "$1" --compare "$1""#, this),
    ] {
      let run = try runInShell(script, "inspect-crdt", this)
      #expect(run.status == 0, "\(name): \(run.errors)")
      #expect(run.output.contains("have the same history"))
      #expect(run.output.contains("Both show the same"))
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `a file that is damaged, hostile, empty or missing shows nothing`() throws {
    let (folder, this, other) = try place {
      try $0.set("comment", of: SmallFolder.firstID, to: "x")
    }
    var bytes = try Data(contentsOf: URL(filePath: other))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: other))
    let empty = folder.parent.appending(path: "empty").path
    try Data().write(to: URL(filePath: empty))
    let crashers = BuiltCommands.packageRoot.appending(path: "fixtures/automerge/fuzz-crashers")
    let hostile = try FileManager.default.contentsOfDirectory(atPath: crashers.path)
      .filter { $0.hasSuffix(".automerge") }.map { crashers.appending(path: $0).path }
    #expect(hostile.count > 2)
    for damaged in [other, empty] + hostile {
      for (one, two) in [(this, damaged), (damaged, this)] {
        let run = try run("inspect-crdt", one, "--compare", two)
        #expect(run.status == 65, "\(damaged): \(run.errors)")
        #expect(run.output.isEmpty)
        #expect(run.errors.contains(damaged.split(separator: "/").last ?? ""))
      }
    }
    #expect(try run("inspect-crdt", this, "--compare", folder.path + "/none").status == 66)
  }

  @Test(arguments: [
    ["a", "b", "--compare", "c"], ["--compare", "c"], ["-", "--compare", "-"],
    ["a", "--compare", "b", "--heads"], ["a", "--compare", "b", "--at", "abcd"],
    ["a", "--compare", "b", "--sizes"],
  ])
  func `it takes two documents and no view`(arguments: [String]) throws {
    let run = try run(
      BuiltCommands.directory.appending(path: "inspect-crdt"), arguments, input: "")
    #expect(run.status == 64, "\(run.errors)")
  }
}

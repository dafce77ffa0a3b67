import Foundation
import Testing

/// `repair-crdt` as a user runs it.
@Suite struct RepairCRDTTests {
  private let folder: SmallFolder
  private let document: URL
  private let new: URL

  init() throws {
    folder = try SmallFolder()
    #expect(try run("import-crdt", folder.path).status == 0)
    document = folder.file("records/2024/01.automerge")
    new = folder.parent.appending(path: "new.automerge")
  }

  private func damage(_ body: (inout Data) -> Void) throws {
    var bytes = try Data(contentsOf: document)
    body(&bytes)
    try bytes.write(to: document)
  }

  @Test func `a sound document is salvaged with status 0`() throws {
    let repair = try run("repair-crdt", document.path, "-o", new.path)
    #expect(repair.status == 0)
    #expect(repair.errors == "")
    #expect(repair.output.contains("1 verified, 0 readable, 0 lost"))
    #expect(repair.output.contains("never merge it with other copies"))
    let before = try run("inspect-crdt", "--typed", document.path)
    let after = try run("inspect-crdt", "--typed", new.path)
    #expect(after.status == 0)
    #expect(after.output == before.output)
  }

  @Test func `a cut document ends with status 1 and says what is lost, in lines of JSON too`()
    throws
  {
    try damage { $0.removeLast(20) }
    let bytes = try Data(contentsOf: document)
    let repair = try run("repair-crdt", document.path, "-o", new.path, "--json")
    #expect(repair.status == 1)
    #expect(repair.errors == "")
    let lines = repair.jsonLines
    #expect(lines.first?["type"] as? String == "piece")
    let entities = lines.filter { $0["type"] as? String == "entity" }
    #expect(entities.map { $0["id"] as? String } == [SmallFolder.firstID])
    #expect(entities.map { $0["certainty"] as? String } == ["readable"])
    #expect(repair.summary?["readable"] as? Int == 1)
    #expect(repair.summary?["status"] as? Int == 1)
    #expect(try Data(contentsOf: document) == bytes)
    #expect(try run("inspect-crdt", "--check", new.path).status == 0)
  }

  @Test func `what holds nothing ends with status 65 and writes nothing`() throws {
    for bytes in [Data(), Data(repeating: 0, count: 100), Data("not a document".utf8)] {
      try bytes.write(to: document)
      let repair = try run("repair-crdt", document.path, "-o", new.path)
      #expect(repair.status == 65)
      #expect(repair.output == "")
      #expect(repair.errors.contains("restore-backup"))
      #expect(!FileManager.default.fileExists(atPath: new.path))
    }
  }

  @Test func `a dry run writes nothing`() throws {
    let repair = try run("repair-crdt", document.path, "-o", new.path, "-n")
    #expect(repair.status == 0)
    #expect(repair.output.contains("Would write 1 entity"))
    #expect(!FileManager.default.fileExists(atPath: new.path))
  }

  @Test func `an existing file needs --force, and the damaged one is never replaced`() throws {
    try Data("mine".utf8).write(to: new)
    #expect(try run("repair-crdt", document.path, "-o", new.path).status == 73)
    #expect(try Data(contentsOf: new) == Data("mine".utf8))
    #expect(try run("repair-crdt", document.path, "-o", new.path, "--force").status == 0)
    let bytes = try Data(contentsOf: document)
    #expect(try run("repair-crdt", document.path, "-o", document.path, "--force").status == 64)
    #expect(try Data(contentsOf: document) == bytes)
    #expect(try run("repair-crdt", folder.path + "/none", "-o", new.path).status == 66)
  }

  @Test func `a copy to show to others says nothing of what the document says`() throws {
    let repair = try run("repair-crdt", "--anonymize", document.path, "-o", new.path)
    #expect(repair.status == 0)
    #expect(repair.output.contains("with other content, 0 parts left out"))
    let tree = try run("inspect-crdt", new.path)
    #expect(tree.status == 0)
    #expect(tree.output.contains("startTime") && tree.output.contains("comment"))
    #expect(!tree.output.contains("erste") && !tree.output.contains(SmallFolder.firstID))
    try damage { $0.append(Data("the diary of somebody".utf8)) }
    let again = try run(
      "repair-crdt", "--anonymize", document.path, "-o", new.path, "--force", "--json")
    #expect(again.status == 1)
    #expect(again.jsonLines.first?["type"] as? String == "left-out")
    #expect(again.summary?["leftOut"] as? Int == 1)
  }
}

import Diagnostics
import Foundation
import SafeFiles
import Testing

@testable import Folders

@Suite struct LegacyReaderTests {
  @Test func `files of several directories are read through one reader`() throws {
    let other = "00000000-0000-4000-8000-000000000001"
    let folder = try TestFolder([
      "records/2024/01/a.json": Samples.record(),
      "records/2024/02/b.json": Samples.record(id: other),
      "tags.json": #"{"tags":[\#(Samples.tag())]}"#, "records/2024/02/c.json": "{",
    ])
    let inventory = try folder.inventory()
    var reader = LegacyReader(try folder.open(), inventory)
    var found: [String] = []
    for file in inventory.indices {
      reader.read(file)
      #expect(reader.state != nil)
      found += reader.batch.entities.map { "\(inventory.path(of: file)) \($0.identity)" }
      found += reader.batch.findings.map { "\($0.path) \($0.code)" }
    }
    #expect(
      found == [
        "records/2024/01/a.json \(Samples.recordID)", "records/2024/02/b.json \(other)",
        "records/2024/02/c.json damaged", "tags.json \(Samples.tagID)",
      ])
  }

  @Test func `a copy is read as what it is a copy of`() throws {
    let folder = try TestFolder([
      "records/2024/01/a.json": Samples.record(),
      "records/2024/01/a.json.conflict1": Samples.record(),
      "tags.json": #"{"tags":[]}"#, "tags.json.conflict1": #"{"tags":[\#(Samples.tag())]}"#,
      "tags.json.backup": "{}",
    ])
    let inventory = try folder.inventory()
    var reader = LegacyReader(try folder.open(), inventory)
    let copies: [RelativePath: EntityKind] = [
      "records/2024/01/a.json.conflict1": .record, "tags.json.conflict1": .tag,
    ]
    for (path, kind) in copies {
      let file = try #require(inventory.file(at: path))
      #expect(inventory.kind(of: file) == .other)
      reader.read(file)
      #expect(reader.batch.entities.map(\.kind) == [kind] && reader.batch.isComplete, "\(path)")
    }
    reader.read(try #require(inventory.file(at: "tags.json.backup")))
    #expect(reader.batch.entities.isEmpty && !reader.batch.isComplete)
  }

  @Test func `the bytes on disk stay at hand, escapes and mark included`() throws {
    let json = "\u{feff}" + Samples.record(#""comment":"\u00e9\n""#) + "\n"
    let folder = try TestFolder(["records/2024/01/a.json": json])
    var reader = try folder.reader()
    reader.read(0)
    #expect(Array(reader.source) == Array(json.utf8))
    #expect(reader.state?.size == Int64(json.utf8.count))
  }

  @Test func `an empty file is damaged and kept`() throws {
    let folder = try TestFolder(["records/2024/01/a.json": ""])
    var reader = try folder.reader()
    reader.read(0)
    #expect(reader.batch.codes == [.damaged] && !reader.batch.isComplete)
    #expect(try folder.inventory().count == 1)
  }

  @Test func `a file that is gone since it was listed is told, and the next one is read`() throws {
    let folder = try TestFolder([
      "records/2024/01/a.json": Samples.record(), "records/2024/01/b.json": Samples.record(),
    ])
    var reader = try folder.reader()
    try FileManager.default.removeItem(at: folder.url.appending(path: "records/2024/01/a.json"))
    reader.read(0)
    #expect(reader.batch.codes == [.changedWhileRead] && reader.state == nil)
    #expect(reader.batch.findings.first?.path == "records/2024/01/a.json")
    #expect(reader.batch.findings.first?.severity == .error)
    #expect(!reader.batch.isComplete)
    reader.read(1)
    #expect(reader.batch.entities.count == 1 && reader.batch.isComplete)
  }

  @Test func `a file swapped for a link after the listing is not followed`() throws {
    let folder = try TestFolder(["records/2024/01/a.json": Samples.record(), "x": Samples.record()])
    var reader = try folder.reader()
    try FileManager.default.removeItem(at: folder.url.appending(path: "records/2024/01/a.json"))
    try folder.link("records/2024/01/a.json", to: "../../../x")
    reader.read(0)
    #expect(reader.batch.entities.isEmpty && reader.batch.codes == [.unreadable])
  }

  @Test func `a directory swapped for a link after the listing is not followed`() throws {
    let folder = try TestFolder(["records/2024/01/a.json": Samples.record()])
    let outside = try TestFolder(["a.json": Samples.record()])
    var reader = try folder.reader()
    try FileManager.default.removeItem(at: folder.url.appending(path: "records/2024/01"))
    try folder.link("records/2024/01", to: outside.url.path)
    reader.read(0)
    #expect(reader.batch.entities.isEmpty && reader.batch.codes == [.unreadable])
  }

  @Test func `a file larger than any record is refused before it is read`() throws {
    let folder = try TestFolder(["records/2024/01/a.json": ""])
    try folder.extend("records/2024/01/a.json", to: LegacyReader.largestFile + 1)
    var reader = try folder.reader()
    reader.read(0)
    #expect(reader.batch.codes == [.damaged] && reader.state == nil)
  }

  @Test func `records of one second and one name in two places are two records`() throws {
    let other = "00000000-0000-4000-8000-000000000001"
    let folder = try TestFolder([
      "records/2024/01/2024-01-15_093000.json": Samples.record(),
      "records/2024/1/2024-01-15_093000.json": Samples.record(id: other),
      "records/2024/01/2024-01-15_093000 2.json": Samples.record(),
    ])
    let inventory = try folder.inventory()
    var reader = try folder.reader()
    var identities: [String] = []
    for file in inventory.recordFiles {
      reader.read(Int(file))
      identities += reader.batch.entities.map(\.identity.description)
    }
    #expect(inventory.recordGroups.count == 1)
    #expect(identities == [Samples.recordID, Samples.recordID, other])
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `files and directories without permission are findings, and the others are read`() throws {
    let folder = try TestFolder([
      "records/2024/01/a.json": Samples.record(), "records/2024/01/b.json": Samples.record(),
      "records/2024/02/c.json": Samples.record(),
    ])
    func setMode(_ mode: Int, _ path: String) throws {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: folder.url.appending(path: path).path)
    }
    try setMode(0, "records/2024/01/a.json")
    try setMode(0, "records/2024/02")
    let (_, unlisted) = try folder.listing()
    #expect(unlisted.map(\.code) == [.unreadable])
    #expect(unlisted.map(\.path) == ["records/2024/02"])
    var reader = try folder.reader()
    reader.read(0)
    #expect(reader.batch.codes == [.unreadable])
    reader.read(1)
    #expect(reader.batch.entities.count == 1)
    try setMode(0o700, "records/2024/02")
  }

  @Test func `a file that keeps changing is told from one that cannot be read`() {
    let changing = LegacyReader.finding(.changedWhileRead(path: "x"))
    #expect(changing.code == .changedWhileRead && changing.severity == .error)
    let missing = LegacyReader.finding(.missing(path: "x"))
    #expect(missing.code == .changedWhileRead && missing.severity == .error)
    let refused = LegacyReader.finding(.permissionDenied(path: "x", action: .read))
    #expect(refused.code == .unreadable && refused.severity == .error)
  }

  @Test func `hard links are files like any other`() throws {
    let folder = try TestFolder(["records/2024/01/a.json": Samples.record()])
    try FileManager.default.linkItem(
      at: folder.url.appending(path: "records/2024/01/a.json"),
      to: folder.url.appending(path: "records/2024/01/b.json"))
    var reader = try folder.reader()
    for file in 0..<2 {
      reader.read(file)
      #expect(reader.batch.entities.first?.identity.description == Samples.recordID)
    }
  }

  @Test func `names that differ only by case or by composition are different files`() throws {
    #if os(Linux)
      let folder = try TestFolder()
      for name in ["a", "A", "\u{e9}", "e\u{301}"] {
        try folder.write("", to: "records/2024/01/\(name).json")
      }
      #expect(try folder.inventory().recordFiles.count == 4)
    #endif
  }
}

import Diagnostics
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@Suite struct SampleFolderTests {
  private static let fixture = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "fixtures/sample-folder")

  /// The files below a directory by relative path.
  private func files(below url: URL) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
      let file = url.appending(path: path)
      let isRegular = try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
      if isRegular { found[path] = try Data(contentsOf: file) }
    }
    return found
  }

  private func generated(_ plan: SamplePlan) throws -> [String: Data] {
    var files: [String: Data] = [:]
    SampleFolder(plan).forEachFile { file in
      files[String(decoding: file.path.bytes, as: UTF8.self)] = Data(file.bytes)
    }
    return files
  }

  @Test func `the generator still makes the folder under fixtures`() throws {
    let expected = try generated(SamplePlan())
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try? FileManager.default.removeItem(at: Self.fixture)
      try FileManager.default.createDirectory(at: Self.fixture, withIntermediateDirectories: true)
      _ = try SampleFolder(SamplePlan()).write(into: Directory.open(path: Self.fixture.path))
    }
    let found = try files(below: Self.fixture)
    #expect(Set(found.keys) == Set(expected.keys))
    for (path, bytes) in expected { #expect(found[path] == bytes, "\(path)") }
  }

  @Test func `what is written is what was made up`() throws {
    let folder = try TestFolder()
    var plan = SamplePlan()
    plan.recordCount = 50
    plan.monthCount = 3
    plan.seed = 9
    let count = try SampleFolder(plan).write(into: folder.open())
    let expected = try generated(plan)
    #expect(count == expected.count)
    #expect(try files(below: folder.url) == expected)
  }

  @Test func `another seed makes another folder of the same size`() throws {
    var plan = SamplePlan()
    let first = try generated(plan)
    plan.seed = 2
    let second = try generated(plan)
    #expect(first != second)
    let isRecord = { (path: String) in path.hasPrefix("records/") && path.hasSuffix(".json") }
    #expect(first.keys.filter(isRecord).count == 300)
    #expect(second.keys.filter(isRecord).count == 300)
  }

  @Test func `a directory that holds anything is left alone`() throws {
    let folder = try TestFolder(["x": ""])
    #expect(throws: FileError.self) { try SampleFolder(SamplePlan()).write(into: folder.open()) }
    #expect(try files(below: folder.url).count == 1)
  }

  @Test(
    arguments: [
      { $0.monthCount = 0 }, { $0.recordCount = -1 }, { $0.firstYear = 1900 }, { $0.tagCount = -1 },
      { $0.firstYear = 9997 }, { $0.recordCount = 100_000_000 }, { $0.imageInterval = -1 },
    ] as [@Sendable (inout SamplePlan) -> Void])
  func `an impossible plan has a problem`(change: @Sendable (inout SamplePlan) -> Void) {
    var plan = SamplePlan()
    #expect(plan.problem == nil)
    change(&plan)
    #expect(plan.problem != nil)
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `a sample reads without errors and shows every healthy state`(seed: UInt64) throws {
    let folder = try TestFolder()
    var plan = SamplePlan()
    plan.seed = seed
    _ = try SampleFolder(plan).write(into: folder.open())
    let inventory = try folder.inventory()
    #expect(inventory.findings().allSatisfy { $0.severity == .info })
    #expect(inventory.recordFiles.count == 300 && inventory.recordGroups.count == 24)
    var reader = try folder.reader()
    reader.read(try #require(inventory.legacyFiles(of: .tags).first))
    #expect(reader.batch.findings.isEmpty && reader.batch.isComplete)
    #expect(reader.batch.entities.count == 12)
    let tags = Set(reader.batch.entities.map(\.identity))
    #expect(reader.batch.entities.contains { $0.unknownMemberCount > 0 })
    #expect(reader.batch.entities.contains { $0.node(of: .isArchived) == nil })

    var identities = tags
    var starts: Set<Int64> = []
    var states: [String: Int] = [:]
    func count(_ state: String, _ isTrue: Bool) { if isTrue { states[state, default: 0] += 1 } }
    for file in inventory.recordFiles {
      reader.read(file)
      let batch = reader.batch
      #expect(batch.findings.isEmpty && batch.isComplete)
      let record = try #require(batch.entities.first)
      identities.insert(record.identity)
      let isNew = starts.insert(record.milliseconds(of: .startTime)).inserted
      count("same second", !isNew)
      let end = record.node(of: .endTime)
      count("running", end.map { batch.tape.kind(of: $0) == .null } ?? true)
      count("no tag", record.node(of: .tagId) == nil)
      if let tag = record.node(of: .tagId), batch.tape.kind(of: tag) == .string {
        #expect(batch.tape.identity(at: tag).map(tags.contains) == true)
      }
      count("no comment", record.node(of: .comment) == nil)
      count("null comment", record.node(of: .comment).map { batch.tape.kind(of: $0) } == .null)
      count("empty comment", batch.text(of: record.node(of: .comment)) == "")
      count("unknown members", record.unknownMemberCount > 0)
      count("images", (record.imagesNode.map(batch.tape.childCount) ?? 0) > 0)
      count("no image list", record.imagesNode == nil)
      if let images = record.imagesNode {
        var image = images + 1
        while image < batch.tape.node(after: images) {
          let name = batch.tape.bytes(of: image)
          let found = inventory.image(named: name.span, of: file)
          #expect(found != nil)
          count(
            "image elsewhere",
            found.map { inventory.path(of: $0) }.map { "\($0)" }?
              .hasPrefix("images/") == true)
          image = batch.tape.node(after: image)
        }
      }
      let moment = RFC3339(milliseconds: record.milliseconds(of: .startTime))
      count(
        "other month in UTC",
        !moment.description.hasPrefix(
          try #require(inventory.month(of: file)).description))
    }
    #expect(identities.count == 312)
    #expect(states["running"] == 2)
    for state in [
      "same second", "no tag", "no comment", "null comment", "empty comment", "unknown members",
      "images", "no image list", "image elsewhere", "other month in UTC",
    ] { #expect((states[state] ?? 0) > 0, "\(state)") }
  }
}

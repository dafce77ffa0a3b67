import Diagnostics
import Folders
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct LegacyMergeTests {
  private static let base = "records/2024/01/2024-01-15_093000.json"
  private static let copy = "records/2024/01/2024-01-15_093000 (conflicted copy 2026-01-06).json"

  private func merging(_ base: String, _ copy: String) throws -> (TestFolder, MergeReport) {
    let folder = try TestFolder()
    try folder.write(base, to: Self.base)
    try folder.write(copy, to: Self.copy)
    return (folder, try folder.merging())
  }

  @Test func `fields only the copy has come in, and everything else keeps its bytes`() throws {
    let base = """
      {
        "id": "\(Legacy.id(1))",
        "startTime": "2024-01-15T09:30:00Z",
        "number": 1.50
      }

      """
    let copy = """
      {"number":1.50,"id":"\(Legacy.id(1).lowercased())","startTime":"2024-01-15T10:30:00+01:00",\
      "comment":"caf\\u00e9","extra":{"a":[1,2.0]}}
      """
    let (folder, report) = try merging(base, copy)
    #expect(report.outcomes == [Self.copy: .merged])
    #expect(report.bases[0].differences.isEmpty)
    let expected = """
      {
        "id": "\(Legacy.id(1))",
        "startTime": "2024-01-15T09:30:00Z",
        "number": 1.50,
        "comment":"caf\\u00e9",
        "extra":{"a":[1,2.0]}
      }

      """
    #expect(String(decoding: try folder.bytes(Self.base), as: UTF8.self) == expected)
    #expect(try folder.quarantined() == [Self.copy: Array(copy.utf8)])
    try folder.expectSettled()
  }

  @Test func `where both have values the base's stays and both are told`() throws {
    let (folder, report) = try merging(
      Legacy.record(1, "\"comment\":\"ours\",\"endTime\":null,\"n\":null"),
      Legacy.record(1, "\"comment\":\"theirs\",\"endTime\":\"2024-01-15T10:00:00Z\",\"n\":1"))
    #expect(report.outcomes == [Self.copy: .merged])
    #expect(
      report.bases[0].differences == [
        .init(
          identity: Legacy.id(1), field: "comment", kept: .string("ours"),
          other: .string("theirs"), source: Self.copy),
        .init(
          identity: Legacy.id(1), field: "n", kept: .null, other: .integer(1), source: Self.copy),
      ])
    #expect(
      String(decoding: try folder.bytes(Self.base), as: UTF8.self)
        == Legacy.record(
          1, "\"comment\":\"ours\",\"endTime\":\"2024-01-15T10:00:00Z\",\"n\":null"))
  }

  @Test func `a copy that says nothing new is redundant`() throws {
    let (folder, report) = try merging(
      Legacy.record(1, "\"images\":[\"a.jpg\"]"),
      Legacy.record(1, "\"images\":[\"a.jpg\"],\"comment\":null"))
    #expect(report.outcomes == [Self.copy: .redundant])
    #expect(!report.bases[0].isWritten)
    #expect(!folder.exists(Self.copy))
  }

  @Test func `another record is left alone`() throws {
    let (folder, report) = try merging(Legacy.record(1), Legacy.record(2))
    #expect(report.outcomes == [Self.copy: .twoRecords])
    #expect(folder.exists(Self.copy))
    #expect(!report.endsWithDifferences)
  }

  @Test(arguments: [
    "", "{", "[]", "{\"id\":1}", "{\"id\":\"x\",\"startTime\":\"2024-01-15T09:30:00Z\"}",
    "{\"id\":\"00000001-0000-4000-8000-000000000001\",\"startTime\":5}",
  ])
  func `what is damaged or of a wrong type takes no part`(text: String) throws {
    for (base, copy) in [(Legacy.record(1), text), (text, Legacy.record(1))] {
      let (folder, report) = try merging(base, copy)
      #expect(report.outcomes == [Self.copy: .kept])
      #expect(report.endsWithDifferences)
      #expect(try folder.bytes(Self.base) == Array(base.utf8))
      #expect(try folder.bytes(Self.copy) == Array(copy.utf8))
    }
  }

  @Test func `tags are merged by identity`() throws {
    let folder = try TestFolder()
    try folder.write(
      Legacy.tags(Legacy.tag(1), Legacy.tag(2, name: "Home")), to: "tags.json")
    try folder.write(
      Legacy.tags(
        Legacy.tag(3, name: "New"), Legacy.tag(2, name: "House", "\"isArchived\":true"),
        Legacy.tag(1, name: "Work", "\"order\":7")), to: "tags 2.json")
    let report = try folder.merging()
    #expect(report.outcomes == ["tags 2.json": .merged])
    #expect(
      report.bases[0].differences == [
        .init(
          identity: Legacy.id(2), field: "name", kept: .string("Home"), other: .string("House"),
          source: "tags 2.json")
      ])
    #expect(
      String(decoding: try folder.bytes("tags.json"), as: UTF8.self)
        == Legacy.tags(
          Legacy.tag(1, name: "Work", "\"order\":7"),
          Legacy.tag(2, name: "Home", "\"isArchived\":true"), Legacy.tag(3, name: "New")))
    try folder.expectSettled()
  }

  @Test func `a list without tags takes all of a copy`() throws {
    let folder = try TestFolder()
    try folder.write("{\"tags\": [ ]}", to: "tags.json")
    try folder.write(Legacy.tags(Legacy.tag(1), Legacy.tag(2)), to: "tags.json.conflict1")
    #expect(try folder.merging().outcomes == ["tags.json.conflict1": .merged])
    let tags = try JSONEquality.object(folder.bytes("tags.json"))["tags"] as? [[String: Any]]
    #expect(tags?.map { $0["id"] as? String } == [Legacy.id(1), Legacy.id(2)])
  }

  @Test func `a tags file with members nobody knows is kept, and so are its copies`() throws {
    let folder = try TestFolder()
    try folder.write("{\"tags\":[],\"version\":2}", to: "tags.json")
    try folder.write(Legacy.tags(Legacy.tag(1)), to: "tags 2.json")
    let before = try folder.files()
    let report = try folder.merging()
    #expect(report.outcomes == ["tags 2.json": .kept])
    #expect(report.findings.contains { $0.code == .unknownMember })
    #expect(try folder.files() == before)
  }

  @Test func `a copy without a base gets its name`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: Self.copy)
    try folder.write(Legacy.record(2), to: "records 2/2024 3/01 2/other.json")
    let report = try folder.merging()
    #expect(
      report.outcomes == [Self.copy: .adopted, "records 2/2024 3/01 2/other.json": .adopted])
    #expect(try folder.bytes(Self.base) == Array(Legacy.record(1).utf8))
    #expect(
      try folder.bytes("records/2024/01/other.json") == Array(Legacy.record(2).utf8))
    try folder.expectSettled()
  }
}

import Diagnostics
import Folders
import Testing

@testable import MigrationCore

@Suite struct ImageCopyTests {
  private static let month = "records/2024/01"
  private static let name = "\(month)/\(Legacy.id(1))_0"

  @Test func `equal images are redundant and different ones stay`() throws {
    let folder = try TestFolder()
    try folder.write([1, 2, 3], to: "\(Self.name).jpg")
    try folder.write([1, 2, 3], to: "\(Self.name) 2.jpg")
    try folder.write([1, 2, 4], to: "\(Self.name) (conflicted copy 2026-01-06).jpg")
    try folder.write([1, 2, 3], to: "records/2024/01 2/\(Legacy.id(1))_0.jpg")
    let report = try folder.merging()
    #expect(
      report.outcomes == [
        "\(Self.name) 2.jpg": .redundant,
        "\(Self.name) (conflicted copy 2026-01-06).jpg": .kept,
        "records/2024/01 2/\(Legacy.id(1))_0.jpg": .redundant,
      ])
    #expect(report.findings.map(\.code) == [.differentImage])
    #expect(try folder.quarantined().count == 2)
    try folder.expectSettled()
  }

  @Test(arguments: [false, true])
  func `an image that a record names is no copy`(isMigrated: Bool) throws {
    let folder = try TestFolder()
    try folder.write(
      Legacy.record(1, "\"images\":[\"a.jpg\",\"a (1).jpg\"]"), to: "\(Self.month)/1.json")
    if isMigrated {
      try folder.importing()
      try folder.remove("\(Self.month)/1.json")
    }
    try folder.write([1], to: "\(Self.month)/a.jpg")
    try folder.write([1], to: "\(Self.month)/a (1).jpg")
    try folder.write([1], to: "\(Self.month)/a (2).jpg")
    let report = try folder.merging()
    #expect(
      report.outcomes == [
        "\(Self.month)/a (1).jpg": .kept, "\(Self.month)/a (2).jpg": .redundant,
      ])
    #expect(folder.exists("\(Self.month)/a (1).jpg"))
  }

  @Test func `an image without a base gets its name`() throws {
    let folder = try TestFolder()
    try folder.write([1], to: "\(Self.month)/a [conflicted].jpg")
    try folder.write([2], to: "images 2/2024/01/b.jpg")
    try folder.write([3], to: "\(Self.month)/c (1).jpg")
    let report = try folder.merging()
    #expect(
      report.outcomes == [
        "\(Self.month)/a [conflicted].jpg": .adopted, "images 2/2024/01/b.jpg": .adopted,
      ])
    #expect(
      try folder.files() == [
        "\(Self.month)/a.jpg": [1], "images/2024/01/b.jpg": [2], "\(Self.month)/c (1).jpg": [3],
      ])
  }
}

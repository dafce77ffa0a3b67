import Automerge
import Foundation
import Testing

@testable import MigrationCore

/// The bytes of an update are frozen like those of an import: every version has to write them.
@Suite struct UpdateGoldenTests {
  private static let vector = "convergent/update-of-record-1-and-record-2.change"

  @Test func `the update of two records has the golden bytes`() throws {
    let folder = try TestFolder()
    let document = "records/2024/01.automerge"
    try folder.write(Fixtures.bytes("convergent/two-records.automerge"), to: document)
    for name in ["record-1", "record-2"] {
      try folder.write(
        Fixtures.bytes("convergent/\(name)-updated.json"), to: "records/2024/01/\(name).json")
    }
    #expect(try UpdateTests.update(folder).records.updated == 2)
    let state = try folder.document(document)
    let head = try #require(state.heads.first)
    let chunk = state.chunk(ofChange: try #require(state.row(ofChange: head)))
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(chunk).write(to: Fixtures.directory.appending(path: Self.vector))
    }
    #expect(try chunk == Fixtures.bytes(Self.vector))
    #expect(state.heads.count == 1)
    #expect(try folder.verifying().isSound)
  }
}

import Automerge
import Diagnostics
import Folders
import SampleFolders
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct PlainHistoryTests {
  @Test func `a plain import makes one change a document and verifies`() throws {
    let folder = try TestFolder()
    try folder.makeSample()
    let report = try folder.importing { $0.history = .plain }
    #expect(report.documents.map { $0.changesAdded } == Array(repeating: 1, count: 25))
    let verified = try folder.verifying()
    #expect(verified.findings.filter { $0.severity == .error } == [])
    #expect(verified.counts.allSatisfy { $0.equal == $0.reference && $0.proven == $0.reference })
  }

  @Test func `a plain import has the values of a convergent one`() throws {
    let plain = try TestFolder()
    try plain.makeSample()
    let convergent = try TestFolder()
    try plain.copy(to: convergent)
    try plain.importing { $0.history = .plain }
    try convergent.importing()
    for folder in [plain, convergent] { try ExportRoundTripTests.removeLegacyFiles(of: folder) }
    #expect(try plain.exporting().stream.lines == convergent.exporting().stream.lines)
  }

  @Test func `a plain import is deterministic and extends what is there`() throws {
    let folders = try (0..<2).map { _ in try TestFolder() }
    for folder in folders {
      try folder.write(Legacy.record(1, "\"z\":{\"b\":[1],\"a\":2}"), to: "records/2024/01/a.json")
      try folder.importing { $0.history = .plain }
      try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
      try folder.importing { $0.history = .plain }
      #expect(try folder.document("records/2024/01.automerge").changeCount == 2)
      #expect(try folder.verifying().isSound)
    }
    #expect(try folders[0].documents() == folders[1].documents())
  }
}

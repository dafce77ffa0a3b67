import Automerge
import Diagnostics
import FolderState
import Folders
import Runs
import SafeFiles
import SampleFolders
import Testing

@testable import MigrationCore

/// What is known of a folder's documents before anything is imported.
@Suite struct FolderIndexTests {
  @Test func `a document that is to hold more than it does is kept decoded, others are not`() throws
  {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 10 }
    try folder.importing()
    let directory = try Directory.open(path: folder.path)
    var findings: [Finding] = []
    let inventory = try FolderAccess.inventory(of: directory, noting: &findings)
    let months = inventory.indices.filter { inventory.fileClass(of: $0) == .monthDocument }
    let first = try #require(months.first)
    let index = try FolderIndex(of: directory, inventory, context: TestFolder.context()) {
      $0 == first ? 100 : 0
    }
    #expect(Array(index.growing.keys) == [first])
    let growing = try #require(index.growing[first])
    let bytes = try folder.bytes(inventory.path(of: first).description)
    #expect(growing.document.encoded() == bytes)
    #expect(growing.version.hash == ContentHash(of: bytes))
    #expect(
      try FolderIndex(of: directory, inventory, context: TestFolder.context()).growing.isEmpty)
  }

  @Test func `a document that grows is as if it had been decoded for that`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 40 }
    let later = try folder.files().filter { $0.key.hasSuffix("1.json") }
    #expect(!later.isEmpty)
    for path in later.keys { try folder.remove(path) }
    try folder.importing()
    for (path, bytes) in later { try folder.write(bytes, to: path) }
    let report = try folder.importing()
    #expect(report.records.imported == later.count)
    #expect(try folder.verifying().findings.filter { $0.severity == .error } == [])
    for (path, bytes) in try folder.documents() {
      #expect(try DocumentState(loading: bytes).encoded() == bytes, "\(path)")
    }
  }
}

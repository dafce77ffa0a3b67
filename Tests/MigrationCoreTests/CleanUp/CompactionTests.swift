import Automerge
import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// Documents in fewer bytes, with all of their history.
@Suite struct CompactionTests {
  /// A folder whose documents of months hold everything twice, as a save and what was appended to it.
  static func loose() throws -> (folder: TestFolder, documents: [String: [UInt8]]) {
    let folder = try TestFolder()
    try folder.makeSample {
      $0.recordCount = 30
      $0.monthCount = 3
    }
    try folder.importing()
    for (path, bytes) in try folder.files() where path.hasPrefix("records/") {
      guard path.hasSuffix(".automerge") else { continue }
      try Data(bytes + bytes).write(to: URL(filePath: folder.path + "/" + path))
    }
    return (folder, try documents(of: folder))
  }

  private static func documents(of folder: TestFolder) throws -> [String: [UInt8]] {
    try folder.files().filter { $0.key.hasSuffix(".automerge") }
  }

  private func compact(
    _ folder: TestFolder, faults: (any FileOperations)? = nil, isDryRun: Bool = false
  ) throws -> CompactionReport {
    let workflow = CompactionWorkflow(folder: folder.path, context: folder.context(faults: faults))
    return try isDryRun ? workflow.plan() : workflow.perform()
  }

  /// Whether two files are the same document: its changes, in whatever order, and its values.
  private func expectSame(_ one: [UInt8], _ other: [UInt8], _ comment: Comment? = nil) throws {
    let (one, other) = (
      try DocumentState(loading: one), try DocumentState(loading: other)
    )
    #expect(Set(one.allHashes) == Set(other.allHashes), comment)
    #expect(one.heads == other.heads, comment)
    #expect(Set(one.queuedHashes) == Set(other.queuedHashes), comment)
  }

  @Test func `documents get shorter and keep every change, once`() throws {
    let (folder, before) = try Self.loose()
    let plan = try compact(folder, isDryRun: true)
    #expect(try Self.documents(of: folder) == before)
    let report = try compact(folder)
    #expect(report.documents == plan.documents)
    #expect(report.documents.count == 3)
    #expect(report.documentCount == 4)
    #expect(report.findings.isEmpty)
    let after = try Self.documents(of: folder)
    for (path, bytes) in before {
      let now = try #require(after[path])
      try expectSame(bytes, now)
      #expect(path == "tags.automerge" ? now == bytes : now.count < bytes.count)
    }
    #expect(try folder.verifying().isSound)
    let files = try folder.files(includingState: true)
    #expect(try compact(folder).documents.isEmpty)
    #expect(try folder.files(includingState: true) == files)
  }

  @Test func `a document without compression is packed`() throws {
    let (folder, _) = try Self.loose()
    let documents = try Self.documents(of: folder)
    let name = try #require(documents.keys.sorted().first { $0.hasPrefix("records/") })
    let bytes = try #require(documents[name])
    let document = try DocumentState(loading: bytes)
    let flat = document.encoded(compressionLevel: nil)
    #expect(try !DocumentState.isPacked(flat))
    #expect(try DocumentState.isPacked(document.encoded()))
    try Data(flat).write(to: URL(filePath: folder.path + "/" + name))
    #expect(try compact(folder).documents.contains { $0.path == name })
    let packed = try folder.files()
    try expectSame(flat, try #require(packed[name]))
  }

  @Test func `changes that wait for others stay`() throws {
    let (folder, before) = try Self.loose()
    let name = try #require(before.keys.sorted().first { $0.hasPrefix("records/") })
    // A change that builds on one that is not there.
    let other = Document()
    try other.put(obj: .ROOT, key: "a", value: .Int(1))
    let first = other.save()
    try other.put(obj: .ROOT, key: "b", value: .Int(2))
    let waiting = try other.encodeChangesSince(heads: Document(first).heads())
    var bytes = try #require(before[name])
    bytes += waiting
    try Data(bytes).write(to: URL(filePath: folder.path + "/" + name))
    #expect(try DocumentState(loading: bytes).queuedHashes.count == 1)
    #expect(try compact(folder).documents.count == 3)
    let after = try folder.files()
    try expectSame(bytes, try #require(after[name]))
  }

  @Test func `a result with a change more or less, also one that waits, is not accepted`() throws {
    let other = Document()
    var chunks: [[UInt8]] = []
    for key in ["a", "b", "c"] {
      let heads = other.heads()
      try other.put(obj: .ROOT, key: key, value: .String(key))
      chunks.append(
        Array(chunks.isEmpty ? other.save() : try other.encodeChangesSince(heads: heads)))
    }
    func document(_ numbers: Int...) throws -> DocumentState {
      try DocumentState(loading: numbers.flatMap { chunks[$0] })
    }
    let (one, two) = (try document(0), try document(0, 1))
    let (waiting, all) = (try document(0, 2), try document(0, 1, 2))
    #expect(waiting.queuedHashes.count == 1)
    for (index, document) in [one, two, waiting, all].enumerated() {
      let file = document.encoded()
      let compacted = try #require(CompactDocument(of: document, in: file + file))
      #expect(compacted.defect == nil)
      for (number, result) in [one, two, waiting, all].enumerated() {
        #expect(
          (compacted.defect(of: result) == nil) == (index == number),
          Comment("\(index) as \(number)"))
      }
    }
  }

  @Test func `a document that does not load is told and stays`() throws {
    let (folder, before) = try Self.loose()
    let name = try #require(before.keys.sorted().first { $0.hasPrefix("records/") })
    var bytes = try #require(before[name])
    bytes[bytes.count - 9] ^= 1
    try Data(bytes).write(to: URL(filePath: folder.path + "/" + name))
    let report = try compact(folder)
    #expect(report.findings.map(\.code) == [.damagedDocument])
    #expect(report.endsWithDifferences)
    #expect(report.documents.count == 2)
    #expect(try folder.files()[name] == bytes)
  }

  @Test func `a document that is packed already and damaged is told, too`() throws {
    let (folder, before) = try Self.loose()
    var bytes = try #require(before["tags.automerge"])
    #expect(try DocumentState.isPacked(bytes))
    bytes[bytes.count - 9] ^= 1
    try Data(bytes).write(to: URL(filePath: folder.path + "/tags.automerge"))
    let report = try compact(folder)
    #expect(report.findings.map(\.code) == [.damagedDocument])
    #expect(report.findings.map(\.path) == ["tags.automerge"])
    #expect(report.documentCount == 3 && report.documents.count == 3)
  }

  @Test func `whatever call fails or is the last one, each document is old or new`() throws {
    for fault in [FaultPlan.Fault.stop, .failure(ENOSPC), .failure(EIO)] {
      for call in 1... {
        let (folder, before) = try Self.loose()
        let faults = FaultPlan(atCall: call, fault)
        // What it throws is not of interest here.
        _ = try? compact(folder, faults: faults)
        for (path, bytes) in try Self.documents(of: folder) {
          try expectSame(bytes, try #require(before[path]), "call \(call): \(path)")
        }
        guard faults.hasFired else { break }
        #expect(!(try compact(folder).endsWithDifferences), "call \(call)")
        let names = try folder.files(includingState: true).keys
        #expect(!names.contains { $0.hasSuffix(".tmp.nosync") }, "call \(call)")
        #expect(try compact(folder, isDryRun: true).documents.isEmpty, "call \(call)")
      }
    }
  }
}

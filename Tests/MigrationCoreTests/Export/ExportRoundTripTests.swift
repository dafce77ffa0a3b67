import Automerge
import Diagnostics
import Folders
import Foundation
import SampleFolders
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct ExportRoundTripTests {
  /// Moves the legacy files of a folder elsewhere, so that only documents speak.
  static func removeLegacyFiles(of folder: TestFolder) throws {
    for name in try folder.files().keys where name.hasSuffix(".json") { try folder.remove(name) }
  }

  @Test func `legacy files exported from documents equal the original member by member`() throws {
    let folder = try TestFolder()
    try folder.makeSample()
    let original = try folder.files()
    try folder.importing()
    try Self.removeLegacyFiles(of: folder)
    let target = folder.beside("out")
    let report = try folder.exporting(to: target)
    #expect(report.records == 300)
    #expect(report.tags == 12)

    var records: [String: [String: Any]] = [:]
    for url in try Self.jsonFiles(target) {
      let object = try JSONEquality.object([UInt8](try Data(contentsOf: url)))
      guard url.lastPathComponent != "tags.json" else { continue }
      records[object["id"] as? String ?? ""] = object
    }
    var compared = 0
    for (name, bytes) in original where name.hasSuffix(".json") && name != "tags.json" {
      let object = JSONEquality.normalized(try JSONEquality.object(bytes), isRecord: true)
      let exported = try #require(records[object["id"] as? String ?? ""])
      #expect(JSONEquality.isEqual(object, exported), "\(name): \(object) is not \(exported)")
      compared += 1
    }
    #expect(compared == 300)

    let tags = try JSONEquality.object(
      [UInt8](Data(contentsOf: URL(filePath: target + "/tags.json"))))
    let exportedTags = try #require(tags["tags"] as? [[String: Any]])
    let originalTags = try #require(
      try JSONEquality.object(original["tags.json"] ?? [])["tags"] as? [[String: Any]])
    for tag in originalTags {
      let tag = JSONEquality.normalized(tag, isRecord: false)
      let exported = try #require(
        exportedTags.first { $0["id"] as? String == tag["id"] as? String })
      #expect(JSONEquality.isEqual(tag, exported))
    }
  }

  static func jsonFiles(_ directory: String) throws -> [URL] {
    let enumerator = FileManager.default.enumerator(
      at: URL(filePath: directory), includingPropertiesForKeys: nil)
    var urls: [URL] = []
    while let url = enumerator?.nextObject() as? URL {
      if url.pathExtension == "json" { urls.append(url) }
    }
    return urls
  }

  @Test func `exporting and importing a stream gives the documents of an import in place`() throws {
    let folder = try TestFolder()
    try folder.makeSample()
    let (stream, _) = try folder.exporting()
    let other = try TestFolder("Other")
    try other.importing(stream)
    try folder.importing()
    #expect(try other.documents() == folder.documents())
  }

  @Test func `a stream of documents imports to the same heads`() throws {
    let folder = try TestFolder()
    try folder.makeSample()
    try folder.importing()
    let (stream, _) = try folder.exporting()
    let other = try TestFolder("Other")
    try other.importing(stream)
    for (name, bytes) in try folder.documents() {
      let here = try DocumentState(loading: bytes)
      let there = try other.document(name)
      // Null where the legacy file said null or nothing; both come back absent, which is Null again.
      #expect(here.heads == there.heads, "\(name)")
    }
  }

  @Test func `a stream survives its own verification`() throws {
    let folder = try TestFolder()
    try folder.makeSample()
    try folder.importing()
    let (stream, _) = try folder.exporting()
    let report = try folder.verifying(against: .stream(try stream.source()))
    #expect(report.findings.filter { $0.severity == .error } == [])
    #expect(report.counts.map(\.reference).reduce(0, +) == 312)
    #expect(report.counts.allSatisfy { $0.isEqual })
    #expect(report.isSound)
  }

  @Test func `a stream cut off before its last line publishes nothing`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 20 }
    let (stream, _) = try folder.exporting()
    for count in [0, 1, 5, stream.lines.count - 1] {
      let cut = try TestStream(
        Array((stream.lines.prefix(count).joined(separator: "\n") + "\n").utf8))
      let other = try TestFolder("Other")
      #expect { _ = try other.importing(cut) } throws: { error in
        (error as? MigrationError)?.diagnostic.kind == .damagedInput
      }
      #expect(try other.files(includingState: true).isEmpty)
    }
  }

  @Test func `values that JSON cannot show keep their types through a stream`() throws {
    let lines = [
      #"{"stream":"automerge-migrate","version":1,"profile":"minuta"}"#,
      #"{"kind":"record","id":"\#(Legacy.id(1))","place":"records/2024/01/2024-01-15_093000","fields":{"#
        + #""startTime":"2024-01-15T09:30:00Z","comment":"héllo","images":[],"#
        + #""b":"AQID","c":5,"d":"2024-01-01T00:00:00.001Z","e":7,"f":"NaN","g":"AAE=","#
        + #""n":[{"x/y":"2024-01-01T00:00:00Z"}]},"#
        + #""types":{"/comment":"text","/b":"bytes","/c":"counter","/d":"timestamp","/e":"uint","#
        + #""/f":"f64","/g":"unknown:12","/n/0/x~1y":"timestamp"}}"#,
      #"{"end":true,"entities":1}"#,
    ]
    let folder = try TestFolder()
    let report = try folder.importing(
      TestStream(Array((lines.joined(separator: "\n") + "\n").utf8)))
    #expect(report.findings.filter { $0.severity == .error } == [])
    let (stream, _) = try folder.exporting()
    #expect(stream.lines == lines)
  }

  @Test func `what is nested too deep for its readers is left out and told`() throws {
    let deepest = String(repeating: "[", count: 127) + String(repeating: "]", count: 127)
    let lines = [
      #"{"stream":"automerge-migrate","version":1,"profile":"minuta"}"#,
      #"{"kind":"tag","id":"\#(Legacy.id(1))","place":"tags","fields":{"#
        + #""name":"Work","color":"black","createdAt":"2023-01-01T08:00:00Z","deep":\#(deepest)}}"#,
      #"{"end":true,"entities":1}"#,
    ]
    let folder = try TestFolder()
    try folder.importing(TestStream(Array((lines.joined(separator: "\n") + "\n").utf8)))
    let (stream, streamed) = try folder.exporting()
    #expect(streamed.findings == [])
    #expect(stream.lines == lines)
    // In a file of tags it would lie two levels deeper.
    let target = folder.beside("out")
    let written = try folder.exporting(to: target)
    #expect(written.findings.map(\.code) == [.notExported])
    #expect(written.findings.map(\.severity) == [.error])
    #expect(written.findings[0].message.contains("/deep is not exported: it is nested more than"))
    let tags = try JSONEquality.object(
      [UInt8](Data(contentsOf: URL(filePath: target + "/tags.json"))))
    let tag = try #require((tags["tags"] as? [[String: Any]])?.first)
    #expect(Set(tag.keys) == ["id", "name", "color", "createdAt"])
  }

  /// A stream says the type of each value with the whole path to it.
  @Test func `a long key in front of many types is left out and told`() throws {
    let document = Document()
    let tag = try document.putObject(obj: .ROOT, key: Legacy.id(1), ty: .Map)
    try document.put(obj: tag, key: "name", value: .String("Work"))
    let long = String(repeating: "k", count: 100_000)
    let list = try document.putObject(obj: tag, key: long, ty: .List)
    for index in 0..<200 as Range<UInt64> {
      try document.insert(obj: list, index: index, value: .Counter(1))
    }
    let folder = try TestFolder()
    try folder.write([UInt8](document.save()), to: "tags.automerge")
    let (stream, report) = try folder.exporting()
    let errors = report.findings.filter { $0.code == .notExported }
    #expect(errors.map(\.severity) == [.error])
    #expect(errors.allSatisfy { $0.message.contains("typed values take more than 16 MiB") })
    #expect(stream.lines.allSatisfy { $0.utf8.count < 1_000 })
    #expect(stream.lines.contains { $0.contains(#""name":"Work""#) })
  }

  @Test func `an export never replaces a file with other bytes`() throws {
    let folder = try TestFolder()
    try folder.makeSample { $0.recordCount = 10 }
    try folder.importing()
    try Self.removeLegacyFiles(of: folder)
    let out = try TestFolder("out")
    let first = try folder.exporting(to: out.path)
    let again = try folder.exporting(to: out.path)
    #expect(again.filesCreated == 0)
    #expect(again.filesUnchanged == first.filesCreated)
    try out.write("{}", to: "tags.json")
    let before = try out.files()
    #expect { try folder.exporting(to: out.path) } throws: { error in
      (error as? MigrationError)?.diagnostic.kind == .cannotCreate
    }
    #expect(try out.files() == before)
  }

  @Test func `a legacy file that no document knows is exported from JSON, a deleted one is not`()
    throws
  {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    try folder.edit("records/2024/01.automerge", actor: 7) {
      try $0.delete(ImportWorkflowTests.first)
    }
    try folder.write(Legacy.record(2, "\"n\":1e2"), to: "records/2024/01/b.json")
    let (stream, report) = try folder.exporting()
    #expect(report.records == 1)
    #expect(stream.lines.dropFirst().first?.contains(Legacy.id(2)) == true)
    #expect(stream.text.contains("1e2"))
  }

  @Test func `one document is exported by itself`() throws {
    let folder = try TestFolder()
    try folder.makeSample {
      $0.recordCount = 12; $0.monthCount = 1
    }
    try folder.importing()
    let stream = try TestStream([])
    let report = try ExportWorkflow(
      ExportOptions(
        source: folder.path + "/records/2023/01.automerge", destination: .stream(stream.sink)),
      context: TestFolder.context()
    ).perform()
    #expect(report.records == 12)
    let other = try TestFolder("Other")
    try other.importing(stream)
    #expect(try other.verifying(against: .folder(path: folder.path)).counts.last?.equal == 12)
  }
}

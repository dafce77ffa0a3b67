import Automerge
import Diagnostics
import Folders
import Foundation
import SafeFiles
import SampleFolders
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// The edge cases that concern an import as a whole.
@Suite struct ImportEdgeCaseTests {
  static let document = "records/2024/01.automerge"

  // MARK: Fields of other versions

  @Test func `fields that the schema does not name are carried, and told once each`() throws {
    let folder = try TestFolder()
    try folder.write(
      Legacy.record(1, "\"place\":\"Graz\",\"mood\":1"), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(2, "\"place\":null"), to: "records/2024/02/b.json")
    let report = try folder.importing()
    let told = report.findings.filter { $0.code == .unknownField }
    #expect(told.map(\.severity) == [.info, .info])
    #expect(
      told.map { $0.message.split(separator: ",").first.map(String.init) } == [
        "1 record with the field \"mood\"", "2 records with the field \"place\"",
      ])
    #expect(try folder.verifying().isSound)
    // They are in the documents now.
    #expect(try !folder.importing().findings.map(\.code).contains(.unknownField))
  }

  @Test func `of very many unknown fields the first are told by their names`() throws {
    let folder = try TestFolder()
    for number in 1...3 {
      let fields = (0..<50).map { "\"field\(number)-\($0)\":0" }.joined(separator: ",")
      try folder.write(Legacy.record(number, fields), to: "records/2024/0\(number)/a.json")
    }
    let told = try folder.importing().findings.filter { $0.code == .unknownField }
    #expect(told.count == 65)
    #expect(told.contains { $0.message.hasPrefix("86 values of further fields") })
  }

  // MARK: One identity, several files

  @Test func `equal files of one identity are one record`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1, "\"comment\":\"a\""), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(1, " \"comment\" : \"a\""), to: "records/2024/01/a 2.json")
    let single = try TestFolder()
    try single.write(Legacy.record(1, "\"comment\":\"a\""), to: "records/2024/01/a.json")
    let report = try folder.importing()
    try single.importing()
    #expect(report.records.imported == 1)
    #expect(report.records.duplicates == 1)
    #expect(report.records.read == 2)
    #expect(report.findings.map(\.code).contains(.duplicateEntity))
    #expect(!report.endsWithDifferences)
    #expect(try folder.documents() == single.documents())
    #expect(try folder.verifying().isSound)
  }

  @Test func `different files of one identity become conflicting values, and neither is lost`()
    throws
  {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1, "\"comment\":\"a\""), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(1, "\"comment\":\"b\""), to: "records/2024/01/b.json")
    let report = try folder.importing()
    #expect(report.endsWithDifferences)
    #expect(report.findings.filter { $0.code == .duplicateID }.map(\.severity) == [.error])
    let state = try folder.document(Self.document)
    let map = try #require(DocumentRoot(state).entities.first?.map)
    let group = try #require(state.group(of: map, key: Array("comment".utf8)))
    let values = state.values(in: group).compactMap { value -> String? in
      guard case .scalar(let place) = value.content else { return nil }
      return String(decoding: state.pool[place.range], as: UTF8.self)
    }
    #expect(Set(values) == ["a", "b"])
    // Both are in the history, so both files are proven.
    let verified = try folder.verifying()
    #expect(verified.counts.first.map { [$0.reference, $0.documents, $0.proven] } == [1, 1, 1])
    #expect(verified.isSound)
    let told = verified.findings.filter { $0.code == .duplicateID }
    #expect(told.map(\.severity) == [.warning])
    #expect(!verified.findings.map(\.code).contains(.editedSince))
    // Nothing was touched, so the next import has nothing to complain about, and says the same.
    let again = try folder.importing()
    #expect(!again.endsWithDifferences)
    #expect(again.findings.filter { $0.code == .duplicateID } == told)
  }

  @Test func `one identity in two months belongs to the month of the first path`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1, "\"comment\":\"late\""), to: "records/2024/03/a.json")
    try folder.write(Legacy.record(1, "\"comment\":\"early\""), to: "records/2024/01/z.json")
    try folder.write(Legacy.record(2), to: "records/2024/03/b.json")
    let report = try folder.importing()
    #expect(report.records.read == 3)
    #expect(report.records.imported == 3)
    #expect(
      DocumentRoot(try folder.document(Self.document)).entities.map(\.identity)
        == [ImportWorkflowTests.first])
    #expect(
      DocumentRoot(try folder.document("records/2024/03.automerge")).entities.map(\.identity)
        == [ImportWorkflowTests.second])
    let verified = try folder.verifying()
    #expect(verified.findings.filter { $0.severity == .error } == [])
    #expect(verified.counts.map(\.proven).reduce(0, +) == 3)
    let before = try folder.documents()
    try folder.importing()
    #expect(try folder.documents() == before)
  }

  @Test func `a month that only repeats another gets no document`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(1), to: "records/2024/02/a.json")
    try folder.importing()
    #expect(try folder.documents().keys.sorted() == [Self.document])
    #expect(try folder.verifying().isSound)
  }

  @Test func `a tag and a record of one UUID are two entities`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.tags(Legacy.tag(1)), to: "tags.json")
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    let report = try folder.importing()
    #expect(report.tags.imported == 1)
    #expect(report.records.imported == 1)
    #expect(try folder.verifying().isSound)
  }

  // MARK: Names and layouts

  @Test func `records of one second keep separate documents`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/2024-01-15_093000.json")
    try folder.write(Legacy.record(2), to: "records 2/2024/01/2024-01-15_093000.json")
    try folder.importing { $0.layout = .perRecord }
    #expect(
      try folder.documents().keys.sorted() == [
        "records/2024/01/2024-01-15_093000.automerge",
        "records/2024/01/2024-01-15_093000_00000001.automerge",
      ])
    let before = try folder.documents()
    let again = try folder.importing()
    #expect(try folder.documents() == before)
    #expect(again.layout == .perRecord)
    #expect(try folder.verifying().isSound)
  }

  /// Names of legacy files whose documents' names would be longer than 255 bytes, and one whose would not.
  @Test(arguments: [245, 246, 250])
  func `a record with a very long name gets a document all the same`(_ length: Int) throws {
    let folder = try TestFolder()
    let tail = length % 2 == 0 ? "" : "x"
    let name = String(repeating: "\u{fc}", count: length / 2) + tail
    try folder.write(Legacy.record(1), to: "records/2024/01/\(name).json")
    try folder.importing { $0.layout = .perRecord }
    let path = try #require(folder.documents().keys.first)
    let shown = length > 245 ? "\(name.prefix(117))_00000001" : name
    #expect(path == "records/2024/01/\(shown).automerge")
    #expect(try folder.importing().records.known == 1)
    #expect(try folder.verifying().isSound)
    try folder.write("x", to: path)
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    let report = try folder.importing()
    #expect(report.records.waiting == 1)
    #expect(report.records.imported == 1)
  }

  @Test func `the per-record layout holds the changes of the monthly one`() throws {
    let monthly = try TestFolder()
    try monthly.makeSample { $0.recordCount = 30 }
    let single = try TestFolder()
    try monthly.copy(to: single)
    try monthly.importing()
    try single.importing { $0.layout = .perRecord }
    var merged: [String: DocumentState] = [:]
    for (name, bytes) in try single.documents() {
      let state = try DocumentState(loading: bytes)
      let month = name == "tags.automerge" ? name : String(name.prefix(15)) + ".automerge"
      merged[month] = try merged[month].map { try $0.merging(state) } ?? state
    }
    for (name, bytes) in try monthly.documents() {
      let state = try DocumentState(loading: bytes)
      for entity in DocumentRoot(state).entities {
        let other = try #require(merged[name])
        #expect(DocumentRoot(other).entities.contains { $0.identity == entity.identity })
      }
    }
    #expect(try single.verifying().isSound)
  }

  @Test func `entities known in another layout are known`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing { $0.layout = .perRecord }
    let before = try folder.documents()
    let report = try folder.importing { $0.layout = .monthly }
    #expect(report.records.known == 1)
    #expect(try folder.documents() == before)
  }

  @Test func `a document that is itself a record is known by its id`() throws {
    let folder = try TestFolder()
    try folder.write(
      Legacy.record(1, "\"comment\":\"x\""), to: "records/2024/01/a.json")
    var draft = ChangeDraft()
    draft.begin(sequence: 1, startCounter: 1, dependencies: [])
    let fields = [("comment", "x"), ("id", Legacy.id(1).lowercased())]
    for (name, value) in fields {
      draft.set(.string, Array(value.utf8).span, in: .root, key: Array(name.utf8).span)
    }
    draft.makeObject(.list, in: .root, key: Array("images".utf8).span)
    draft.set(.timestamp(1_705_311_000_000), in: .root, key: Array("startTime".utf8).span)
    draft.finish(author: ActorId(bytes: [1, 2, 3]))
    var batch = ChangeBatch()
    batch.append(draft)
    var state = DocumentState()
    try state.apply(batch)
    try folder.write(state.encoded(), to: "records/2024/01/2024-01-15_093000.automerge")
    let report = try folder.importing()
    #expect(report.records.known == 1)
    let verified = try folder.verifying()
    #expect(verified.isSound)
    #expect(verified.counts.first?.equal == 1)
    try ExportRoundTripTests.removeLegacyFiles(of: folder)
    let (stream, _) = try folder.exporting()
    #expect(stream.lines[1].contains("records/2024/01/2024-01-15_093000"))
    #expect(!stream.lines[1].contains("\"fields\":{\"id\""))
  }

  @Test func `a record known only to a conflict copy is not imported again`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    try folder.write(folder.bytes(Self.document), to: "records/2024/01 (1).automerge")
    try folder.remove(Self.document)
    let report = try folder.importing()
    #expect(report.records.known == 1)
    #expect(!folder.exists(Self.document))
  }

  // MARK: Documents that cannot be read

  @Test(arguments: ["", "garbage", "\u{85}oJ"])
  func `a damaged document is kept, its month waits, the others go on`(_ text: String) throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(2), to: "records/2024/02/b.json")
    try folder.write(text, to: Self.document)
    let report = try folder.importing()
    #expect(report.endsWithDifferences)
    #expect(report.records.waiting == 1)
    #expect(report.records.imported == 1)
    #expect(try folder.bytes(Self.document) == Array(text.utf8))
    #expect(folder.exists("records/2024/02.automerge"))
    #expect(report.findings.contains { $0.code == .damagedDocument && $0.offset != nil })
  }

  @Test func `a placeholder of a document makes its month wait`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write(Legacy.tags(Legacy.tag(1)), to: "tags.json")
    try folder.write("x", to: "records/2024/.01.automerge.icloud")
    try folder.write("x", to: ".tags.automerge.icloud")
    let report = try folder.importing()
    #expect(report.records.waiting == 1)
    #expect(report.tags.waiting == 1)
    #expect(try folder.documents().isEmpty)
  }

  @Test func `a damaged document of one record blocks only that record`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    try folder.write("x", to: "records/2024/01/a.automerge")
    let report = try folder.importing()
    #expect(report.records.waiting == 1)
    #expect(report.records.imported == 1)
  }

  // MARK: Legacy files

  @Test func `a bad record is told with its offset, the others are imported`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write("{\"id\":\"\(Legacy.id(2))\"", to: "records/2024/01/cut.json")
    try folder.write("", to: "records/2024/01/empty.json")
    try folder.write("{\"startTime\":\"2024-01-01T00:00:00Z\"}", to: "records/2024/01/no-id.json")
    try folder.write(
      "{\"id\":\"\(Legacy.id(3))\",\"startTime\":725846400}", to: "records/2024/01/number.json")
    let report = try folder.importing()
    #expect(report.records.read == 5)
    #expect(report.records.imported == 1)
    #expect(report.records.rejected == 4)
    #expect(
      Set(report.findings.filter { $0.severity == .error }.map(\.path)) == [
        "records/2024/01/cut.json", "records/2024/01/empty.json", "records/2024/01/no-id.json",
        "records/2024/01/number.json",
      ])
    let again = try folder.importing { $0.numericDates = .reference }
    #expect(again.records.imported == 1)
  }

  @Test func `a bare array of tags and a byte order mark are accepted`() throws {
    let folder = try TestFolder()
    try folder.write(
      [0xef, 0xbb, 0xbf] + Array("[\(Legacy.tag(1)),\(Legacy.tag(2))]".utf8), to: "tags.json")
    let report = try folder.importing()
    #expect(report.tags.imported == 2)
    #expect(report.findings.map(\.code) == [.bareTagArray])
  }

  @Test func `files of others, links and stray files are left alone`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write("x", to: "records/2024/01/.DS_Store")
    try folder.write("{}", to: "settings.json")
    try folder.write("%PDF", to: "records/2024/invoice.pdf")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/records/2024/01/link.json", withDestinationPath: "/etc/passwd")
    let before = try folder.files()
    let report = try folder.importing()
    #expect(report.records.read == 1)
    #expect(report.findings.contains { $0.code == .symbolicLink && $0.severity == .error })
    for (name, bytes) in before { #expect(try folder.bytes(name) == bytes) }
  }

  // MARK: Places

  @Test func `a folder imported into another gives the documents of an import in place`() throws {
    let source = try TestFolder()
    try source.makeSample { $0.recordCount = 30 }
    let before = try source.files(includingState: true)
    let target = source.beside("new")
    let report = try source.importing { $0.target = target }
    #expect(try source.files(includingState: true) == before)
    #expect(report.findings.contains { $0.code == .imagesNotCopied })
    try source.importing()
    let written = try FileManager.default.subpathsOfDirectory(atPath: target)
      .filter { $0.hasSuffix(".automerge") }
    #expect(Set(written) == Set(try source.documents().keys))
    for name in written {
      #expect(
        [UInt8](try Data(contentsOf: URL(filePath: target + "/" + name)))
          == (try source.bytes(name)))
    }
  }

  @Test func `source and target must not contain each other`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.write("x", to: "inner/x")
    for (source, target) in [
      (folder.path, folder.path + "/inner"), (folder.path + "/inner", folder.path),
    ] {
      #expect {
        _ = try ImportWorkflow(
          ImportOptions(source: .folder(path: source), target: target),
          context: TestFolder.context()
        ).perform()
      } throws: { error in
        (error as? MigrationError)?.diagnostic.kind == .usage
      }
    }
    // The same directory under two names is one place.
    let report = try folder.importing { $0.target = folder.path + "/records/.." }
    #expect(report.records.imported == 1)
  }

  @Test func `a source with documents is refused unless it is flattened`() throws {
    let source = try TestFolder()
    try source.write(Legacy.record(1), to: "records/2024/01/a.json")
    try source.importing()
    let target = try TestFolder("target")
    #expect { _ = try source.importing { $0.target = target.path } } throws: { error in
      (error as? MigrationError)?.diagnostic.kind == .conflictsWithData
    }
    try source.edit(Self.document, actor: 4) {
      try $0.set("comment", of: ImportWorkflowTests.first, to: "edited")
    }
    let report = try source.importing {
      $0.target = target.path
      $0.flattens = true
    }
    #expect(report.records.imported == 1)
    #expect(
      try target.document(Self.document).text("comment", of: ImportWorkflowTests.first) == "edited")
  }

  @Test func `a folder whose lock is held is busy, a dry run is not`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    let held = try FolderLock.acquire(
      in: Directory.open(path: folder.path), name: FolderNames.writeLock, timeoutSeconds: 1,
      creating: true)
    var context = TestFolder.context()
    context.lockTimeoutSeconds = 0
    let workflow = ImportWorkflow(
      ImportOptions(source: .folder(path: folder.path)), context: context)
    #expect { _ = try workflow.perform() } throws: { error in
      (error as? MigrationError)?.diagnostic.kind == .busy
    }
    #expect(try workflow.plan().records.imported == 1)
    #expect(try folder.documents().isEmpty)
    withExtendedLifetime(held) {}
  }

  @Test func `a run that changed a folder leaves one line of history`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    try folder.importing()
    let lines = String(
      decoding: try folder.bytes(".automerge-migrate.nosync/history.jsonl"), as: UTF8.self
    ).split(separator: "\n")
    #expect(lines.count == 1)
    let line = try JSONEquality.object(Array(lines[0].utf8))
    #expect(line["command"] as? String == "test")
    #expect(line["status"] as? String == "done")
  }

  @Test func `of a record and an equal conflict copy the document has the record's name`() throws {
    let folder = try TestFolder()
    for name in ["a.json", "a 2.json", "a (conflicted copy 2024-05-01).json"] {
      try folder.write(Legacy.record(1), to: "records/2024/01/\(name)")
    }
    try folder.importing { $0.layout = .perRecord }
    #expect(try Set(folder.documents().keys) == ["records/2024/01/a.automerge"])
    // Exports give it that name, too, wherever they find it.
    let monthly = try TestFolder()
    for name in ["a.json", "a 2.json"] {
      try monthly.write(Legacy.record(1), to: "records/2024/01/\(name)")
    }
    try monthly.importing()
    let exported = monthly.beside("exported")
    try monthly.exporting(to: exported)
    #expect(FileManager.default.fileExists(atPath: exported + "/records/2024/01/a.json"))
    // A number behind a name that nothing has may be the record's own.
    let single = try TestFolder()
    try single.write(Legacy.record(1), to: "records/2024/01/a 2.json")
    try single.importing { $0.layout = .perRecord }
    #expect(try Set(single.documents().keys) == ["records/2024/01/a 2.automerge"])
  }
}

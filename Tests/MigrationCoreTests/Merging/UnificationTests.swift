import Automerge
import Diagnostics
import Folders
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// Documents of one record that were made separately: by two migrations of an app, or by ours from
/// JSON that differs.
@Suite struct UnificationTests {
  private static let base = "records/2024/01.automerge"
  private static let copy = "records/2024/01 2.automerge"

  private static func identity(_ number: Int) throws -> Identity {
    try #require(Identity(Legacy.id(number)))
  }

  // MARK: Convergent imports

  @Test func `two folders that were imported separately merge field by field`() throws {
    let one = try TestFolder()
    let other = try TestFolder()
    for (folder, comment, extra) in [(one, "one", 1), (other, "other", 2)] {
      try folder.write(
        Legacy.record(1, "\"comment\":\"\(comment)\",\"f\(extra)\":\(extra)"),
        to: "records/2024/01/a.json")
      try folder.importing()
    }
    try other.edit(Self.base, actor: 7) {
      try $0.set("comment", of: Self.identity(1), to: "edited on the other")
    }
    try one.write(other.bytes(Self.base), to: Self.copy)
    let report = try one.merging()
    #expect(report.outcomes == [Self.copy: .merged])
    #expect(report.findings.allSatisfy { $0.code != .hiddenObject })
    let merged = try one.document(Self.base)
    let map = try #require(merged.value(of: .root, key: Self.identity(1).canonicalBytes)).id
    #expect(merged.text("comment", of: try Self.identity(1)) == "edited on the other")
    #expect(merged.value(of: map, key: Array("f1".utf8)) != nil)
    #expect(merged.value(of: map, key: Array("f2".utf8)) != nil)
    #expect(DocumentRoot(merged).entities.map(\.valueCount) == [1])
  }

  // MARK: Separate objects

  /// What two devices' app made of one record: the one with the greater actor wins.
  private func documents(
    winner: (inout DocumentEditor) throws -> Void = { _ in },
    hidden: (inout DocumentEditor) throws -> Void = { _ in },
    winnerEdit: ((inout DocumentEditor) throws -> Void)? = nil,
    hiddenEdit: ((inout DocumentEditor) throws -> Void)? = nil
  ) throws -> (winner: DocumentState, hidden: DocumentState) {
    var one = try AppDocument.make(actor: 9) {
      $0.make(try Self.identity(1), "comment", "imported")
      try winner(&$0)
    }
    var other = try AppDocument.make(actor: 3) {
      $0.make(try Self.identity(1), "comment", "imported")
      try hidden(&$0)
    }
    if let winnerEdit { one = try AppDocument.editing(one, actor: 10, winnerEdit) }
    if let hiddenEdit { other = try AppDocument.editing(other, actor: 4, hiddenEdit) }
    return (one, other)
  }

  /// A folder with both, merged with `--unify`, in both directions: each device must get the same.
  private func unified(
    _ documents: (winner: DocumentState, hidden: DocumentState),
    _ location: SourceLocation = #_sourceLocation
  ) throws -> (document: DocumentState, report: MergeReport) {
    var results: [(DocumentState, MergeReport)] = []
    for (base, copy) in [
      (documents.winner, documents.hidden), (documents.hidden, documents.winner),
    ] {
      let folder = try TestFolder()
      try folder.write(base.encoded(), to: Self.base)
      try folder.write(copy.encoded(), to: Self.copy)
      let report = try folder.merging { $0.unifies = true }
      #expect(report.outcomes == [Self.copy: .merged], sourceLocation: location)
      results.append((try folder.document(Self.base), report))
      try folder.expectSettled(location) { $0.unifies = true }
    }
    #expect(results[0].0.heads == results[1].0.heads, sourceLocation: location)
    return results[0]
  }

  @Test func `they are found, and kept until the caller wants them brought together`() throws {
    let folder = try TestFolder()
    let (one, other) = try documents(hiddenEdit: {
      try $0.set("note", of: Self.identity(1), to: "only here")
    })
    try folder.write(one.encoded(), to: Self.base)
    try folder.write(other.encoded(), to: Self.copy)
    #expect(try folder.merging().outcomes == [Self.copy: .unrelated])
    // An app may have merged them already.
    let merged = try one.merging(other)
    try folder.remove(Self.copy)
    try folder.write(merged.encoded(), to: Self.base)
    let before = try folder.files()
    let report = try folder.merging()
    let finding = try #require(report.findings.first { $0.code == .hiddenObject })
    #expect(finding.message.contains(Legacy.id(1)))
    #expect(finding.next?.contains("--unify") == true)
    #expect(try folder.files() == before)
    let unified = try folder.merging { $0.unifies = true }
    #expect(unified.bases.map(\.isWritten) == [true])
    let document = try folder.document(Self.base)
    #expect(document.text("note", of: try Self.identity(1)) == "only here")
    try folder.expectSettled { $0.unifies = true }
  }

  @Test func `a field the winner never had is copied`() throws {
    let (document, report) = try unified(
      documents(hiddenEdit: { try $0.set("note", of: Self.identity(1), to: "only here") }))
    #expect(document.text("note", of: try Self.identity(1)) == "only here")
    #expect(report.bases[0].differences.isEmpty)
  }

  @Test func `objects stay apart if a copy would lack marks`() throws {
    let documents = try [UInt8(3), 9].map { actor in
      let document = Document()
      document.actor = try #require(ActorId(data: Data(repeating: actor, count: 16)))
      let map = try document.putObject(
        obj: .ROOT, key: Self.identity(1).description, ty: .Map)
      try document.put(obj: map, key: "comment", value: .String("imported"))
      guard actor == 3 else { return document }
      let text = try document.putObject(obj: map, key: "note", ty: .Text)
      try document.spliceText(obj: text, start: 0, delete: 0, value: "p")
      try document.mark(
        obj: text, start: 0, end: 1, expand: .none, name: "bold", value: .Boolean(true))
      return document
    }
    try documents[0].merge(other: documents[1])
    let folder = try TestFolder()
    try folder.write([UInt8](documents[0].save()), to: Self.base)
    let before = try folder.bytes(Self.base)
    let report = try folder.merging { $0.unifies = true }
    let finding = try #require(report.findings.first { $0.code == .hiddenObject })
    #expect(finding.severity == .error)
    #expect(finding.message.contains("stay apart"))
    #expect(finding.message.contains("note has a text with marks"))
    #expect(report.findings.count { $0.code == .hiddenObject } == 1)
    #expect(try folder.bytes(Self.base) == before)
  }

  @Test func `a field the winner deleted is not`() throws {
    let (document, report) = try unified(
      documents(winnerEdit: { try $0.delete("comment", of: Self.identity(1)) }))
    #expect(document.text("comment", of: try Self.identity(1)) == nil)
    #expect(report.bases[0].differences.map(\.other) == [.string("imported")])
  }

  @Test func `a user's edit beats an imported value`() throws {
    let (document, report) = try unified(
      documents(hiddenEdit: { try $0.set("comment", of: Self.identity(1), to: "edited") }))
    #expect(document.text("comment", of: try Self.identity(1)) == "edited")
    #expect(report.bases[0].differences.map(\.kept) == [.string("edited")])
    #expect(report.bases[0].differences.map(\.other) == [.string("imported")])
  }

  @Test func `of two edits the winner's stays, and the other is in the report`() throws {
    let (document, report) = try unified(
      documents(
        winnerEdit: { try $0.set("comment", of: Self.identity(1), to: "here") },
        hiddenEdit: { try $0.set("comment", of: Self.identity(1), to: "there") }))
    #expect(document.text("comment", of: try Self.identity(1)) == "here")
    #expect(report.bases[0].differences.map(\.other) == [.string("there")])
  }

  @Test func `our import's Null for an absent field gives way`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1), to: "records/2024/01/a.json")
    try folder.importing()
    let imported = try folder.document(Self.base)
    let other = try AppDocument.make(actor: 3) {
      $0.make(try Self.identity(1), "comment", "said by the app")
    }
    try folder.write(other.encoded(), to: Self.copy)
    try folder.merging { $0.unifies = true }
    let merged = try folder.document(Self.base)
    #expect(merged.text("comment", of: try Self.identity(1)) == "said by the app")
    #expect(imported.allHashes.allSatisfy(merged.contains))
    try folder.expectSettled { $0.unifies = true }
  }

  @Test func `lists of images are joined, and nothing that was taken out comes back`() throws {
    let (one, other) = try documents(
      winner: { $0.makeImages(try Self.identity(1), ["a", "b"]) },
      hidden: { $0.makeImages(try Self.identity(1), ["b", "c", "c"]) })
    let edited = try AppDocument.editing(other, actor: 4) {
      try $0.set("note", of: Self.identity(1), to: "x")
    }
    let (document, _) = try unified((one, edited))
    #expect(try document.images(of: Self.identity(1)) == ["a", "b", "c"])
  }

  @Test func `unknown maps are unified field by field`() throws {
    let (document, report) = try unified(
      documents(
        winner: { $0.makeMap(try Self.identity(1), "extra", ["a": "1", "b": "1"]) },
        hidden: { $0.makeMap(try Self.identity(1), "extra", ["b": "2", "c": "2"]) }))
    let map = try #require(document.value(of: .root, key: Self.identity(1).canonicalBytes)).id
    let extra = try #require(document.value(of: map, key: Array("extra".utf8)))
    #expect(
      String(decoding: try document.typedJSON(of: extra), as: UTF8.self)
        == #"{"a":"1","b":"1","c":"2"}"#)
    #expect(report.bases[0].differences.map(\.field) == ["extra.b"])
  }

  @Test func `what was salvaged is never brought together with anything`() throws {
    let folder = try TestFolder()
    var draft = ChangeDraft()
    draft.begin(
      sequence: 1, startCounter: 1, dependencies: [], message: Array(SalvagedFile.message.utf8))
    draft.makeObject(.map, in: .root, key: try Self.identity(1).canonicalBytes.span)
    draft.finish(author: ActorId(bytes: [1, 2, 3]))
    var batch = ChangeBatch()
    batch.append(draft)
    var salvaged = DocumentState()
    try salvaged.apply(batch)
    try folder.write(salvaged.encoded(), to: Self.copy)
    try folder.write(documents().winner.encoded(), to: Self.base)
    let before = try folder.files()
    let report = try folder.merging { $0.unifies = true }
    #expect(report.outcomes == [Self.copy: .unrelated])
    #expect(try folder.files() == before)
  }

  // MARK: Images listed twice

  @Test func `an image listed twice after a merge is listed once, the same way everywhere`() throws
  {
    let folder = try TestFolder()
    try folder.write(
      Legacy.record(1, "\"images\":[\"a\"]"), to: "records/2024/01/a.json")
    try folder.importing()
    let start = try folder.document(Self.base)
    let one = try AppDocument.editing(start, actor: 7) {
      try $0.append("b", toImagesOf: Self.identity(1))
    }
    let other = try AppDocument.editing(start, actor: 8) {
      try $0.append("b", toImagesOf: Self.identity(1))
    }
    var heads: Set<[ChangeHash]> = []
    for (base, copy) in [(one, other), (other, one)] {
      try folder.write(base.encoded(), to: Self.base)
      try folder.write(copy.encoded(), to: Self.copy)
      let report = try folder.merging()
      #expect(report.findings.contains { $0.code == .duplicateImage })
      let merged = try folder.document(Self.base)
      #expect(try merged.images(of: Self.identity(1)) == ["a", "b"])
      heads.insert(merged.heads)
      try folder.expectSettled()
    }
    #expect(heads.count == 1)
  }
}

/// The same import, made in each of the two layouts.
@Suite struct LayoutUnificationTests {
  private static let month = "records/2024/01.automerge"

  private func folder() throws -> TestFolder {
    let folder = try TestFolder()
    let other = try TestFolder()
    for target in [folder, other] {
      for number in 1...3 {
        try target.write(
          Legacy.record(number, "\"comment\":\"\(number)\",\"images\":[\"a.jpg\"]"),
          to: "records/2024/01/\(number).json")
      }
      try target.write("picture", to: "records/2024/01/a.jpg")
    }
    try folder.importing { $0.layout = .monthly }
    try other.importing { $0.layout = .perRecord }
    for (path, bytes) in try other.documents() { try folder.write(bytes, to: path) }
    return folder
  }

  @Test func `what both layouts hold by the same changes differs in nothing`() throws {
    let folder = try folder()
    let report = try folder.verifying()
    #expect(report.findings.allSatisfy { $0.severity == .info }, "\(report.findings)")
    #expect(report.findings.count { $0.code == .duplicate } == 3)
    #expect(try folder.exporting().report.findings.isEmpty)
    #expect(try folder.merging().bases.isEmpty)
  }

  @Test func `what was edited in one layout is told, and both come together without loss`() throws {
    let folder = try folder()
    try folder.edit("records/2024/01/2.automerge", actor: 7) {
      try $0.set("comment", of: DocumentMergeTests.identity(2), to: "in its own document")
    }
    try folder.edit(Self.month, actor: 8) {
      try $0.set("comment", of: DocumentMergeTests.identity(3), to: "in the month's")
    }
    for findings in [try folder.verifying().findings, try folder.exporting().report.findings] {
      let told = findings.filter { $0.severity == .warning }
      #expect(told.map(\.path).contains("records/2024/01/2.automerge"))
      #expect(
        told.filter { $0.path.hasPrefix("records/2024/01/") }
          .allSatisfy { $0.next?.hasPrefix("run merge-conflicts FOLDER --unify") == true })
      #expect(!findings.contains { $0.next?.contains("delete") == true })
    }
    let before = try folder.documents()
    let report = try folder.merging { $0.unifies = true }
    #expect(report.count(.merged) + report.count(.redundant) == 3)
    #expect(try Set(folder.documents().keys) == [Self.month])
    #expect(try folder.quarantined() == before.filter { $0.key != Self.month })
    let merged = try folder.document(Self.month)
    #expect(merged.text("comment", of: try DocumentMergeTests.identity(1)) == "1")
    #expect(merged.text("comment", of: try DocumentMergeTests.identity(2)) == "in its own document")
    #expect(merged.text("comment", of: try DocumentMergeTests.identity(3)) == "in the month's")
    for bytes in before.values {
      let document = try DocumentState(loading: bytes)
      #expect(document.allHashes.allSatisfy(merged.contains))
    }
    try folder.expectSettled { $0.unifies = true }
  }

  @Test func `a record that its month does not hold keeps its document`() throws {
    let folder = try folder()
    let other = try TestFolder()
    try other.write(Legacy.record(9), to: "records/2024/01/9.json")
    try other.importing { $0.layout = .perRecord }
    try folder.write(
      other.bytes("records/2024/01/9.automerge"), to: "records/2024/01/9.automerge")
    try folder.merging { $0.unifies = true }
    #expect(
      try Set(folder.documents().keys) == [Self.month, "records/2024/01/9.automerge"])
    try folder.expectSettled { $0.unifies = true }
  }

  @Test func `images of an object that readers do not see are in use`() throws {
    let folder = try TestFolder()
    let identity = try DocumentMergeTests.identity(1)
    let seen = try AppDocument.make(actor: 9) { $0.make(identity, "comment", "seen") }
    let hidden = try AppDocument.make(actor: 3) {
      $0.make(identity, "comment", "hidden")
      $0.makeImages(identity, ["hidden.jpg"])
    }
    try folder.write(seen.merging(hidden).encoded(), to: Self.month)
    try folder.write("picture", to: "records/2024/01/hidden.jpg")
    let document = try folder.document(Self.month)
    #expect(DocumentRoot(document).entities.map(\.valueCount) == [2])
    #expect(try !folder.verifying().findings.contains { $0.code == .orphanImage })
  }
}

import Automerge
import Diagnostics
import Folders
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// What `repair-crdt` makes of files that are damaged in ways that happen.
@Suite struct RepairTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @discardableResult
  private func repair(
    _ bytes: [UInt8], plansOnly: Bool = false, _ configure: (inout RepairOptions) -> Void = { _ in }
  ) throws -> RepairReport {
    try folder.write(bytes, to: "damaged.automerge")
    var options = RepairOptions(
      file: folder.path + "/damaged.automerge", output: folder.path + "/new.automerge")
    options.replaces = true
    configure(&options)
    let workflow = RepairWorkflow(options, context: TestFolder.context())
    let report = try plansOnly ? workflow.plan() : workflow.perform()
    #expect(try folder.bytes("damaged.automerge") == bytes)
    return report
  }

  private func typed(_ document: DocumentState) throws -> String {
    let text = Collected()
    try DocumentInspection(document, name: "test", at: nil)
      .write(.typed, to: ByteSink(name: "test") { text.bytes += $0 })
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private func new() throws -> DocumentState { try folder.document("new.automerge") }

  @Test(arguments: SalvageCorpus.reference + [SalvageCorpus.month, SalvageCorpus.longMonth])
  func `a sound document comes out with the values it had`(_ original: SalvageCorpus.Case) throws {
    guard original.document.queuedCount == 0 else { return }
    let report = try repair(original.bytes)
    #expect(!report.endsWithDifferences)
    #expect(report.isWhole)
    #expect(try typed(new()) == typed(original.document))
  }

  @Test func `the new document has one change by an actor of its own that says what it is`() throws
  {
    try repair(SalvageCorpus.month.bytes) { $0.time = 1_700_000_000 }
    let document = try new()
    #expect(document.changeCount == 1)
    let change = document.change(at: 0)
    #expect(change.time == 1_700_000_000)
    #expect(String(decoding: change.message, as: UTF8.self).hasPrefix("salvaged by repair-crdt"))
    #expect(!SalvageCorpus.month.document.actorIDs.contains(change.actor))
    try repair(SalvageCorpus.month.bytes)
    #expect(try new().change(at: 0).actor != change.actor)
  }

  @Test func `a wrong checksum alone loses nothing`() throws {
    var bytes = SalvageCorpus.month.bytes
    bytes[6] ^= 0x10
    let report = try repair(bytes)
    #expect(!report.endsWithDifferences)
    #expect(report.findings.map(\.severity) == [.info])
    #expect(try typed(new()) == typed(SalvageCorpus.month.document))
  }

  @Test func `damaged magic bytes alone lose nothing`() throws {
    var bytes = SalvageCorpus.month.bytes
    for place in 0..<4 { bytes[place] = 0 }
    #expect(try !repair(bytes).endsWithDifferences)
  }

  @Test func `with wrong heads imported entities prove themselves`() throws {
    let report = try repair(withOtherHeads(SalvageCorpus.month))
    #expect(report.endsWithDifferences)
    #expect(report.count(of: .verified) == report.entities.count)
    #expect(try typed(new()) == typed(SalvageCorpus.month.document))
  }

  @Test func `with wrong heads what an app wrote is readable and not more`() throws {
    let original = try #require(SalvageCorpus.appMonth)
    let report = try repair(withOtherHeads(original))
    #expect(report.count(of: .readable) == report.entities.count)
    #expect(try typed(new()) == typed(original.document))
    #expect(report.findings.contains { $0.code == .damagedDocument && $0.severity == .error })
  }

  @Test func `one damaged value costs the proof of its entity only`() throws {
    let original = SalvageCorpus.month
    let comment = Array("comment".utf8)
    let text = try #require(longestString(of: original.document, below: comment))
    var bytes = original.document.encoded(compressionLevel: nil)
    let place = try #require(bytes.firstRange(of: text)?.lowerBound)
    bytes[place] ^= 1
    let report = try repair(bytes)
    #expect(report.count(of: .readable) == 1)
    #expect(report.count(of: .verified) == report.entities.count - 1)
  }

  @Test func `garbage around a document is passed over and told`() throws {
    let garbage = Array("<html>sign in to continue</html>".utf8)
    for bytes in [
      garbage + SalvageCorpus.month.bytes, SalvageCorpus.month.bytes + garbage,
      garbage + SalvageCorpus.month.bytes + garbage,
    ] {
      let report = try repair(bytes)
      #expect(report.endsWithDifferences)
      #expect(report.count(of: .verified) == report.entities.count)
      #expect(report.pieces.contains { $0.kind == "debris" && $0.byteCount == garbage.count })
      #expect(try typed(new()) == typed(SalvageCorpus.month.document))
    }
  }

  @Test func `a lost change in the middle leaves those before it proven and those after readable`()
    throws
  {
    let golden = try #require(SalvageCorpus.reference.first { $0.name == "overwrites" }).document
    let chunks = (0..<golden.changeCount).map { golden.chunk(ofChange: $0) }
    #expect(chunks.count > 4)
    var kept = chunks
    kept.remove(at: 2)
    let salvage = SalvagedDocument(salvaging: kept.flatMap { $0 }, labels: [])
    #expect(salvage.missingChanges == [golden.change(at: 2).hash])
    #expect(salvage.state.changeCount == 2)
    #expect(salvage.readableCount > 0)
    let report = try repair(kept.flatMap { $0 })
    #expect(report.missingChangeCount == 1)
    #expect(report.findings.contains { $0.code == .incompleteDocument })
    // The last values are those of the last changes, which are all there.
    #expect(try typed(new()) == typed(golden))
  }

  @Test func `a change whose bytes are damaged does not keep out those that do not need it`() throws
  {
    let golden = SalvageCorpus.month.document
    var chunks = (0..<golden.changeCount).map { golden.chunk(ofChange: $0) }
    let victim = try #require(chunks.indices.first { chunks[$0].count > 150 })
    chunks[victim][chunks[victim].count - 20] ^= 0x40
    let salvage = SalvagedDocument(
      salvaging: chunks.flatMap { $0 }, labels: ImportLabel.allCases.map(\.text))
    #expect(salvage.state.changeCount >= golden.changeCount - 2)
    #expect(!salvage.isWhole)
  }

  /// The month, and behind it an edit as a change whose checksum is wrong.
  private func monthWithDamagedEdit(
    _ edit: (inout DocumentEditor, Identity) throws -> Void
  ) throws -> [UInt8] {
    let month = SalvageCorpus.month.document
    var editor = DocumentEditor(month, actor: 9)
    try edit(&editor, try #require(DocumentRoot(month).entities.first).identity)
    let edited = try editor.finish()
    var chunk = edited.chunk(ofChange: edited.changeCount - 1)
    chunk[5] ^= 1
    return SalvageCorpus.month.bytes + chunk
  }

  @Test func `a deletion that nothing proves is not followed`() throws {
    let report = try repair(
      monthWithDamagedEdit { editor, identity in try editor.delete(identity) })
    #expect(report.endsWithDifferences)
    #expect(report.ignoredDeletionCount == 1)
    #expect(report.count(of: .verified) == report.entities.count)
    #expect(try typed(new()) == typed(SalvageCorpus.month.document))
  }

  @Test func `a value that nothing proves is taken, and the one it replaces is told`() throws {
    let report = try repair(
      monthWithDamagedEdit { editor, identity in
        try editor.set("comment", of: identity, to: "the last word")
      })
    #expect(report.count(of: .readable) == 1)
    #expect(report.conflicts.map { $0.path.last } == ["comment"])
    #expect(report.conflicts.first?.kept == "\"the last word\"")
    let document = try new()
    let identity = try #require(DocumentRoot(document).entities.first).identity
    #expect(document.text("comment", of: identity) == "the last word")
  }

  @Test func `a file of zeros, an empty one and no document at all hold nothing`() throws {
    for bytes in [[], [UInt8](repeating: 0, count: 4096), Array("{\"tags\":[]}".utf8)] {
      #expect { try repair(bytes) } throws: {
        ($0 as? MigrationError)?.diagnostic.kind == .damagedInput
      }
      #expect(!folder.exists("new.automerge"))
    }
  }

  @Test func `entities that are only named are told and not written`() throws {
    // The root's rows come first, so a cut leaves identities without fields.
    let original = SalvageCorpus.longMonth
    var seen = false
    for percent in stride(from: 95, to: 40, by: -5) {
      let bytes = Array(original.bytes[..<(original.bytes.count * percent / 100)])
      guard let report = try? repair(bytes), report.count(of: .lost) > 0 else { continue }
      seen = true
      let document = try new()
      let written = DocumentRoot(document).entities.map(\.identity.description)
      for entity in report.entities where entity.certainty == .lost {
        #expect(!written.contains(entity.id))
      }
    }
    #expect(seen)
  }

  @Test func `losing values of conflicts are told`() throws {
    let original = try #require(SalvageCorpus.reference.first { $0.name == "conflict-put" })
    let report = try repair(original.bytes)
    #expect(!report.conflicts.isEmpty)
    #expect(report.conflicts.allSatisfy { !$0.losing.isEmpty && !$0.kept.isEmpty })
  }

  // MARK: Marks

  private func text(_ bytes: [UInt8]) throws -> (Document, ObjId) {
    let document = try Document(Data(bytes))
    guard case .Object(let text, .Text)? = try document.get(obj: .ROOT, key: "text") else {
      throw MigrationError.brokenInvariant("the document has no text")
    }
    return (document, text)
  }

  @Test func `marks of texts are carried over, and grow at the same edges`() throws {
    let original = try Fixtures.bytes("automerge/marks/doc.automerge")
    #expect(try !repair(original).endsWithDifferences)
    let (old, oldText) = try text(original)
    let (new, newText) = try text(folder.bytes("new.automerge"))
    let marks = try old.marks(obj: oldText)
    #expect(marks.count == 5)
    #expect(try new.marks(obj: newText) == marks)
    for mark in marks {
      for edge in [mark.start, mark.end] {
        let (left, right) = (old.fork(), new.fork())
        try left.spliceText(obj: oldText, start: edge, delete: 0, value: "x")
        try right.spliceText(obj: newText, start: edge, delete: 0, value: "x")
        #expect(try right.marks(obj: newText) == left.marks(obj: oldText), "at \(edge)")
      }
    }
  }

  @Test func `marks that nothing proves cost the text its proof, and half of one is lost`() throws {
    var draft = ChangeDraft()
    draft.begin(sequence: 1, startCounter: 1, dependencies: [])
    let text = draft.makeObject(.text, in: .root, key: Array("text".utf8).span)
    let letter = draft.insert(.string, Array("a".utf8).span, in: text, after: .root)
    draft.finish(author: ActorId(bytes: [1]))
    let bytes = draft.chunk
    let hash = draft.hash
    for isWhole in [true, false] {
      draft.begin(
        sequence: 1, startCounter: 3, dependencies: [hash], otherActors: [ActorId(bytes: [1])])
      let object = ChangeDraft.LocalID(counter: text.counter, actor: 1)
      let element = ChangeDraft.LocalID(counter: letter.counter, actor: 1)
      let begin = draft.beginMark(
        Array("bold".utf8).span, .boolean(true), expands: false, in: object, after: .root)
      #expect(begin.counter == 3)
      if isWhole { draft.endMark(expands: true, in: object, after: element) }
      draft.finish(author: ActorId(bytes: [isWhole ? 2 : 3]))
      var chunk = draft.chunk
      chunk[5] ^= 1
      let report = try repair(bytes + chunk)
      #expect(report.entities.map(\.certainty) == [.readable])
      #expect(report.entities.first?.lostFields == (isWhole ? [] : ["a mark"]))
      let (new, id) = try self.text(folder.bytes("new.automerge"))
      #expect(try new.marks(obj: id).map(\.name) == (isWhole ? ["bold"] : []))
    }
  }

  @Test func `a file of nothing but magic bytes is told in one line`() throws {
    var bytes = SalvageCorpus.month.bytes
    for _ in 0..<50_000 { bytes += [0x85, 0x6f, 0x4a, 0x83] }
    let report = try repair(bytes)
    #expect(report.pieces.map(\.kind) == ["document", "debris"])
    #expect(report.findings.count { $0.code == .damagedDocument } == 1)
    #expect(report.count(of: .verified) == report.entities.count)
  }

  // MARK: Files

  @Test func `a plan writes nothing`() throws {
    let report = try repair(SalvageCorpus.month.bytes, plansOnly: true)
    #expect(report.isDryRun)
    #expect(!report.entities.isEmpty)
    #expect(!folder.exists("new.automerge"))
  }

  @Test func `a file that is there is replaced only when asked to`() throws {
    try folder.write("mine", to: "new.automerge")
    #expect { try repair(SalvageCorpus.month.bytes) { $0.replaces = false } } throws: {
      ($0 as? MigrationError)?.diagnostic.kind == .cannotCreate
    }
    #expect(try folder.bytes("new.automerge") == Array("mine".utf8))
    try repair(SalvageCorpus.month.bytes)
    #expect(try new().changeCount == 1)
  }

  @Test func `the damaged file is never the new one, by any name`() throws {
    let path = folder.path
    try folder.write(SalvageCorpus.month.bytes, to: "damaged.automerge")
    try FileManager.default.linkItem(
      atPath: path + "/damaged.automerge", toPath: path + "/link.automerge")
    for name in ["damaged.automerge", "./damaged.automerge", "link.automerge"] {
      var options = RepairOptions(file: path + "/damaged.automerge", output: path + "/" + name)
      options.replaces = true
      #expect {
        try RepairWorkflow(options, context: TestFolder.context()).perform()
      } throws: {
        ($0 as? MigrationError)?.diagnostic.kind == .usage
      }
    }
    #expect(try folder.bytes("damaged.automerge") == SalvageCorpus.month.bytes)
  }

  // MARK: Support

  private final class Collected {
    var bytes: [UInt8] = []
  }

  /// Changes the first stored head of a document chunk and gives the chunk a checksum that fits.
  private func withOtherHeads(_ original: SalvageCorpus.Case) throws -> [UInt8] {
    var bytes = original.bytes
    let head = try #require(original.document.heads.first).bytes
    let place = try #require(bytes.firstRange(of: head)?.lowerBound)
    bytes[place + 8] ^= 0xff
    return withChecksum(bytes)
  }

  private func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
    // A chunk that does not verify says what its checksum would be.
    do throws(FormatError) {
      _ = try DocumentState(loading: bytes)
    } catch {
      if case .checksumMismatch(_, let computed) = error.fact {
        var fixed = bytes
        for index in 0..<4 {
          fixed[4 + index] = UInt8(truncatingIfNeeded: computed >> UInt32(24 - 8 * index))
        }
        return fixed
      }
    }
    return bytes
  }

  private func longestString(of document: DocumentState, below key: [UInt8]) -> [UInt8]? {
    var longest: [UInt8]?
    for entity in DocumentRoot(document).entities {
      guard let map = entity.map,
        case .scalar(let place)? = document.value(of: map, key: key)?.content,
        place.type == .string
      else { continue }
      let bytes = document.bytes(place)
      if bytes.count > longest?.count ?? 3 { longest = bytes }
    }
    return longest
  }
}

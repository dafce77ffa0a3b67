import Automerge
import Diagnostics
import Folders
import SampleFolders
import Testing

@testable import MigrationCore
@testable import Runs

/// `import-crdt --update`: what becomes of fields that changed after their import.
@Suite struct UpdateTests {
  static let january = "records/2024/01.automerge"
  static let file = "records/2024/01/a.json"

  /// A folder of one imported record with these members.
  static func folder(_ members: String) throws -> TestFolder {
    let folder = try TestFolder()
    try folder.write(Legacy.record(1, members), to: file)
    try folder.importing()
    return folder
  }

  @discardableResult
  static func update(_ folder: TestFolder, prefersLegacy: Bool = false) throws -> ImportReport {
    try folder.importing {
      $0.updates = true
      $0.prefersLegacy = prefersLegacy
    }
  }

  private func comment(_ folder: TestFolder) throws -> String? {
    try folder.document(Self.january).text("comment", of: ImportWorkflowTests.first)
  }

  private func codes(_ findings: [Finding]) -> [Finding.Code] { findings.map(\.code) }

  @Test(arguments: VerificationPropertyTests.mutations)
  func `a field that changed in the file reaches the document`(_ token: Int, _ text: String) throws
  {
    var tokens = VerificationPropertyTests.tokens
    let folder = try TestFolder()
    try folder.write(VerificationPropertyTests.record(tokens), to: Self.file)
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    try folder.importing()
    let imported = try folder.documents()
    tokens[token] = text
    try folder.write(VerificationPropertyTests.record(tokens), to: Self.file)

    let told = try folder.importing()
    #expect(told.findings.contains { $0.code == .diverged && $0.path == Self.file })
    #expect(told.endsWithDifferences)
    #expect(try folder.documents() == imported)

    let planned = try folder.importing(isDryRun: true) { $0.updates = true }
    #expect(try folder.documents() == imported)
    let report = try Self.update(folder)
    #expect(planned.documents == report.documents)
    #expect(report.findings.filter { $0.severity > .info && $0.code != .endBeforeStart } == [])
    #expect(report.records.updated == 1)
    #expect(report.documents.map(\.outcome) == [.updated])
    #expect(report.documents.map(\.changesAdded) == [1])
    let verified = try folder.verifying()
    #expect(verified.isSound, "\(verified.findings)")
    #expect(verified.counts.map(\.equal) == [2])

    let updated = try folder.documents()
    #expect(updated != imported)
    try Self.update(folder)
    try Self.update(folder, prefersLegacy: true)
    try folder.importing()
    #expect(try folder.documents() == updated)
  }

  @Test func `a tag gets its new name, and all entities of a document share one change`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.tags(Legacy.tag(1), Legacy.tag(2), Legacy.tag(3)), to: "tags.json")
    try folder.importing()
    let before = try folder.document("tags.automerge").changeCount
    try folder.write(
      Legacy.tags(
        Legacy.tag(1, name: "New"), Legacy.tag(2),
        Legacy.tag(3, name: "Other", "\"isArchived\":true,\"order\":[1,{\"a\":2}]")),
      to: "tags.json")
    let report = try Self.update(folder)
    #expect(report.tags.updated == 2)
    #expect(report.tags.known == 1)
    let after = try folder.document("tags.automerge")
    #expect(after.changeCount == before + 1)
    #expect(try folder.verifying().isSound)
  }

  @Test func `what was imported or updated once is never written again`() throws {
    let folder = try Self.folder("\"comment\":\"one\"")
    for text in ["two", "three", "one", "two"] {
      try folder.write(Legacy.record(1, "\"comment\":\"\(text)\""), to: Self.file)
      try Self.update(folder)
    }
    // "one" and the second "two" are old: somebody restored the file.
    #expect(try comment(folder) == "three")
    let report = try folder.verifying()
    #expect(codes(report.findings) == [.editedSince])
    #expect(report.isSound)
  }

  @Test func `a user's edit stays, and the file counts as imported`() throws {
    let folder = try Self.folder("\"comment\":\"one\",\"tagId\":\"x\"")
    try folder.edit(Self.january, actor: 1) {
      try $0.set("comment", of: ImportWorkflowTests.first, to: "edited")
    }
    try folder.write(
      Legacy.record(1, "\"comment\":\"one\",\"tagId\":\"y\""), to: Self.file)
    let report = try Self.update(folder)
    #expect(codes(report.findings) == [])
    #expect(report.records.updated == 1)
    #expect(try comment(folder) == "edited")
    #expect(
      try folder.document(Self.january).text("tagId", of: ImportWorkflowTests.first) == "y")
    let verified = try folder.verifying()
    #expect(codes(verified.findings) == [.editedSince])
    #expect(verified.isSound)
    let cleaned = try folder.cleaning(backup: folder.packing().archives[0].path)
    #expect(cleaned.files.map(\.outcome) == [.moved])
  }

  @Test func `where both were edited nothing happens unless the file is preferred`() throws {
    let folder = try Self.folder("\"comment\":\"one\"")
    try folder.edit(Self.january, actor: 1) {
      try $0.set("comment", of: ImportWorkflowTests.first, to: "edited")
    }
    let before = try folder.documents()
    try folder.write(Legacy.record(1, "\"comment\":\"two\""), to: Self.file)
    for report in [try folder.importing(), try Self.update(folder)] {
      #expect(codes(report.findings) == [.editedBoth])
      #expect(report.endsWithDifferences)
      #expect(report.records.updated == 0)
    }
    #expect(try folder.documents() == before)
    #expect(codes(try folder.verifying().findings) == [.editedBoth])
    let kept = try folder.cleaning(backup: folder.packing().archives[0].path)
    #expect(kept.files.map(\.outcome) == [.kept])

    let report = try Self.update(folder, prefersLegacy: true)
    #expect(codes(report.findings) == [])
    #expect(try comment(folder) == "two")
    #expect(try folder.verifying().isSound)
    let after = try folder.documents()
    try Self.update(folder, prefersLegacy: true)
    #expect(try folder.documents() == after)
  }

  @Test func `what tells of a changed file names the whole command`() throws {
    let folder = try TestFolder()
    let target = try TestFolder()
    try folder.write(Legacy.record(1, "\"comment\":\"one\""), to: Self.file)
    try folder.importing { $0.target = target.path }
    try folder.write(Legacy.record(1, "\"comment\":\"two\""), to: Self.file)
    let findings = try folder.importing { $0.target = target.path }.findings
    let told = try #require(findings.first { $0.code == .diverged })
    #expect(told.next == told.command?.shellText)
    #expect(told.next?.hasSuffix("--into \(target.path)") == true)
  }

  @Test func `absence is a value`() throws {
    let folder = try Self.folder("\"comment\":\"one\",\"mood\":1,\"place\":{\"a\":[1]}")
    try folder.write(Legacy.record(1), to: Self.file)
    #expect(try Self.update(folder).records.updated == 1)
    let verified = try folder.verifying()
    #expect(verified.isSound)
    #expect(codes(verified.findings) == [])
    // A value that was there before does not come back, a new one does.
    try folder.write(Legacy.record(1, "\"comment\":\"two\",\"mood\":1"), to: Self.file)
    try Self.update(folder)
    #expect(try comment(folder) == "two")
    #expect(codes(try folder.verifying().findings) == [.editedSince])
    // Absence was written by an update, so it is not written again.
    try folder.write(Legacy.record(1, "\"mood\":2"), to: Self.file)
    try Self.update(folder)
    try folder.write(Legacy.record(1), to: Self.file)
    let before = try folder.documents()
    try Self.update(folder)
    #expect(try folder.documents() == before)
    #expect(try folder.verifying().isSound)
  }

  @Test func `a field a user deleted is the user's`() throws {
    let folder = try Self.folder("\"comment\":\"one\"")
    try folder.edit(Self.january, actor: 1) {
      try $0.delete("comment", of: ImportWorkflowTests.first)
    }
    try folder.write(Legacy.record(1, "\"comment\":\"two\""), to: Self.file)
    #expect(codes(try Self.update(folder).findings) == [.editedBoth])
    #expect(try comment(folder) == nil)
  }

  @Test func `what was deleted stays deleted`() throws {
    let folder = try Self.folder("\"comment\":\"one\"")
    try folder.edit(Self.january, actor: 1) { try $0.delete(ImportWorkflowTests.first) }
    let before = try folder.documents()
    try folder.write(Legacy.record(1, "\"comment\":\"two\""), to: Self.file)
    for prefersLegacy in [false, true] {
      let report = try Self.update(folder, prefersLegacy: prefersLegacy)
      #expect(codes(report.findings) == [.deleted])
    }
    #expect(try folder.documents() == before)
    #expect(codes(try folder.verifying().findings) == [.diverged])
    try folder.write(Legacy.record(1, "\"comment\":\"one\""), to: Self.file)
    #expect(codes(try folder.verifying().findings) == [.deletedSince])
  }

  @Test func `lists change element by element`() throws {
    let folder = try Self.folder("\"images\":[\"a\",\"b\",\"c\"],\"list\":[1,{\"x\":1},[2]]")
    func elements(_ name: String) throws -> [OpID] {
      let state = try folder.document(Self.january)
      let map = try #require(
        state.value(of: .root, key: ImportWorkflowTests.first.canonicalBytes)
      ).id
      var ids: [OpID] = []
      state.forEachElement(of: try #require(state.value(of: map, key: Array(name.utf8))).id) {
        element, _ in ids.append(element)
      }
      return ids
    }
    let images = try elements("images").map(\.counter)
    let list = try elements("list").map(\.counter)
    try folder.write(
      Legacy.record(1, "\"images\":[\"new\",\"a\",\"c\",\"d\"],\"list\":[1,{\"x\":2},[2]]"),
      to: Self.file)
    try Self.update(folder)
    #expect(try folder.verifying().isSound)
    #expect(try elements("images").map(\.counter).dropFirst().prefix(2) == [images[0], images[2]])
    let after = try elements("list").map(\.counter)
    #expect(after.count == 3 && after[0] == list[0] && after[2] == list[2] && after[1] != list[1])
    // No images at all, and the list is still the one all devices share.
    try folder.write(Legacy.record(1, "\"list\":[1,{\"x\":2},[2]]"), to: Self.file)
    try Self.update(folder)
    #expect(try elements("images") == [])
    #expect(try folder.verifying().isSound)
  }

  @Test func `an edit inside a carried value makes it the user's`() throws {
    let folder = try Self.folder("\"images\":[\"a\"]")
    let identity = ImportWorkflowTests.first
    try folder.edit(Self.january, actor: 1) { try $0.append("b", toList: "images", of: identity) }
    try folder.write(Legacy.record(1, "\"images\":[\"c\"]"), to: Self.file)
    #expect(codes(try Self.update(folder).findings).contains(.editedBoth))
    try Self.update(folder, prefersLegacy: true)
    #expect(try folder.verifying().isSound)
    // The update has the last word now, so the next change of the file is no conflict.
    try folder.write(Legacy.record(1, "\"images\":[\"d\"]"), to: Self.file)
    #expect(try Self.update(folder).records.updated == 1)
    #expect(try folder.verifying().isSound)
  }

  @Test func `a plain history is updated like a convergent one`() throws {
    let folder = try TestFolder()
    try folder.write(
      Legacy.record(1, "\"comment\":\"one\",\"images\":[\"a\"]"), to: Self.file)
    try folder.importing { $0.history = .plain }
    try folder.write(
      Legacy.record(1, "\"comment\":\"two\",\"images\":[\"b\"],\"x\":1"), to: Self.file)
    #expect(codes(try folder.verifying().findings).contains(.diverged))
    #expect(try Self.update(folder).records.updated == 1)
    #expect(try comment(folder) == "two")
    #expect(try folder.verifying().isSound)
    let before = try folder.documents()
    try Self.update(folder)
    #expect(try folder.documents() == before)
  }

  @Test func `what an app made is not ours to update`() throws {
    let folder = try TestFolder()
    var editor = DocumentEditor(DocumentState(), actor: 1)
    editor.make(ImportWorkflowTests.first, "comment", "by the app")
    try folder.write(editor.finish().encoded(), to: Self.january)
    try folder.write(Legacy.record(1, "\"comment\":\"two\""), to: Self.file)
    let before = try folder.documents()
    #expect(codes(try Self.update(folder, prefersLegacy: true).findings) == [.fieldDiffers])
    #expect(try folder.documents() == before)
    #expect(codes(try folder.verifying().findings) == [.fieldDiffers])
  }

  @Test func `new entities and changed ones reach a document together`() throws {
    let folder = try Self.folder("\"comment\":\"one\"")
    try folder.write(Legacy.record(1, "\"comment\":\"two\""), to: Self.file)
    try folder.write(Legacy.record(2), to: "records/2024/01/b.json")
    let report = try Self.update(folder)
    #expect(report.records.imported == 1 && report.records.updated == 1)
    #expect(report.documents.count == 1)
    #expect(report.documents.first?.outcome == .extended)
    #expect(try folder.document(Self.january).heads.count == 1)
    #expect(try folder.verifying().isSound)
  }

  @Test func `a record is updated in the document of another month`() throws {
    let folder = try Self.folder("\"comment\":\"one\"")
    try folder.remove(Self.file)
    try folder.write(
      Legacy.record(1, "\"comment\":\"two\""), to: "records/2024/02/a.json")
    #expect(try Self.update(folder).documents.map(\.path) == [Self.january])
    #expect(try comment(folder) == "two")
    #expect(codes(try folder.verifying().findings) == [.movedMonth])
  }

  @Test func `files that disagree are left to a person`() throws {
    let folder = try Self.folder("\"comment\":\"one\"")
    let before = try folder.documents()
    try folder.write(Legacy.record(1, "\"comment\":\"two\""), to: "records/2024/01/b.json")
    let report = try Self.update(folder)
    #expect(codes(report.findings) == [.duplicateID])
    #expect(report.endsWithDifferences)
    #expect(try folder.documents() == before)
  }
}

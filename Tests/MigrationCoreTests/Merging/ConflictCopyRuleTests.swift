import Automerge
import Diagnostics
import Folders
import Testing

@testable import MigrationCore
@testable import Runs

/// What verification calls a conflict copy is what a merge looks at, and each of the two says
/// something that comes to an end.
@Suite struct ConflictCopyRuleTests {
  /// What stands between a name and its extension in a copy's name, or where a service puts it.
  static let forms = [
    "@ 2.#", "@ 17.#", "@ (1).#", "@ copy.#", "@ - Copy.#", "@copy.#", "@-MACBOOK.#",
    "@-LAPTOP-2.#",
    "@ (conflicted copy).#", "@ (Anna's conflicted copy 2026-01-06).#",
    "@ (Case Conflict).#", "@ (In Konflikt stehende Kopie von Anna 2026-01-06).#",
    "@ (conflicted copy 2025-04-10 093612).#", "@_conflict-20260106-120000.#",
    "@.sync-conflict-20260106-120000-ABCDEFG.#", "@.Conflict.#", "@ [Conflict].#", "@_conf(2).#",
    "@_Andy-PC_Jan-03-0901-2026_CaseConflict_1.#", "@ [conflicted].#", "@-anna-safeBackup-0001.#",
    "@ (SFConflict anna 2026-01-06-12-00-00).#", "@.#.conflict1", "@.#..path2",
    "@.# (SFConflict anna 2026-01-06-12-00-00)", "@ 2 3.#", "@ (1) (conflicted copy).#",
    "@ (old).#",
  ]

  /// Where bases lie: their paths without extension, and the extension.
  static let places = [
    ("tags", "automerge"), ("tags", "json"), ("records/2024/01", "automerge"),
    ("records/2024/01/2024-01-15_093001", "automerge"),
    ("records/2024/01/2024-01-15_093001", "json"), ("records/2024/01/a", "jpg"), ("notes", "txt"),
    ("records/2024/01/readme", "txt"), ("elsewhere/01", "automerge"),
  ]

  enum Content: CaseIterable { case equal, edited, other, damaged }

  private static func content(
    _ content: Content, _ path: String, of folder: TestFolder
  ) throws -> [UInt8] {
    let bytes = try folder.bytes(path)
    switch content {
    case .equal: return bytes
    case .damaged: return Array(bytes.dropLast(3)) + [0, 1, 2]
    case .edited where path.hasSuffix(".automerge"):
      return try AppDocument.editing(DocumentState(loading: bytes), actor: 9) {
        $0.make(try DocumentMergeTests.identity(77), "comment", "new")
      }.encoded()
    case .edited:
      return Array(
        String(decoding: bytes, as: UTF8.self).replacing("comment 1", with: "other").utf8)
    case .other where path.hasSuffix(".automerge"):
      return try AppDocument.make(actor: 3) {
        $0.make(try DocumentMergeTests.identity(78), "comment", "x")
      }.encoded()
    case .other:
      return path.hasSuffix("tags.json")
        ? Array(Legacy.tags(Legacy.tag(90)).utf8) : Array(Legacy.record(91).utf8)
    }
  }

  private static func folder(_ base: String) throws -> TestFolder {
    let folder = try TestFolder()
    for number in 1...3 {
      try folder.write(
        Legacy.record(number, "\"comment\":\"comment \(number)\""),
        to: "records/2024/01/2024-01-15_09300\(number).json")
    }
    try folder.write(Legacy.tags(Legacy.tag(80, name: "comment 1")), to: "tags.json")
    for path in ["notes.txt", "records/2024/01/readme.txt", "records/2024/01/a.jpg"] {
      try folder.write("comment 1", to: path)
    }
    let isPerRecord = base.hasPrefix("records/2024/01/") && base.hasSuffix(".automerge")
    try folder.importing { $0.layout = isPerRecord ? .perRecord : .monthly }
    if !folder.exists(base) {
      try folder.write(folder.bytes("records/2024/01.automerge"), to: base)
    }
    return folder
  }

  @Test(arguments: places, [true, false])
  func `whatever is told to be a conflict copy, a merge brings together or says why not`(
    place: (stem: String, extension: String), hasBase: Bool
  ) throws {
    let base = "\(place.stem).\(place.extension)"
    let pristine = try Self.folder(base)
    // Every form meets every content at some place.
    let turn = base.utf8.count + (hasBase ? 1 : 0)
    for (number, form) in Self.forms.enumerated() {
      let content = Content.allCases[(number + turn) % Content.allCases.count]
      let name = form.replacing("@", with: place.stem).replacing("#", with: place.extension)
      let folder = try TestFolder()
      try pristine.copy(to: folder)
      try folder.write(Self.content(content, base, of: folder), to: name)
      if !hasBase { try folder.remove(base) }
      try Self.expectEnd(of: folder, name, "\(content) \(name), \(hasBase ? "with" : "no") base")
    }
  }

  private static func expectEnd(of folder: TestFolder, _ name: String, _ what: String) throws {
    func isToBeMerged(_ report: VerificationReport) -> Bool {
      report.findings.contains { $0.next?.contains("merge-conflicts FOLDER") == true }
        || report.findings.contains { $0.code == .conflictCopy }
    }
    let asked = isToBeMerged(try folder.verifying())
    let report = try folder.merging()
    guard asked, report.outcomes[name]?.leavesItsName != true else { return }
    // It stays: the merge itself says why, and what to do that is not the same again.
    let reasons = report.findings.filter { $0.path == name || $0.path == report.bases.first?.path }
    #expect(report.outcomes[name] != nil, "\(what): verification asks for a merge that is blind")
    #expect(
      reasons.contains { finding in
        guard let next = finding.next else { return false }
        return next != "run merge-conflicts FOLDER" && next != "run the command again"
      }, "\(what): stays without a word: \(report.findings)")
  }

  @Test func `a document under a name of its own is told as that, by verification and by a merge`()
    throws
  {
    let folder = try DocumentMergeTests.folder()
    try folder.write(
      folder.bytes(DocumentMergeTests.base), to: "records/2024/01 copy.automerge")
    for findings in [try folder.verifying().findings, try folder.merging().findings] {
      let finding = try #require(findings.first { $0.path == "records/2024/01 copy.automerge" })
      #expect(finding.code == .misnamedDocument)
      #expect(finding.next?.contains("\"01 2.automerge\"") == true)
      #expect(!findings.contains { $0.next?.contains("merge-conflicts FOLDER") == true })
    }
    // What it is told to do brings it to an end.
    try folder.write(
      folder.bytes("records/2024/01 copy.automerge"), to: "records/2024/01 2.automerge")
    try folder.remove("records/2024/01 copy.automerge")
    #expect(try folder.merging().count(.redundant) == 1)
    #expect(try folder.verifying().findings.isEmpty)
  }

  @Test func `a legacy copy with another value is merged, not redundant`() throws {
    let folder = try TestFolder()
    let (base, copy) = ("records/2024/01/a.json", "records/2024/01/a 2.json")
    try folder.write(Legacy.record(1, "\"comment\":\"here\""), to: base)
    try folder.write(Legacy.record(1, "\"comment\":\"there\""), to: copy)
    let report = try folder.merging()
    #expect(report.outcomes == [copy: .merged])
    #expect(report.bases[0].differences.map(\.other) == [.string("there")])
    #expect(!report.bases[0].isWritten)
  }
}

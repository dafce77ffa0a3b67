import FileFaults
import Folders
import Testing

@Suite struct ConflictCopyNameTests {
  private func readings(of name: String) -> [ConflictCopyName] {
    let bytes = Array(name.utf8)
    return ConflictCopyName.readings(of: bytes.span)
  }

  private func isLikely(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    return ConflictCopyName.isLikely(bytes.span)
  }

  /// Names with the base, service and strength of their outermost reading.
  static let examples: [(String, String, SyncService, ConflictCopyName.Strength)] = [
    ("tags (Anna's conflicted copy 2026-01-06).automerge", "tags.automerge", .dropbox, .strong),
    (
      "tags (Anna\u{2019}s conflicted copy 2026-01-06 (1)).automerge", "tags.automerge", .dropbox,
      .strong
    ),
    (
      "01 (Mac (2)'s Conflicted Copy 2026-01-06).automerge", "01.automerge", .dropbox, .strong
    ),
    ("tags (conflicted copy 2026-01-06).automerge", "tags.automerge", .dropbox, .strong),
    ("tags (conflicted copy).json", "tags.json", .dropbox, .strong),
    (
      "01 (In Konflikt stehende Kopie von Anna 2026-01-06).automerge", "01.automerge", .dropbox,
      .strong
    ),
    ("01 (Annas in Konflikt stehende Kopie 2026-01-06).json", "01.json", .dropbox, .strong),
    ("01 (Copie en conflit de PC 2025-11-17).automerge", "01.automerge", .dropbox, .strong),
    ("01 (Copia en conflicto de Ana 2025-11-17).json", "01.json", .dropbox, .strong),
    ("01 (Copia conflictiva de Ana 2025-11-17).json", "01.json", .dropbox, .strong),
    ("01 (Copia in conflitto di Ana 2025-11-17).json", "01.json", .dropbox, .strong),
    ("01 (C\u{f3}pia em conflito de Ana 2025-11-17).json", "01.json", .dropbox, .strong),
    ("01 (Co\u{301}pia em conflito de Ana 2025-11-17).json", "01.json", .dropbox, .strong),
    ("01 (C\u{d3}PIA EM CONFLITO de Ana 2025-11-17).json", "01.json", .dropbox, .strong),
    ("01 (Copia em conflito de Ana 2025-11-17).json", "01.json", .dropbox, .strong),
    ("01 (Case Conflict).automerge", "01.automerge", .dropbox, .strong),
    ("01 (Case Conflict 1).automerge", "01.automerge", .dropbox, .strong),
    ("01 (Selective Sync Conflict).automerge", "01.automerge", .dropbox, .strong),
    ("01 (Unicode Encoding Conflict).automerge", "01.automerge", .dropbox, .strong),
    ("01 (Whitespace Conflict).automerge", "01.automerge", .dropbox, .strong),
    ("tags 2.automerge", "tags.automerge", .iCloud, .weak),
    ("tags 999.automerge", "tags.automerge", .iCloud, .weak),
    ("2024-01-15_093000 2.json", "2024-01-15_093000.json", .iCloud, .weak),
    ("records 2", "records", .iCloud, .weak),
    ("01 (1).automerge", "01.automerge", .googleDrive, .weak),
    ("01 [Conflict].automerge", "01.automerge", .googleDrive, .strong),
    ("01[conflict 3].automerge", "01.automerge", .googleDrive, .strong),
    ("01_conf(2).automerge", "01.automerge", .googleDrive, .strong),
    ("01-MACBOOK.automerge", "01.automerge", .oneDrive, .weak),
    ("tags-LAPTOP-2.automerge", "tags.automerge", .oneDrive, .weak),
    ("tags-laguna-safeBackup-0001.automerge", "tags.automerge", .oneDrive, .strong),
    (
      "01.sync-conflict-20260106-120000-ABCDEFG.automerge", "01.automerge", .syncthing, .strong
    ),
    ("01.sync-conflict-20260106-120000.automerge", "01.automerge", .syncthing, .strong),
    ("01 (conflicted copy 2025-04-10 093612).automerge", "01.automerge", .nextcloud, .strong),
    (
      "01 (conflicted copy anna 2025-04-10 093612).automerge", "01.automerge", .nextcloud, .strong
    ),
    ("01_conflict-20260106-120000.automerge", "01.automerge", .ownCloud, .strong),
    ("01 (case clash from anna).automerge", "01.automerge", .nextcloud, .strong),
    ("01.Conflict.automerge", "01.automerge", .resilio, .strong),
    ("filename.Conflict2.jpg", "filename.jpg", .resilio, .strong),
    ("01_Andy-PC_Jan-03-0901-2026_CaseConflict_1.automerge", "01.automerge", .synology, .strong),
    ("a_Andy-PC_Dec-31-235959-2013_Conflict.txt", "a.txt", .synology, .strong),
    (
      "01 (SFConflict anna 2026-01-06-12-00-00).automerge", "01.automerge", .seafile, .strong
    ),
    (
      "01.automerge (SFConflict anna 2026-01-06-12-00-00)", "01.automerge", .seafile, .strong
    ),
    ("01 [conflicted].automerge", "01.automerge", .pCloud, .strong),
    ("script [conflicted (2)].sh", "script.sh", .pCloud, .strong),
    ("script [conflicted 2].sh", "script.sh", .pCloud, .strong),
    ("tags.automerge.conflict1", "tags.automerge", .rclone, .strong),
    ("tags.json..path2", "tags.json", .rclone, .strong),
    (
      "Notes (edits by lgreen not merged 2013-01-11).docx", "Notes.docx", .ctera, .strong
    ),
    ("Notes (lgreen's conflict on 2013-01-11).docx", "Notes.docx", .ctera, .strong),
    (
      "Notes (Conflicted copy 2013-01-11 for lgreen).docx", "Notes.docx", .dropbox, .strong
    ),
    ("Notes (conflict 2021-03-04).docx", "Notes.docx", .unknown, .weak),
    ("Notes_conflict.docx", "Notes.docx", .unknown, .weak),
    ("Notes (konflikt 1).docx", "Notes.docx", .unknown, .weak),
  ]

  @Test(arguments: examples.indices)
  func `every form says base, service and strength`(index: Int) throws {
    let (name, base, service, strength) = Self.examples[index]
    let reading = try #require(readings(of: name).first, "\(name)")
    #expect(String(decoding: reading.base, as: UTF8.self) == base, "\(name)")
    #expect(reading.service == service, "\(name)")
    #expect(reading.strength == strength, "\(name)")
  }

  @Test(arguments: [
    "2024-01-15_093000.json", "2024-01-15_093000", "01", "01.automerge", "tags.json", "tags 1",
    "tags 1.json", "notes 2024", "notes 2024.txt", "01 (2024)", "01 (2024).automerge", "x (0).json",
    "()", " 2", "(2)", ".path3", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8_0.jpg", "",
    "(conflicted copy 2026-01-06)", ".Conflict", "[conflicted]", "a (Anna's holiday).jpg",
    "01 (2", "01 2)", "01).json",
  ])
  func `ordinary names have no reading`(name: String) {
    #expect(readings(of: name).isEmpty, "\(readings(of: name))")
    #expect(!isLikely(name))
  }

  @Test(arguments: [
    ".syncthing.tags 2.automerge.tmp", "~syncthing~tags 2.automerge.tmp",
    "01~20260106-120000.automerge", ".tags (1).json.~1a2b3c4d", ".unison.01 2.unison.tmp",
  ])
  func `temporaries and versions of sync programs are ignored`(name: String) {
    #expect(readings(of: name).isEmpty)
    #expect(!isLikely(name))
  }

  @Test func `the extension of what a name is a copy of stands in the name as it is`() {
    let parts = [
      "a", ".automerge", ".auto", "merge", ".Automerge", " (2)", " 2", "-HOST", "-", ".conflict1",
      "_conf(1)", ".json", ".sync-conflict-20240101-101010-ABCDEFG", "..path1", ".",
      " (conflicted copy)", " [conflict]", " (SFConflict a 2026-01-06-12-00-00)",
    ]
    var found = 0
    for seed in 0..<3_000 {
      var random = TestRandom(seed: UInt64(seed))
      let count = Int.random(in: 1...6, using: &random)
      let name = "a" + (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
      for reading in readings(of: name) {
        let base = String(decoding: reading.base, as: UTF8.self).lowercased()
        guard base.hasSuffix(".automerge") else { continue }
        #expect(name.lowercased().contains(".automerge"), "\(name), seed \(seed)")
        found += 1
      }
    }
    #expect(found > 100)
  }

  @Test func `a name with a hyphen alone is not likely a copy`() {
    for name in ["my-notes.txt", "01-MACBOOK.automerge"] {
      #expect(!readings(of: name).isEmpty)
      #expect(!isLikely(name))
    }
  }

  private func mayBeCopy(_ name: String, of bases: [String]) -> Bool {
    let bytes = Array(name.utf8)
    switch ConflictCopyName.glance(at: bytes.span) {
    case .none: return false
    case .maybe: return true
    case .ifAnyBase(let stemLength):
      var base: [UInt8] = []
      return (1..<max(stemLength, 1)).contains { hyphen in
        ConflictCopyName.replace(
          &base, byStartOf: bytes.span, before: hyphen, stemLength: stemLength)
          && bases.contains(String(decoding: base, as: UTF8.self))
      }
    }
  }

  @Test func `no base that a reading proposes is missed by the first look`() {
    let hyphened = ["a-b-c.json", "a-b-2.json", "a-b", "-a-b.json", "a.b-c.json", "a-b (1).json"]
    for name in Self.examples.map(\.0) + hyphened {
      for reading in readings(of: name) {
        let base = String(decoding: reading.base, as: UTF8.self)
        #expect(mayBeCopy(name, of: [base]), "\(name) of \(base)")
      }
    }
  }

  @Test func `a name with hyphens and no base is nobody's copy`() {
    for name in [
      "my-notes.txt", "2024-01-15_093000.json", "01-MACBOOK.automerge", "a-b-c", "-", "-.",
    ] {
      #expect(
        !mayBeCopy(name, of: ["notes.txt", "15_093000.json", "MACBOOK.automerge", "c", ".", ""]))
    }
    #expect(mayBeCopy("my-notes.txt", of: ["my.txt"]))
    #expect(mayBeCopy("01-MACBOOK-2.automerge", of: ["01.automerge"]))
  }

  @Test func `a copy of a copy is read from the outside inwards`() {
    let name = "01 2.Conflict.Conflict3 (conflicted copy 2026-01-06).automerge"
    let found = readings(of: name)
    #expect(
      found.map { String(decoding: $0.base, as: UTF8.self) } == [
        "01 2.Conflict.Conflict3.automerge", "01 2.Conflict.automerge", "01 2.automerge",
        "01.automerge",
      ])
    #expect(found.map(\.strength) == [.strong, .strong, .strong, .weak])
    #expect(found.allSatisfy { $0.service == .dropbox })
  }

  @Test func `every hyphen may be the one before a host`() {
    let bases = readings(of: "tags-DESKTOP-4K2J.automerge")
      .map { String(decoding: $0.base, as: UTF8.self) }
    #expect(bases.contains("tags-DESKTOP.automerge"))
    #expect(bases.contains("tags.automerge"))
  }

  @Test func `what is no text keeps its bytes`() {
    let name: [UInt8] = [0xff, 0xfe] + Array(" (conflicted copy 2026-01-06).json".utf8)
    #expect(
      ConflictCopyName.readings(of: name.span).map(\.base) == [[0xff, 0xfe] + Array(".json".utf8)])
  }

  @Test func `no name takes long`() {
    for unit in [" 2", ".Conflict", "-abc", " (conflicted copy)", "(", ")", "[conflicted]"] {
      let name = "a" + String(repeating: unit, count: 255 / unit.utf8.count) + ".json"
      #expect(readings(of: name).count <= 64, "\(unit)")
    }
  }
}

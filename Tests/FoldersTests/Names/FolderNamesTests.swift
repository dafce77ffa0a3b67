import Folders
import Testing

@Suite struct FolderNamesTests {
  private func with<Result>(_ name: String, _ body: (Span<UInt8>) -> Result) -> Result {
    let bytes = Array(name.utf8)
    return body(bytes.span)
  }

  @Test func `our unfinished files are recognised by both ends of their names`() {
    for name in [".tags.automerge.1a2b3c.tmp.nosync", ".a.tmp.nosync"] {
      #expect(with(name) { FolderNames.isOwnTemporary($0) })
    }
    for name in ["tags.tmp.nosync", ".tmp.nosync", ".a.tmp", ".minuta.writelock.nosync", ""] {
      #expect(!with(name) { FolderNames.isOwnTemporary($0) }, "\(name)")
    }
  }

  @Test func `a placeholder names the file it stands for`() {
    let name = Array(".2026-01-06_093000.automerge.icloud".utf8)
    let target = FolderNames.placeholderTarget(name.span)
    #expect(target.map { Array(name[$0]) } == Array("2026-01-06_093000.automerge".utf8))
    for name in ["a.json.icloud", ".icloud", "..icloud", ".a.json", ".a.icloud2"] {
      if name == "..icloud" { continue }
      #expect(with(name) { FolderNames.placeholderTarget($0) } == nil, "\(name)")
    }
  }

  @Test(arguments: [
    "tags 2.json", "tags (1).automerge", "tags (Anna's conflicted copy 2026-01-06).json",
    "01.sync-conflict-20260106-120000-ABCDEFG.automerge", "01 (Case Conflict).automerge",
    "01_Andy-PC_Jan-03-0901-2026_CaseConflict_1.automerge", "01.Conflict.automerge",
    "01 [conflicted].automerge", "tags.automerge.conflict1", "tags.automerge..path2",
    "01 (In Konflikt stehende Kopie von Anna 2026-01-06).automerge",
    "01 (Copie en conflit de PC 2025-11-17).automerge", "tags-laguna-safeBackup-0001.automerge",
    "01 (SFConflict anna 2026-01-06-12-00-00).automerge", "01 (case clash from anna).automerge",
  ])
  func `names that sync services make in a conflict are noticed`(name: String) {
    #expect(with(name) { ConflictCopyName.isLikely($0) })
  }

  @Test(arguments: [
    "2024-01-15_093000.json", "01.automerge", "tags.json", "notes 2024.txt", "01 (2024).automerge",
    "tags 1.json", "x (0).json", "()", " 2", "(2)", ".path3",
  ])
  func `ordinary names are not`(name: String) {
    #expect(!with(name) { ConflictCopyName.isLikely($0) })
  }

  @Test func `images are known by the app's name or by their extension`() {
    let owner = Samples.recordID
    #expect(with("\(owner)_0.jpg") { ImageName.owner($0) }?.description == owner)
    #expect(with("\(owner.lowercased())_12.strange") { ImageName.owner($0) }?.description == owner)
    for name in [
      "\(owner).jpg", "\(owner)_.jpg", "\(owner)_0", "\(owner)_0.", "\(owner)_x.jpg", "_0.jpg",
    ] {
      #expect(with(name) { ImageName.owner($0) } == nil, "\(name)")
    }
    for name in ["a.JPG", "a.jpeg", "photo.HEIC", "\(owner)_3.bin"] {
      #expect(with(name) { ImageName.isImage($0) }, "\(name)")
    }
    for name in ["a.txt", "jpg", "a.pdf", ""] {
      #expect(!with(name) { ImageName.isImage($0) }, "\(name)")
    }
  }
}

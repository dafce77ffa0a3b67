import SafeFiles
import Testing

@Suite struct RelativePathTests {
  @Test(arguments: ["", "/", "/a", "a/", "a//b", "..", "a/..", "../a", "a/../b", ".", "a/./b"])
  func `what could leave the folder or has two spellings is no path`(text: String) {
    #expect(RelativePath(text.description) == nil)
  }

  @Test func `a zero byte is in no path`() {
    #expect(RelativePath([0x61, 0, 0x62]) == nil)
  }

  @Test func `names that only look like dots are names`() throws {
    for text in ["...", ".a", "..a", "a..", "a/..."] {
      #expect(try #require(RelativePath(text.description)).bytes == Array(text.utf8))
    }
  }

  @Test func `a path is taken apart and put together`() throws {
    let path: RelativePath = "records/2024/01"
    #expect(path.components.map(\.description) == ["records", "2024", "01"])
    #expect(path.parent == "records/2024")
    #expect(path.lastComponent == "01")
    #expect(RelativePath.folder.appending("a" as FileName).appending("b" as RelativePath) == "a/b")
    #expect(RelativePath("a" as FileName).parent == .folder)
    #expect(RelativePath.folder.parent == nil)
    #expect(RelativePath.folder.components.isEmpty)
  }

  @Test func `a folder contains what is below it and not what starts alike`() {
    let path: RelativePath = "a/b"
    #expect(path.contains("a/b"))
    #expect(path.contains("a/b/c"))
    #expect(!path.contains("a/bc"))
    #expect(!path.contains("a"))
    #expect(RelativePath.folder.contains(path))
  }
}

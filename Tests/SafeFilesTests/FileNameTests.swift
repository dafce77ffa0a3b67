import SafeFiles
import Testing

@Suite struct FileNameTests {
  @Test(arguments: ["", ".", "..", "a/b", "/", "a\0b"])
  func `what is no single name is refused`(text: String) {
    #expect(FileName(text.description) == nil)
  }

  @Test func `names sort by unsigned bytes`() throws {
    let names = try [[0xff], [0x61], [0x61, 0x00 + 1], [0x2e, 0x61]].map { bytes in
      try #require(FileName(bytes.map { UInt8($0) }))
    }
    #expect(
      names.sorted().map(\.bytes) == [[0x2e, 0x61], [0x61], [0x61, 0x01], [0xff]])
  }

  @Test func `control and invalid bytes are shown escaped and distinct`() throws {
    let shown = try [[0x0a], [0xff], [0x5c, 0x6e], [0xc3, 0xa9], [0x1b, 0x5b]].map {
      try #require(FileName($0)).description
    }
    #expect(shown == ["\\n", "\\xff", "\\\\n", "é", "\\x1b["])
  }
}

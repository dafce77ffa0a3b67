import FileFaults
import Folders
import Foundation
import Testing

@Suite struct Base64Tests {
  @Test func `texts agree with Foundation for every short length`() {
    var random = TestRandom(seed: 11)
    for count in 0...100 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Base64.encode(bytes.span)
      #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
      #expect(Base64.decode(text.span) == bytes)
    }
  }

  @Test(arguments: [
    "A", "AA", "AAA", "A===", "AA=A", "=AAA", "AAAA=", "AB==", "AAB=", "AA==AAAA", "AA-_", "AA A",
    "AAA\n", "====", "AAAA====",
  ])
  func `anything but the one text of some bytes is refused`(text: String) {
    let bytes = Array(text.utf8)
    #expect(Base64.decode(bytes.span) == nil)
  }
}

import Folders
import Testing

@Suite struct JSONWriterTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `separators come from the structure`() {
    let text = written {
      $0.beginObject()
      $0.name("a")
      $0.beginArray()
      $0.number(1)
      $0.beginObject()
      $0.endObject()
      $0.null()
      $0.endArray()
      $0.name("b")
      $0.bool(true)
      $0.endObject()
    }
    #expect(text == #"{"a":[1,{},null],"b":true}"#)
  }

  @Test func `only what JSON requires is escaped`() {
    #expect(
      written { $0.string("\"\\/\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{b}\u{7f}é😀\u{2028}") }
        == #""\"\\/\b\t\n\f\r\u0000\u001f\u000b"# + "\u{7f}é😀\u{2028}\"")
  }

  @Test func `doubles have a point or an exponent`() {
    #expect(written { $0.number(1.0) } == "1.0")
    #expect(written { $0.number(-0.0) } == "-0.0")
    #expect(written { $0.number(1e23) } == "1e+23")
    #expect(written { $0.number(Double.leastNonzeroMagnitude) } == "5e-324")
    #expect(written { $0.number(0.1) } == "0.1")
  }

  @Test func `integers are written whole`() {
    #expect(written { $0.number(Int64.min) } == "-9223372036854775808")
    #expect(written { $0.number(UInt64.max) } == "18446744073709551615")
  }

  @Test func `identities and moments are strings`() {
    let identity = Identity(high: 0x550e_8400_e29b_41d4, low: 0xa716_4466_5544_0000)
    #expect(written { $0.string(identity) } == #""550E8400-E29B-41D4-A716-446655440000""#)
    #expect(
      written { $0.string(RFC3339(milliseconds: 1_705_311_000_250)) }
        == #""2024-01-15T09:30:00.250Z""#)
  }
}

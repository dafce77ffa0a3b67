import Folders
import Testing

@Suite struct JSONTapeTests {
  private func tape(_ text: String, depthLimit: Int = JSONTape.standardDepth) throws -> JSONTape {
    var tape = JSONTape()
    try tape.parse(text.utf8, depthLimit: depthLimit)
    return tape
  }

  private func defect(_ bytes: [UInt8], depthLimit: Int = JSONTape.standardDepth) -> JSONDefect? {
    var tape = JSONTape()
    do throws(JSONDefect) {
      try tape.parse(bytes, depthLimit: depthLimit)
      return nil
    } catch {
      #expect(tape.nodes.isEmpty)
      #expect(tape.text == bytes)
      return error
    }
  }

  private func defect(_ text: String) -> JSONDefect? { defect(Array(text.utf8)) }

  private func string(_ json: String) throws -> String {
    let tape = try tape(json)
    return String(decoding: tape.bytes(of: 0), as: UTF8.self)
  }

  @Test func `nodes follow each other in the order of the text`() throws {
    let tape = try tape(#" {"a" : [1, 2.50] , "b":null, "c": {"d":true,"e":false}, "":"x"} "#)
    #expect(
      tape.nodes.map(\.kind) == [
        .object, .string, .array, .number, .number, .string, .null, .string, .object, .string,
        .true, .string, .false, .string, .string,
      ])
    #expect(tape.childCount(of: 0) == 4)
    #expect(tape.childCount(of: 2) == 2)
    #expect(tape.node(after: 0) == tape.nodes.count)
    #expect(tape.node(after: 2) == 5)
    #expect(tape.bytes(of: 4) == Array("2.50".utf8))
    #expect(tape.member("c", of: 0) == 8)
    #expect(tape.member("d", of: 0) == nil)
    #expect(tape.member("", of: 0) == 14)
    #expect(tape.offset(of: 2) == 8)
  }

  @Test func `empty containers have no children`() throws {
    let tape = try tape("[{},[ ],{ }]")
    #expect(tape.childCount(of: 0) == 3)
    #expect((1...3).map { tape.childCount(of: $0) } == [0, 0, 0])
  }

  @Test func `a reused tape forgets what it held`() throws {
    var tape = JSONTape()
    try tape.parse(#"{"long":"a\nb","x":[1,2,3]}"#.utf8)
    try tape.parse("[7]".utf8)
    #expect(tape.nodes.count == 2)
    #expect(tape.bytes(of: 1) == Array("7".utf8))
    #expect(tape.sourceByteCount == 3)
  }

  @Test func `a byte order mark is skipped and counted in offsets`() throws {
    var tape = JSONTape()
    try tape.parse([0xef, 0xbb, 0xbf] + Array("[1]".utf8))
    #expect(tape.offset(of: 0) == 3)
    #expect(defect([0xef, 0xbb, 0xbf] + Array("[1".utf8)) == JSONDefect(.truncated, at: 5))
    #expect(defect([0xef, 0xbb, 0xbf]) == JSONDefect(.empty, at: 3))
    #expect(defect([0x20, 0xef, 0xbb, 0xbf, 0x31])?.offset == 1)
  }

  @Test func `other encodings are named and not guessed at`() {
    for bytes: [UInt8] in [
      [0xff, 0xfe, 0x7b, 0], [0xfe, 0xff, 0, 0x7b], [0x7b, 0, 0x7d, 0], [0, 0x7b, 0, 0x7d],
      [0, 0, 0xfe, 0xff],
    ] {
      #expect(defect(bytes) == JSONDefect(.otherEncoding("UTF-16 or UTF-32"), at: 0))
    }
  }

  @Test func `nothing and white space alone are no value`() {
    #expect(defect("") == JSONDefect(.empty, at: 0))
    #expect(defect(" \r\n\t") == JSONDefect(.truncated, at: 4))
  }

  @Test func `a trailing newline is allowed and trailing content is not`() throws {
    #expect(try tape("[1]\r\n\n").nodes.count == 2)
    #expect(defect("[1] 2") == JSONDefect(.trailingContent, at: 4))
    #expect(defect("{}{}") == JSONDefect(.trailingContent, at: 2))
    #expect(defect([0x31, 0x20, 0]) == JSONDefect(.trailingContent, at: 2))
  }

  @Test func `a file truncated at any byte says so`() throws {
    let text = Array(#"{"a":["\u00e9é",-1.5e+3,true,false,null,{"b":"\n"}]}"#.utf8)
    for count in 1..<text.count {
      let found = try #require(defect(Array(text[..<count])))
      // Only in the middle of é are there bytes that could be something else.
      if found.fact != .invalidUTF8 {
        #expect(found.fact == .truncated, "cut to \(count) bytes")
        #expect(found.offset == count)
      }
    }
  }

  @Test(arguments: [
    (#"{"a":1,}"#, 7, JSONDefect.Expectation.memberName), (#"{,}"#, 1, .memberNameOrEnd),
    (#"{"a" 1}"#, 5, .colon), (#"{"a":1 "b":2}"#, 7, .commaOrObjectEnd),
    (#"[1 2]"#, 3, .commaOrArrayEnd), (#"[1,]"#, 3, .value), (#"[,1]"#, 1, .value),
    (#"{'a':1}"#, 1, .memberNameOrEnd), (#"{a:1}"#, 1, .memberNameOrEnd),
    (#"[1}"#, 2, .commaOrArrayEnd),
    (#"nul"# + "x", 3, .value), (#"tru "#, 3, .value), (#"True"#, 0, .value), (#"NaN"#, 0, .value),
    (#"//x"#, 0, .value), (#"+1"#, 0, .value), (#".5"#, 0, .value), (#"]"#, 0, .value),
  ])
  func `a byte in the wrong place is refused with what belongs there`(
    text: String, offset: Int, expected: JSONDefect.Expectation
  ) {
    let byte = Array(text.utf8)[offset]
    #expect(defect(text) == JSONDefect(.unexpectedByte(byte, expected: expected), at: offset))
  }

  @Test(arguments: ["0", "-0", "10", "1.0", "0.5e10", "1E-7", "-12.340e+05", "1e0", "0e0"])
  func `a number keeps its digits`(text: String) throws {
    #expect(try tape(text).bytes(of: 0) == Array(text.utf8))
  }

  @Test(arguments: ["01", "-01", "1.x", "1.e5", "1ex", "1e+x", "-x", "--1"])
  func `a literal that is no number is refused where it begins`(text: String) {
    #expect(defect("[" + text + "]") == JSONDefect(.invalidNumber, at: 1))
  }

  @Test func `escapes are decoded and everything else stays as it is`() throws {
    #expect(try string(#""\"\\\/\b\f\n\r\t""#) == "\"\\/\u{8}\u{c}\n\r\t")
    #expect(try string(#""\u0041\u00e9\u20AC\ud83d\uDE00\u0000""#) == "Aé€😀\0")
    #expect(try string(#""plain é 😀 \u2028""#) == "plain é 😀 \u{2028}")
    #expect(try string("\"\u{7f}\u{2028}\"") == "\u{7f}\u{2028}")
    #expect(try string(#""""#) == "")
  }

  @Test func `composed and decomposed text keep their bytes`() throws {
    #expect(Array(try string("\"\u{e9}\"").utf8) == [0xc3, 0xa9])
    #expect(Array(try string("\"e\u{301}\"").utf8) == [0x65, 0xcc, 0x81])
  }

  @Test func `every code unit that is no surrogate can be escaped`() throws {
    for unit in (0...0xffff as ClosedRange<UInt32>) where !(0xd800...0xdfff).contains(unit) {
      let digits = String(unit, radix: 16)
      let escape = "\"\\u" + String(repeating: "0", count: 4 - digits.count) + digits + "\""
      let scalar = try #require(Unicode.Scalar(unit))
      #expect(try string(escape).unicodeScalars.elementsEqual([scalar]))
    }
  }

  @Test(arguments: [
    #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#,
    #""\udbff\u0041""#, #""\udfff\ud800""#,
  ])
  func `half of a surrogate pair is refused`(text: String) {
    #expect(defect(text) == JSONDefect(.loneSurrogate, at: 1))
  }

  @Test(arguments: [#""\x41""#, #""\u00g0""#, #""\u 041""#, #""\'""#, #""\U0041""#])
  func `an escape that does not exist is refused`(text: String) {
    #expect(defect(text) == JSONDefect(.invalidEscape, at: 1))
  }

  @Test func `control characters must be escaped`() {
    for byte in UInt8(0)..<0x20 {
      #expect(
        defect([0x22, 0x61, byte, 0x22]) == JSONDefect(.unescapedControlCharacter(byte), at: 2))
    }
  }

  @Test func `bytes are UTF-8 exactly where the standard library says so`() {
    // Every one- and two-byte sequence, and the borders of the longer ones.
    var inputs: [[UInt8]] = []
    for first in UInt8(0x80)...0xff {
      inputs.append([first])
      for second in UInt8(0)...0xff where second >= 0x80 || second == 0x41 {
        inputs.append([first, second])
        inputs.append([first, second, 0x80])
        inputs.append([first, second, 0xbf, 0x80])
        inputs.append([first, second, 0x41, 0x80])
        inputs.append([first, second, 0x80, 0xc0])
      }
    }
    for input in inputs {
      let isValid = String(validating: input, as: UTF8.self) != nil
      let found = defect([0x22] + input + [0x22])
      #expect((found == nil) == isValid, "\(input)")
      if let found { #expect(found.fact == .invalidUTF8) }
    }
  }

  @Test func `a byte means the same wherever in a string it stands`() {
    for byte in UInt8(0)...0xff {
      for (before, after) in [(0, 0), (1, 0), (6, 9), (7, 1), (8, 8), (9, 30), (15, 7), (16, 0)] {
        // A zero behind the first byte is another encoding.
        if byte == 0, before == 0 { continue }
        // The neighbours are those that are nearest to what a string cannot hold.
        let head = (0..<before).map { [0x20, 0x21, 0x23, 0x5b, 0x5d, 0x7f][$0 % 6] as UInt8 }
        let tail = (0..<after).map { [0x7f, 0x5d, 0x5b, 0x23, 0x21, 0x20][$0 % 6] as UInt8 }
        let found = defect([0x22] + head + [byte] + tail + [0x22])
        let place = before + 1
        let expected: JSONDefect? =
          switch byte {
          case ..<0x20: JSONDefect(.unescapedControlCharacter(byte), at: place)
          case 0x80...: JSONDefect(.invalidUTF8, at: place)
          default: nil
          }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          #expect(found != nil, "\(byte) behind \(before)")
        } else {
          #expect(found == expected, "\(byte) behind \(before), before \(after)")
        }
      }
    }
  }

  @Test func `one name twice in one object is refused at the second`() {
    #expect(defect(#"{"a":1,"a":1}"#) == JSONDefect(.duplicateMember(name: "a"), at: 7))
    #expect(defect(#"{"a":1,"\u0061":2}"#) == JSONDefect(.duplicateMember(name: "a"), at: 7))
    #expect(defect(#"{"":1,"":2}"#) == JSONDefect(.duplicateMember(name: ""), at: 6))
    #expect(
      defect(#"[{"x":{"b":1,"c":2,"b":3}}]"#) == JSONDefect(.duplicateMember(name: "b"), at: 19))
  }

  @Test func `names that only look alike are different`() throws {
    #expect(try tape("{\"\u{e9}\":1,\"e\u{301}\":2}").childCount(of: 0) == 2)
    #expect(try tape(#"{"a":{"a":{"a":1}},"A":[{"a":1},{"a":1}]}"#).childCount(of: 0) == 2)
  }

  @Test func `large objects are searched for duplicates too`() throws {
    let names = (0..<5000).map { "n\($0 &* 7919 % 5000)" }
    let members = names.map { "\"\($0)\":0" }
    #expect(try tape("{" + members.joined(separator: ",") + "}").childCount(of: 0) == 5000)
    for position in [0, 12, 2500, 4999] {
      let text = "{" + (members + ["\"\(names[position])\":1"]).joined(separator: ",") + "}"
      #expect(defect(text)?.fact == .duplicateMember(name: names[position]))
      #expect(defect(text)?.offset == text.utf8.count - members[position].utf8.count - 1)
    }
  }

  @Test func `depth 128 is allowed and 129 is refused`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try tape(nested(128)).nodes.count == 128)
    #expect(defect(nested(129)) == JSONDefect(.tooDeep(limit: 128), at: 128))
    let objects = String(repeating: #"{"a":"#, count: 128)
    #expect(try tape(objects + "1" + String(repeating: "}", count: 128)).nodes.count == 257)
    #expect(
      defect(objects + "[]" + String(repeating: "}", count: 128))
        == JSONDefect(.tooDeep(limit: 128), at: objects.utf8.count))
    #expect(try tape(nested(129), depthLimit: 129).nodes.count == 129)
    #expect(defect(String(repeating: "[", count: 1_000_000))?.offset == 128)
  }

  @Test func `values are counted before they cost memory`() {
    let count = JSONTape.largestNodeCount
    let text = Array("[" + String(repeating: "1,", count: count) + "1]").map { $0.asciiValue ?? 0 }
    #expect(defect(text)?.fact == .tooManyValues(limit: count))
  }

  @Test func `members can be walked in the order of their bytes`() throws {
    let tape = try tape(#"{"b":1,"ä":2,"":3,"aa":{"z":1,"y":2},"a":5,"Z":6,"\u0000":7}"#)
    var names: [UInt32] = [99]
    tape.appendSortedMembers(of: 0, to: &names)
    let found = names.dropFirst().map { String(decoding: tape.bytes(of: Int($0)), as: UTF8.self) }
    #expect(names.first == 99)
    #expect(found == ["", "\0", "Z", "a", "aa", "b", "ä"])
  }

  @Test func `messages show strange bytes escaped and long names cut`() {
    #expect(
      JSONDefect(.unexpectedByte(0x1b, expected: .value), at: 0).problem
        == "byte 0x1b where a value is expected")
    let name = String(repeating: "x", count: 1000)
    guard case .duplicateMember(let shown) = defect("{\"\(name)\":1,\"\(name)\":2}")?.fact else {
      Issue.record("no duplicate found")
      return
    }
    #expect(shown.count < 100)
  }
}

import FileFaults
import SampleStores
import Testing
import TestStores

@testable import SwiftDataStores

@Suite struct PropertyListTests {
  private func problem(_ bytes: [UInt8]) -> PropertyListError.Problem? {
    do throws(PropertyListError) {
      _ = try PropertyList(bytes)
      return nil
    } catch {
      return error.problem
    }
  }

  @Test func `every kind of object is read`() throws {
    let list = SamplePropertyList.dictionary([
      ("text", .string("plain")), ("wide", .string("Émile 🙂")), ("small", .integer(7)),
      ("negative", .integer(-7)), ("large", .integer(.max)), ("real", .real(1.5)),
      ("yes", .boolean(true)), ("no", .boolean(false)), ("date", .date(-0.5)),
      ("data", .data([UInt8](repeating: 9, count: 300))), ("uid", .identifier(300)),
      ("list", .array([.integer(1), .array([]), .string("")])),
    ])
    let root = try PropertyList(list.bytes).root
    #expect(root.count == 12)
    #expect(root["text"]?.text == "plain")
    #expect(root["wide"]?.text == "Émile 🙂")
    #expect(root["small"]?.integer == 7)
    #expect(root["negative"]?.integer == -7)
    #expect(root["large"]?.integer == .max)
    #expect(root["real"]?.real == 1.5)
    #expect(root["yes"]?.boolean == true)
    #expect(root["no"]?.boolean == false)
    #expect(root["date"]?.secondsSince2001 == -0.5)
    #expect(root["data"]?.data?.count == 300)
    #expect(root["uid"]?.identifier == 300)
    #expect(root["list"]?.elements?.map(\.integer) == [1, nil, nil])
    #expect(root["nothing"] == nil)
    #expect(root["text"]?["x"] == nil)
  }

  @Test func `an XML list reads as the binary one`() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/x.dtd">
      <plist version="1.0"><!-- one --><dict>
        <key>text</key><string>a &lt;b&gt; &#x1F642;<![CDATA[ &c]]></string>
        <key>number</key><integer>-12</integer><key>hex</key><integer>0x1F</integer>
        <key>large</key><integer>18446744073709551615</integer>
        <key>real</key><real>1.5e3</real><key>yes</key><true/><key>no</key><false></false>
        <key>date</key><date>2001-01-02T00:00:01Z</date><key>old</key><date>1970-01-01T00:00:00Z</date>
        <key>data</key><data> AQID
          BA== </data><key>list</key><array><string/><dict/><array/><array><true/></array></array>
        <key>uid</key><dict><key>CF$UID</key><integer>3</integer></dict>
      </dict></plist>
      """
    let root = try PropertyList(Array(text.utf8)).root
    #expect(root["text"]?.text == "a <b> 🙂 &c")
    #expect(root["number"]?.integer == -12)
    #expect(root["hex"]?.integer == 31)
    #expect(root["large"]?.integer == nil)
    #expect(root["real"]?.real == 1500)
    #expect(root["yes"]?.boolean == true)
    #expect(root["no"]?.boolean == false)
    #expect(root["date"]?.secondsSince2001 == 86_401)
    #expect(root["old"]?.secondsSince2001 == -978_307_200)
    #expect(root["data"]?.data == [1, 2, 3, 4])
    #expect(root["list"]?.elements?.count == 4)
    #expect(root["uid"]?.identifier == 3)
  }

  @Test(arguments: [
    "<plist>", "<plist><dict></plist>", "<plist><dict><key>a</key></dict></plist>",
    "<plist><string>a</plist>", "<plist><integer>x</integer></plist>",
    "<plist><data>A</data></plist>",
    "<plist><date>2001-13-01T00:00:00Z</date></plist>", "<plist><string>&x;</string></plist>",
    "<plist><string/></plist>x", "<plist></plist>", "<?xml",
    "<plist><string>&#xD800;</string></plist>",
    "<!DOCTYPE plist [<!ENTITY a \"aaaa\">]><plist><string>&a;</string></plist>",
    "<plist><data>AQ==AQ==</data></plist>", "<plist><true>x</true></plist>",
  ])
  func `XML that is no property list is refused`(text: String) {
    #expect(problem(Array(text.utf8)) != nil)
  }

  @Test func `objects that contain themselves, lie too deep or share their bytes are refused`() {
    func list(_ objects: [[UInt8]]) -> [UInt8] {
      var bytes = Array("bplist00".utf8)
      var table: [UInt8] = []
      for object in objects {
        table += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
        bytes += object
      }
      let start = bytes.count
      bytes += table + [0, 0, 0, 0, 0, 0, 2, 1]
      for value in [objects.count, 0, start] {
        bytes += [0, 0, 0, 0, 0, 0, UInt8(value >> 8), UInt8(value & 255)]
      }
      return bytes
    }
    #expect(problem(list([[0xa1, 0]])) == .cycle)
    #expect(problem(list([[0xa1, 1], [0xd1, 0, 0]])) == .cycle)
    #expect(problem(list([[0xa2, 1, 1], [0x09]])) == nil)
    let deepest = (1..<PropertyList.maximumDepth).map { [0xa1, UInt8($0)] } + [[0x09]]
    #expect(problem(list(deepest)) == nil)
    let deeper = (1...PropertyList.maximumDepth).map { [0xa1, UInt8($0)] } + [[0x09]]
    #expect(problem(list(deeper)) == .limitExceeded("levels"))
    // A shortcut must not hide how deep an object is.
    let shared =
      [[0xa2, UInt8(PropertyList.maximumDepth), 1]]
      + (2...PropertyList.maximumDepth).map { [0xa1, UInt8($0)] } + [[0xa1, 130], [0x09], [0x09]]
    #expect(problem(list(shared.map { $0 })) != nil)
    #expect(problem(list([[0xa1, 9]])) == .malformed("a reference"))
    #expect(problem(list([[0x71]])) == .truncated)
    #expect(problem(list([[0xc0]])) == nil)
    #expect(problem(list([[0x20]])) == .malformed("the kind of an object"))
    #expect(problem(list([[0x51, 0xff]])) == .malformed("a string in ASCII"))
    #expect(problem([]) == .unknownFormat)
    #expect(problem(Array("bplist00".utf8)) == .truncated)
  }

  @Test func `a list that is cut off anywhere is refused`() {
    let bytes = ModelArchive.archive(of: .library)
    #expect(problem(bytes) == nil)
    for count in 0..<bytes.count { #expect(problem(Array(bytes.prefix(count))) != nil) }
  }

  @Test(arguments: 1...400)
  func `bytes that changed anywhere never stop the program`(seed: UInt64) {
    var random = TestRandom(seed: seed)
    var bytes = ModelArchive.archive(of: .library)
    for _ in 0..<(1 + random.number(below: 8)) {
      // Most of what can go wrong is in the table and behind it.
      let place =
        random.isOne(in: 2)
        ? bytes.count - 1 - random.number(below: 400) : random.number(below: bytes.count)
      bytes[place] = random.isOne(in: 3) ? 0xff : UInt8(random.number(below: 256))
    }
    do throws(PropertyListError) {
      _ = try ModelArchiveReader.read(bytes)
    } catch {
      #expect(error.offset >= 0, "seed \(seed)")
      #expect(!error.text.isEmpty)
    }
  }

  @Test func `inflated bytes are bounded, and a stream is whole or none`() throws {
    let bytes = [UInt8](repeating: 3, count: 5000)
    let deflated = Deflation.deflate(bytes)
    #expect(try Inflation.inflate(deflated, limit: 5000) == bytes)
    #expect(throws: PropertyListError.self) { try Inflation.inflate(deflated, limit: 4999) }
    #expect(throws: PropertyListError.self) {
      try Inflation.inflate(Array(deflated.dropLast()), limit: 5000)
    }
    #expect(throws: PropertyListError.self) { try Inflation.inflate(deflated + [0], limit: 5000) }
    #expect(throws: PropertyListError.self) { try Inflation.inflate([], limit: 5000) }
  }
}

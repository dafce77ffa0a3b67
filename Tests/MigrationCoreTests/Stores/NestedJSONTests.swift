import Folders
import SampleStores
import Testing

@testable import MigrationCore

/// Bytes of a column that hold JSON or a property list.
@Suite struct NestedJSONTests {
  private static func pointer(_ text: String) -> JSONPointer {
    JSONPointer(Array(text.utf8)) ?? JSONPointer()
  }

  private static func decoded(
    _ bytes: [UInt8], dates: [String] = [], sets: [String] = []
  ) -> (json: String, types: [String])? {
    var nested = NestedJSON()
    let meaning = NestedMeaning(dates: dates.map(pointer), sets: sets.map(pointer))
    guard let json = nested.decode(bytes, meaning, at: Array("/x".utf8)) else { return nil }
    return (
      String(decoding: json, as: UTF8.self),
      nested.types.map { "\(String(decoding: $0.pointer, as: UTF8.self)) \($0.type.name)" }
    )
  }

  @Test func `a set has one order, whatever order the app wrote it in`() {
    for text in [#"{"daysOfWeek":{"_0":[5,1,3]}}"#, #"{"daysOfWeek":{"_0":[3,5,1]}}"#] {
      #expect(
        Self.decoded(Array(text.utf8), sets: ["/daysOfWeek/_0"])?.json
          == #"{"daysOfWeek":{"_0":[1,3,5]}}"#)
    }
    #expect(
      Self.decoded(Array(#"{"a":["b","a",{"z":1},"a"]}"#.utf8), sets: ["/a"])?.json
        == #"{"a":["a","a","b",{"z":1}]}"#)
    #expect(Self.decoded(Array(#"[3,1]"#.utf8))?.json == "[3,1]")
  }

  @Test func `dates that are rounded are counted`() {
    var nested = NestedJSON()
    let meaning = NestedMeaning(dates: [Self.pointer("/*")], sets: [])
    for (text, count) in [("[0.25,700000000.0001,0.0004]", 2), ("[0.25]", 0), ("[1e-9,{}]", 1)] {
      #expect(nested.decode(Array(text.utf8), meaning, at: []) != nil)
      #expect(nested.roundedCount == count, "\(text)")
    }
  }

  @Test func `numbers that the profile calls dates are dates`() throws {
    let decoded = try #require(
      Self.decoded(
        Array(#"[{"timestamp":0.25,"n":1},{"timestamp":-978307200},{"timestamp":"x"}]"#.utf8),
        dates: ["/*/timestamp"]))
    #expect(
      decoded.json
        == #"[{"timestamp":"2001-01-01T00:00:00.250Z","n":1},{"timestamp":"1970-01-01T00:00:00Z"},{"timestamp":"x"}]"#
    )
    #expect(decoded.types == ["/x/0/timestamp timestamp", "/x/1/timestamp timestamp"])
  }

  @Test func `a property list keeps its dates and data, and numbers what they are`() throws {
    let list = SamplePropertyList.array([
      .integer(1), .real(2), .date(0), .data([1, 2]), .string("é"), .boolean(true),
      .dictionary([("a/b", .integer(-1))]),
    ])
    let decoded = try #require(Self.decoded(list.bytes))
    #expect(
      decoded.json == #"[1,2.0,"2001-01-01T00:00:00Z","AQI=","é",true,{"a/b":-1}]"#)
    #expect(decoded.types == ["/x/2 timestamp", "/x/3 bytes"])
  }

  @Test(arguments: [
    "", "1", "\"text\"", "{", "[1,]", #"{"a":1,"a":2}"#, "[1e999999]",
    String(repeating: "[", count: 200) + String(repeating: "]", count: 200), "bplist00", "<?xml ",
  ])
  func `what holds no list and no dictionary stays bytes`(text: String) {
    #expect(Self.decoded(Array(text.utf8)) == nil)
  }

  @Test func `an archive of the app's own objects stays bytes`() {
    let archive = SamplePropertyList.dictionary([
      ("$archiver", .string("NSKeyedArchiver")), ("$objects", .array([.string("$null")])),
    ])
    #expect(Self.decoded(archive.bytes) == nil)
    #expect(Self.decoded(SamplePropertyList.dictionary([("a", .identifier(1))]).bytes) == nil)
    #expect(Self.decoded(SamplePropertyList.integer(4).bytes) == nil)
  }
}

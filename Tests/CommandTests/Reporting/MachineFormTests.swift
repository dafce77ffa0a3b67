import Foundation
import MigrationCore
import Runs
import Testing

@testable import CommandLineSupport

@Suite struct MachineFormTests {
  @Test func `members keep their order and values their kind`() {
    var inner = ReportObject()
    inner.add("read", 3)
    var object = ReportObject(type: "summary")
    object.add("name", "Küche")
    object.add("nothing", .null)
    object.add("sound", true)
    object.add("seconds", .seconds(1.2345))
    object.add("tags", .object(inner))
    object.add("list", .array([.integer(1), .string("x")]))
    #expect(
      object.jsonLine
        == #"{"type":"summary","name":"Küche","nothing":null,"sound":true,"seconds":1.235,"tags":{"read":3},"list":[1,"x"]}"#
    )
  }

  @Test func `every string survives, and stays on its line`() throws {
    let hostile = "\u{0}\u{1F}\"\\\n\r\t\u{7F}\u{85}\u{2028}\u{2029}/é👩‍👩‍👧"
    var object = ReportObject()
    object.add(hostile, hostile)
    let line = object.jsonLine
    #expect(!line.contains { $0.isNewline })
    let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
    #expect(parsed == [hostile: hostile])
  }
}

import Diagnostics
import Foundation
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Values of property lists that no step can take, and files that would be too large: the step waits, or is
/// refused, and nothing is written.
@Suite struct PreferencePlaceTests {
  private static func workflow(
    _ folder: TestFolder, source: String, value: String = #"{"copy": ""}"#
  ) throws -> PlaceWorkflow {
    let text = """
      {"plan": "p", "places": [
        {"id": "s", "risk": "transformative", "sources": [\(source)], "destination": "s.json",
         "value": \(value)}]}
      """
    let plan = try Plan(parsing: Array(text.utf8), of: "plan.json") { _ in nil }
    var context = TestFolder.context()
    context.appLock = nil
    return PlaceWorkflow(
      SchemaOptions(plans: [plan], source: .file(path: folder.path)), in: folder.path,
      context: context)
  }

  private static let key = #"{"preferences": "p.plist", "key": "v"}"#

  /// A binary property list `{v: ...}` of objects: the key, then these, then the dictionary.
  private static func list(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    let all = [[0x51, UInt8(ascii: "v")]] + objects + [[0xd1, 0, 1]]
    for object in all {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    let table = UInt8(bytes.count)
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [UInt8(all.count), UInt8(all.count - 1), table] {
      bytes += [0, 0, 0, 0, 0, 0, 0, number]
    }
    return bytes
  }

  /// Expects that the step waits, and that nothing is written.
  private static func expectWaiting(_ list: [UInt8], _ reason: String) throws {
    let folder = try TestFolder("App")
    try Data(list).write(to: URL(filePath: "\(folder.path)/p.plist"))
    let before = try folder.files(includingState: false)
    let status = try workflow(folder, source: key).status()
    #expect(status.standings.map(\.state) == [.waiting])
    #expect(status.standings[0].reason.contains(reason), "\(status.standings[0].reason)")
    _ = try workflow(folder, source: key).perform()
    #expect(try folder.files(includingState: false) == before)
  }

  @Test func `lists in lists that are one object each are not unfolded`() throws {
    // Each of thirty lists holds the next one twice.
    let lists = (2...31).map { next in [0xa2, UInt8(next), UInt8(next)] }
    try Self.expectWaiting(
      Self.list(lists + [[0x51, UInt8(ascii: "x")]]), "more than a step takes")
  }

  @Test func `a date that is no number is none`() throws {
    try Self.expectWaiting(
      Self.list([[0x33, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0]]), "what JSON cannot say")
  }

  @Test func `a key that is there twice is not chosen from`() throws {
    let pair = "<key>v</key><string>A</string><key>v</key><string>B</string>"
    func list(_ members: String) -> [UInt8] {
      Array(
        #"<?xml version="1.0"?><plist version="1.0"><dict>\#(members)</dict></plist>"#.utf8)
    }
    try Self.expectWaiting(list(pair), "has the key v 2 times")
    try Self.expectWaiting(list("<key>v</key><dict>\(pair)</dict>"), "what JSON cannot say")
  }

  @Test func `what nobody could read is not written`() throws {
    let folder = try TestFolder("App")
    // Each number is a line of its own, behind as many spaces as its depth takes.
    let depth = 100
    let numbers = [String](repeating: "1", count: 330_000).joined(separator: ",")
    let open = String(repeating: "[", count: depth), close = String(repeating: "]", count: depth)
    try folder.write(open + numbers + close, to: "big.json")
    let workflow = try Self.workflow(
      folder, source: #"{"file": "big.json"}"#, value: #"{"object": {"v": {"copy": ""}}}"#)
    let error = #expect(throws: MigrationError.self) { try workflow.perform() }
    #expect(error?.diagnostic.problem.contains("would be larger than") == true)
    #expect(try folder.files(includingState: false).keys.sorted() == ["big.json"])
  }
}

import Diagnostics
import Folders
import SafeFiles
import Testing

/// What stays of a file when its entities are out of it.
@Suite struct RestTests {
  /// A profile whose one kind has its entities somewhere in `a.json`.
  private func kinds(_ files: String) throws -> EntityKinds {
    let identity =
      files.contains("elements")
      ? #""string","property":"id""#
      : files.contains("members") ? #""member""# : #""singleton""#
    let text = """
      {"profile":"p","version":1,"kinds":[{"kind":"thing","identity":{"type":\(identity)},
      "files":{"paths":["a.json"],\(files)},"document":{"path":"a.automerge"},
      "properties":{"x":{"type":"number"}}}]}
      """
    return EntityKinds(try Profile(parsing: Array(text.utf8), of: "p.json"))
  }

  private func batch(_ text: String, _ files: String) throws -> EntityBatch {
    let kinds = try kinds(files)
    var batch = EntityBatch(kinds: kinds)
    batch.load(Array(text.utf8), as: kinds.all[0], path: "a.json")
    return batch
  }

  private static let list = #""elements":"/list","stays":["/version"]"#
  private static let nested = #""elements":"/data/all/list","stays":["/data/version","/v"]"#
  private static let map = #""members":"/map","stays":["/app"]"#
  private static let mixed = #""members":"/map","stays":["/map/_meta","/map/~1~0","/app"]"#
  private static let value = #""value":"/settings/app","stays":["/settings/device","/v"]"#

  @Test(arguments: [
    (list, #"{"version":3,"list":[{"id":"a"},{"id":"b","x":1}]}"#, #"{"version":3,"list":[]}"#),
    // White space, line ends, a byte order mark, escapes and spellings stay as they are.
    (
      list,
      "\u{FEFF}{\r\n\t\"list\" : [\r\n {\"id\":\"[\\\"]\"} ] ,\r\n \"version\":\t3.10e1 }\r\n",
      "\u{FEFF}{\r\n\t\"list\" : [] ,\r\n \"version\":\t3.10e1 }\r\n"
    ),
    (
      list, #"{"l\u0069st":[{"id":"a"}],"version":"\u00e9"}"#,
      #"{"l\u0069st":[],"version":"\u00e9"}"#
    ),
    // What the profile does not expect stays, too.
    (
      list, #"{"trash":[1,{"list":[2]}],"list":[{"id":"a"}]}"#,
      #"{"trash":[1,{"list":[2]}],"list":[]}"#
    ),
    (
      nested, #"{"v":1,"data":{"all":{"list":[{"id":"a"}],"y":[ ]},"version":2,"z":null},"w":{}}"#,
      #"{"v":1,"data":{"all":{"list":[],"y":[ ]},"version":2,"z":null},"w":{}}"#
    ),
    (
      map, #"{"app":{"map":{"k":1}},"map": { "k" : {"x":1} }}"#,
      #"{"app":{"map":{"k":1}},"map": {}}"#
    ),
    // Members of the map that are no entities, first, in between and last.
    (mixed, #"{"map":{"_meta":1,"a":{},"b":{}}}"#, #"{"map":{"_meta":1}}"#),
    (mixed, #"{"map":{"a":{} , "_meta" : [1] , "b":{} }}"#, #"{"map":{ "_meta" : [1] }}"#),
    (
      mixed, "{\"map\":{\n  \"a\":{},\n  \"/~\":1,\n  \"b\":{},\n  \"_meta\":2\n}}",
      "{\"map\":{\n  \"/~\":1,\n  \"_meta\":2\n}}"
    ),
    (mixed, #"{"app":0,"map":{"a":{}}}"#, #"{"app":0,"map":{}}"#),
    (
      value, #"{"settings":{"device":7, "app": {"x":{"y":[1]}} },"v":2}"#,
      #"{"settings":{"device":7, "app": null },"v":2}"#
    ),
  ])
  func `everything but the entities stays, byte for byte`(
    _ files: String, _ text: String, _ rest: String
  ) throws {
    let batch = try batch(text, files)
    #expect(batch.isComplete && batch.holdsRest && !batch.isRest)
    let bytes = try #require(batch.rest())
    #expect(String(decoding: bytes, as: UTF8.self) == rest)
    // A reader finds a rest in it, of which the same stays.
    let again = try self.batch(rest, files)
    #expect(again.isRest && again.entities.isEmpty && again.refusedCount == 0)
    #expect(again.findings.allSatisfy { $0.severity < .error })
    #expect(again.rest() == bytes)
  }

  @Test(arguments: [
    (list, #"{"list":[{"id":"a"}]}"#), (list, #"{"list":[]}"#), (map, #"{"map":{"a":{}}}"#),
    (mixed, #"{"map":{"a":{}}}"#), (value, #"{"settings":{"app":{}}}"#),
    (nested, #"{"data":{"all":{"list":[{"id":"a"}]}}}"#),
  ])
  func `a file that is all entities leaves whole`(_ files: String, _ text: String) throws {
    let batch = try batch(text, files)
    #expect(batch.isComplete && !batch.holdsRest && !batch.isRest && batch.rest() == nil)
  }

  @Test(arguments: [
    // Names that are there twice: around the entities, on the way to them, the entities themselves.
    (list, #"{"version":1,"version":2,"list":[{"id":"a"}]}"#),
    (list, #"{"version":1,"list":[{"id":"a"}],"list":[]}"#),
    (list, #"{"version":{"a":1,"a":2},"list":[{"id":"a"}]}"#),
    (map, #"{"app":1,"map":{"k":{},"k":{}}}"#),
    // What is no entity, or has none where they should be.
    (list, #"{"version":1,"list":[{"id":"a"},7]}"#), (list, #"{"version":1,"list":[{"x":1}]}"#),
    (list, #"{"version":1}"#), (list, #"{"version":1,"list":null}"#),
    (list, #"{"version":1,"list":{}}"#), (map, #"{"app":1,"map":[]}"#),
    (mixed, #"{"map":{"_meta":1,"a":2}}"#), (value, #"{"v":1}"#),
    (value, #"{"v":1,"settings":{}}"#), (value, #"{"v":1,"settings":{"app":[]}}"#),
    (list, #"{"version":1,"list":[]"#), (list, "[]"), (list, ""),
  ])
  func `of a file in which anything is wrong nothing is a rest`(
    _ files: String, _ text: String
  ) throws {
    let batch = try batch(text, files)
    #expect(!batch.isComplete && !batch.isRest)
    #expect(batch.findings.contains { $0.severity == .error })
  }

  @Test func `a rest may be as deep as any file`() throws {
    func text(_ depth: Int, _ list: String) -> String {
      "{\"version\":\(String(repeating: "[", count: depth))\(String(repeating: "]", count: depth))"
        + ",\"list\":\(list)}"
    }
    let deepest = try batch(text(127, "[{\"id\":\"a\"}]"), Self.list)
    #expect(deepest.rest() == Array(text(127, "[]").utf8))
    let tooDeep = try batch(text(128, "[{\"id\":\"a\"}]"), Self.list)
    #expect(!tooDeep.isComplete && tooDeep.rest() == nil)
  }
}

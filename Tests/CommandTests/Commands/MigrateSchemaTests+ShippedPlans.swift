import Foundation
import Testing

// The plans that come with the commands.
extension MigrateSchemaTests {
  @Test(arguments: shipped.indices)
  func `a shipped plan makes of its stream what is expected, from a pipe and from a file`(
    index: Int
  ) throws {
    let (plan, before, after, options) = Self.shipped[index]
    let path = "\(Self.plans)/\(plan).json"
    let piped = try migrate(path, "-", options, input: try text(before))
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(try piped.output == text(after))
    let read = try migrate(path, "\(Self.fixtures)/\(before).jsonl", options)
    #expect(read.output == piped.output)
    // Twice has no second effect, and step by step is as all at once.
    let again = try migrate(path, "-", options, input: piped.output)
    #expect(again.status == 0 && again.output == piped.output)
    #expect(again.errors.contains("No step ran"))
    var stream = try text(before)
    let checked = try run("migrate-schema", path, "--check", "--json")
    let ids = checked.jsonLines.compactMap {
      $0["type"] as? String == "migration-step" ? $0["id"] as? String : nil
    }
    #expect(ids.count == checked.summary?["steps"] as? Int && ids.count >= 3)
    for (number, id) in ids.enumerated() {
      let status = try migrate(path, "-", ["--status", "--json"], input: stream)
      #expect(status.status == 1)
      let states = status.jsonLines.dropLast().compactMap { $0["state"] as? String }
      let expected =
        Array(repeating: "applied", count: number)
        + Array(repeating: "pending", count: ids.count - number)
      #expect(states == expected)
      stream = try migrate(path, "-", options + ["--to", id], input: stream).output
    }
    #expect(stream == piped.output)
    #expect(try migrate(path, "-", ["--status"], input: stream).status == 0)
  }

  @Test(arguments: shipped.indices)
  func `each version of a stream has the properties of that version`(index: Int) throws {
    let (plan, before, _, options) = Self.shipped[index]
    let path = "\(Self.plans)/\(plan).json"
    let profile = try JSONSerialization.jsonObject(
      with: Data(try run("inspect-crdt", "--print-profile", plan).output.utf8))
    let kinds = (profile as? [String: Any])?["kinds"] as? [[String: Any]] ?? []
    var stream = try text(before)
    let steps = try run("migrate-schema", path, "--check", "--json").jsonLines.dropLast()
    for step in steps {
      let id = try #require(step["id"] as? String)
      let version = try #require(step["to"] as? Int)
      stream = try migrate(path, "-", options + ["--to", id], input: stream).output
      for line in CommandRun.jsonLines(of: stream) {
        guard let kind = kinds.first(where: { $0["kind"] as? String == line["kind"] as? String }),
          let properties = kind["properties"] as? [String: [String: Any]],
          let fields = line["fields"] as? [String: Any]
        else { continue }
        for (name, value) in fields where !(value is NSNull) {
          guard let property = properties[name] else { continue }
          let until = property["until"] as? Int ?? .max
          #expect(
            (property["since"] as? Int ?? 1) <= version && version < until, "\(id): \(name)")
        }
      }
    }
  }

  @Test func `a store goes through a plan into documents, which verification proves`() throws {
    let directory = try TemporaryDirectory()
    let shell = """
      set -e
      bin=$(dirname "$0"); cd "$1"
      "$bin"/generate-store app --profile ritualist --schema-version V8 --rows 60 -q
      "$bin"/export-json app/Ritualist.sqlite --profile ritualist -q > old.jsonl
      "$bin"/migrate-schema "$2" old.jsonl -q --set zone=Europe/Rome --set at=2026-01-01T00:00:00Z > new.jsonl
      "$bin"/import-crdt - --into docs --profile ritualist -q < new.jsonl
      "$bin"/verify-counts docs --profile ritualist --against new.jsonl --brief
      """
    let run = try runInShell(
      shell, "migrate-schema", directory.url.path, "\(Self.plans)/ritualist.json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("Everything is there and equal."))
  }

  @Test func `two devices that migrate one store apart write documents that are the same`() throws {
    let directory = try TemporaryDirectory()
    // One exports its rows the other way round: entities come in any order.
    let shell = """
      set -e
      bin=$(dirname "$0"); cd "$1"
      "$bin"/generate-store app --profile laundrytime --schema-version V1 --rows 80 -q
      "$bin"/export-json app/default.store -q > one.jsonl
      { head -n 1 one.jsonl; sed '1d;$d' one.jsonl | tac; tail -n 1 one.jsonl; } > two.jsonl
      for device in one two; do
        "$bin"/migrate-schema "$2" $device.jsonl -q > $device-new.jsonl
        "$bin"/import-crdt - --into $device --profile laundrytime -q < $device-new.jsonl
        rm -rf $device/.automerge-migrate.nosync
      done
      diff -r one two
      ls one | wc -l
      """
    let run = try runInShell(
      shell, "migrate-schema", directory.url.path, "\(Self.plans)/laundrytime.json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect((Int(run.output.filter(\.isNumber)) ?? 0) >= 4, "\(run.output)")
  }

  @Test(arguments: [("Europe/Rome", true), ("UTC", true), ("somewhere", false), ("", false)])
  func `a mode becomes a zone of its own only if it is the name of one`(
    mode: String, isZone: Bool
  ) throws {
    let (plan, before, _, options) = Self.shipped[0]
    let stream = try text(before).replacing(
      #""displayTimezoneMode":"original""#, with: #""displayTimezoneMode":"\#(mode)""#)
    let run = try migrate("\(Self.plans)/\(plan).json", "-", options, input: stream)
    let profile = run.jsonLines.first { $0["kind"] as? String == "profile" }
    guard isZone else {
      #expect(run.status == 1, "\(run.errors)")
      #expect(run.errors.contains("displayTimezoneModeData"), "\(run.errors)")
      #expect(profile == nil || run.jsonLines.last?["end"] == nil, "\(run.output)")
      return
    }
    #expect(run.status == 0, "\(run.errors)")
    let shown = (profile?["fields"] as? [String: Any])?["displayTimezoneModeData"]
    #expect(
      shown as? [String: String] == ["type": "custom", "timezoneIdentifier": mode],
      "\(run.output)")
  }
}

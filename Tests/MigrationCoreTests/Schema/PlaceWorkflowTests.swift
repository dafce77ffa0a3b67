import Diagnostics
import FileFaults
import Folders
import Foundation
import MigrationCore
import Runs
import SafeFiles
import SchemaMigrations
import Testing

/// Steps over the files of a folder, stopped and failing wherever they can be.
@Suite struct PlaceWorkflowTests {
  private static let plan = """
    {"plan": "p", "parameters": {"at": {"type": "date"}}, "places": [
      {"id": "move", "risk": "transformative", "sources": [{"file": "old/theme.json"}], "destination": "settings/theme.json"},
      {"id": "change", "risk": "transformative", "sources": [{"file": "user.json"}], "destination": "profile/user.json",
       "value": {"object": {"name": {"concatenate": [{"copy": "/first"}, {"copy": "/last"}], "separator": " "}, "at": {"parameter": "at"}}}},
      {"id": "unite", "risk": "transformative", "sources": [{"file": "settings/a.json", "as": "a"}, {"file": "settings/theme.json", "as": "theme"},
         {"file": "all.json", "member": "/b", "as": "b"}], "destination": "settings/all.json",
       "value": {"object": {"a": {"copy": "/a"}, "b": {"copy": "/b"}, "theme": {"copy": "/theme"}}}}]}
    """

  private static let files: [String: String] = [
    "old/theme.json": "\"dark\"\n", "user.json": "{\"first\": \"Ada\",\n \"last\": \"Lovelace\"}",
    "settings/a.json": "1.50", "all.json": "{\"b\": [true], \"c\": 1}", "other.txt": "not ours",
  ]

  private static let ids = ["move", "change", "unite"]

  private static func folder() throws -> TestFolder {
    let folder = try TestFolder("App")
    for (path, text) in files { try folder.write(text, to: path) }
    return folder
  }

  private static func workflow(
    _ folder: TestFolder, _ text: String = plan, undoing id: MigrationID? = nil,
    faults: (any FileOperations)? = nil
  ) throws -> PlaceWorkflow {
    let plan = try Plan(parsing: Array(text.utf8), of: "plan.json") { _ in nil }
    var options = SchemaOptions(plans: [plan], source: .file(path: folder.path))
    options.undone = id
    options.context.parameters["at"] = "2026-01-01T00:00:00Z"
    var context = TestFolder.context(faults: faults)
    context.appLock = nil
    return PlaceWorkflow(options, in: folder.path, context: context)
  }

  /// The bytes of every file outside of our state, and of what was set aside there.
  private static func content(
    of folder: TestFolder
  ) throws -> (own: [String: [UInt8]], all: Set<[UInt8]>) {
    let all = try folder.files(includingState: true)
    let own = all.filter { !$0.key.hasPrefix(".automerge-migrate") }
    return (own, Set(all.values))
  }

  private static var originals: Set<[UInt8]> { Set(files.values.map { Array($0.utf8) }) }

  @Test func `all steps run, twice without a second effect, and come back to the byte`() throws {
    let folder = try Self.folder()
    let report = try Self.workflow(folder).perform()
    #expect(report.standings.map(\.state) == [.applied, .applied, .applied])
    #expect(report.isPublished && report.effects.map(\.changedCount) == [1, 1, 2])
    // A part of a file stays, and that is said.
    #expect(report.findings.map(\.code) == [.staysInPlace])
    let after = try Self.content(of: folder).own
    #expect(
      Set(after.keys) == ["all.json", "other.txt", "profile/user.json", "settings/all.json"])
    #expect(
      String(decoding: try folder.bytes("settings/all.json"), as: UTF8.self) == """
        {
          "a": 1.50,
          "b": [
            true
          ],
          "theme": "dark"
        }

        """)
    #expect(try Self.workflow(folder).perform().effects.isEmpty)
    #expect(try Self.content(of: folder).own == after)
    for id in Self.ids.reversed() {
      let undone = try Self.workflow(folder, undoing: MigrationID(rawValue: id)).perform()
      #expect(undone.isPublished)
    }
    #expect(try Self.content(of: folder).own == Self.files.mapValues { Array($0.utf8) })
    #expect(
      try Self.workflow(folder).status().standings.map(\.state) == [.undone, .undone, .undone])
  }

  @Test func `a dry run tells the values, and changes nothing`() throws {
    let folder = try Self.folder()
    let before = try folder.files(includingState: true)
    let report = try Self.workflow(folder).plan()
    // Of each step what leaves, and what it makes.
    #expect(
      report.changes.map(\.id) == [
        "old/theme.json", "settings/theme.json", "user.json", "profile/user.json",
        "settings/a.json", "settings/theme.json", "settings/all.json",
      ])
    #expect(report.changes[2].properties[0].after == "")
    #expect(
      report.changes[3].properties[0].after
        == #"{"name":"Ada Lovelace","at":"2026-01-01T00:00:00Z"}"#)
    #expect(report.standings.map(\.state) == [.pending, .pending, .pending])
    #expect(try folder.files(includingState: true) == before)
  }

  /// Steps one behind the other, of which the last one but one makes what its promise does not allow.
  private static let chain = """
    {"plan": "p", "places": [
      {"id": "a", "risk": "transformative", "sources": [{"file": "old/a.json"}], "destination": "new/a.json"},
      {"id": "b", "risk": "transformative", "sources": [{"file": "new/a.json"}], "destination": "new/b.json",
       "value": {"object": {"x": {"copy": "/v"}}}},
      {"id": "c", "risk": "transformative", "condition": {"done": "b"}, "sources": [{"file": "new/b.json"}],
       "destination": "new/c.json", "verify": [{"holds": {"present": {"copy": "/x"}}}]},
      {"id": "d", "risk": "transformative", "sources": [{"file": "new/c.json"}], "destination": "new/d.json"},
      {"id": "e", "risk": "transformative", "sources": [{"file": "other.json"}], "destination": "new/e.json"},
      {"id": "f", "risk": "transformative", "sources": [{"file": "none.json"}], "destination": "new/f.json"}]}
    """

  @Test func `a dry run tells what each step does to what a later one takes`() throws {
    let folder = try TestFolder("App")
    try folder.write(#"{"v": 1}"#, to: "old/a.json")
    let changes = try Self.workflow(folder, Self.chain).plan().changes
    let (v, x) = (#"{"v":1}"#, #"{"x":1}"#)
    let expected = [
      ["old/a.json", "a", v, ""], ["new/a.json", "a", "", v], ["new/a.json", "b", v, ""],
      ["new/b.json", "b", "", x], ["new/b.json", "c", x, ""], ["new/c.json", "c", "", x],
      ["new/c.json", "d", x, ""], ["new/d.json", "d", "", x],
    ]
    let told = changes.map { change in
      [change.id] + change.properties.flatMap { [$0.name, $0.before, $0.after] }
    }
    #expect(told == expected)
    #expect(changes.map(\.isNew) == expected.map { $0[2].isEmpty })
  }

  @Test func `a step whose promise does not hold waits, and so does what comes behind it`() throws {
    let folder = try TestFolder("App")
    let done = """
      {"id": "e", "risk": "transformative", "sources": [{"file": "other.json"}], "destination": "new/e.json"}
      """
    try folder.write("5", to: "other.json")
    _ = try Self.workflow(folder, #"{"plan": "p", "places": [\#(done)]}"#).perform()
    try folder.write(#"{"w": 1}"#, to: "old/a.json")
    func requireWaiting(
      _ report: SchemaReport, behind state: StepStanding.State
    ) {
      #expect(
        report.standings.map(\.state) == [state, state, .waiting, .waiting, .applied, .skipped])
      let reasons = report.standings.map(\.reason)
      #expect(reasons[2].hasPrefix("what it promises does not hold"), "\(reasons)")
      #expect(reasons[3] == "a step before it failed" && report.differs, "\(reasons)")
    }
    requireWaiting(try Self.workflow(folder, Self.chain).status(), behind: .pending)
    requireWaiting(try Self.workflow(folder, Self.chain).plan(), behind: .pending)
    let report = try Self.workflow(folder, Self.chain).perform()
    requireWaiting(report, behind: .applied)
    #expect(report.findings.contains { $0.severity == .error && $0.message.hasPrefix("c: ") })
    requireWaiting(try Self.workflow(folder, Self.chain).status(), behind: .applied)
    // Once what it is made of is another all of them run.
    try folder.write(#"{"x": 2}"#, to: "new/b.json")
    let states = try Self.workflow(folder, Self.chain).perform().standings.map(\.state)
    #expect(states == [.applied, .applied, .applied, .applied, .applied, .skipped])
  }

  @Test(arguments: [(FaultPlan.Fault.stop, 1), (.failure(ENOSPC), 4)])
  func `a run that dies or fails at any change loses nothing, and the next one finishes it`(
    fault: FaultPlan.Fault, step: Int
  ) throws {
    let whole = try Self.folder()
    let counting = FaultPlan(atCall: .max, .stop)
    _ = try Self.workflow(whole, faults: counting).perform()
    let expected = try Self.content(of: whole).own
    #expect(counting.callCount > 40)
    for call in stride(from: 1, through: counting.callCount, by: step) {
      let folder = try Self.folder()
      // How it ends is told by what is there.
      let report = try? Self.workflow(folder, faults: FaultPlan(atCall: call, fault)).perform()
      let found = try Self.content(of: folder)
      #expect(Self.originals.isSubset(of: found.all), "call \(call)")
      for (path, bytes) in expected where found.own[path] != nil {
        #expect(found.own[path] == bytes, "call \(call): \(path)")
      }
      if report?.endsWithDifferences == false { #expect(found.own == expected, "call \(call)") }
      let states = try Self.workflow(folder).status().standings.map(\.state)
      // All is done exactly where all is as a whole run leaves it.
      let isFinished = states.allSatisfy { $0 == .applied }
      let all = found.own.filter { !$0.key.hasSuffix(".tmp.nosync") }
      #expect(isFinished == (all == expected), "call \(call): \(states)")
      let again = try Self.workflow(folder).perform()
      #expect(again.isPublished, "call \(call): \(again.findings)")
      #expect(try Self.content(of: folder).own == expected, "call \(call)")
    }
  }

  @Test(arguments: [(FaultPlan.Fault.stop, 1), (.failure(ENOSPC), 4)])
  func `an undoing that dies or fails at any change loses nothing, and the next one finishes it`(
    fault: FaultPlan.Fault, step: Int
  ) throws {
    func done() throws -> TestFolder {
      let folder = try Self.folder()
      _ = try Self.workflow(folder).perform()
      return folder
    }
    let whole = try done()
    let before = try Self.content(of: whole).own
    let counting = FaultPlan(atCall: .max, .stop)
    _ = try Self.workflow(whole, undoing: "unite", faults: counting).perform()
    let expected = try Self.content(of: whole).own
    #expect(counting.callCount > 20)
    for call in stride(from: 1, through: counting.callCount, by: step) {
      let folder = try done()
      _ = try? Self.workflow(folder, undoing: "unite", faults: FaultPlan(atCall: call, fault))
        .perform()
      let found = try Self.content(of: folder)
      #expect(Self.originals.isSubset(of: found.all), "call \(call)")
      let own = found.own.filter { !$0.key.hasSuffix(".tmp.nosync") }
      switch try Self.workflow(folder).status().standings.last?.state {
      case .applied: #expect(own == before, "call \(call)")
      case .undone: #expect(own == expected, "call \(call)")
      case .unfinished: break
      case let state: Issue.record("call \(call): \(state as Any)")
      }
      let again = try Self.workflow(folder, undoing: "unite").perform()
      #expect(again.isPublished, "call \(call): \(again.findings)")
      #expect(try Self.content(of: folder).own == expected, "call \(call)")
    }
  }

  @Test func `what cannot be read is never taken for absent`() throws {
    let counting = FaultPlan(atCall: .max, .stop, calls: .looking)
    let whole = try Self.folder()
    _ = try Self.workflow(whole, faults: counting).perform()
    #expect(counting.callCount > 40)
    for call in stride(from: 1, through: counting.callCount, by: 6) {
      let folder = try Self.folder()
      let plan = FaultPlan(atCall: call, .failure(EIO), calls: .looking)
      _ = try? Self.workflow(folder, faults: plan).perform()
      let found = try Self.content(of: folder)
      #expect(Self.originals.isSubset(of: found.all), "call \(call)")
      if let all = found.own["settings/all.json"] {
        // Nobody united what was there with what seemed not to be.
        #expect(String(decoding: all, as: UTF8.self).contains("1.50"), "call \(call)")
        #expect(String(decoding: all, as: UTF8.self).contains("dark"), "call \(call)")
      }
      #expect(try Self.workflow(folder).perform().isPublished, "call \(call)")
    }
  }

  @Test func `a file that is written while it moves comes back`() throws {
    let counting = FaultPlan(atCall: .max, .stop)
    let whole = try Self.folder()
    _ = try Self.workflow(whole, faults: counting).perform()
    let edited = Array("\"light\"".utf8)
    for call in stride(from: 1, through: counting.callCount, by: 5) {
      let folder = try Self.folder()
      let path = "\(folder.path)/old/theme.json"
      // The app writes to what it had, whatever became of the name.
      let handle = try #require(FileHandle(forWritingAtPath: path))
      let plan = FaultPlan(beforeCall: call) {
        // What cannot be written shows below.
        try? handle.truncate(atOffset: 0)
        try? handle.write(contentsOf: Data(edited))
      }
      _ = try? Self.workflow(folder, faults: plan).perform()
      #expect(try Self.content(of: folder).all.contains(edited), "call \(call)")
    }
  }
}

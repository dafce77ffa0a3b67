import Automerge
import Diagnostics
import FileFaults
import Folders
import Foundation
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Entities that come once a step was done which makes one for each of their kind: it makes theirs, too.
@Suite struct LateCreationTests {
  /// A step that makes the statistics of each pet, of the tasks of that pet, and one behind it.
  private static let plan = """
    {"plan": "p", "profile": "zoo", "steps": [
      {"id": "mark", "risk": "destructive", "entities": {"pet": [
        {"set": "marked", "to": {"constant": true}}]}},
      {"id": "count", "risk": "additive",
       "folds": {"n": {"count": true, "of": "task", "by": {"copy": "/pet"}}},
       "create": [{"kind": "statistics", "for": "pet", "id": {"identity": true}, "fields": [
         {"set": "name", "to": {"copy": "/name"}},
         {"set": "tasks", "to": {"first": [{"fold": "n"}, {"constant": 0}]}}]}],
       "verify": [{"asMany": "statistics", "as": "pet"}]},
      {"id": "sync", "risk": "destructive", "entities": {"statistics": [
        {"set": "state", "to": {"constant": "local"}}]}}]}
    """

  private static let profile = """
    {"profile": "zoo", "version": 2, "kinds": [
      {"kind": "pet", "identity": {"type": "string", "property": "id"},
       "properties": {"name": {"type": "string"}, "marked": {"type": "boolean", "since": 2}},
       "files": {"paths": ["pets.json"], "elements": "/pets"}, "document": {"path": "pets.automerge"}},
      {"kind": "task", "identity": {"type": "string", "property": "id"},
       "properties": {"pet": {"type": "string"}},
       "files": {"paths": ["tasks.json"], "elements": "/tasks"}, "document": {"path": "tasks.automerge"}},
      {"kind": "statistics", "identity": {"type": "string", "property": "id"},
       "properties": {"name": {"type": "string"}, "tasks": {"type": "integer"},
         "state": {"type": "string", "since": 2}},
       "files": {"paths": ["statistics.json"], "elements": "/statistics"},
       "document": {"path": "statistics.automerge"}}]}
    """

  /// A folder of pets with their tasks, as documents or as JSON.
  private struct Zoo {
    let app: PlannedFolder
    var folder: ProfiledFolder { app.folder }

    init(isOfFiles: Bool, _ plan: String = LateCreationTests.plan) throws {
      app = try PlannedFolder(isOfFiles: isOfFiles, profile: LateCreationTests.profile, plan: plan)
      try add("Rex", tasks: 2)
    }

    private init(_ app: PlannedFolder) { self.app = app }

    func copied() throws -> Zoo { Zoo(try app.copied()) }

    /// Adds a pet with tasks as a device would that has not done the step.
    func add(_ name: String, tasks count: Int) throws {
      try app.add(
        toListsOf: [
          "pets": [#"{"id": "\#(name)", "name": "\#(name)"}"#],
          "tasks": (0..<count).map { #"{"id": "\#(name)\#($0)", "pet": "\#(name)"}"# },
        ])
    }

    func addTask(_ pet: String, _ id: String) throws {
      try app.add(toListsOf: ["tasks": [#"{"id": "\#(id)", "pet": "\#(pet)"}"#]])
    }

    @discardableResult
    func run(_ configure: (inout SchemaOptions) -> Void = { _ in }) throws -> SchemaReport {
      try app.run(configure)
    }

    func states() throws -> [StepStanding.State] { try app.states() }

    /// The statistics that there are, each by its name.
    func statistics() throws -> [String: String] {
      try folder.entities(of: "statistics").mapValues {
        ($0["tasks"] ?? "none") + ($0["state"] == nil ? "" : "+")
      }
    }

    /// Adds to the documents what another device's have.
    func merge(_ other: Zoo) throws {
      for path in try other.folder.documents().keys {
        var document = try other.folder.folder.document(path)
        if folder.folder.exists(path) { try document.merge(folder.folder.document(path)) }
        try folder.folder.write(document.encoded(), to: path)
      }
    }

    /// Takes the statistics of a pet away, as the app would.
    func delete(_ name: String) throws {
      if app.isOfFiles {
        let text = String(decoding: try folder.folder.bytes("statistics.json"), as: UTF8.self)
        let start = try #require(text.range(of: #"{"id":"\#(name)""#)).lowerBound
        let end = try #require(text[start...].firstIndex(of: "}"))
        var rest = text
        rest.removeSubrange(start...end)
        let whole = rest.replacing(",,", with: ",").replacing("[,", with: "[")
          .replacing(",]", with: "]")
        try folder.folder.write(whole, to: "statistics.json")
      } else {
        let bytes = try folder.edited("statistics.automerge") { document in
          try document.delete(obj: .ROOT, key: name)
        }
        try folder.folder.write(bytes, to: "statistics.automerge")
      }
    }
  }

  @Test(arguments: [true, false])
  func `in the next run, with those behind it, and the status says so before`(isOfFiles: Bool)
    throws
  {
    let zoo = try Zoo(isOfFiles: isOfFiles)
    #expect(try zoo.run().effects.map(\.madeCount) == [0, 1, 0])
    #expect(try zoo.statistics() == ["Rex": "2+"])
    try zoo.add("Tom", tasks: 3)
    let status = try zoo.app.workflow().status()
    #expect(status.standings.map(\.state) == [.pending, .pending, .applied])
    #expect(status.standings[1].reason.hasPrefix("1 entity has come"))
    let planned = try zoo.app.workflow().plan()
    #expect(planned.effects.prefix(2).map(\.madeCount) == [0, 1])
    let report = try zoo.run()
    #expect(report.isPublished && report.findings.isEmpty)
    #expect(report.effects.map(\.madeCount) == [0, 1, 0])
    #expect(try zoo.statistics() == ["Rex": "2+", "Tom": "3+"])
    #expect(try zoo.states() == [.applied, .applied, .applied])
    let files = try zoo.folder.folder.files()
    #expect(try zoo.run().effects.isEmpty)
    #expect(try zoo.folder.folder.files() == files)
  }

  @Test(arguments: [true, false])
  func `what was deleted since is not made once more`(isOfFiles: Bool) throws {
    let zoo = try Zoo(isOfFiles: isOfFiles)
    try zoo.run()
    try zoo.add("Tom", tasks: 0)
    try zoo.run()
    for name in ["Tom", "Rex"] {
      try zoo.delete(name)
      #expect(try zoo.states() == [.applied, .applied, .applied])
      #expect(try zoo.run().effects.isEmpty)
    }
    #expect(try zoo.statistics().isEmpty)
  }

  @Test(arguments: [true, false])
  func `of what the step was only taken as done for it makes nothing`(isOfFiles: Bool) throws {
    let zoo = try Zoo(isOfFiles: isOfFiles)
    try zoo.run { $0.baseline = .step("count") }
    #expect(try zoo.statistics().isEmpty)
    #expect(try zoo.states()[1] == .applied)
    try zoo.add("Tom", tasks: 1)
    #expect(try zoo.states()[1] == .pending)
    try zoo.run()
    #expect(try zoo.statistics() == ["Tom": "1+"])
    #expect(try zoo.states() == [.applied, .applied, .applied])
  }

  @Test(arguments: [true, false])
  func `undone, what each run made goes`(isOfFiles: Bool) throws {
    let zoo = try Zoo(isOfFiles: isOfFiles)
    try zoo.run { $0.target = "count" }
    try zoo.add("Tom", tasks: 3)
    // What came to Rex since is in no statistics that there are.
    try zoo.addTask("Rex", "Rex9")
    try zoo.run { $0.target = "count" }
    #expect(try zoo.statistics() == ["Rex": "2", "Tom": "3"])
    let report = try zoo.run { $0.undone = "count" }
    #expect(report.findings.isEmpty)
    #expect(try zoo.statistics().isEmpty)
    // Forced, it makes all of them once more.
    try zoo.run { ($0.forced, $0.target) = (["count"], "count") }
    #expect(try zoo.statistics() == ["Rex": "3", "Tom": "3"])
    #expect(try zoo.states().prefix(2).last == .applied)
  }

  @Test(arguments: [true, false])
  func `wherever that run dies the next one completes it`(isOfFiles: Bool) throws {
    let zoo = try Zoo(isOfFiles: isOfFiles)
    try zoo.run()
    try zoo.add("Tom", tasks: 3)
    for call in 1... {
      let copy = try zoo.copied()
      let plan = FaultPlan(atCall: call, .stop)
      _ = try? copy.app.workflow(faults: plan).perform()
      guard plan.hasFired else {
        #expect(call > 10)
        return
      }
      let comment: Comment = "call \(call)"
      try copy.run()
      #expect(try copy.statistics() == ["Rex": "2+", "Tom": "3+"], comment)
      #expect(try copy.states() == [.applied, .applied, .applied], comment)
    }
  }

  // MARK: Undone on another device meanwhile

  /// Two devices: one undoes what makes statistics while the other runs it for a pet that came late.
  private static func devices(
    _ edit: (Zoo) throws -> Void = { _ in }
  ) throws -> (one: Zoo, other: Zoo) {
    let one = try Zoo(isOfFiles: false)
    try one.run { $0.target = "count" }
    let other = try one.copied()
    try other.add("Tom", tasks: 3)
    try other.run { $0.target = "count" }
    try edit(other)
    try one.run { $0.undone = "count" }
    return (one, other)
  }

  @Test(arguments: [true, false])
  func `what was undone elsewhere while it ran for others is made once more`(isOtherFirst: Bool)
    throws
  {
    let (one, other) = try Self.devices()
    let (into, from) = isOtherFirst ? (other, one) : (one, other)
    try into.merge(from)
    #expect(try into.statistics() == ["Tom": "3"])
    let status = try into.app.workflow { $0.target = "count" }.status()
    #expect(status.standings[1].state == .pending)
    #expect(status.standings[1].reason.hasPrefix("1 entity has come"))
    let report = try into.run { $0.target = "count" }
    #expect(report.isPublished && report.findings.isEmpty)
    #expect(try into.statistics() == ["Rex": "2", "Tom": "3"])
    #expect(try into.states().prefix(2) == [.applied, .applied])
    #expect(try into.run { $0.target = "count" }.effects.isEmpty)
    // Both come to the same, what the app takes away stays so, and undone all of it goes.
    try from.merge(into)
    #expect(try from.statistics() == into.statistics())
    #expect(try from.states() == into.states())
    try from.delete("Rex")
    #expect(try from.states()[1] == .applied)
    try into.run { $0.undone = "count" }
    #expect(try into.statistics().isEmpty && into.states()[1] == .undone)
  }

  @Test func `what was edited meanwhile is not made anew, and comes back as it was edited`() throws
  {
    let (one, other) = try Self.devices { other in
      let bytes = try other.folder.edited("statistics.automerge") { document in
        try document.put(obj: document.entity("Rex"), key: "tasks", value: .Int(7))
      }
      try other.folder.folder.write(bytes, to: "statistics.automerge")
    }
    try one.merge(other)
    for report in [
      try one.app.workflow { $0.target = "count" }.status(), try one.run { $0.target = "count" },
    ] {
      #expect(report.standings[1].state == .applied)
      #expect(report.findings.map(\.severity) == [.warning])
      #expect(report.findings.first?.next?.contains("--undo count") == true)
    }
    #expect(try one.statistics() == ["Tom": "3"])
    try one.run { $0.undone = "count" }
    #expect(try one.statistics() == ["Rex": "7"])
  }

  @Test func `so is what it makes of no other entity`() throws {
    let made = "00000000-0000-4000-8000-000000000001"
    let late = "00000000-0000-4000-8000-00000000000C"
    let one = try StepFolder([
      """
      {"plan": "p", "profile": "people", "steps": [
        {"id": "make", "risk": "additive",
         "create": [{"kind": "person", "id": {"constant": "\(made)"},
           "fields": [{"set": "email", "to": {"constant": "sum@x"}}]}],
         "entities": {"person": [{"set": "marked", "to": {"constant": true}, "type": "boolean"}]}}]}
      """
    ])
    try one.run()
    let other = try one.copied()
    try other.folder.folder.write(
      #"{"people": [{"id": "\#(late)", "email": "late@x"}]}"#, to: "people.json")
    try other.folder.importing()
    try other.folder.folder.remove("people.json")
    try other.run()
    try one.undo("make")
    try one.merge(other)
    #expect(try one.entities()[made] == nil && one.states() == [.pending])
    try one.run()
    #expect(try one.entities()[made]?["email"] == #""sum@x""#)
    #expect(try one.entities().count { $0.value["marked"] == "true" } == 3)
    #expect(try one.states() == [.applied] && one.run().effects.isEmpty)
  }
}

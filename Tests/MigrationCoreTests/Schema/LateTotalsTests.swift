import Automerge
import Diagnostics
import Folders
import Foundation
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// What comes once a step was done that makes entities of what folds put together: the step of LaundryTime that
/// makes the statistics of each pet, with the cycles of its finished tasks.
@Suite struct LateTotalsTests {
  private static let step = "laundrytime-v3"

  private static let profile = """
    {"profile": "laundrytime", "version": 1, "kinds": [
      {"kind": "pet", "identity": {"type": "uuid", "property": "id"},
       "properties": {"totalCyclesCompleted": {"type": "integer"},
         "currentStreak": {"type": "integer"}, "longestStreak": {"type": "integer"}},
       "files": {"paths": ["pets/*.json"]}, "document": {"path": "pets.automerge"}},
      {"kind": "task", "identity": {"type": "uuid", "property": "id"},
       "properties": {"petID": {"type": "string"}, "isCompleted": {"type": "boolean"},
         "foldCompletedTime": {"type": "date"}},
       "files": {"paths": ["tasks/*.json"]}, "document": {"path": "tasks.automerge"}},
      {"kind": "statistics", "identity": {"type": "uuid", "property": "id"},
       "properties": {"totalCycles": {"type": "integer"}, "currentStreak": {"type": "integer"},
         "longestStreak": {"type": "integer"}},
       "files": {"paths": ["statistics/*.json"]},
       "document": {"path": "statistics.automerge"}}]}
    """

  /// The step of the plan that is shipped, for data that has no other kinds.
  private static func plan() throws -> String {
    let plans = Fixtures.directory.deletingLastPathComponent().appending(path: "plans")
    let data = try Data(contentsOf: plans.appending(path: "laundrytime.json"))
    var plan = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let steps = try #require(plan["steps"] as? [[String: Any]])
    var step = try #require(steps.first { $0["id"] as? String == Self.step })
    (step["from"], step["to"]) = (nil, nil)
    plan["steps"] = [step]
    return String(decoding: try JSONSerialization.data(withJSONObject: plan), as: UTF8.self)
  }

  private static func pet(_ number: Int) -> String { id("A", number) }
  private static func id(_ kind: String, _ number: Int) -> String {
    "\(number)000000\(kind)-0000-4000-8000-000000000000"
  }

  private static func add(
    to app: PlannedFolder, pets: [Int] = [], tasks: [Int: Int] = [:], isFinished: Bool = true
  ) throws {
    var files: [String: String] = [:]
    for number in pets {
      files["pets/\(number).json"] =
        #"{"id": "\#(pet(number))", "totalCyclesCompleted": 9, "currentStreak": 1, "longestStreak": 2}"#
    }
    for (number, pet) in tasks {
      files["tasks/\(number).json"] =
        #"{"id": "\#(id("B", number))", "petID": "\#(self.pet(pet))", "isCompleted": \#(isFinished), "#
        + #""foldCompletedTime": "2024-01-0\#(number)T10:00:00Z"}"#
    }
    try app.add(files)
  }

  /// Two pets, of which one has two finished tasks and the other one; the step was done.
  private static func done(isOfFiles: Bool) throws -> PlannedFolder {
    let app = try PlannedFolder(isOfFiles: isOfFiles, profile: profile, plan: plan())
    try add(to: app, pets: [1, 2], tasks: [1: 1, 2: 1, 3: 2])
    #expect(try app.run().effects.map(\.madeCount) == [2])
    #expect(try cycles(app) == [pet(1): 2, pet(2): 1])
    #expect(try app.told().isEmpty)
    return app
  }

  /// How many cycles the statistics of each pet have.
  private static func cycles(_ app: PlannedFolder) throws -> [String: Int] {
    try app.folder.entities(of: "statistics").mapValues { fields in
      (fields["cycleHistory"] ?? "").matches(of: /2024-/).count
    }
  }

  private static let told =
    "\(step): 1 entity came since, and what the step put together does not hold it: "
    + "statistics \(pet(1)) (cycleHistory); "
    + "--undo \(step), then --force \(step) puts all of it together"

  @Test(arguments: [true, false])
  func `a task that came later is told with the total that does not hold it`(isOfFiles: Bool) throws
  {
    let app = try Self.done(isOfFiles: isOfFiles)
    try Self.add(to: app, tasks: [4: 2], isFinished: false)
    #expect(try app.told().isEmpty)
    try Self.add(to: app, tasks: [5: 1])
    #expect(try app.told() == [Self.told])
    // As it says.
    let id = MigrationID(rawValue: Self.step)
    try app.run { $0.undone = id }
    #expect(try Self.cycles(app).isEmpty)
    try app.run { $0.forced = [id] }
    #expect(try Self.cycles(app) == [Self.pet(1): 3, Self.pet(2): 1])
    #expect(try app.told().isEmpty)
    // Made once more they are the step's as before.
    try Self.add(to: app, tasks: [6: 1])
    #expect(try app.told() == [Self.told])
  }

  @Test(arguments: [true, false])
  func `so it is once the step has made statistics of a pet that came, too`(isOfFiles: Bool) throws
  {
    let app = try Self.done(isOfFiles: isOfFiles)
    try Self.add(to: app, pets: [3], tasks: [5: 1, 6: 3, 7: 3])
    let status = try app.workflow().status()
    #expect(status.standings.map(\.state) == [.pending] && status.endsWithDifferences)
    let report = try app.run()
    #expect(report.effects.map(\.madeCount) == [1] && report.endsWithDifferences)
    #expect(report.findings.map(\.message) == status.findings.map(\.message))
    // What the pet has is what is there.
    #expect(try Self.cycles(app) == [Self.pet(1): 2, Self.pet(2): 1, Self.pet(3): 2])
    #expect(try app.told() == [Self.told])
    try Self.add(to: app, tasks: [8: 3])
    let told = try app.told()
    // Documents do not say which run has seen what.
    let what =
      isOfFiles
      ? "2 entities came since, and what the step put together does not hold them: "
      : "4 entities came since, and what the step put together does not hold all of them: "
    #expect(told.count == 1 && told[0].hasPrefix("\(Self.step): \(what)"), "\(told)")
    #expect(told[0].contains(Self.pet(1)) && told[0].contains(Self.pet(3)))
  }

  @Test(arguments: [true, false])
  func `a total that holds what came is not told, nor one that is gone`(isOfFiles: Bool) throws {
    let app = try Self.done(isOfFiles: isOfFiles)
    try Self.add(to: app, tasks: [5: 1])
    if isOfFiles {
      try app.folder.folder.remove("statistics/\(Self.pet(1)).json")
    } else {
      let path = "statistics.automerge"
      try app.folder.folder.write(
        app.folder.edited(path) { try $0.delete(obj: .ROOT, key: Self.pet(1)) }, to: path)
    }
    #expect(try app.told().isEmpty)
    #expect(try Self.cycles(app) == [Self.pet(2): 1])
  }

  /// Two devices that had a task together and one each when they did the step, and met; the first has both now.
  private static func met() throws -> (PlannedFolder, PlannedFolder) {
    let one = try PlannedFolder(isOfFiles: false, profile: profile, plan: plan())
    try add(to: one, pets: [1, 2], tasks: [1: 1, 4: 2])
    let other = try one.copied()
    for (device, task) in [(one, 2), (other, 3)] {
      try add(to: device, tasks: [task: 1])
      try device.run()
      #expect(try cycles(device) == [pet(1): 2, pet(2): 1])
    }
    let documents = try other.folder.documents()
    try merge(documents, into: one)
    return (one, other)
  }

  private static func merge(_ documents: [String: [UInt8]], into app: PlannedFolder) throws {
    for (path, bytes) in documents {
      try app.folder.folder.write(
        app.folder.edited(path) { try $0.merge(other: Document(Data(bytes))) }, to: path)
    }
  }

  @Test func `what devices have made apart holds all once the step is undone and done again`()
    throws
  {
    let (one, other) = try Self.met()
    let told = try one.told()
    #expect(told.count == 1 && told[0].hasPrefix("\(Self.step): 2 entities came since"), "\(told)")
    let id = MigrationID(rawValue: Self.step)
    try one.run { $0.undone = id }
    // Either is of less than all.
    #expect(try Self.cycles(one) == [Self.pet(1): 2])
    let planned = try one.workflow { $0.forced = [id] }.plan()
    #expect(planned.changes.contains { !$0.isNew && $0.properties.map(\.name) == ["cycleHistory"] })
    try one.run { $0.forced = [id] }
    #expect(try Self.cycles(one) == [Self.pet(1): 3, Self.pet(2): 1])
    #expect(try one.told().isEmpty)
    try Self.merge(one.folder.documents(), into: other)
    #expect(try Self.cycles(other) == [Self.pet(1): 3, Self.pet(2): 1])
    #expect(try other.told().isEmpty)
    // What comes later is told as of any total, and the same helps.
    try Self.add(to: one, tasks: [5: 1])
    #expect(try one.told().count == 1)
    try one.run { $0.undone = id }
    try one.run { $0.forced = [id] }
    #expect(try Self.cycles(one) == [Self.pet(1): 4, Self.pet(2): 1])
    #expect(try one.told().isEmpty)
  }

  @Test func `what the app wrote into one of them stays`() throws {
    let (one, _) = try Self.met()
    let path = "statistics.automerge"
    let edited = try one.folder.edited(path) { document in
      let history = try document.get(obj: document.entity(Self.pet(1)), key: "cycleHistory")
      guard case .Object(let list, .List)? = history else {
        throw DocumentEditor.EditorError.noEntity
      }
      try document.delete(obj: list, index: 0)
    }
    try one.folder.folder.write(edited, to: path)
    let id = MigrationID(rawValue: Self.step)
    try one.run { $0.undone = id }
    try one.run { $0.forced = [id] }
    #expect(try Self.cycles(one)[Self.pet(1)] == 1)
  }

  @Test func `where nothing notes what was put together it is said that nobody looks`() throws {
    let app = try Self.done(isOfFiles: true)
    let backup = try #require(app.folder.packing().archives.last?.path)
    let other = try app.empty()
    try other.folder.restoring(backup)
    try Self.add(to: other, tasks: [5: 1])
    for report in [try other.workflow().status(), try other.run()] {
      #expect(report.standings.map(\.state) == [.applied] && !report.endsWithDifferences)
      #expect(report.findings.map(\.code) == [.notLookedAt])
      #expect(report.findings[0].message.hasPrefix("\(Self.step): nothing is noted of what"))
    }
  }
}

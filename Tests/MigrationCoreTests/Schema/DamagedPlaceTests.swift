import Diagnostics
import FileFaults
import Folders
import Runs
import SafeFiles
import SchemaMigrations
import Testing

@testable import MigrationCore

/// What is at the places of steps that were done, once somebody else has written there.
@Suite struct DamagedPlaceTests {
  private static let chain = """
    {"plan": "p", "places": [
      {"id": "a", "risk": "transformative", "sources": [{"file": "s0.json"}], "destination": "s1.json"},
      {"id": "b", "risk": "transformative", "sources": [{"file": "s1.json"}], "destination": "s2.json"},
      {"id": "c", "risk": "transformative", "sources": [{"file": "s2.json", "as": "t"}, {"file": "x.json", "as": "x"}],
       "destination": "s3.json", "value": {"object": {"t": {"copy": "/t"}, "x": {"copy": "/x"}}}}]}
    """

  private static func folder(_ plan: String = chain) throws -> (TestFolder, Plan) {
    let folder = try TestFolder("App")
    try folder.write("\"dark\"", to: "s0.json")
    try folder.write("5", to: "x.json")
    return (folder, try Plan(parsing: Array(plan.utf8), of: "plan.json") { _ in nil })
  }

  private static func workflow(
    _ folder: TestFolder, _ plan: Plan, version: String? = nil,
    _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> PlaceWorkflow {
    var options = SchemaOptions(plans: [plan], source: .file(path: folder.path))
    options.context.appVersion = version.flatMap { AppVersion($0) }
    configure(&options)
    var context = TestFolder.context()
    context.appLock = nil
    return PlaceWorkflow(options, in: folder.path, context: context)
  }

  @Test func `what was set aside and is gone is told, and nothing is undone without it`() throws {
    let (folder, plan) = try Self.folder()
    _ = try Self.workflow(folder, plan).perform()
    #expect(try Self.workflow(folder, plan).status().findings.isEmpty)
    let record = ".automerge-migrate.nosync/schema.jsonl"
    let before = try (folder.bytes(record), folder.bytes("s3.json"))
    try folder.remove(".automerge-migrate.nosync/schema/c")
    let status = try Self.workflow(folder, plan).status()
    #expect(status.findings.map(\.code) == [.missingFile, .missingFile])
    #expect(Set(status.findings.map(\.path)) == ["s2.json", "x.json"])
    for isDryRun in [true, false] {
      let refused = #expect(throws: MigrationError.self) {
        let workflow = try Self.workflow(folder, plan) { $0.undone = "c" }
        _ = try isDryRun ? workflow.plan() : workflow.perform()
      }
      #expect(refused?.diagnostic.kind == .conflictsWithData)
      #expect(refused?.diagnostic.problem.contains("s2.json is not there any more") == true)
      #expect(refused?.diagnostic.remedy?.contains("from the backup") == true)
    }
    #expect(try folder.bytes(record) == before.0 && folder.bytes("s3.json") == before.1)
    #expect(
      try Self.workflow(folder, plan).status().standings.map(\.state)
        == [.applied, .applied, .applied])
    // What is told leads out.
    try folder.write("\"dark\"", to: "s2.json")
    try folder.write("5", to: "x.json")
    let undone = try Self.workflow(folder, plan) { $0.undone = "c" }.perform()
    #expect(undone.standings.last?.state == .undone && !folder.exists("s3.json"))
  }

  @Test(arguments: ["{\"t", "", "[1,]"])
  func `a destination that does not load makes its step wait, and what is said leads out`(
    damaged: String
  ) throws {
    let (folder, plan) = try Self.folder()
    _ = try Self.workflow(folder, plan).perform()
    let whole = try folder.bytes("s3.json")
    try folder.write(damaged, to: "s3.json")
    for report in [
      try Self.workflow(folder, plan).status(), try Self.workflow(folder, plan).plan(),
      try Self.workflow(folder, plan).perform(),
    ] {
      #expect(report.standings.map(\.state) == [.applied, .applied, .waiting])
      #expect(report.differs && report.effects.isEmpty)
      let reason = report.standings[2].reason
      #expect(reason.contains("s3.json is no JSON") && reason.contains("undoing the step"))
    }
    #expect(try folder.bytes("s3.json") == Array(damaged.utf8))
    // Mended, all is as it was.
    try folder.write(String(decoding: whole, as: UTF8.self), to: "s3.json")
    #expect(
      try Self.workflow(folder, plan).status().standings.map(\.state)
        == [.applied, .applied, .applied])
    // Or it is moved away, and the step undone.
    try folder.write(damaged, to: "s3.json")
    let refused = try Self.workflow(folder, plan) { $0.undone = "c" }.perform()
    #expect(refused.findings.map(\.message).contains { $0.contains("it cannot be read here") })
    try folder.remove("s3.json")
    _ = try Self.workflow(folder, plan) { $0.undone = "c" }.perform()
    #expect(try folder.bytes("s2.json") == Array("\"dark\"\n".utf8))
    _ = try Self.workflow(folder, plan) { $0.forced = ["c"] }.perform()
    #expect(try folder.bytes("s3.json") == whole)
  }

  @Test func `a destination that does not load, with what was used back, is not taken for done`()
    throws
  {
    let (folder, plan) = try Self.folder()
    _ = try Self.workflow(folder, plan).perform()
    try folder.write("{", to: "s3.json")
    try folder.write("5", to: "x.json")
    let report = try Self.workflow(folder, plan).perform()
    #expect(report.standings.map(\.state) == [.applied, .applied, .waiting])
    #expect(report.findings.map(\.path) == ["x.json"])
    #expect(try folder.bytes("x.json") == Array("5".utf8))
    let forced = try Self.workflow(folder, plan) { $0.forced = ["c"] }.perform()
    #expect(forced.findings.contains { $0.severity == .error && $0.message.contains("no JSON") })
    #expect(try folder.bytes("s3.json") == Array("{".utf8))
  }

  @Test func `a value between two steps that does not load is told by the step that has used it`()
    throws
  {
    let (folder, plan) = try Self.folder()
    _ = try Self.workflow(folder, plan).perform()
    try folder.write("{", to: "s1.json")
    let report = try Self.workflow(folder, plan).status()
    #expect(report.standings.map(\.state) == [.applied, .applied, .applied])
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1 && finding.path == "s1.json" && finding.next != nil)
    #expect(finding.message.contains("cannot be read"))
  }

  @Test func `what comes back at the first source of a chain is told, with what to do`() throws {
    let (folder, plan) = try Self.folder()
    _ = try Self.workflow(folder, plan).perform()
    let whole = try folder.bytes("s3.json")
    try folder.write("\"dark\"", to: "s0.json")
    for report in [
      try Self.workflow(folder, plan).status(), try Self.workflow(folder, plan).perform(),
    ] {
      #expect(report.standings.map(\.state) == [.applied, .applied, .applied])
      let finding = try #require(report.findings.first)
      #expect(report.findings.count == 1 && finding.code == .staysInPlace)
      #expect(finding.path == "s0.json" && finding.message.contains("is what was used"))
      #expect(finding.next?.contains("move it away; or undo the step") == true)
    }
    // As it says.
    for id: MigrationID in ["c", "b", "a"] {
      #expect(try Self.workflow(folder, plan) { $0.undone = id }.perform().isPublished)
    }
    let forced = try Self.workflow(folder, plan) { $0.forced = ["a", "b", "c"] }.perform()
    #expect(forced.isPublished)
    #expect(try folder.bytes("s3.json") == whole && !folder.exists("s0.json"))
    // Something else is told, too.
    try folder.write("\"light\"", to: "s0.json")
    let other = try #require(try Self.workflow(folder, plan).status().findings.first)
    #expect(other.message.contains("has changed since") && other.next?.contains("bring") == true)
  }

  @Test func `what a restore brings back of a step that was undone is told`() throws {
    let (folder, plan) = try Self.folder()
    _ = try Self.workflow(folder, plan) { $0.target = "a" }.perform()
    let made = try folder.bytes("s1.json")
    _ = try Self.workflow(folder, plan) { $0.undone = "a" }.perform()
    #expect(try Self.workflow(folder, plan) { $0.target = "a" }.status().findings.isEmpty)
    try folder.remove("s0.json")
    try folder.write(made, to: "s1.json")
    for report in [
      try Self.workflow(folder, plan).status(),
      try Self.workflow(folder, plan) { $0.target = "a" }.perform(),
    ] {
      #expect(report.standings.first?.state == .undone)
      let finding = try #require(report.findings.first)
      #expect(report.findings.count == 1 && finding.path == "s1.json")
      #expect(finding.message.contains("which was undone"))
      #expect(finding.next?.contains("bring s0.json there") == true)
    }
  }

  @Test func `whether copies lie beside files is looked at once a directory`() throws {
    let (folder, _) = try Self.folder()
    try folder.write("1", to: "x 2.json")
    try folder.write("1", to: "x (1) (2).json")
    let counting = FaultPlan(atCall: .max, .stop, calls: .openingDirectories)
    var context = TestFolder.context(faults: counting)
    context.appLock = nil
    let directory = try FolderAccess.open(folder.path, context: context)
    let copies = ListedCopies()
    let path: RelativePath = "x.json"
    #expect(try copies.copy(of: path, in: directory) != nil)
    let count = counting.callCount
    for name in ["x.json", "s0.json", "y.json"] {
      let path = try #require(RelativePath(name))
      #expect(try (copies.copy(of: path, in: directory) != nil) == (name == "x.json"))
    }
    #expect(counting.callCount == count)
    // Where there is no directory there is no copy.
    let absent: RelativePath = "none/x.json"
    #expect(try copies.copy(of: absent, in: directory) == nil)
  }

  @Test func `what comes back is told also where the condition of the step holds no more`() throws {
    let (folder, plan) = try Self.folder(
      """
      {"plan": "p", "places": [
        {"id": "a", "risk": "transformative", "condition": {"appBelow": "2.0"},
         "sources": [{"file": "s0.json"}], "destination": "s1.json"}]}
      """)
    _ = try Self.workflow(folder, plan, version: "1.9").perform()
    try folder.write("\"dark\"", to: "s0.json")
    try folder.remove("s1.json")
    for report in [
      try Self.workflow(folder, plan, version: "2.1").status(),
      try Self.workflow(folder, plan, version: "2.1").perform(),
    ] {
      #expect(report.standings.map(\.state) == [.applied])
      #expect(report.findings.map(\.path) == ["s0.json"])
    }
    // Where it holds, the step is to be done once more.
    #expect(
      try Self.workflow(folder, plan, version: "1.9").status().standings.map(\.state)
        == [.pending])
  }
}

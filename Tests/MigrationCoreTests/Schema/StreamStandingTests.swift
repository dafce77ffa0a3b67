import Diagnostics
import Folders
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Streams whose first line says more of their data than their entities show.
@Suite struct StreamStandingTests {
  private static let plan = """
    {"plan": "p", "profile": "owners", "steps": [
      {"id": "name", "from": 1, "to": 2, "risk": "destructive", "entities": {"person": [
        {"set": "name", "to": {"copy": "/first"}, "type": "string"}, {"drop": "first"}]}},
      {"id": "sum", "from": 2, "to": 3, "risk": "destructive",
       "folds": {"s": {"sum": {"copy": "/amount"}, "of": "card", "by": {"copy": "/owner"}}},
       "entities": {"person": [{"set": "sum", "to": {"fold": "s"}}]}},
      {"id": "drop", "from": 3, "to": 4, "risk": "destructive", "entities": {"card": [
        {"drop": "amount"}]}}]}
    """

  /// The lines of a folder, of which nothing is said.
  private static func lines(_ plan: String = plan) throws -> (FoldedTotalsTests.Owners, [String]) {
    let owners = try FoldedTotalsTests.Owners(isOfFiles: true, plan)
    return (owners, try owners.folder.streaming().lines)
  }

  /// The same with a first line that says this.
  private static func lines(
    _ lines: [String], behind first: String, saying schema: String
  ) -> [String] {
    [first.replacing(#","types""#, with: #","schema":\#(schema),"types""#)] + lines.dropFirst()
  }

  /// Takes lines through the steps; returns what is published, and what is told.
  @discardableResult
  private static func run(
    _ owners: FoldedTotalsTests.Owners, _ lines: [String], isDryRun: Bool = false,
    _ configure: (inout SchemaOptions) -> Void = { _ in }
  ) throws -> (lines: [String], report: SchemaReport) {
    let entering = try TestStream(Array((lines.joined(separator: "\n") + "\n").utf8))
    let result = try TestStream([])
    defer { withExtendedLifetime(entering) {} }
    var options = SchemaOptions(plans: [owners.app.plan], source: .stream(try entering.source()))
    options.allowsDestructive = true
    if !isDryRun { options.sink = result.sink }
    configure(&options)
    let workflow = SchemaWorkflow(options, context: owners.folder.context())
    let report = isDryRun ? try workflow.plan() : try workflow.perform()
    return (result.lines, report)
  }

  @Test(arguments: ["name", "sum"])
  func `what shows that a step was not done counts more than a version`(last: MigrationID) throws {
    let (owners, lines) = try Self.lines()
    let version = last == "name" ? 2 : 3
    let said = Self.lines(
      lines, behind: lines[0], saying: #"{"version":\#(version),"steps":[]}"#)
    for isDryRun in [true, false] {
      let refused = #expect(throws: MigrationError.self) {
        try Self.run(owners, said, isDryRun: isDryRun)
      }
      #expect(refused?.diagnostic.kind == .conflictsWithData)
      let problem = refused?.diagnostic.problem ?? ""
      #expect(problem.contains("first is there, which is gone after name"), "\(problem)")
      #expect(refused?.diagnostic.remedy?.contains("--baseline") == true)
    }
    // As it says.
    let migrated = try Self.run(owners, said) { $0.baseline = .version(1) }
    #expect(migrated.report.isPublished)
    #expect(migrated.lines.contains { $0.contains(#""id":"a""#) && $0.contains(#""sum":10"#) })
    // Where nothing shows it the version counts.
    let some = try Self.run(owners, lines) { ($0.baseline, $0.target) = (.version(1), last) }
    let unnoted = Self.lines(
      some.lines, behind: lines[0], saying: #"{"version":\#(version),"steps":[]}"#)
    #expect(try Self.run(owners, unnoted).lines.dropFirst() == migrated.lines.dropFirst())
  }

  @Test(arguments: [true, false])
  func `a fold is not forced over what a later step has taken away`(isNoted: Bool) throws {
    let (owners, lines) = try Self.lines()
    let done = try Self.run(owners, lines) { $0.baseline = .version(1) }.lines
    let migrated =
      isNoted
      ? done
      : Self.lines(done, behind: lines[0], saying: #"{"version":4,"steps":[]}"#)
    for isDryRun in [true, false] {
      let refused = #expect(throws: MigrationError.self) {
        try Self.run(owners, migrated, isDryRun: isDryRun) { $0.forced = ["sum"] }
      }
      #expect(refused?.diagnostic.kind == .conflictsWithData)
      let problem = refused?.diagnostic.problem ?? ""
      #expect(problem.contains("the step would put together only a part"), "\(problem)")
      #expect(problem.contains("drop has taken away what it reads"), "\(problem)")
      #expect(problem.hasSuffix("sum of person a is 10, and would be 0"), "\(problem)")
    }
    // Where all of it is there it is put together anew.
    let both = try Self.run(owners, lines) { ($0.baseline, $0.target) = (.version(1), "sum") }
    let forced = try Self.run(owners, both.lines) { ($0.forced, $0.target) = (["sum"], "sum") }
    #expect(forced.lines == both.lines && forced.report.isPublished)
  }

  @Test func `a fold is not forced over what it has taken away itself`() throws {
    let (owners, lines) = try Self.lines(
      """
      {"plan": "p", "profile": "owners", "steps": [{"id": "sum", "risk": "destructive",
        "folds": {"s": {"sum": {"copy": "/amount"}, "of": "card", "by": {"copy": "/owner"}}},
        "entities": {"person": [{"set": "sum", "to": {"fold": "s"}}], "card": [{"drop": "amount"}]}}]}
      """)
    let done = try Self.run(owners, lines).lines
    let refused = #expect(throws: MigrationError.self) {
      try Self.run(owners, done) { $0.forced = ["sum"] }
    }
    #expect(refused?.diagnostic.problem.contains("it has taken away what it reads") == true)
    #expect(try Self.run(owners, done).lines == done)
  }
}

import Foundation
import Testing

/// Steps that are forced once more over a stream that is of a later version.
@Suite struct ForcedStreamTests {
  private static let tests = MigrateSchemaTests()
  private static let plan = "\(MigrateSchemaTests.plans)/ritualist.json"

  /// The stream of the newest version, changed by steps that are forced.
  private static func forced(_ steps: [String]) throws -> CommandRun {
    let before = try tests.text("ritualist-2")
    let done = try tests.migrate(plan, "-", options, input: before)
    #expect(done.status == 0, "\(done.errors)")
    return try tests.migrate(
      plan, "-", options + steps.flatMap { ["--force", $0] }, input: done.output)
  }

  private static let options = [
    "--allow-destructive", "--set", "zone=Europe/Rome", "--set", "at=2026-01-01T00:00:00Z",
  ]

  @Test func `a step that is forced does not set the version back`() throws {
    let forced = try Self.forced(["ritualist-v5"])
    #expect(forced.status == 0, "\(forced.errors)")
    #expect(forced.output.contains(#""schema":{"version":11,"#))
    let next = try Self.tests.migrate(Self.plan, "-", ["--status"], input: forced.output)
    #expect(next.status == 0 && next.output.contains("The data is of version 11"))
  }

  @Test func `what a later step has taken away comes back in no stream that is published`() throws {
    let refused = try Self.forced(["ritualist-v3"])
    #expect(refused.status == 1 && !refused.output.contains(#"{"end":true"#))
    #expect(refused.errors.contains("isPinned is there again"), "\(refused.errors)")
    #expect(refused.errors.contains("--force ritualist-v4"), "\(refused.errors)")
    let forced = try Self.forced(["ritualist-v3", "ritualist-v4"])
    #expect(forced.status == 0, "\(forced.errors)")
    let next = try Self.tests.migrate(Self.plan, "-", Self.options, input: forced.output)
    #expect(next.status == 0, "\(next.errors)")
  }
}

import Automerge
import Diagnostics
import Folders
import Foundation
import Runs
import SchemaMigrations
import Testing

@testable import MigrationCore

/// Totals that devices have made apart, each of what it had.
@Suite struct ReunitedTotalsTests {
  private static let profile = """
    {"profile": "cards", "version": 1, "kinds": [
      {"kind": "total", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["totals/*.json"]}, "document": {"path": "totals.automerge"},
       "properties": {"name": {"type": "string"}}},
      {"kind": "card", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["cards/*.json"]}, "document": {"path": "cards.automerge"},
       "properties": {"amount": {"type": "integer"}}}]}
    """

  private static let plan = """
    {"plan": "p", "profile": "cards", "steps": [{"id": "sum", "risk": "additive",
      "folds": {"s": {"sum": {"copy": "/amount"}, "of": "card"}, "n": {"count": true, "of": "card"}},
      "create": [{"kind": "total", "id": {"constant": "all"},
        "fields": [{"set": "sum", "to": {"fold": "s"}, "type": "integer"},
          {"set": "count", "to": {"fold": "n"}, "type": "integer"}]}]}]}
    """

  private static func card(_ id: String, _ amount: Int) -> [String: String] {
    ["cards/\(id).json": #"{"id": "\#(id)", "amount": \#(amount)}"#]
  }

  /// A device that has met another one, each with a card of its own when it did the step.
  private static func met(_ amounts: (own: Int, other: Int)) throws -> PlannedFolder {
    let one = try PlannedFolder(isOfFiles: false, profile: profile, plan: plan)
    try one.add(card("1", 1))
    let other = try one.copied()
    try one.add(card("2", amounts.own))
    try other.add(card("3", amounts.other))
    try one.run()
    try other.run()
    try one.merge(other)
    return one
  }

  private static func total(_ app: PlannedFolder) throws -> [String: String]? {
    try app.folder.entities(of: "total")["all"]
  }

  @Test(arguments: [5, 7])
  func `undone and done again they hold all, also where they were equal`(other: Int) throws {
    let app = try Self.met((5, other))
    #expect(try app.told().count == 1)
    #expect(try Self.total(app)?["count"] == "2")
    try app.run { $0.undone = "sum" }
    try app.run { $0.forced = ["sum"] }
    #expect(try Self.total(app) == ["sum": "\(1 + 5 + other)", "count": "3"])
    #expect(try app.told().isEmpty)
  }

  @Test func `what the app wrote into one stays as it is`() throws {
    let app = try Self.met((5, 5))
    let edited = try app.folder.edited("totals.automerge") { document in
      try document.put(obj: document.entity("all"), key: "sum", value: .Int(100))
    }
    try app.folder.folder.write(edited, to: "totals.automerge")
    try app.run { $0.undone = "sum" }
    try app.run { $0.forced = ["sum"] }
    #expect(try Self.total(app) == ["sum": "100", "count": "3"])
  }
}

import Foundation
import Testing

/// `migrate-schema` with a fold that takes away what it has folded, as a user runs it.
@Suite struct MigrateFoldedTests {
  private static let profile = """
    {"profile": "owners", "version": 2, "kinds": [
      {"kind": "person", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["persons/*.json"]}, "document": {"path": "persons.automerge"},
       "properties": {"first": {"type": "string"}, "sum": {"type": "integer", "since": 2}}},
      {"kind": "card", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["cards/*.json"]}, "document": {"path": "cards.automerge"},
       "properties": {"owner": {"type": "string"}, "amount": {"type": "integer", "until": 2}}}]}
    """
  private static let plan = """
    {"plan": "p", "profile": "owners", "steps": [
      {"id": "sum", "from": 1, "to": 2, "risk": "transformative",
       "folds": {"all": {"sum": {"copy": "/amount"}, "of": "card", "by": {"copy": "/owner"}}},
       "entities": {
         "person": [{"set": "sum", "to": {"fold": "all"}}], "card": [{"drop": "amount"}]}}]}
    """

  /// The way that plan-files.md names: forced alone, the step would fold what came later alone.
  @Test(arguments: [true, false])
  func `undone and forced, a fold takes in what came later besides all that it had`(
    isOfDocuments: Bool
  ) throws {
    let directory = try TemporaryDirectory()
    try Data(Self.profile.utf8).write(to: directory.url.appending(path: "profile"))
    try Data(Self.plan.utf8).write(to: directory.url.appending(path: "plan.json"))
    let shell = """
      set -e
      export PATH="$(dirname "$0"):$PATH"; cd "$1"; p="--profile profile -q"
      person() { echo "{\\"id\\":\\"$1\\",\\"first\\":\\"F\\"}" >F/persons/$1.json; }
      card() { echo "{\\"id\\":\\"$1\\",\\"owner\\":\\"$2\\",\\"amount\\":$3}" >F/cards/$1.json; }
      step() { migrate-schema plan.json F $p "$@"; }
      sums() { export-json F $p | grep -o '"kind":"person","id":"."\\|"sum":[0-9]*' | cut -d : -f 2,3; }
      mkdir -p F/persons F/cards; person a; person b; card ka a 10; card kb b 10
      [ "$2" = json ] || { import-crdt F $p; cp -a F other; }
      step --baseline 1; sums
      [ "$2" = json ] || { mv F mine; mv other F; }
      person d; card late a 5; card lated d 7
      [ "$2" = json ] || {
        import-crdt F --update $p; mv F other; mv mine F; sync-folder F other $p
      }
      step --undo sum; step --force sum; sums

      """
    let run = try runInShell(
      shell, "migrate-schema", directory.url.path, isOfDocuments ? "documents" : "json")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let sums = run.output.split(separator: "\n").filter { Int($0) != nil }
    #expect(sums == ["10", "10", "15", "10", "7"], "\(run.output)")
  }
}

import Foundation
import Testing

/// `migrate-schema` over folders that change between JSON and documents, as a user runs it.
@Suite struct MigrateRolledBackTests {
  private static let plan = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "bang", "risk": "transformative", "entities": {"person": [
        {"set": "email", "to": {"concatenate": [{"copy": "/email"}, {"constant": "!"}]}}]}}]}
    """
  private static let people = """
    {"people":[{"id":"00000000-0000-4000-8000-00000000000A","firstName":"Ada",\
    "lastName":"Lovelace","email":"x"}]}
    """

  /// Runs lines in which `step` runs the plan over the folder `F`, and `say` tells its status.
  private func output(_ lines: String) throws -> [String] {
    let directory = try TemporaryDirectory()
    try Data(Self.plan.utf8).write(to: directory.url.appending(path: "plan.json"))
    try Data(Self.people.utf8).write(to: directory.url.appending(path: "people"))
    let shell = """
      set -e
      export PATH="$(dirname "$0"):$PATH"; cd "$1"; p="--profile $2"
      mkdir F; cp people F/people.json; pack-backup F $p -o before.tar -q
      email() { export-json F $p -q | tail -n 2 | grep -o '"email":"[^"]*"'; }
      step() { migrate-schema plan.json F $p "$@"; }
      say() {
        s=0; step "$@" >out 2>&1 || s=$?
        sed -n 's/^  bang  *\\([a-z]*\\).*/bang \\1/p' out; echo $s
      }

      """
    let profile = BuiltCommands.packageRoot.appending(path: "fixtures/plans/people/profile.json")
    let run = try runInShell(
      shell + lines, "migrate-schema", directory.url.path, profile.path)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func `JSON that a rollback makes has the steps of the documents`() throws {
    let lines = try output(
      """
      import-crdt F $p -q; step -q; email
      rollback-folder F before.tar $p -q >/dev/null
      test ! -e F/people.automerge
      say --status; say; email; say --undo bang
      # What was backed up before is as before the step, and one made now is as after it.
      pack-backup F $p -o after.tar -q
      restore-backup before.tar --into F $p -q; email; say --status; say; email
      restore-backup after.tar --into F $p -q; email; say; email
      """)
    let (once, before) = (#""email":"x!""#, #""email":"x""#)
    #expect(
      lines == [
        once, "bang applied", "0", "bang applied", "0", once, "65",
        before, "bang undone", "0", "bang undone", "0", before,
        once, "bang applied", "0", once,
      ])
  }

  @Test func `a step that was undone in the documents is undone in the JSON, and may run again`()
    throws
  {
    let lines = try output(
      """
      import-crdt F $p -q; step -q; step --undo bang -q; email
      rollback-folder F before.tar $p -q >/dev/null
      say --status; say; email; say --force bang; email
      """)
    let before = #""email":"x""#
    #expect(
      lines == [
        before, "bang undone", "0", "bang undone", "0", before, "bang applied", "0",
        #""email":"x!""#,
      ])
  }

  @Test func `documents in which a step waits become JSON in which it was done`() throws {
    let lines = try output(
      """
      step -q; import-crdt F $p -q; rm F/people.json; say; email
      rollback-folder F before.tar $p -q >/dev/null
      say --status; say; email
      import-crdt F $p -q; say; email
      """)
    let once = #""email":"x!""#
    #expect(
      lines == [
        "bang waiting", "1", once, "bang applied", "0", "bang applied", "0", once,
        "bang waiting", "1", once,
      ])
  }

  @Test func `what had still to get a step in the documents has it still to get in the JSON`()
    throws
  {
    let lines = try output(
      """
      cat >plan.json <<'END'
      {"plan": "p", "profile": "people", "steps": [
        {"id": "bang", "risk": "transformative", "entities": {"person": [
          {"set": "marked", "to": {"copy": "/email"}, "type": "string"}, {"drop": "email"}]}}]}
      END
      import-crdt F $p -q; step -q --allow-destructive
      mkdir N; sed 's/000A/000B/; s/"x"/"late"/' people >N/people.json
      import-crdt N --into F $p -q; say --status
      rollback-folder F before.tar $p -q >/dev/null
      test ! -e F/people.automerge
      say --status; say --allow-destructive; say --status
      grep -c '"email"' F/people.json || true; grep -o '"marked": *"[^"]*"' F/people.json | sort
      """)
    #expect(
      lines.map { $0.replacing(": ", with: ":") } == [
        "bang pending", "1", "bang pending", "1", "bang applied", "0", "bang applied", "0", "0",
        #""marked":"late""#, #""marked":"x""#,
      ])
  }
}

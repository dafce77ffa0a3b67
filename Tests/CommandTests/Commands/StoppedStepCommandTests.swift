import Foundation
import Testing

/// Commands over a folder in which a run of a step over JSON was stopped.
@Suite struct StoppedStepCommandTests {
  private static let profile = """
    {"profile": "people", "version": 2, "kinds": [
      {"kind": "person", "identity": {"type": "string", "property": "id"},
       "files": {"paths": ["persons/*.json"]}, "document": {"path": "persons.automerge"},
       "properties": {"mood": {"type": "string"}}}]}
    """
  private static let plan = """
    {"plan": "p", "profile": "people", "steps": [
      {"id": "look", "from": 1, "to": 2, "risk": "destructive", "entities": {"person": [
        {"set": "mood", "to": {"concatenate": [{"copy": "/mood"}, {"constant": "!"}]}}]}}]}
    """

  /// Runs commands in a directory with a folder in which all files were changed, and that was not noted.
  private func inStopped(_ shell: String) throws -> CommandRun {
    let directory = try TemporaryDirectory()
    try Data(Self.profile.utf8).write(to: directory.url.appending(path: "prof.json"))
    try Data(Self.plan.utf8).write(to: directory.url.appending(path: "plan.json"))
    let setUp = """
      set -eu; bin=$(dirname "$0"); PATH=$bin:$PATH; cd "$1"; mkdir -p K/persons
      for id in a b; do echo "{\\"id\\":\\"$id\\",\\"mood\\":\\"$id\\"}" > K/persons/$id.json; done
      cp -R K before
      told() { "$@" --profile prof.json; }
      told migrate-schema plan.json K --baseline 1 --allow-destructive -q
      cp -R K after
      state=K/.automerge-migrate.nosync
      sed 's/"stage":"done"/"stage":"begun"/' $state/schema.jsonl > $state/step-journal.jsonl
      rm $state/schema.jsonl

      """
    return try runInShell(setUp + shell, "migrate-schema", directory.url.path)
  }

  @Test func `what is given back is told, and the next command runs as it is printed`() throws {
    let run = try inStopped(
      """
      next=$(told migrate-schema plan.json K --status | sed -n 's/^next: //p') || true
      echo "$next"
      told migrate-schema plan.json K --dry-run --allow-destructive && exit 1
      diff -r -x '.*' K after
      sh -c "$next"
      diff -r -x '.*' K after
      """)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for text in [
      "--baseline 1 --allow-destructive", "Would give back 2 files as they were before look",
      "Gave back 2 files as they were before look", "2 files changed",
    ] {
      #expect(run.output.contains(text), "\(text): \(run.output)")
    }
  }

  @Test func `without the version of the data they are given back, and the step waits`() throws {
    let run = try inStopped(
      """
      told migrate-schema plan.json K --json > told && exit 1
      grep -o '"filesGivenBack":2' told
      grep -o '"waiting":1' told
      diff -r -x '.*' K before
      told migrate-schema plan.json K | grep 'No file was changed'
      """)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test func `undoing the step, which was not done, tells what was given back`() throws {
    let run = try inStopped(
      """
      status=0; told migrate-schema plan.json K --undo look >told 2>&1 || status=$?
      test $status = 78; cat told
      diff -r -x '.*' K before
      told migrate-schema plan.json K --undo look >told 2>&1 || cat told
      """)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let text = "the step was not done"
    #expect(run.output.components(separatedBy: text).count == 3, "\(run.output)")
    let given = "2 files are again as before look, at which a run was stopped"
    #expect(run.output.components(separatedBy: given).count == 2, "\(run.output)")
  }

  @Test func `a backup of it holds no half of a step, nor does one that a run makes`() throws {
    let run = try inStopped(
      """
      rm -r K-backups
      told pack-backup K --print-path > path
      told restore-backup "$(cat path)" --into Z -q
      diff -r -x '.*' Z before
      told migrate-schema plan.json K --baseline 1 --allow-destructive -q
      for backup in K-backups/*.tar; do
        rm -rf Z; told restore-backup "$backup" --into Z -q; diff -r -x '.*' Z before
      done
      """)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test func `what cannot go on before says what to run`() throws {
    let run = try inStopped(
      """
      backup=$(ls K-backups/*.tar)
      rm -r K/persons
      for command in "import-crdt K" "import-crdt K --into T" "rollback-folder K $backup"; do
        status=0; told $command 2> errors || status=$?
        echo "$status"; grep -c 'same migrate-schema command' errors
      done
      """)
    #expect(run.output == "75\n1\n75\n1\n75\n1\n", "\(run.output)\(run.errors)")
  }
}

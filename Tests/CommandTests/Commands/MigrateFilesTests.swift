import Foundation
import Testing

/// `migrate-schema` over the JSON files of a folder, as a user runs it.
@Suite struct MigrateFilesTests {
  private static let plan = """
    {"plan": "marks", "profile": "minuta", "steps": [
      {"id": "mark", "risk": "additive", "entities": {
        "record": [{"set": "billable", "to": {"constant": true}, "type": "boolean"}],
        "tag": [{"set": "kind", "to": {"constant": "x"}, "type": "string"}]}},
      {"id": "count", "risk": "additive", "folds": {"n": {"count": true, "of": "record"}},
       "entities": {"tag": [{"set": "records", "to": {"fold": "n"}, "type": "integer"}]}}]}
    """

  @Test func `a plan changes JSON in its place, and undone it is what it was, to the byte`() throws
  {
    let directory = try TemporaryDirectory()
    try Data(Self.plan.utf8).write(to: directory.url.appending(path: "plan.json"))
    let shell = """
      set -e
      bin=$(dirname "$0"); cp -R "$2" "$1/Minuta"; cp -R "$2" "$1/before"; cd "$1"
      "$bin"/migrate-schema plan.json Minuta --dry-run | tail -n 3
      diff -r Minuta before
      "$bin"/migrate-schema plan.json Minuta | tail -n 1
      test "$(grep -rl '"billable":true' Minuta/records | wc -l)" -eq 300
      "$bin"/migrate-schema plan.json Minuta | tail -n 1
      ! "$bin"/migrate-schema plan.json Minuta --undo mark -q 2>refused || exit 1
      grep -q 'undo count first' refused
      "$bin"/migrate-schema plan.json Minuta --undo count | tail -n 1
      "$bin"/migrate-schema plan.json Minuta --undo mark -q
      diff -r -x '.*' Minuta before
      "$bin"/migrate-schema plan.json Minuta --status --json | grep -c '"state":"undone"'
      "$bin"/import-crdt Minuta -q
      "$bin"/verify-counts Minuta --brief
      """
    let sample = BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder").path
    let run = try runInShell(shell, "migrate-schema", directory.url.path, sample)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for text in [
      "324 changes of entities, 0 made, 302 files would change",
      "324 changes of entities, 0 made, 302 files changed",
      "No file was changed", "Undid 1 step: 1 file is as before", "Everything is there and equal.",
    ] {
      #expect(run.output.contains(text), "\(text): \(run.output)")
    }
  }

  @Test func `records and tags that a step makes are where the app looks for them`() throws {
    let directory = try TemporaryDirectory()
    let plan = """
      {"plan": "p", "profile": "minuta", "steps": [{"id": "make", "risk": "additive", "create": [
        {"kind": "tag", "id": {"constant": "00000000-0000-4000-8000-0000000000A1"}, "fields": [
          {"set": "name", "to": {"constant": "New"}}, {"set": "color", "to": {"constant": "#102030"}},
          {"set": "createdAt", "to": {"constant": "2024-01-01T00:00:00Z"}}]},
        {"kind": "record", "id": {"constant": "00000000-0000-4000-8000-0000000000B1"}, "fields": [
          {"set": "startTime", "to": {"constant": "2023-01-05T07:08:09Z"}},
          {"set": "tagId", "to": {"constant": "00000000-0000-4000-8000-0000000000A1"}}]}]}]}
      """
    try Data(plan.utf8).write(to: directory.url.appending(path: "plan.json"))
    let shell = """
      set -e
      bin=$(dirname "$0"); cp -R "$2" "$1/Minuta"; cp -R "$2" "$1/before"; cd "$1"
      "$bin"/migrate-schema plan.json Minuta | tail -n 1
      cat Minuta/records/2023/01/2023-01-05_070809.json
      grep -c '0000000000A1' Minuta/tags.json
      ! diff -rq -x '.*' Minuta before || exit 1
      "$bin"/migrate-schema plan.json Minuta --undo make | tail -n 1
      diff -r -x '.*' Minuta before
      "$bin"/migrate-schema plan.json Minuta --force make -q
      "$bin"/import-crdt Minuta -q; "$bin"/verify-counts Minuta --brief
      """
    let sample = BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder").path
    let run = try runInShell(shell, "migrate-schema", directory.url.path, sample)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for text in [
      "Ran 1 step: 0 changes of entities, 2 made, 2 files changed",
      #"{"id":"00000000-0000-4000-8000-0000000000B1","startTime":"2023-01-05T07:08:09Z""#,
      "Undid 1 step: 2 files are as before", "Everything is there and equal.",
    ] {
      #expect(run.output.contains(text), "\(text): \(run.output)")
    }
  }

  @Test func `a backup that is named holds the files that change, or nothing changes`() throws {
    let directory = try TemporaryDirectory()
    try Data(Self.plan.utf8).write(to: directory.url.appending(path: "plan.json"))
    let shell = """
      set -e
      bin=$(dirname "$0"); cp -R "$2" "$1/Minuta"; cd "$1"
      "$bin"/pack-backup Minuta -o old.tar -q
      printf '%s\n' "$(cat Minuta/tags.json)" '' >Minuta/tags.json; cp -R Minuta edited
      ! "$bin"/migrate-schema plan.json Minuta --backup old.tar -q 2>refused || exit 1
      grep -q 'old.tar.*does not hold tags.json as it is' refused
      diff -r -x '.*' Minuta edited
      "$bin"/pack-backup Minuta -o new.tar -q
      "$bin"/migrate-schema plan.json Minuta --backup new.tar -q
      cp -R Minuta changed
      ! "$bin"/migrate-schema plan.json Minuta --undo count --backup new.tar -q 2>refused || exit 1
      grep -q 'new.tar.*does not hold tags.json as it is' refused
      diff -r -x '.*' Minuta changed
      "$bin"/pack-backup Minuta -o newest.tar -q
      "$bin"/migrate-schema plan.json Minuta --undo count --backup newest.tar -q
      ! ls -d Minuta-backups 2>/dev/null || exit 1
      """
    let sample = BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder").path
    let run = try runInShell(shell, "migrate-schema", directory.url.path, sample)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test func `an identity that is in two files breaks the promise that it is in one`() throws {
    let directory = try TemporaryDirectory()
    let plan = """
      {"plan": "p", "profile": "minuta", "steps": [{"id": "mark", "risk": "additive",
        "entities": {"record": [{"set": "marked", "to": {"constant": true}, "type": "boolean"}]},
        "verify": [{"unique": "record"WARNS}]}]}
      """
    for (name, warns) in [("strict", ""), ("lenient", #", "warns": true"#)] {
      try Data(plan.replacing("WARNS", with: warns).utf8)
        .write(to: directory.url.appending(path: "\(name).json"))
    }
    let shell = """
      bin=$(dirname "$0"); cp -R "$2" "$1/Minuta"; cd "$1"
      file=$(find Minuta/records -name '*.json' | sort | head -n 1)
      mkdir -p Minuta/records/1999/01; cp "$file" Minuta/records/1999/01; cp -R Minuta before
      "$bin"/migrate-schema strict.json Minuta; echo "strict: $?"
      diff -r -x '.*' Minuta before || exit 1
      "$bin"/migrate-schema lenient.json Minuta; echo "lenient: $?"
      """
    let sample = BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder").path
    let run = try runInShell(shell, "migrate-schema", directory.url.path, sample)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for text in ["strict: 1", "lenient: 0", "error", "it is there twice"] {
      #expect(run.output.contains(text), "\(text): \(run.output)")
    }
  }
}

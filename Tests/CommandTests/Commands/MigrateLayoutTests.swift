import Foundation
import Testing

/// `migrate-schema` with a plan of a layout, as a user runs it.
@Suite struct MigrateLayoutTests {
  private static let plans = BuiltCommands.packageRoot.appending(path: "plans").path

  @Test func `records come into months and back, and a clean-up brings back what left`() throws {
    let directory = try TemporaryDirectory()
    let shell = """
      set -e
      bin=$(dirname "$0"); plans=$3; cp -R "$2" "$1/Minuta"; cd "$1"
      "$bin"/import-crdt Minuta --layout per-record -q; cp -R Minuta records
      "$bin"/migrate-schema "$plans"/minuta-months.json Minuta --dry-run | tail -n 2
      diff -r Minuta records
      "$bin"/migrate-schema "$plans"/minuta-months.json Minuta | tail -n 1
      "$bin"/migrate-schema "$plans"/minuta-months.json Minuta --status | tail -n 1
      "$bin"/verify-counts Minuta --brief
      ! "$bin"/migrate-schema "$plans"/minuta-records.json Minuta -q 2>refused || exit 1
      grep -q -e '--flatten' refused
      "$bin"/migrate-schema "$plans"/minuta-records.json Minuta --flatten | tail -n 1
      "$bin"/verify-counts Minuta --brief
      # Nobody has edited anything: the documents are those that an import makes.
      diff -r -x '.*' Minuta records
      "$bin"/migrate-schema "$plans"/minuta-records.json Minuta --undo minuta-records -q
      test "$(find Minuta/records -name '*.automerge' | wc -l)" -eq 24
      "$bin"/verify-counts Minuta --brief
      """
    let sample = BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder").path
    let run = try runInShell(shell, "migrate-schema", directory.url.path, sample, Self.plans)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    for text in [
      "300 records would get another document; 300 documents would leave for quarantine",
      "A verified backup is made before.",
      "300 records got another document; 300 documents left for quarantine",
      "300 records got another document; 24 documents left for quarantine", "No step is to run.",
    ] {
      #expect(run.output.contains(text), "\(text): \(run.output)")
    }
    #expect(run.output.components(separatedBy: "Everything is there and equal.").count == 4)
  }

  @Test func `options that say nothing about a layout are refused`() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.url.path
    let months = "\(Self.plans)/minuta-months.json"
    let stream = directory.url.appending(path: "x.jsonl").path
    try Data().write(to: URL(filePath: stream))
    for (arguments, words) in [
      ([months, stream], "name one"),
      ([months, "\(Self.plans)/minuta-comments.json", folder], "runs alone"),
      ([months, folder, "--baseline", "minuta-months"], "--baseline"),
      ([months, folder, "--force", "minuta-months"], "documents show their layout"),
      (["\(Self.plans)/minuta-comments.json", folder, "--flatten"], "for a plan of a layout"),
    ] {
      let refused = try run(
        BuiltCommands.directory.appending(path: "migrate-schema"), arguments, input: nil)
      #expect(refused.status == 64 && refused.errors.contains(words), "\(refused.errors)")
    }
  }
}

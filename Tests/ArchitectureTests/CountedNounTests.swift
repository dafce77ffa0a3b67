import Foundation
import Testing

/// Numbers in messages have one form: `Int.counted` puts the noun, and commas between groups.
@Suite struct CountedNounTests {
  /// What is counted in messages, in the plural.
  private static let nouns = [
    "actors", "arguments", "backups", "bytes", "changes", "characters", "conflicts",
    "copies(?! this)",
    "deletions", "directories", "documents", "entities", "entries", "errors", "fields", "files",
    "findings", "groups", "heads", "images", "keys", "levels", "lines", "months",
    "objects", "operations", "records", "runs", "seconds", "stretches", "tags", "values",
    "versions",
  ].joined(separator: "|")

  /// The engine writes no numbers for people but these, and depends on nothing.
  private static let engine: Set<String> = ["Automerge", "AutomergeUtilities"]

  /// Tools for whoever develops this.
  private static let ownTools: Set<String> = ["EngineMeasurements", "bench-engine"]

  private static let messages = PackageTree.sources.filter {
    !engine.contains($0.module) && !ownTools.contains($0.module)
  }

  private func violations(
    of pattern: Regex<some Any>, _ problem: String,
    except isAllowed: (Substring) -> Bool = { _ in false }
  ) -> [String] {
    Self.messages.flatMap { file in
      file.lines.indices.filter { index in
        let line = file.lines[index]
        return !line.drop { $0 == " " }.hasPrefix("//") && line.contains(pattern)
          && !isAllowed(line)
      }.map { file.violation(at: $0, problem) }
    }
  }

  @Test func `no noun in the plural stands behind a number in a string`() throws {
    let pattern = try Regex(#"\)(?: (?:more|other|losing|missing|older))? (?:\#(Self.nouns))\b"#)
    let inString = try Regex(
      #"\\\([^"]*"# + #"\)(?: (?:more|other|losing|missing|older))? (?:\#(Self.nouns))\b"#)
    expectNone(
      violations(of: inString, "a count with its noun is written by counted()") {
        !$0.contains(pattern) || $0.contains("offset")
      })
  }

  @Test func `no count stands ungrouped in a string`() {
    let pattern =
      /\\\((?:[\w.$]+\.)?(?:\w*[cC]ount|size|total|rest|missing|available|needed)(?: [-+] [\w.]+)?\)/
    // Part of a format, not of a message.
    let formats = ["TarFormat.swift", "StateTree.swift", "SalvagedConflicts.swift"]
    expectNone(
      violations(of: pattern, "a number in a message is grouped or counted").filter { violation in
        !formats.contains { violation.contains($0) }
      })
  }

  @Test func `no message sends its reader to what may not be there`() {
    expectNone(
      violations(of: /"[^"]*\b(?:see above|above\.|as above)[^"]*"/, "nothing may be above"))
  }

  @Test func `scripts count nothing in the plural`() throws {
    let pattern = try Regex(#"\$\{?[a-z_]+\}? (?:more )?(?:\#(Self.nouns))\b"#)
    var found: [String] = []
    for script in ["install", "toolchain.sh"] {
      let url = PackageTree.root.appending(path: "bin/\(script)")
      let lines = try String(contentsOf: url, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated()
      where !line.hasPrefix("#") && line.contains(/echo|printf/) && line.contains(pattern) {
        found.append("bin/\(script):\(index + 1): a count with its noun")
      }
    }
    expectNone(found)
  }
}

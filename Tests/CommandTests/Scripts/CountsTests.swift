import Foundation
import Testing

/// What `bin/bench counts` says of made-up tables; counting itself takes minutes.
@Suite struct CountsTests {
  private static let page = """
    # Costs

    Counted with a compiler of old.

    | row | half | whole | a record | growth | half | whole | a record | growth |
    |---|--:|--:|--:|--:|--:|--:|--:|--:|
    | command/import | 60,000 | 100,000 | 100 | 1.67 | 4,000 | 7,000 | 7.00 | 1.75 |
    | engine/load | 88,000 | 176,000 | | 2.00 | | | | |

    """

  private let place: TemporaryDirectory
  private var table: URL { place.url.appending(path: "table.md") }

  init() throws {
    place = try TemporaryDirectory()
    try Data(Self.page.utf8).write(to: table)
  }

  private func bench(_ arguments: String...) throws -> CommandRun {
    try run(BuiltCommands.packageRoot.appending(path: "bin/bench"), arguments, input: nil)
  }

  /// Compares the table with itself after some of its words were replaced.
  private func compare(
    _ replaced: (String, String)..., options: String...
  ) throws -> CommandRun {
    let counted = place.url.appending(path: "counted.md")
    let text = replaced.reduce(Self.page) { $0.replacing($1.0, with: $1.1) }
    try Data(text.utf8).write(to: counted)
    return try run(
      BuiltCommands.packageRoot.appending(path: "bin/bench"),
      ["counts", "--table", table.path, "--counted", counted.path] + options, input: nil)
  }

  @Test func `what costs as much as the table says passes without a word`() throws {
    let same = try compare()
    #expect(same.status == 0 && same.output.isEmpty && same.errors.isEmpty, "\(same.errors)")
    let close = try compare(
      ("100,000", "102,900"), ("88,000", "86,000"), ("7,000", "7,005"), ("4,000", "3,995"))
    #expect(close.status == 0 && close.output.isEmpty, "\(close.output)")
  }

  @Test(arguments: [
    ("100,000", "103,100", "| command/import | thousand instructions | 100000 | 103100 (+3.1 %) |"),
    ("60,000", "61,900", "| command/import | thousand instructions, half | 60000 | 61900"),
    ("176,000", "181,500", "| engine/load | thousand instructions | 176000 | 181500"),
    // One more for each of twelve months, and one more for each of a thousand records.
    ("7,000", "7,012", "| command/import | system calls | 7000 | 7012"),
    ("7,000", "8,000", "| command/import | system calls | 7000 | 8000"),
    ("4,000", "4,500", "| command/import | system calls, half | 4000 | 4500"),
  ])
  func `what costs more than the table says is told with status 1`(
    before: String, now: String, told: String
  ) throws {
    let run = try compare((before, now))
    #expect(run.status == 1)
    #expect(run.output.contains("Over the table"))
    #expect(run.output.contains(told), "\(run.output)")
    #expect(run.output.contains("These were counted with Swift"), "\(run.output)")
  }

  @Test(arguments: [
    ("60,000", "47,000", "growth of instructions | any | 2.13 |"),
    ("4,000", "3,300", "growth of system calls | any | 2.12 |"),
  ])
  func `growth above 2.1 is told with status 1, whatever the table says`(
    before: String, now: String, told: String
  ) throws {
    try Data(Self.page.replacing(before, with: now).utf8).write(to: table)
    let run = try compare((before, now))
    #expect(run.status == 1)
    #expect(run.output.contains(told), "\(run.output)")
  }

  @Test func `what costs less asks for a new table and passes`() throws {
    let run = try compare(("100,000", "96,900"), ("7,000", "6,000"))
    #expect(run.status == 0)
    #expect(run.output.contains("bin/bench counts --update"))
    #expect(run.output.contains("| 100000 | 96900 (-3.1 %) |"), "\(run.output)")
    #expect(run.output.contains("| system calls | 7000 | 6000"), "\(run.output)")
    #expect(!run.output.contains("Over the table"))
  }

  @Test func `a row that only one of the tables has is told, unless rows were chosen`() throws {
    let run = try compare(("engine/load", "engine/save"))
    #expect(run.status == 1)
    #expect(run.output.contains("| engine/save | thousand instructions | nothing | 176000 |"))
    #expect(run.output.contains("| engine/load | thousand instructions | 176000 | nothing |"))
    let gone = ("| engine/load | 88,000 | 176,000 | | 2.00 | | | | |", "")
    #expect(try compare(gone).status == 1)
    #expect(try compare(gone, options: "--rows", "command/import").status == 0)
  }

  @Test func `an update writes the rows that changed and keeps the rest of the page`() throws {
    let run = try compare(
      ("7,000 | 7.00", "7,100 | 7.00"), ("88,000", "88,100"), options: "--update")
    #expect(run.status == 0, "\(run.errors)")
    let written = try String(contentsOf: table, encoding: .utf8)
    #expect(written.hasPrefix("# Costs\n\nCounted with Swift "))
    #expect(written.contains("| command/import | 60,000 | 100,000 | 100 | 1.67 | 4,000 | 7,100 |"))
    #expect(written.contains("| engine/load | 88,000 | 176,000 |"), "only its last digits changed")
  }

  @Test func `an update passes over a comparison behind what was counted`() throws {
    let told = "| command/import | system calls | 100 | 7,100 (+2 %) | up to 101 |"
    let run = try compare(
      ("7,000 | 7.00 | 1.75 |", "7,100 | 7.00 | 1.75 |\n\nOver the table:\n\n\(told)"),
      options: "--update")
    #expect(run.status == 0, "\(run.errors)")
    let written = try String(contentsOf: table, encoding: .utf8)
    #expect(written.contains("| command/import | 60,000 | 100,000 | 100 | 1.67 | 4,000 | 7,100 |"))
    #expect(!written.contains("up to 101"))
  }

  @Test func `every command and every row of the engine is in the table of the repository`() throws
  {
    let page = try String(
      contentsOf: BuiltCommands.packageRoot.appending(path: "Sources/Documentation/counts.md"),
      encoding: .utf8)
    let work = try String(
      contentsOf: BuiltCommands.packageRoot.appending(path: "bin/counted-work.sh"),
      encoding: .utf8)
    for command in BuiltCommands.names where command != "bench-engine" {
      #expect(work.contains(" \(command) "), "\(command) is not counted")
    }
    let refused = try run(
      "bench-engine", place.url.appending(path: "work").path, "--rows", "none")
    let list = try #require(refused.errors.firstMatch(of: /choose from (.*)/))
    let known = list.1.split(separator: ", ")
    #expect(known.contains("month-load"), "\(refused.errors)")
    for row in known where !row.hasPrefix("memory") && !row.hasSuffix("-doubled") {
      #expect(page.contains("\n| engine/\(row) |"), "\(row) is not in the table")
    }
    for line in page.split(separator: "\n") where line.hasPrefix("| command/") {
      #expect(line.count(where: { $0 == "|" }) == 10, "\(line)")
    }
  }

  @Test func `wrong usage is told`() throws {
    #expect(try bench("counts", "--tables").status == 64)
    #expect(try bench("counts", "--rows").status == 64)
    #expect(try bench("stores", "--rows", "many").status == 64)
    #expect(try bench("stores", "100").status == 64)
    #expect(try bench("counts", "--table", "/nowhere", "--counted", table.path).status == 66)
    #expect(try bench("--help").output.contains("bench counts"))
  }
}

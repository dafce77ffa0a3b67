import ArgumentParser
import CommandLineSupport
import EngineMeasurements
import MigrationCore
import Runs

@main
struct BenchEngine: Tool {
  static let help = HelpText(
    "bench-engine", "Measure the engine and print a table in Markdown",
    examples: [
      .init("everything, as bin/bench engine does", "bench-engine \"$(mktemp -d)\""),
      .init(
        "two rows, twenty times each",
        "bench-engine \"$(mktemp -d)\" --rows load,save --rounds 20"),
    ],
    note: """
      Times are processor times, the best of several rounds. One unit is what sha256sum needs for \
      256 MiB of zeros on the same machine in the same run.
      """,
    statuses: [
      .done, .usage, .missingInput, .internalError, .systemCallFailed, .cannotCreate, .inputOutput,
      .busy, .permissionDenied,
    ])
  static let configuration = help.configuration

  @Argument(help: ArgumentHelp("An empty directory, for the run to fill.", valueName: "folder"))
  var folder: String

  @Option(
    help: ArgumentHelp("The rows to measure, separated by commas; else all.", valueName: "names"))
  var rows: String?

  @Option(help: ArgumentHelp("How often each row is measured.", valueName: "n"))
  var rounds = 3

  @Option(
    help: ArgumentHelp(
      "How much of its work each row does; targets are for 100.", valueName: "percent"))
  var size = 100

  @Option(help: .private)
  var step: MeasurementStep?

  @Flag(help: "Measure files of a megabyte that are full of one thing instead.")
  var doubling = false

  @Option(
    help: ArgumentHelp(
      "With --doubling: measure the commands in this directory.", valueName: "dir"))
  var commands: String?

  @Option(help: .private)
  var make: String?

  @Option(help: .private)
  var stage: DoublingStage?

  @Option(help: .private)
  var file = ""

  @OptionGroup var reporting: ReportingOptions

  var carriesData: Bool { true }

  func validate() throws {
    guard rounds > 0 else { throw ValidationError("--rounds must be at least 1") }
    guard commands == nil || doubling else { throw ValidationError("--commands needs --doubling") }
    guard (1...100).contains(size) else { throw ValidationError("--size is from 1 to 100") }
  }

  func perform(_ console: Console) throws {
    if let make { return try DoublingRun(inFolder: folder).make(make) }
    if let stage { return try DoublingRun(inFolder: folder).perform(stage, file: file) }
    if let step { return try step.perform(inFolder: folder) }
    _ = try OutputPlace.createDirectory(
      folder, context: RunContext(command: Self.help.name))
    let names = rows?.split(separator: ",").map(String.init) ?? []
    if doubling {
      let run = try DoublingRun(inFolder: folder, patterns: names, commands: commands)
      return try run.writeTable { try console.write(Array($0.utf8)) }
    }
    let run = try MeasurementRun(
      inFolder: folder, rows: names, rounds: rounds, size: MeasurementSize(percent: size))
    try console.write(Array(run.table().utf8))
  }
}

extension MeasurementStep: ExpressibleByArgument {}

extension DoublingStage: ExpressibleByArgument {}

import ArgumentParser
import CommandLineSupport
import Diagnostics
import Fleets
import MigrationCore
import Runs

struct MigrateFleet: Tool {
  static let help = HelpText(
    "migrate-fleet", "Run a command for each of many folders, with GNU parallel or Slurm",
    examples: [
      .init("migrate the folders that a file lists, a line each", "migrate-fleet folders.txt"),
      .init("how they stand", "migrate-fleet folders.txt --summary"),
      .init(
        "with options of migrate-folder, on two hosts",
        "migrate-fleet folders.txt --ssh anna@one,anna@two -- --layout monthly"),
      .init(
        "verify them, with results of its own",
        "migrate-fleet folders.txt --command verify-counts --results checked.jsonl"
      ),
    ],
    note: """
      Each folder gets a line of JSON in the file of results, which alone says what is done: run \
      again, only folders without a line, and those that were busy, get their turn. It can be \
      stopped at any time. A folder that fails stops no other. What is behind -- is for the command, \
      which gets the folder as its last word. Status 1 means that a folder is not done.
      """,
    statuses: [
      .done, .differs, .usage, .missingInput, .featureAbsent, .systemCallFailed, .cannotCreate,
      .inputOutput, .busy, .permissionDenied, .conflictsWithData,
    ])
  static let configuration = help.configuration

  @OptionGroup var fleet: FleetArguments

  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws {
    if let task = fleet.jobTask {
      return try FleetJob(task, console, by: Program.runStep).run(fleet.passed)
    }
    let workflow = FleetWorkflow(try fleet.options(), context: try console.context())
    guard fleet.isPlanned else { return console.show(try workflow.perform()) }
    console.show(try workflow.summarize(isDryRun: fleet.dryRun))
  }
}

package import ArgumentParser
import Diagnostics
package import Fleets
import Runs

/// What is run for which folders, and by whom.
package struct FleetArguments: ParsableArguments {
  /// The list of folders.
  @Argument(
    help: ArgumentHelp(
      "A file that lists folders, a line each; - is standard input.", valueName: "list"),
    completion: .file())
  package var list: String?

  /// Whether zero bytes end its names.
  @Flag(name: .zeroSeparated, help: .zeroSeparated)
  package var isZeroSeparated = false

  /// The file of results.
  @Option(
    help: ArgumentHelp("The file of results; by default LIST.results.jsonl.", valueName: "file"),
    completion: .file())
  package var results: String?

  /// What is run for each folder.
  @Option(
    name: .customLong("command"),
    help: ArgumentHelp(
      "What to run for each folder; by default migrate-folder.", valueName: "name"),
    completion: .list(FleetTask.commands.map(\.rawValue)))
  package var command: String?

  /// Whether nothing is run.
  @Flag(help: "Say how the folders stand, and run nothing.")
  package var summary = false

  /// Whether folders get another turn that are not done.
  @Flag(help: "Run folders again whose result needs a person.")
  package var retryFailed = false

  /// How many more turns folders get.
  @Option(
    help: ArgumentHelp(
      "How many more turns folders get that were busy, or whose job died.", valueName: "n"))
  package var retries = 2

  /// How many jobs run at once.
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Run this many jobs at once, on each host.", valueName: "n"))
  package var jobs: Int?

  /// The hosts to run on.
  @Option(
    help: ArgumentHelp(
      "Run on these hosts, as parallel --sshlogin takes them; each must have the folders.",
      valueName: "hosts"))
  package var ssh: String?

  /// What starts this program there.
  @Option(
    help: ArgumentHelp(
      "With --ssh: what starts automerge-migrate there.", valueName: "path"), completion: .file())
  package var program: String?

  /// Whether Slurm starts jobs.
  @Flag(help: "Run on the nodes of a cluster, as a job array of Slurm, and wait for it.")
  package var slurm = false

  /// When to stop.
  @Option(
    help: ArgumentHelp(
      "When to stop, as parallel --halt takes it: soon,fail=10%.", valueName: "rule"))
  package var halt: String?

  /// The log of jobs.
  @Option(
    help: ArgumentHelp(
      "Append a line for each job to this file, as parallel --joblog does.", valueName: "file"),
    completion: .file())
  package var joblog: String?

  /// Whether it is only said what would be run.
  @Flag(name: .dryRun, help: .dryRun)
  package var dryRun = false

  /// The task of a job, which this process then is.
  @Option(help: .hidden)
  package var job: String?

  /// Options of the command; of a job, its folders.
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp(
      "Behind --: options of the command.", valueName: "options", visibility: .hidden))
  package var passed: [String] = []

  /// Creates the options as they are without arguments.
  package init() {}

  /// Refuses what does not go together.
  package func validate() throws {
    if job != nil {
      if jobTask == nil { throw ValidationError("--job is no task of a fleet") }
      return
    }
    guard let list, !list.isEmpty else {
      throw ValidationError("give one list of folders; options of the command go behind --")
    }
    if list == "-", results == nil {
      throw ValidationError("a list on standard input has no name: add --results FILE")
    }
    _ = try name()
    if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1") }
    if !(0...100).contains(retries) { throw ValidationError("--retries takes 0 to 100") }
    if program != nil, ssh == nil { throw ValidationError("--program goes with --ssh") }
    if slurm, ssh != nil || halt != nil || joblog != nil {
      throw ValidationError("--ssh, --halt and --joblog are for GNU parallel, not for --slurm")
    }
    if summary, dryRun || retryFailed {
      throw ValidationError(
        "--summary runs nothing, so --dry-run and --retry-failed do not go with it")
    }
  }

  /// The task of the job that this process is; nil if it is none.
  package var jobTask: FleetTask? { job.flatMap { FleetTask(encoded: $0) } }

  /// Whether nothing is run.
  package var isPlanned: Bool { summary || dryRun }

  /// What a run is told.
  package func options() throws -> FleetOptions {
    guard let list else { throw ValidationError("give one list of folders") }
    var options = FleetOptions(
      list: list, results: results ?? list + ".results.jsonl",
      task: FleetTask(try name(), options: passed),
      jobWords: FleetOptions.jobWords(program: ssh == nil ? nil : program ?? "automerge-migrate"))
    options.isZeroSeparated = isZeroSeparated
    options.scheduler.jobs = jobs
    options.scheduler.hosts = ssh
    options.scheduler.halt = halt
    options.scheduler.jobLog = joblog
    options.usesSlurm = slurm
    options.takesAnyTask = summary && command == nil && passed.isEmpty
    options.retries = retries
    options.retriesFailed = retryFailed
    return options
  }

  /// The command that is run for each folder.
  private func name() throws -> NextCommand.Name {
    guard let command else { return .migrateFolder }
    if let name = FleetTask.commands.first(where: { $0.rawValue == command }) { return name }
    let names = FleetTask.commands.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("--command takes one of \(names)")
  }
}

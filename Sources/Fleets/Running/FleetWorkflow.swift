import Diagnostics
package import Runs
import SafeFiles

/// What a run over a fleet is told.
package struct FleetOptions: Sendable {
  /// The list of the folders: a file, or `-` for standard input.
  package var list: String
  /// Whether a zero byte ends each name of the list.
  package var isZeroSeparated = false
  /// The file of results.
  package var results: String
  /// What is run for each folder.
  package var task: FleetTask
  /// How jobs are started.
  package var scheduler = ParallelCommand()
  /// Whether Slurm starts them, on the nodes of a cluster.
  package var usesSlurm = false
  /// The words that start a job of this program, before the task.
  package var jobWords: [String]
  /// Whether the results may be of another task, where they are only read.
  package var takesAnyTask = false
  /// How many more times folders get their turn that were busy, or whose job left no result.
  package var retries = 2
  /// Whether folders get another turn that have a result that needs a person.
  package var retriesFailed = false

  /// Creates the options of a run that is told no more.
  package init(list: String, results: String, task: FleetTask, jobWords: [String]) {
    self.list = list
    self.results = results
    self.task = task
    self.jobWords = jobWords
  }
}

/// Runs a command for each folder of a list, and keeps a line for each.
///
/// The file of results is the truth: a folder that has a line is done, unless the command was busy. What
/// died before its line was written is run again, and finds what is done.
package struct FleetWorkflow {
  private let options: FleetOptions
  private let context: RunContext

  /// Creates a run; nothing is read yet.
  package init(_ options: FleetOptions, context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Says how the folders of the list stand; nothing is run.
  ///
  /// - Parameter isDryRun: whether it also says for how many the command would be run.
  package func summarize(isDryRun: Bool) throws(MigrationError) -> FleetReport {
    let clock = RunClock()
    let list = try FolderList(at: options.list, isZeroSeparated: options.isZeroSeparated)
    let results = try openResults(isForWriting: false)
    var report = FleetReport(list, results, options.task, seconds: clock.seconds)
    report.isDryRun = isDryRun
    if isDryRun { report.ranCount = list.folders.count { isLeft($0, results) } }
    return report
  }

  /// Runs what is left to run.
  package func perform() throws(MigrationError) -> FleetReport {
    let clock = RunClock()
    let list = try FolderList(at: options.list, isZeroSeparated: options.isZeroSeparated)
    let results = try openResults(isForWriting: true)
    let array = try SlurmArray(options, context)
    try array.gather(into: results)
    let left = list.folders.filter { isLeft($0, results) }
    var ranCount = 0
    var isHalted = false
    if !left.isEmpty {
      if options.usesSlurm {
        ranCount = try array.run(left, into: results)
      } else {
        try ParallelCommand.require()
        (ranCount, isHalted) = try runHere(left, into: results)
      }
    }
    var report = FleetReport(list, results, options.task, seconds: clock.seconds)
    report.ranCount = ranCount
    report.isHalted = isHalted
    return report
  }

  /// Runs jobs with GNU parallel, and gives those another turn that need one; returns how many folders
  /// got a result, and whether its rule ended the run.
  private func runHere(
    _ folders: [String], into results: FleetResults
  ) throws(MigrationError) -> (ranCount: Int, isHalted: Bool) {
    let count = folders.count
    var left = folders
    var isHalted = false
    for turn in 0...max(0, options.retries) where !left.isEmpty && !isHalted {
      let isLast = turn == options.retries
      let pass = FleetPass(
        left, batch: turn == 0 ? batchSize(of: left) : 1, keepsBusy: isLast)
      let ending = try pass.run(options, into: results, context) { ended in
        context.reportProgress?(
          RunProgress(.running, completed: count - left.count + ended, total: count))
      }
      if context.isInterrupted() { throw .interrupted }
      left.removeAll { ending.settled.contains($0) }
      isHalted = options.scheduler.halt != nil && ending.hasFailed && ending.hasUnbegun
    }
    return (count - left.count, isHalted)
  }

  private func openResults(isForWriting: Bool) throws(MigrationError) -> FleetResults {
    try FleetResults(
      at: options.results, of: options.takesAnyTask && !isForWriting ? nil : options.task,
      isForWriting: isForWriting,
      operations: context.operations)
  }

  private func isLeft(_ folder: String, _ results: FleetResults) -> Bool {
    switch results.standings[folder]?.outcome {
    case nil, .busy: true
    case .done: false
    case .differs, .failed: options.retriesFailed
    }
  }

  /// How many folders a job gets: several, because starting a job takes about as long as a small folder
  /// does, and so few that all jobs end at about the same time.
  private func batchSize(of folders: [String]) -> Int {
    let jobs = options.scheduler.jobs ?? context.workerCount
    let longest = folders.reduce(1) { max($0, $1.utf8.count) }
    let share = folders.count / (8 * max(1, jobs))
    return max(1, min(Self.largestBatch, share, Self.longestLine / longest))
  }

  /// The most folders of a job: when it dies, those that are left of them are run again.
  private static let largestBatch = 64
  /// The most bytes of their names: quoted they are up to four times as long, and a line that starts a
  /// job has 128 KiB.
  private static let longestLine = 30_000
}

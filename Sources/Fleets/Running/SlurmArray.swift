import Diagnostics
import Runs
import SafeFiles

/// The folders of a run as a job array of Slurm: each task runs `migrate-fleet` over a part of the list,
/// on a node that sees the same files, into results of its own.
///
/// Parts lie in a directory beside the file of results until their lines are in it. So nothing is lost if
/// the run that submitted them dies: the next one gathers what there is, once no task is left.
struct SlurmArray {
  /// The most tasks of an array, as a cluster allows them that was not told otherwise.
  private static let mostTasks = 1000
  /// The fewest folders that are worth a task.
  private static let smallestPart = 16

  private let options: FleetOptions
  private let context: RunContext
  private let parent: Directory
  private let name: FileName
  /// The path of the directory of parts.
  private let path: String
  private let jobName: String

  init(_ options: FleetOptions, _ context: RunContext) throws(MigrationError) {
    self.options = options
    self.context = context
    let place = options.results + ".parts"
    let (parent, name) = try MigrationError.wrapping { () throws(FileError) in
      try Directory.openParent(ofPath: place, operations: context.operations)
    }
    (self.parent, self.name) = (parent, name)
    let directory = try MigrationError.wrapping { () throws(FileError) in
      try parent.canonicalPath()
    }
    guard let directory = String(validating: directory, as: UTF8.self) else {
      throw MigrationError(FileError.invalidPath(path: parent.path))
    }
    path = directory + (directory.hasSuffix("/") ? "" : "/") + name.description
    // One name for each file of results, by which its tasks are found again.
    let digest = ContentHash(of: Array(path.utf8)).description.prefix(16)
    jobName = "migrate-fleet-\(digest)"
  }

  /// Takes over what tasks of an earlier run left, if there are any.
  ///
  /// Throws a diagnostic of kind `busy` while such tasks are at work.
  func gather(into results: FleetResults) throws(MigrationError) {
    let parts = try MigrationError.wrapping { () throws(FileError) in
      try parent.stateIfPresent(of: name) == nil ? nil : try parent.openDirectory(name)
    }
    guard let parts else { return }
    let tasks = try output(of: ["squeue", "--noheader", "--format=%i", "--name", jobName])
    guard tasks.isEmpty else {
      throw .underlying(
        Diagnostic(
          .busy, subject: path, problem: "tasks of Slurm are at work with it: job \(tasks)",
          remedy: "wait for them, or end them: scancel --name \(jobName)"))
    }
    let names = try MigrationError.wrapping { () throws(FileError) in try parts.entries() }
    for entry in names where entry.name.description.hasSuffix(Self.resultsEnd) {
      let lines = try FleetResults.lines(of: entry.name, in: parts)
      try results.append(lines.filter { $0.isOf(options.task) && !results.holds($0) })
    }
    try MigrationError.wrapping { () throws(FileError) in try parent.removeOwnTree(name) }
  }

  /// Runs tasks for the folders, waits for all of them, and gathers their results; returns how many
  /// folders have one now.
  func run(_ folders: [String], into results: FleetResults) throws(MigrationError) -> Int {
    let before = folders.map { results.standings[$0]?.start }
    let size = max(Self.smallestPart, (folders.count + Self.mostTasks - 1) / Self.mostTasks)
    let starts = Array(stride(from: 0, to: folders.count, by: size))
    try MigrationError.wrapping { () throws(FileError) in
      let parts = try parent.createDirectory(name, mode: 0o700, orOpen: false)
      for (index, start) in starts.enumerated() {
        guard let list = FileName(Array((String(index) + Self.listEnd).utf8)) else { continue }
        let part = folders[start..<min(start + size, folders.count)]
        try parts.publish(part.flatMap { Array($0.utf8) + [0] }, as: list)
      }
    }
    let words = [
      "sbatch", "--wait", "--parsable", "--job-name", jobName, "--output", path + "/%a.log",
      "--array",
      "0-" + String(starts.count - 1) + (options.scheduler.jobs.map { "%" + String($0) } ?? ""),
      "--wrap", script,
    ]
    guard let child = try ChildProcess.start(words, input: .descriptor(0)) else {
      throw Self.absent("sbatch")
    }
    let said = try child.readAll(isInterrupted: context.isInterrupted)
    if context.isInterrupted() {
      // Tasks go on without the one who waits for them.
      _ = try output(of: ["scancel", "--name", jobName])
      _ = child.wait()
      throw .interrupted
    }
    // Its status is the gravest of the tasks, which say more in their results; without a job there is none.
    if child.wait() != .exited(0), said.isEmpty {
      try MigrationError.wrapping { () throws(FileError) in try parent.removeOwnTree(name) }
      throw .underlying(
        Diagnostic(
          .featureAbsent, subject: "sbatch", problem: "did not take the job",
          remedy: "what it said stands above; its settings are variables: SBATCH_PARTITION"))
    }
    try gather(into: results)
    return zip(folders, before).count { results.standings[$0]?.start != $1 }
  }

  private static let (listEnd, resultsEnd) = (".list", ".results.jsonl")

  /// What a task does: the parts of a path are the same for each, but for its number.
  private var script: String {
    let part = ShellWord.quoting(path) + "/$SLURM_ARRAY_TASK_ID"
    let task = ["--command", options.task.name.rawValue, "--"] + options.task.options
    return "exec " + options.jobWords.map(ShellWord.quoting).joined(separator: " ")
      + " \(part)\(Self.listEnd) --null --results \(part)\(Self.resultsEnd) --quiet"
      + " --retries \(options.retries) "
      + task.map(ShellWord.quoting).joined(separator: " ")
  }

  private func output(of words: [String]) throws(MigrationError) -> String {
    guard let child = try ChildProcess.start(words, input: .descriptor(0)) else {
      throw Self.absent(words.first ?? "")
    }
    let bytes = try child.readAll(isInterrupted: { false })
    guard child.wait() == .exited(0) else { throw Self.absent(words.first ?? "") }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.joined(separator: ", ")
  }

  private static func absent(_ program: String) -> MigrationError {
    .underlying(
      Diagnostic(
        .featureAbsent, subject: program, problem: "is not there, or finds no cluster of Slurm",
        remedy: "run this where jobs are submitted, or without --slurm"))
  }
}

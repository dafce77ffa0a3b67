import Diagnostics
import Runs

/// How GNU parallel is told to run jobs. It starts them, here or on other hosts, and nothing of that is
/// done here.
package struct ParallelCommand: Sendable {
  /// How many jobs run at once, on each host; nil leaves it to the scheduler: one for each core.
  package var jobs: Int?
  /// The hosts to run on, as `--sshlogin` takes them; nil means this one.
  package var hosts: String?
  /// When to stop, as `--halt` takes it.
  package var halt: String?
  /// A file that gets a line for each job that ended, as `--joblog` writes it.
  package var jobLog: String?

  /// Creates the command of a scheduler that is told nothing.
  package init() {}

  /// Milliseconds that a job has to stop between two items, once somebody asks it to.
  private static let stopTime = 60_000

  /// The words that start it; it reads folders, each behind a zero byte.
  ///
  /// - Parameters:
  ///   - job: the words of a job, to which folders are added.
  ///   - batch: how many folders a job gets.
  func words(running job: [String], batch: Int) -> [String] {
    // Its settings for a person are not for a program, and neither is that person's shell.
    var words = [
      "env", "PARALLEL_SHELL=/bin/sh", "parallel", "--plain", "--null", "--no-run-if-empty",
      "--max-args", String(batch), "--termseq", "TERM,\(Self.stopTime),KILL,25",
    ]
    if let jobs { words += ["--jobs", String(jobs)] }
    if let hosts { words += ["--sshlogin", hosts] }
    if let halt { words += ["--halt", halt] }
    if let jobLog { words += ["--joblog", "+" + jobLog] }
    return words + [job.map(ShellWord.quoting).joined(separator: " ") + " {}"]
  }

  /// Throws a diagnostic of kind `featureAbsent` if GNU parallel is not there; another program has its
  /// name, too.
  static func require() throws(MigrationError) {
    let probe = ["env", "PARALLEL_SHELL=/bin/sh", "parallel", "--plain", "--version"]
    if let child = try ChildProcess.start(probe, input: .descriptor(0)) {
      let version = try child.readAll(isInterrupted: { false })
      if child.wait() == .exited(0), version.starts(with: Array("GNU parallel ".utf8)) { return }
    }
    throw .underlying(
      Diagnostic(
        .featureAbsent, subject: "", problem: "GNU parallel is not installed",
        remedy: "install it: apt-get install parallel, brew install parallel"))
  }
}

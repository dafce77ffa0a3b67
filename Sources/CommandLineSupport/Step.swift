package import Diagnostics
import Runs

/// A command of the toolkit as a step of another one: it runs in the same process, from its words, so
/// that it needs no program beside this one and none on the path.
///
/// It says and does what it does alone, and can be killed at any instant as it can alone. A signal
/// that asks for a stop reaches it as it does alone, too; who runs steps then runs no other.
package struct Step {
  /// Where what it prints on standard output goes.
  package enum Output {
    /// To our standard output.
    case shown
    /// To our standard error, because standard output is for scripts.
    case talk
    /// To the caller.
    case collected
  }

  /// What became of it.
  package struct Ending {
    /// The status it ended with.
    package var status: ExitStatus
    /// What it printed, if that was collected.
    package var output: [UInt8] = []
    /// Whether there is nothing that it could not look at.
    package var hasSeenAll = true
  }

  /// How steps are run: with the commands of a program.
  package typealias Runner = (NextCommand, Output) -> Ending
}

extension StandardStreams {
  /// The streams of a step. They stay open: the process goes on after it.
  init(ofStep output: Step.Output) {
    let name = "standard output"
    self.output =
      switch output {
      case .shown: CheckedStream(descriptor: 1, name: name, closesAtEnd: false)
      case .talk: CheckedStream(descriptor: 2, name: name, closesAtEnd: false)
      case .collected: CheckedStream(descriptor: nil, name: name, closesAtEnd: false)
      }
    errors = CheckedStream(descriptor: 2, name: "standard error", closesAtEnd: false)
  }
}

/// Runs the steps of a command, each as a step is run alone: it waits for the lock as long as that
/// command was told to.
struct StepRunner {
  private let console: Console
  private let lockTimeout: Int
  private let runStep: Step.Runner

  init(_ console: Console, lockTimeout: Int, by runStep: @escaping Step.Runner) {
    self.console = console
    self.lockTimeout = lockTimeout
    self.runStep = runStep
  }

  /// Runs a step. What it prints is shown where people read it as it comes.
  func run(_ command: NextCommand, adding options: [String] = []) -> Step.Ending {
    perform(command, adding: options, console.isReadAsItComes ? .shown : .talk)
  }

  /// Makes a backup of a folder that steps may rely on, and returns its path; nil, and its status is
  /// that of the command, if there is none, or if nothing may follow.
  ///
  /// - Parameter options: what tells it the profile.
  func backUp(
    _ folder: String, in directory: String?, told options: [String], title: String = "backup"
  ) -> String? {
    console.show(lines: [title])
    guard console.mayGoOn else { return nil }
    let command = NextCommand(
      .packBackup,
      [folder, "--reuse", "--print-path"] + options
        + NextCommand.options(backupDirectory: directory))
    let ending = perform(command, adding: console.stepOptions, .collected)
    console.note(ending.status)
    guard ending.status == .done, console.mayGoOn else { return nil }
    let path = String(validating: ending.output.dropLast(), as: UTF8.self)
    if path == nil { console.note(.internalError) }
    return path
  }

  private func perform(
    _ command: NextCommand, adding options: [String], _ output: Step.Output
  ) -> Step.Ending {
    var command = command
    command.arguments += options + lockOptions(for: command.name)
    return runStep(command, output)
  }

  /// Returns what tells a command how long to wait, if it takes the lock.
  private func lockOptions(for name: NextCommand.Name) -> [String] {
    switch name {
    case .exportJSON, .repairCRDT, .verifyCounts: []
    default: ["--lock-timeout", String(lockTimeout)]
    }
  }
}

extension Console {
  /// Whether another step may follow: nobody asked for a stop, and somebody reads what is shown.
  var mayGoOn: Bool { !isReportLost && !Interruption.isRequested }
}

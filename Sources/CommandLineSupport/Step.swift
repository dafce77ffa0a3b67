package import Diagnostics

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
    package var output: [UInt8]
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

extension Console {
  /// Makes a backup of a folder that steps may rely on, and returns its path; nil, and its status is
  /// ours, if there is none, or if nothing may follow.
  func backUp(
    _ folder: String, _ options: [String] = [], by runStep: Step.Runner
  ) -> String? {
    show(lines: ["backup"])
    guard mayGoOn else { return nil }
    let ending = runStep(
      NextCommand(
        .packBackup, [folder, "--reuse", "--print-path"] + stepOptions + options), .collected)
    note(ending.status)
    guard ending.status == .done, mayGoOn else { return nil }
    let path = String(validating: ending.output.dropLast(), as: UTF8.self)
    if path == nil { note(.internalError) }
    return path
  }

  /// Whether another step may follow: nobody asked for a stop, and somebody reads what is shown.
  var mayGoOn: Bool { !isReportLost && !Interruption.isRequested }
}

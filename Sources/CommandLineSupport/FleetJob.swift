import Diagnostics
package import Fleets
import Runs
import SafeFiles

/// A job of a fleet: one command for some folders, one after the other, in this process.
///
/// Each folder's line goes to standard output as soon as its command has ended. What a command says is
/// kept for that line, so that the talk of many jobs is not mixed.
package struct FleetJob {
  private let task: FleetTask
  private let console: Console
  private let runStep: Step.Runner

  /// Creates a job; nothing is run yet.
  package init(_ task: FleetTask, _ console: Console, by runStep: @escaping Step.Runner) {
    self.task = task
    self.console = console
    self.runStep = runStep
  }

  /// Runs the command for each folder.
  package func run(_ folders: [String]) throws {
    let context = try console.context()
    let talk = try MigrationError.wrapping { () throws(FileError) in
      try NamelessFile(in: context.temporaryDirectory, operations: context.operations)
    }
    for folder in folders {
      let clock = RunClock()
      guard let before = SystemCalls.redirect(2, to: talk.writer.descriptor) else {
        throw MigrationError.brokenInvariant("standard error cannot be redirected")
      }
      var command = task.command(for: folder)
      command.arguments = ["--json", "--quiet", "--no-progress"] + command.arguments
      let ending = runStep(command, .collected)
      SystemCalls.restore(2, to: before)
      // A command that was stopped has no result: it is run again.
      if Interruption.isRequested { return }
      console.note(ending.status)
      let result = FleetResult(
        of: folder, task, status: Int(ending.status.rawValue), output: ending.output,
        talk: try said(talk.reader), host: SystemCalls.hostName, version: ToolVersion.current,
        begun: clock.begin, seconds: clock.seconds)
      try console.write(line: result.line)
    }
  }

  /// What was written since it was asked last.
  private func said(_ reader: FileReader) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    try MigrationError.wrapping { () throws(FileError) in
      while case let count = try reader.read(into: &piece), count > 0 { bytes += piece[..<count] }
    }
    return bytes
  }
}

extension FleetOptions {
  /// The words that start a job: this program, or the one that hosts have under a name.
  ///
  /// - Parameter program: what hosts have; nil means this one.
  package static func jobWords(program: String?) -> [String] {
    let path = program ?? SystemCalls.programPath ?? "automerge-migrate"
    // A program that holds one command only is that command.
    let isOfOne = path.split(separator: "/").last == "migrate-fleet"
    return [path] + (isOfOne ? [] : [FleetReport.name])
  }
}

package import FolderSync
import Folders
package import Runs

/// What starts the other side of a sync.
package struct SyncProgram {
  /// A program and its arguments.
  package let words: [String]
  /// What messages call it.
  package let name: String

  /// A command that was given, or this program for another folder of this machine, which must be neither
  /// the same nor one inside of the other.
  package init(
    _ options: SyncOptions, other: String?, command: [String], context: RunContext
  ) throws {
    guard let other else {
      words = command
      name = "the other side"
      return
    }
    try SyncOptions.requireApart(options.folder, other, context: context)
    let program = SystemCalls.programPath ?? "sync-folder"
    let isOfOne = program.split(separator: "/").last == "sync-folder"
    words =
      [program] + (isOfOne ? [] : ["sync-folder"])
      + [other.hasPrefix("-") ? "./\(other)" : other, "--serve", "--quiet"]
      + context.kinds.options + ["--lock-timeout", String(context.lockTimeoutSeconds)]
      + ["--timeout", String(options.silenceSeconds)]
    name = other
  }
}

extension Console {
  /// Answers another side on standard input and output. What fails is told to that side, which tells it to
  /// whoever started both.
  package func serve(_ server: SyncServer) {
    do throws(MigrationError) {
      if try !server.perform(input: 0, output: 1) { note(.differs) }
    } catch {
      note(ExitStatus(error))
    }
  }

  /// Whether somebody types what a command reads.
  package static var isInputTerminal: Bool { SystemCalls.isTerminal(0) }
}

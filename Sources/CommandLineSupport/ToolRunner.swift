import ArgumentParser
import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs one command as a process.
enum ToolRunner<Command: Tool> {
  static func run() -> Never {
    let streams = StandardStreams()
    let command: Command
    do {
      command = try Command.parse()
    } catch {
      exit(answer(error, streams).rawValue)
    }
    let console = Console(
      tool: Command.help.name, options: command.reporting, carriesData: command.carriesData,
      streams: streams)
    do {
      try command.perform(console)
    } catch {
      console.fail(error)
    }
    let status = console.finish()
    if Interruption.isRequested { Interruption.dieBySignal() }
    exit(status.rawValue)
  }

  /// Answers `--help` and `--version` on standard output, and wrong usage on standard error.
  private static func answer(_ error: any Error, _ streams: StandardStreams) -> ExitStatus {
    let isRequest = Command.exitCode(for: error) == .success
    do {
      if isRequest {
        try streams.output.write(Command.fullMessage(for: error) + "\n")
        try streams.output.finish()
        return .done
      }
      try streams.errors.write(usageMessage(error) + "\n")
      try streams.errors.flush()
    } catch {
      return ExitStatus(error)
    }
    return .usage
  }

  private static func usageMessage(_ error: any Error) -> String {
    let message = Command.message(for: error)
    let start = message.prefix(1).lowercased() + message.dropFirst()
    return Diagnostic(
      .usage, subject: "", problem: start.trimmingSuffix(while: { $0 == "." || $0 == "\n" }),
      remedy: "\(Command.help.name) --help shows what it takes"
    ).rendered(tool: Command.help.name).linesSafeForTerminal
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}

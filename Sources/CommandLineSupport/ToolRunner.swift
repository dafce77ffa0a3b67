import ArgumentParser
import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs one command as a process.
enum ToolRunner<Command: Tool> {
  static func run(_ arguments: [String]) -> Never {
    SystemCalls.returnLargeBuffers()
    SystemCalls.reportFailingWrites()
    let streams = StandardStreams()
    if let argument = SystemCalls.argumentThatIsNoText {
      tell(notText(argument), streams)
      exit(ExitStatus.usage.rawValue)
    }
    let status = perform(arguments, streams)
    if Interruption.isRequested { Interruption.dieBySignal() }
    exit(status.rawValue)
  }

  /// Does what a process does with the arguments, but for its end.
  static func perform(_ arguments: [String], _ streams: StandardStreams) -> ExitStatus {
    let command: Command
    do {
      command = try Command.parse(arguments)
    } catch {
      return answer(error, streams)
    }
    let console = Console(
      tool: Command.help.name, arguments: arguments, options: command.reporting,
      carriesData: command.carriesData, streams: streams)
    do {
      try command.perform(console)
    } catch {
      console.fail(error)
    }
    return console.finish()
  }

  /// Answers `--help` and `--version` on standard output, and wrong usage on standard error.
  private static func answer(_ error: any Error, _ streams: StandardStreams) -> ExitStatus {
    guard Command.exitCode(for: error) == .success else {
      tell(usage(error), streams)
      return .usage
    }
    do {
      try streams.output.write(Command.fullMessage(for: error) + "\n")
      try streams.output.finish()
      return .done
    } catch {
      tell(error.diagnostic, streams)
      return ExitStatus(error)
    }
  }

  private static func tell(_ diagnostic: Diagnostic, _ streams: StandardStreams) {
    do {
      let text = diagnostic.rendered(tool: Command.help.name)
      try streams.errors.write(text.linesSafeForTerminal + "\n")
      try streams.errors.flush()
    } catch {
      // Nobody is left to be told; the status says it.
    }
  }

  /// The parser takes text only, and would look for another name than the one that was given.
  private static func notText(_ argument: [UInt8]) -> Diagnostic {
    Diagnostic(
      .usage, subject: DisplayText.escaping(argument), problem: "is not valid UTF-8",
      remedy: "if it is a path, make a link to it (ln -s) with a name that is, and give that")
  }

  private static func usage(_ error: any Error) -> Diagnostic {
    var message = Command.message(for: error)
    while message.last == "." || message.last == "\n" { message.removeLast() }
    return Diagnostic(
      .usage, subject: "", problem: message.prefix(1).lowercased() + message.dropFirst(),
      remedy: "\(Command.help.name) --help shows what it takes")
  }
}

package import ArgumentParser
import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One command of the toolkit: arguments in, one workflow, report out.
///
/// An executable declares its options and builds its workflow; everything else is here, so that
/// the same option means the same thing in every command.
package protocol Tool: ParsableCommand {
  /// The command's name, examples and statuses.
  static var help: HelpText { get }
  /// How the command talks.
  var reporting: ReportingOptions { get }
  /// Whether standard output carries data, so that the report goes to standard error.
  var carriesData: Bool { get }
  /// Returns the arguments as the parser is to get them: what it would take for something else than users
  /// mean by it.
  static func prepared(_ arguments: [String]) -> [String]
  /// Does the work; what it throws becomes a message and the exit status.
  func perform(_ console: Console) throws
}

extension Tool {
  package var carriesData: Bool { false }

  package static func prepared(_ arguments: [String]) -> [String] { arguments }

  /// Runs the command as a process: parses, performs, reports, and exits with the right status.
  package static func run(_ arguments: [String]) { ToolRunner<Self>.run(arguments) }

  /// Runs the command as a step of another, in the same process.
  static func perform(_ arguments: [String], _ streams: StandardStreams) -> Step.Ending {
    ToolRunner<Self>.perform(arguments, streams)
  }

  /// Runs a command that has a program to itself.
  package static func main() { run(Array(CommandLine.arguments.dropFirst())) }
}

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
    let status = perform(arguments, streams).status
    if Interruption.isRequested { Interruption.dieBySignal() }
    exit(status.rawValue)
  }

  /// Does what a process does with the arguments, but for its end.
  static func perform(_ arguments: [String], _ streams: StandardStreams) -> Step.Ending {
    let command: Command
    do {
      command = try parse(Command.prepared(arguments))
    } catch {
      return Step.Ending(status: answer(error, to: arguments, streams))
    }
    let console = Console(
      tool: Command.help.name, arguments: arguments, options: command.reporting,
      carriesData: command.carriesData, streams: streams)
    do {
      try command.perform(console)
    } catch let refusal as ValidationError {
      return Step.Ending(status: answer(refusal, to: arguments, streams))
    } catch {
      console.fail(error)
    }
    return Step.Ending(status: console.finish(), hasSeenAll: console.hasSeenAll)
  }

  /// Parses arguments. What asks for a completion script is no more than looked for where nothing else
  /// fits: the parser reads all of them twice for it.
  private static func parse(_ arguments: [String]) throws -> Command {
    // These are answers, and no work.
    if arguments.contains(where: ["--help", "-h", "--version"].contains) {
      return try Command.parse(arguments)
    }
    do {
      return try Alone<Command>.parse(arguments).command
    } catch {
      return try Command.parse(arguments)
    }
  }

  /// Answers `--help` and `--version` on standard output, and wrong usage on standard error.
  private static func answer(
    _ error: any Error, to arguments: [String], _ streams: StandardStreams
  ) -> ExitStatus {
    guard Command.exitCode(for: error) == .success else {
      tell(usage(error, of: arguments), streams)
      return .usage
    }
    do {
      let text = Command.fullMessage(for: error)
      let isScript = arguments.first == CompletionScript.option
      try streams.output.write((isScript ? CompletionScript(made: text).text : text) + "\n")
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

  private static func usage(_ error: any Error, of arguments: [String]) -> Diagnostic {
    var message = Command.message(for: error)
    // An option that is none may be all that is wrong, so that is told before what is missing for it.
    if !message.hasPrefix("Unknown option"),
      let unknown = Command.unknownOption(in: arguments)
    {
      message = unknown
    }
    while message.last == "." || message.last == "\n" { message.removeLast() }
    return Diagnostic(
      .usage, subject: "", problem: message.prefix(1).lowercased() + message.dropFirst(),
      remedy: "\(Command.help.name) --help shows what it takes")
  }
}

/// A command that the parser takes for a part of a program, and asks for no completion script.
private struct Alone<Command: Tool>: ParsableCommand {
  @OptionGroup var command: Command

  static var configuration: CommandConfiguration {
    var configuration = CommandConfiguration(commandName: Command.help.name)
    configuration._superCommandName = ""
    return configuration
  }
}

/// What a command's help says before its options: examples first, then exit statuses.
package struct HelpText: Sendable {
  /// One call worth copying, with what it is for.
  package struct Example: Sendable {
    let purpose: String
    let call: String

    /// Creates an example; `purpose` is an imperative without a full stop.
    package init(_ purpose: String, _ call: String) {
      self.purpose = purpose
      self.call = call
    }
  }

  /// The command's name.
  package let name: String
  /// What the command does, as an imperative without a full stop.
  package let abstract: String
  /// The calls most people need.
  package let examples: [Example]
  /// What a reader must know beyond the options, one paragraph at most.
  package let note: String?
  /// The statuses this command can end with.
  package let statuses: [ExitStatus]

  /// Creates the help of one command.
  package init(
    _ name: String, _ abstract: String, examples: [Example], note: String? = nil,
    statuses: [ExitStatus] = ExitStatus.allCases
  ) {
    self.name = name
    self.abstract = abstract
    self.examples = examples
    self.note = note
    self.statuses = statuses
  }

  /// What the parser knows of the command. It asks again and again, so a command keeps this.
  package var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: name, abstract: abstract, discussion: discussion,
      version: ToolVersion.line(for: name))
  }

  /// The text between the abstract and the usage line.
  private var discussion: String {
    var text = "Examples:\n"
    for example in examples { text += "  # \(example.purpose)\n  \(example.call)\n" }
    if let note { text += "\n\(note)\n" }
    text += "\nExit status:"
    for status in statuses.sorted(by: { $0.rawValue < $1.rawValue }) {
      let number = String(status.rawValue)
      text += "\n" + String(repeating: " ", count: 4 - number.count) + number
      text += "  " + status.meaning
    }
    return text
  }
}

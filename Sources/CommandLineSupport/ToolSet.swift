package import ArgumentParser
package import Diagnostics
import SafeFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Several commands in one program: which one to run is the name that it was called by, as through
/// a link, else the first argument.
package struct ToolSet {
  private let name: String
  private let abstract: String
  private let examples: [HelpText.Example]
  private let tools: [any Tool.Type]

  /// Takes the commands in the order in which they are listed.
  package init(
    _ name: String, _ abstract: String, examples: [HelpText.Example], tools: [any Tool.Type]
  ) {
    self.name = name
    self.abstract = abstract
    self.examples = examples
    self.tools = tools
  }

  /// Runs the command with a name, and ends the process.
  package func run(_ name: String) {
    guard let tool = tool(named: name) else { return refuse("\(name): is no command") }
    tool.run(Array(CommandLine.arguments.dropFirst()))
  }

  /// Runs the command that the process was called by, or that its first argument names, and ends the
  /// process.
  ///
  /// - Parameter whole: the program as a command with commands below it.
  package func run(asKnownBy whole: any ParsableCommand.Type) {
    let words = CommandLine.arguments
    // The runtime reads them there.
    guard !words.isEmpty else {
      tell(
        Diagnostic(
          .systemCallFailed, subject: "/proc/self/cmdline",
          problem: "cannot be read, where the system has the arguments",
          remedy: "mount it: mount -t proc proc /proc"),
        StandardStreams())
      exit(ExitStatus.systemCallFailed.rawValue)
    }
    if let called = words.first?.split(separator: "/").last, let tool = tool(named: called) {
      return tool.run(Array(words.dropFirst()))
    }
    guard words.count > 1 else { return refuse("which command is missing") }
    if let tool = tool(named: words[1]) { return tool.run(Array(words.dropFirst(2))) }
    switch words[1] {
    case "--help", "-h": answer(help)
    case "--version": answer(ToolVersion.line(for: name))
    case "--commands": answer(tools.map { $0.help.name }.joined(separator: "\n"))
    case CompletionScript.option, "--experimental-dump-help", "---completion":
      do {
        _ = try whole.parseAsRoot(Array(words.dropFirst()))
      } catch {
        guard whole.exitCode(for: error) == .success else {
          return refuse(whole.message(for: error))
        }
        let text = whole.fullMessage(for: error)
        let isScript = words[1] == CompletionScript.option
        answer(isScript ? CompletionScript(made: text, hasSubcommands: true).text : text)
      }
    case let word: refuse(unknown: word)
    }
  }

  /// Refuses a first word that is neither a command nor an option, and names the nearest one.
  private func refuse(unknown word: String) {
    if word.hasPrefix("--") {
      let name = word.prefix { $0 != "=" }
      let problem = WrongWord.unknownOption(name, among: options.map(\.name))
      return refuse(problem.prefix(1).lowercased() + problem.dropFirst())
    }
    refuse(
      "\(DisplayText.escaping(Array(word.utf8))): is no command"
        + WrongWord.suggestion(for: word, among: tools.map { $0.help.name }))
  }

  /// What the program takes instead of a command.
  private var options: [(name: String, shown: String, help: String)] {
    [
      ("--commands", "--commands", Self.commandsHelp),
      ("--version", "--version", "Show the version."),
      ("--help", "-h, --help", "Show help information."),
    ]
  }

  /// Runs a command as a step of another, in the same process.
  package func runStep(_ command: NextCommand, _ output: Step.Output) -> Step.Ending {
    let streams = StandardStreams(ofStep: output)
    guard let tool = tool(named: command.name.rawValue) else {
      return Step.Ending(status: .internalError)
    }
    var ending = tool.perform(command.arguments, streams)
    ending.output = streams.output.kept
    FreedMemory.giveBack()
    return ending
  }

  /// What the option does that scripts find the commands by.
  package static let commandsHelp = "List the names of the commands, one a line."

  /// What the parser knows of the program.
  package var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: name, abstract: abstract, discussion: discussion.joined(separator: "\n"),
      version: ToolVersion.line(for: name),
      subcommands: tools)
  }

  private func tool(named name: some StringProtocol) -> (any Tool.Type)? {
    tools.first { $0.help.name == name }
  }

  private func answer(_ text: String) {
    let streams = StandardStreams()
    do {
      try streams.output.write(text + "\n")
      try streams.output.finish()
      exit(ExitStatus.done.rawValue)
    } catch {
      tell(error.diagnostic, streams)
      exit(ExitStatus(error).rawValue)
    }
  }

  private func refuse(_ problem: String) {
    tell(
      Diagnostic(
        .usage, subject: "", problem: problem, remedy: "\(name) --help lists the commands"),
      StandardStreams())
    exit(ExitStatus.usage.rawValue)
  }

  private func tell(_ diagnostic: Diagnostic, _ streams: StandardStreams) {
    do {
      try streams.errors.write(diagnostic.rendered(tool: name).linesSafeForTerminal + "\n")
      try streams.errors.flush()
    } catch {
      // Nobody is left to be told; the status says it.
    }
  }

  private var discussion: [String] {
    ["Examples:"] + examples.flatMap { ["  # \($0.purpose)", "  \($0.call)"] }
      + ["", "Called by the name of a command, as through a link, it is that command."]
  }

  private var help: String {
    var lines = ["OVERVIEW: \(abstract)", ""] + discussion + [""]
    lines += ["USAGE: \(name) <command> [<argument> ...]", "", "COMMANDS:"]
    let options = options.map { ($0.shown, $0.help) }
    let commands = tools.map { ($0.help.name, $0.help.abstract + ".") }
    let width = (commands + options).reduce(0) { max($0, $1.0.count) } + 2
    func line(_ entry: (String, String)) -> String {
      "  " + entry.0 + String(repeating: " ", count: width - entry.0.count) + entry.1
    }
    lines += commands.map(line) + ["", "OPTIONS:"] + options.map(line) + [""]
    return lines.joined(separator: "\n")
  }
}

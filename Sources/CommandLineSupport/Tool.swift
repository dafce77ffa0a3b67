package import ArgumentParser

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
  /// Does the work; what it throws becomes a message and the exit status.
  func perform(_ console: Console) throws
}

extension Tool {
  package var carriesData: Bool { false }

  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: help.name, abstract: help.abstract, discussion: help.discussion,
      version: ToolVersion.line(for: help.name))
  }

  /// Runs the command as a process: parses, performs, reports, and exits with the right status.
  package static func run(_ arguments: [String]) { ToolRunner<Self>.run(arguments) }

  /// Runs the command as a step of another, in the same process.
  static func perform(_ arguments: [String], _ streams: StandardStreams) -> ExitStatus {
    ToolRunner<Self>.perform(arguments, streams)
  }

  /// Runs a command that has a program to itself.
  package static func main() { run(Array(CommandLine.arguments.dropFirst())) }
}
